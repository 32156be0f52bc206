//! Helper processes that were given up and cannot end: they wait in the kernel for a file that a target
//! has mapped and that never answers. They are found again by their names, so that not more and more of
//! them are started for one target.

use std::ffi::CString;
use std::fs;

use crate::proc_fs::ProcFs;
use crate::status::parse_ids_of_status;

/// The kernel keeps 15 bytes of a name: room for these and a pid.
const NAMES: [&str; 2] = ["look-", "sampler-"];
const MAX_COMM_BYTES: u64 = 256;
const MAX_STATUS_BYTES: u64 = 1 << 20;
/// SIGKILL in a set of signals.
const KILL: u64 = 1 << (libc::SIGKILL - 1);

/// The work of a helper process that may get stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// It reads one process for a moment.
    Look,
    /// It samples one.
    Sampler,
}

/// Names the calling process, by its first thread, after its work on `target`.
pub fn name_own_process(work: Work, target: u32) {
    let [look, sampler] = NAMES;
    let name = match work {
        Work::Look => look,
        Work::Sampler => sampler,
    };
    let Ok(name) = CString::new(format!("{name}{target}")) else {
        return;
    };
    // A process whose name is refused is not found again.
    let _ = rustix::thread::set_name(&name);
}

/// The helper processes that were ended and cannot end: the target of each, and its start time.
#[derive(Debug, Clone, Default)]
pub struct Stuck(Vec<(u32, u64)>);

impl Stuck {
    /// How many are stuck on `target`. Those on an earlier process with its process id do not count.
    #[must_use]
    pub fn on(&self, target: u32) -> usize {
        let looks = self.0.iter().filter(|(looked_at, _)| *looked_at == target);
        let mut looks = looks.peekable();
        if looks.peek().is_none() {
            return 0;
        }
        let since = ProcFs::live().start_ticks(target).unwrap_or(u64::MAX);
        looks.filter(|(_, started)| *started >= since).count()
    }
}

impl ProcFs {
    /// The helper processes that are stuck now.
    #[must_use]
    pub fn stuck(&self) -> Stuck {
        let entries = fs::read_dir(self.root()).into_iter().flatten();
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let own = rustix::process::getuid().as_raw();
        let stuck = |pid: u32| {
            let comm = self.read(pid, "comm", MAX_COMM_BYTES).ok()?;
            let target = target_in(&comm)?;
            let status = self.read(pid, "status", MAX_STATUS_BYTES).ok()?;
            let started = self.start_ticks(pid).ok()?;
            is_ended_and_there(&status, own).then_some((target, started))
        };
        Stuck(pids.filter_map(stuck).collect())
    }
}

/// The target of a process with this name.
fn target_in(comm: &[u8]) -> Option<u32> {
    let comm = std::str::from_utf8(comm).ok()?.trim_end_matches('\n');
    let mut names = NAMES.iter();
    names.find_map(|name| comm.strip_prefix(name)?.parse().ok())
}

/// Whether a process of `uid` was killed, or has ended except for a thread. Any user may give a process
/// any name, so those of other users do not count.
fn is_ended_and_there(status: &[u8], uid: u32) -> bool {
    let text = String::from_utf8_lossy(status);
    let value = |key: &str| {
        let mut lines = text.lines();
        lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(":\t"))
    };
    let is_killed = ["SigPnd", "ShdPnd"].into_iter().any(|key| {
        let pending = value(key).and_then(|set| u64::from_str_radix(set, 16).ok());
        pending.is_some_and(|set| set & KILL != 0)
    });
    let is_zombie = value("State").is_some_and(|state| state.starts_with('Z'));
    let threads: u32 = value("Threads").and_then(|it| it.parse().ok()).unwrap_or(0);
    parse_ids_of_status(&text).is_some_and(|ids| ids.real == uid)
        && (is_killed || (is_zombie && threads > 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(state: &str, threads: u32, pending: &str) -> String {
        format!(
            "Name:\tlook-7\nState:\t{state}\nUid:\t5\t5\t5\t5\nThreads:\t{threads}\nSigPnd:\t{pending}\nShdPnd:\t0000000000000000\n"
        )
    }

    #[test]
    fn what_was_killed_or_lives_on_as_a_thread_is_stuck() {
        let none = "0000000000000000";
        let is_stuck = |status: String| is_ended_and_there(status.as_bytes(), 5);
        assert!(is_stuck(status("D (disk sleep)", 1, "0000000000000100")));
        assert!(is_stuck(status("Z (zombie)", 2, none)));
        // At work, and waiting for a disk while it is; ended, and its parent has not noticed.
        for well in ["R (running)", "D (disk sleep)"] {
            assert!(!is_stuck(status(well, 3, none)), "{well}");
        }
        assert!(!is_stuck(status("Z (zombie)", 1, none)));
        let of_another = status("D (disk sleep)", 1, "0000000000000100");
        assert!(!is_ended_and_there(of_another.as_bytes(), 6));
        assert!(!is_ended_and_there(b"", 0));
    }

    #[test]
    fn a_process_at_work_is_not_stuck() {
        let on_ourselves = ProcFs::live().stuck().on(std::process::id());
        assert_eq!(on_ourselves, 0);
    }

    #[test]
    fn names_show_the_file_that_is_read() {
        assert_eq!(target_in(b"look-7\n"), Some(7));
        assert_eq!(target_in(b"sampler-4194304\n"), Some(4_194_304));
        for other in [&b"look-\n"[..], b"looker\n", b"beam.smp\n", b"\xff\n"] {
            assert_eq!(target_in(other), None);
        }
    }
}
