//! Which process it is, and whether it still is that one.

use std::fmt;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{AtFlags, Mode, OFlags, openat, readlinkat, statat};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use target_proc::ProcError;
use target_proc::process::is_emulator_name;
use target_proc::status::{parse_start_ticks, parse_status};

use crate::error::{AccessError, ChangedHow};

const MAX_PROC_FILE_BYTES: u64 = 1 << 20;
const DELETED: &[u8] = b" (deleted)";

/// One process, held by descriptors that can never mean another one: a pidfd, and its folder of `/proc`.
pub struct Identity {
    pid: u32,
    /// `None` where the kernel has none (before Linux 5.3): the folder alone does then.
    process: Option<OwnedFd>,
    folder: OwnedFd,
    facts: Facts,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("pid", &self.pid)
            .field("facts", &self.facts)
            .finish_non_exhaustive()
    }
}

/// What does not change while it is the same program of the same user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// When it started.
    pub start_ticks: u64,
    /// Real, effective, saved user, and that of its file accesses.
    pub uids: [u32; 4],
    /// The owner of its `/proc` files: root, when the kernel protects it from its user.
    pub shown_owner: u32,
    /// Device and inode of its program; `None` when the kernel does not show them.
    pub program: Option<(u64, u64)>,
    /// Whether the program has the name of an emulator; `None` when the kernel does not show it.
    pub is_emulator: Option<bool>,
}

impl Identity {
    /// Opens the process that has that pid now.
    ///
    /// # Errors
    /// There is no such process, or the system refuses to open it.
    pub fn open(pid: u32) -> Result<Self, AccessError> {
        let gone = || AccessError::from(ProcError::NoSuchProcess { pid });
        let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let process = match pidfd_open(number.ok_or_else(gone)?, PidfdFlags::empty()) {
            Ok(process) => Some(process),
            Err(Errno::NOSYS | Errno::PERM) => None,
            // It names a thread that is no process of its own, or nothing.
            Err(Errno::SRCH | Errno::INVAL | Errno::NOENT) => return Err(gone()),
            Err(error) => return Err(system("pidfd_open", error)),
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let folder = match rustix::fs::open(format!("/proc/{pid}"), flags, Mode::empty()) {
            Ok(folder) => folder,
            Err(Errno::NOENT | Errno::SRCH) => return Err(gone()),
            Err(error) => return Err(system("opening its folder of /proc", error)),
        };
        let facts = facts(pid, &folder)?;
        let identity = Self {
            pid,
            process,
            folder,
            facts,
        };
        // It lives after the folder was opened, so the number was its own all the time.
        match identity.has_ended()? {
            true => Err(gone()),
            false => Ok(identity),
        }
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether the kernel gave a descriptor of the process itself.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.process.is_some()
    }

    /// The facts found when it was opened.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Opens a file of its folder in `/proc` for reading.
    pub(crate) fn open_file(&self, name: &str) -> Result<std::fs::File, Errno> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        openat(&self.folder, name, flags, Mode::empty()).map(Into::into)
    }

    /// Whether `tid` is a thread of it now.
    #[must_use]
    pub fn has_thread(&self, tid: u32) -> bool {
        statat(
            &self.folder,
            format!("task/{tid}"),
            AtFlags::SYMLINK_NOFOLLOW,
        )
        .is_ok()
    }

    /// Whether it still is the same program of the same user.
    ///
    /// # Errors
    /// [`AccessError::Changed`] when it is not.
    pub fn check(&self) -> Result<(), AccessError> {
        let changed = |how| AccessError::Changed { pid: self.pid, how };
        let now = match facts(self.pid, &self.folder) {
            Ok(now) => now,
            Err(AccessError::Proc(ProcError::NoSuchProcess { .. })) => {
                return Err(changed(ChangedHow::Ended));
            }
            Err(error) => return Err(error),
        };
        let then = &self.facts;
        // Last, so that the facts read above were of a living process.
        if now.start_ticks != then.start_ticks || self.has_ended()? {
            return Err(changed(ChangedHow::Ended));
        }
        if now.uids != then.uids || now.shown_owner != then.shown_owner {
            return Err(changed(ChangedHow::OtherUser));
        }
        match now.program == then.program {
            true => Ok(()),
            false if self.has_no_program() => Err(changed(ChangedHow::Ended)),
            false => Err(changed(ChangedHow::OtherProgram)),
        }
    }

