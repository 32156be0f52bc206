//! The threads of a process.

use std::fs;

use shared_sort::SharedSort;

use crate::error::ProcError;
use crate::proc_fs::ProcFs;

/// One thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Thread id, as this pid namespace numbers it.
    pub tid: u32,
    /// Its name as the kernel has it, at most 15 bytes (`1_scheduler`, `erts_sched_1`).
    pub comm: String,
}

/// Names are at most 15 bytes and a newline; kernel workers print somewhat more.
const MAX_COMM_BYTES: u64 = 256;

impl ProcFs {
    /// The threads of a process, sorted by id. A thread that ends during the reading is left out.
    ///
    /// # Errors
    /// No such process, or not permitted.
    pub fn threads(&self, pid: u32) -> Result<Vec<Thread>, ProcError> {
        let mut threads = Vec::new();
        for tid in self.thread_ids(pid)? {
            match self.thread_name(pid, tid) {
                Ok(comm) => threads.push(Thread { tid, comm }),
                Err(ProcError::NoSuchProcess { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(threads)
    }

    /// The name that a thread has now.
    ///
    /// # Errors
    /// No such thread, or not permitted.
    pub fn thread_name(&self, pid: u32, tid: u32) -> Result<String, ProcError> {
        let comm = self.read(pid, &format!("task/{tid}/comm"), MAX_COMM_BYTES)?;
        Ok(text_of_comm(&comm))
    }

    /// Only the ids, sorted: one directory listing, for looking for new threads often.
    ///
    /// # Errors
    /// No such process, or not permitted.
    pub fn thread_ids(&self, pid: u32) -> Result<Vec<u32>, ProcError> {
        let failed = |source| ProcError::from_io(pid, "task", source);
        let mut ids = Vec::new();
        for entry in fs::read_dir(self.path(pid, "task")).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            ids.extend(
                entry
                    .file_name()
                    .to_str()
                    .and_then(|name| name.parse::<u32>().ok()),
            );
        }
        ids.shared_sort();
        Ok(ids)
    }
}

fn text_of_comm(comm: &[u8]) -> String {
    String::from_utf8_lossy(comm.strip_suffix(b"\n").unwrap_or(comm)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn sees_a_named_thread_come_and_go() {
        let pid = std::process::id();
        let (finish, wait) = mpsc::channel::<()>();
        let (started, is_started) = mpsc::channel();
        let worker = std::thread::Builder::new()
            .name("7_scheduler".into())
            .spawn(move || {
                started.send(()).unwrap();
                let _ = wait.recv();
            });
        is_started.recv().unwrap();
        let named = |threads: &[Thread]| threads.iter().any(|thread| thread.comm == "7_scheduler");
        let threads = ProcFs::live().threads(pid).unwrap();
        assert!(named(&threads));
        assert!(threads.iter().any(|thread| thread.tid == pid));
        assert!(threads.windows(2).all(|pair| pair[0].tid < pair[1].tid));
        drop(finish);
        worker.unwrap().join().unwrap();
        // The kernel may still list a thread for a moment after it was joined.
        let gone = (0..60_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            !named(&ProcFs::live().threads(pid).unwrap())
        });
        assert!(gone);
    }

    #[test]
    fn a_missing_process_is_an_error_of_its_own() {
        let gone = ProcFs::live().threads(u32::MAX);
        assert!(matches!(gone, Err(ProcError::NoSuchProcess { .. })));
    }

    #[test]
    fn names_are_cut_at_the_newline_only() {
        assert_eq!(text_of_comm(b"a b\n"), "a b");
        assert_eq!(text_of_comm(b""), "");
        assert_eq!(text_of_comm(b"\xff\n"), "\u{fffd}");
    }
}
