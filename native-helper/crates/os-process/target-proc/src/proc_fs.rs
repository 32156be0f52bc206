//! Bounded reads below one `/proc`.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::Pid;
use rustix::thread::sched_getaffinity;

use crate::error::ProcError;

/// A mounted proc file system. [`ProcFs::live`] is the machine's own; tests build small trees.
#[derive(Debug, Clone)]
pub struct ProcFs {
    root: PathBuf,
}

impl ProcFs {
    /// `/proc`.
    #[must_use]
    pub fn live() -> Self {
        Self::at("/proc")
    }

    /// A proc file system mounted (or imitated) elsewhere.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Where it is mounted.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn path(&self, pid: u32, file: &str) -> PathBuf {
        self.root.join(pid.to_string()).join(file)
    }

    /// Reads the whole of `/proc/PID/file`.
    ///
    /// # Errors
    /// [`ProcError::TooLong`] beyond `limit_bytes`; otherwise the error of the kernel.
    pub(crate) fn read(
        &self,
        pid: u32,
        file: &str,
        limit_bytes: u64,
    ) -> Result<Vec<u8>, ProcError> {
        let failed = |source| ProcError::from_io(pid, file, source);
        let opened = File::open(self.path(pid, file)).map_err(failed)?;
        let mut content = Vec::new();
        opened
            .take(limit_bytes.saturating_add(1))
            .read_to_end(&mut content)
            .map_err(failed)?;
        if content.len() as u64 > limit_bytes {
            return Err(ProcError::TooLong {
                pid,
                file: file.to_owned(),
                limit_bytes,
            });
        }
        Ok(content)
    }

    /// Reads a file of the proc file system itself, `/proc/file`; `None` where it cannot be read.
    pub(crate) fn read_top(&self, file: &str, limit_bytes: u64) -> Option<Vec<u8>> {
        let mut content = Vec::new();
        File::open(self.root.join(file))
            .and_then(|opened| opened.take(limit_bytes).read_to_end(&mut content))
            .ok()?;
        Some(content)
    }

    /// Where the symbolic link `/proc/PID/file` points, as the kernel words it.
    pub(crate) fn link(&self, pid: u32, file: &str) -> Result<PathBuf, ProcError> {
        fs::read_link(self.path(pid, file)).map_err(|e| ProcError::from_io(pid, file, e))
    }

    /// Whether there is such a process (or thread) now.
    #[must_use]
    pub fn exists(&self, pid: u32) -> bool {
        self.root.join(pid.to_string()).is_dir()
    }

    /// Whether there is such a process, and this `/proc` does not show it: with `hidepid`, it hides those of other users,
    /// and those whose program the user may not read.
    #[must_use]
    pub fn is_hidden(&self, pid: u32) -> bool {
        // In this order: a process that ends in between is not hidden.
        !self.exists(pid) && is_there(pid)
    }
}

/// Whether the kernel has such a process. This query, unlike `kill(pid, 0)`, needs no rights, and a program that is locked
/// in may make it.
fn is_there(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| shows_process(sched_getaffinity(Some(pid)).map(drop)))
}

/// Whether that answer is only given for a process that exists. Where a machine may have more processors than there is
/// room for, the kernel answers `EINVAL` for any number.
fn shows_process(answer: Result<(), Errno>) -> bool {
    matches!(answer, Ok(()) | Err(Errno::PERM | Errno::ACCESS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_answers_that_are_given_of_processes_show_one() {
        assert!(shows_process(Ok(())));
        assert!(shows_process(Err(Errno::PERM)) && shows_process(Err(Errno::ACCESS)));
        for error in [Errno::SRCH, Errno::INVAL, Errno::NOSYS, Errno::FAULT] {
            assert!(!shows_process(Err(error)), "{error}");
        }
        assert!(is_there(std::process::id()));
    }
}
