//! How busy a process is, its page faults, and whether a thread sleeps, from the `stat` and `status` files.

use crate::error::ProcError;
use crate::proc_fs::ProcFs;
use crate::stat_fields::{FIRST_FIELD_AFTER_NAME, fields_after_name};

const MAX_STAT_BYTES: u64 = 64 << 10;

/// Field numbers of `stat`, as proc(5) counts them; the name is field 2.
const MINOR_FAULTS_FIELD: usize = 10;
const USER_TIME_FIELD: usize = 14;

/// The activity of a process or thread, from `stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// One letter: `R`unning, `S`leeping, `D`isk sleep, s`T`opped, ...
    pub state: char,
    /// CPU time used so far, user and kernel, clock ticks (of 10 ms).
    pub cpu_ticks: u64,
    /// The part of it in the kernel.
    pub kernel_ticks: u64,
}

/// The activity in the text of `stat`. The name may hold anything, so fields are counted from the
/// last `)`.
#[must_use]
pub fn parse_activity(stat: &[u8]) -> Option<Activity> {
    let mut fields = fields_after_name(stat)?;
    let state = fields.next()?.chars().next()?;
    let mut times = fields.skip(USER_TIME_FIELD - FIRST_FIELD_AFTER_NAME - 1);
    let user: u64 = times.next()?.parse().ok()?;
    let system: u64 = times.next()?.parse().ok()?;
    Some(Activity {
        state,
        cpu_ticks: user.saturating_add(system),
        kernel_ticks: system,
    })
}

/// CPU time of a process and of the children that it has waited for, clock ticks (of 10 ms), in the text of
/// `stat`.
#[must_use]
pub fn parse_cpu_ticks_with_children(stat: &[u8]) -> Option<u64> {
    let times = fields_after_name(stat)?.skip(USER_TIME_FIELD - FIRST_FIELD_AFTER_NAME);
    let ticks: Option<Vec<u64>> = times.take(4).map(|time| time.parse().ok()).collect();
    let ticks = ticks.filter(|ticks| ticks.len() == 4)?;
    Some(ticks.into_iter().fold(0, u64::saturating_add))
}

/// CPU time of the children alone, in the same text. Of one text: the process itself may work between two readings.
#[must_use]
pub fn parse_cpu_ticks_of_children(stat: &[u8]) -> Option<u64> {
    let all = parse_cpu_ticks_with_children(stat)?;
    all.checked_sub(parse_activity(stat)?.cpu_ticks)
}

/// Page faults of a process since it started, also those of its threads that have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageFaults {
    /// The page was in memory.
    pub minor: u64,
    /// It had to be read.
    pub major: u64,
}

/// Those in the text of `stat`, without the faults of children.
#[must_use]
pub fn parse_page_faults(stat: &[u8]) -> Option<PageFaults> {
    let mut faults = fields_after_name(stat)?.skip(MINOR_FAULTS_FIELD - FIRST_FIELD_AFTER_NAME);
    let minor = faults.next()?.parse().ok()?;
    // Behind each are those of the children that the process has waited for.
    let major = faults.nth(1)?.parse().ok()?;
    Some(PageFaults { minor, major })
}

impl ProcFs {
    /// See [`parse_page_faults`].
    #[must_use]
    pub fn page_faults(&self, pid: u32) -> Option<PageFaults> {
        parse_page_faults(&self.read(pid, "stat", MAX_STAT_BYTES).ok()?)
    }

    /// See [`parse_cpu_ticks_of_children`].
    #[must_use]
    pub fn cpu_ticks_of_children(&self, pid: u32) -> Option<u64> {
        parse_cpu_ticks_of_children(&self.read(pid, "stat", MAX_STAT_BYTES).ok()?)
    }

    /// See [`parse_cpu_ticks_with_children`]. A process that has ended has them until it is waited for.
    #[must_use]
    pub fn cpu_ticks_with_children(&self, pid: u32) -> Option<u64> {
        parse_cpu_ticks_with_children(&self.read(pid, "stat", MAX_STAT_BYTES).ok()?)
    }
}

/// Whether a thread sleeps, and whether that is still the same sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sleep {
    /// It waits in the kernel, for any reason.
    pub is_asleep: bool,
    /// How often it was taken from a processor: a thread that sleeps at two readings with the same number between them
    /// did not run in between.
    pub switches: u64,
}