    /// Its program goes first when it ends, and its entry in `/proc` last.
    fn has_no_program(&self) -> bool {
        let program = statat(&self.folder, "exe", AtFlags::empty());
        matches!(program, Err(Errno::NOENT | Errno::SRCH))
    }

    /// Whether it lives and has the same owner; less than [`Identity::check`], and quick.
    #[must_use]
    pub(crate) fn still_belongs_to_its_user(&self) -> bool {
        // In this order: the owner was read from a living process.
        let shown = statat(&self.folder, "stat", AtFlags::SYMLINK_NOFOLLOW);
        shown.is_ok_and(|stat| stat.st_uid == self.facts.shown_owner)
            && matches!(self.has_ended(), Ok(false))
    }

    fn has_ended(&self) -> Result<bool, AccessError> {
        let Some(process) = &self.process else {
            return Ok(false);
        };
        let mut polled = [PollFd::from_borrowed_fd(process.as_fd(), PollFlags::IN)];
        let at_once = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        match rustix::io::retry_on_intr(|| poll(&mut polled, Some(&at_once))) {
            Ok(ready) => Ok(ready > 0),
            Err(error) => Err(system("waiting for its end", error)),
        }
    }
}

fn facts(pid: u32, folder: &OwnedFd) -> Result<Facts, AccessError> {
    let status = read(pid, folder, "status")?;
    let uids = uids(&status).ok_or(ProcError::NoStartTime { pid })?;
    let parsed = parse_status(&status).map_err(|source| ProcError::Status { pid, source })?;
    if parsed.is_zombie() {
        return Err(ProcError::NoSuchProcess { pid }.into());
    }
    let stat = read(pid, folder, "stat")?;
    let start_ticks = parse_start_ticks(&stat).ok_or(ProcError::NoStartTime { pid })?;
    let shown = statat(folder, "stat", AtFlags::SYMLINK_NOFOLLOW)
        .map_err(|error| from_errno(pid, "stat", error))?;
    let program = statat(folder, "exe", AtFlags::empty()).ok();
    let name = readlinkat(folder, "exe", Vec::new()).ok();
    Ok(Facts {
        start_ticks,
        uids,
        shown_owner: shown.st_uid,
        program: program.map(|stat| (stat.st_dev, stat.st_ino)),
        is_emulator: name.map(|path| {
            let path = path.as_bytes();
            let path = path.strip_suffix(DELETED).unwrap_or(path);
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
            std::str::from_utf8(name).is_ok_and(is_emulator_name)
        }),
    })
}

/// All four of the line `Uid:`.
fn uids(status: &[u8]) -> Option<[u32; 4]> {
    let line = status
        .split(|byte| *byte == b'\n')
        .find_map(|line| line.strip_prefix(b"Uid:"))?;
    let ids = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let ids: Vec<u32> = ids.map(str::parse).collect::<Result<_, _>>().ok()?;
    ids.try_into().ok()
}

fn read(pid: u32, folder: &OwnedFd, name: &'static str) -> Result<Vec<u8>, AccessError> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file =
        openat(folder, name, flags, Mode::empty()).map_err(|error| from_errno(pid, name, error))?;
    let mut bytes = Vec::new();
    let read = std::fs::File::from(file)
        .take(MAX_PROC_FILE_BYTES)
        .read_to_end(&mut bytes);
    match read {
        Ok(_) => Ok(bytes),
        Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => {
            Err(ProcError::NoSuchProcess { pid }.into())
        }
        Err(source) => Err(AccessError::System {
            what: "reading its files in /proc",
            source,
        }),
    }
}

fn from_errno(pid: u32, file: &str, error: Errno) -> AccessError {
    match error {
        Errno::NOENT | Errno::SRCH => ProcError::NoSuchProcess { pid }.into(),
        Errno::ACCESS | Errno::PERM => ProcError::PermissionDenied {
            pid,
            file: file.to_owned(),
        }
        .into(),
        error => system("reading its files in /proc", error),
    }
}

fn system(what: &'static str, error: Errno) -> AccessError {
    AccessError::System {
        what,
        source: error.into(),
    }
}

#[cfg(test)]
mod tests;