/// Reads that out of the text of a thread's `status`.
#[must_use]
pub fn parse_sleep(status: &[u8]) -> Option<Sleep> {
    let text = String::from_utf8_lossy(status);
    let state = status_field(&text, "State:")?.chars().next()?;
    let Switches {
        voluntary,
        involuntary,
    } = switches_in(&text)?;
    Some(Sleep {
        is_asleep: matches!(state, 'S' | 'D' | 'I'),
        switches: voluntary.saturating_add(involuntary),
    })
}

/// How often a thread was taken from a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// It had nothing to do, or waited for something.
    pub voluntary: u64,
    /// Another thread was given the processor.
    pub involuntary: u64,
}

/// Those in the text of a thread's `status`.
#[must_use]
pub fn parse_switches(status: &[u8]) -> Option<Switches> {
    switches_in(&String::from_utf8_lossy(status))
}

fn switches_in(status: &str) -> Option<Switches> {
    let count = |name: &str| status_field(status, name)?.parse().ok();
    Some(Switches {
        voluntary: count("voluntary_ctxt_switches:")?,
        involuntary: count("nonvoluntary_ctxt_switches:")?,
    })
}

fn status_field<'t>(status: &'t str, name: &str) -> Option<&'t str> {
    let mut lines = status.lines();
    lines.find_map(|line| Some(line.strip_prefix(name)?.trim()))
}

impl ProcFs {
    /// Whether a thread sleeps; `None` when it has ended or the kernel does not report it.
    #[must_use]
    pub fn thread_sleep(&self, pid: u32, tid: u32) -> Option<Sleep> {
        let status = self.read(pid, &format!("task/{tid}/status"), MAX_STAT_BYTES);
        parse_sleep(&status.ok()?)
    }

    /// How often a thread was taken from a processor; `None` as for [`Self::thread_sleep`].
    #[must_use]
    pub fn thread_switches(&self, pid: u32, tid: u32) -> Option<Switches> {
        let status = self.read(pid, &format!("task/{tid}/status"), MAX_STAT_BYTES);
        parse_switches(&status.ok()?)
    }

    /// The activity of a process, all its threads together; `None` when it has ended or its `stat`
    /// is unreadable.
    #[must_use]
    pub fn activity(&self, pid: u32) -> Option<Activity> {
        self.activity_in(pid, "stat").ok().flatten()
    }

    /// The activity of one thread; `None` when it has ended or its `stat` is unreadable.
    #[must_use]
    pub fn thread_activity(&self, pid: u32, tid: u32) -> Option<Activity> {
        self.activity_in(pid, &format!("task/{tid}/stat"))
            .ok()
            .flatten()
    }

    /// Whether a thread of a process runs or waits for nothing but a processor. On a machine with much else to do it may
    /// wait for seconds without using any time.
    #[must_use]
    pub fn has_runnable_thread(&self, pid: u32) -> bool {
        let threads = self.thread_ids(pid).unwrap_or_default();
        let mut threads = threads.into_iter();
        threads.any(|tid| self.is_thread_runnable(pid, tid))
    }

    /// Whether a thread is on a processor, or waits for nothing but one.
    #[must_use]
    pub fn is_thread_runnable(&self, pid: u32, tid: u32) -> bool {
        let activity = self.thread_activity(pid, tid);
        activity.is_some_and(|it| it.state == 'R')
    }

    fn activity_in(&self, pid: u32, file: &str) -> Result<Option<Activity>, ProcError> {
        Ok(parse_activity(&self.read(pid, file, MAX_STAT_BYTES)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_fields_from_the_end_of_the_name() {
        let stat = b"10 (a) R ) b) S 4 5 6 7 8 9 10 11 12 13 1400 15 16 17";
        assert_eq!(
            parse_activity(stat),
            Some(Activity {
                state: 'S',
                cpu_ticks: 1415,
                kernel_ticks: 15
            })
        );
        assert_eq!(parse_activity(b"10 (a) S 4 5"), None);
        assert_eq!(parse_activity(b""), None);
    }

    #[test]
    fn a_thread_that_runs_is_seen_beside_one_that_sleeps() {
        let proc_fs = ProcFs::live();
        let own = std::process::id();
        // This very thread runs; the first thread of the test program waits for it.
        assert!(proc_fs.has_runnable_thread(own));
        let mut sleeper = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let asleep = |pid| proc_fs.activity(pid).is_some_and(|it| it.state == 'S');
        while !asleep(sleeper.id()) {
            std::thread::yield_now();
        }
        assert!(!proc_fs.has_runnable_thread(sleeper.id()));
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        assert!(!proc_fs.has_runnable_thread(sleeper.id()), "it is gone");
    }

    #[test]
    fn time_of_children_is_added() {
        let stat = b"10 (a) R ) b) S 4 5 6 7 8 9 10 11 12 13 1400 15 16 17 18";
        assert_eq!(
            parse_cpu_ticks_with_children(stat),
            Some(1400 + 15 + 16 + 17)
        );
        assert_eq!(
            parse_cpu_ticks_with_children(b"10 (a) S 4 5 6 7 8 9 10 11 12 13 1 2 3"),
            None
        );
        let parsed = |pid| ProcFs::live().cpu_ticks_with_children(pid);
        assert!(parsed(std::process::id()).is_some());
    }

    #[test]
    fn page_faults_are_without_those_of_children() {
        let stat = b"10 (a) R ) b) S 4 5 6 7 8 9 1000 11 12 13 14";
        assert_eq!(
            parse_page_faults(stat),
            Some(PageFaults {
                minor: 1000,
                major: 12
            })
        );
        assert_eq!(parse_page_faults(b"10 (a) S 4 5 6 7 8 9 10 11"), None);
        assert_eq!(parse_page_faults(b"10 (a) S 4 5 6 7 8 9 10 11 x"), None);
        let own = ProcFs::live().page_faults(std::process::id());
        assert!(own.is_some_and(|it| it.minor > 0));
    }

    #[test]
    fn switches_are_of_two_kinds() {
        let text = b"Name:\ta\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t2\n";
        assert_eq!(
            parse_switches(text),
            Some(Switches {
                voluntary: 7,
                involuntary: 2
            })
        );
        assert_eq!(parse_switches(b"voluntary_ctxt_switches:\t7\n"), None);
        let own = std::process::id();
        assert!(ProcFs::live().thread_switches(own, own).is_some());
        assert_eq!(ProcFs::live().thread_switches(own, u32::MAX), None);
    }

    #[test]
    fn a_sleep_is_the_same_while_its_thread_was_not_on_a_processor() {
        let text = |state| {
            format!(
                "Name:\ta State: R\nState:\t{state} (x)\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t2\n"
            )
        };
        let sleep = |state| parse_sleep(text(state).as_bytes());
        let expected = |is_asleep| {
            Some(Sleep {
                is_asleep,
                switches: 9,
            })
        };
        assert_eq!(sleep("S"), expected(true));
        assert_eq!(sleep("D"), expected(true));
        assert_eq!(sleep("R"), expected(false));
        assert_eq!(
            sleep("T"),
            expected(false),
            "a stopped one waits for nothing"
        );
        assert_eq!(parse_sleep(b"State:\tS (sleeping)\n"), None);
    }

    #[test]
    fn a_thread_that_waits_sleeps_and_the_process_has_used_time() {
        let pid = std::process::id();
        let (finish, wait) = std::sync::mpsc::channel::<()>();
        let worker = std::thread::Builder::new()
            .name("waits-here".into())
            .spawn(move || {
                let _ = wait.recv();
            });
        let fs = ProcFs::live();
        let asleep = (0..60_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            let threads = fs.threads(pid).unwrap();
            let tid = threads
                .iter()
                .find(|thread| thread.comm == "waits-here")
                .map(|t| t.tid);
            tid.and_then(|tid| fs.thread_activity(pid, tid))
                .is_some_and(|a| a.state == 'S')
        });
        assert!(asleep);
        assert!(fs.activity(pid).is_some());
        drop(finish);
        worker.unwrap().join().unwrap();
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in proptest::collection::vec(any::<u8>(), 0..256)) {
            let _ = parse_activity(&text);
            let _ = parse_sleep(&text);
            let _ = parse_page_faults(&text);
        }
    }
}
