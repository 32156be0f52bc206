//! Why a scheduler does not come to its timers: a process that keeps it is the reason only where nothing keeps its thread
//! from the processor.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use attach::{AttachError, AttachedVm};
use capture::processors::ProcessorLimits;
use protocol::waits::LateCause;
use recorder::processors_since;
use shared_map::HashMap;
use target_proc::ProcFs;
use target_proc::cpu_limits::CpuLimits;
use target_proc::processor_time::ProcessorTime;
use vm_tables::schedulers::SchedulerKind;
use vm_tables::scheduling::Standing;

use crate::in_c::SleepingThreads;

/// The kernel counts a throttled period of a quota at its end, and no period is longer.
const LONGEST_PERIOD: Duration = Duration::from_secs(1);
/// The kernel adds the time of a thread that runs at its ticks, of 10 ms at most.
const SHORTEST_WINDOW: Duration = Duration::from_millis(100);

/// What kept the VM and its normal schedulers from processors, looked at again and again.
#[derive(Default)]
pub(super) struct ProcessorWatch {
    /// The thread of each normal scheduler.
    threads: HashMap<u32, u32>,
    /// The first is the latest one that is older than any period, where there is one.
    readings: VecDeque<Reading>,
}

struct Reading {
    at: Instant,
    limits: CpuLimits,
    /// By the number of the scheduler.
    times: HashMap<u32, ProcessorTime>,
}

impl ProcessorWatch {
    /// Reads the counters once more.
    pub fn look(
        &mut self,
        vm: &mut AttachedVm,
        sleeping: &mut SleepingThreads,
    ) -> Result<(), AttachError> {
        let kinds = vm.schedulers.iter().map(|it| it.kind);
        let normal = kinds.filter(|kind| *kind == SchedulerKind::Normal).count();
        if self.threads.len() < normal {
            self.threads = sleeping.normal_threads(vm)?;
        }
        let reading = self.reading(vm.process.pid);
        while (self.readings.get(1)).is_some_and(|it| it.at.elapsed() >= LONGEST_PERIOD) {
            self.readings.pop_front();
        }
        self.readings.push_back(reading);
        Ok(())
    }

    fn reading(&self, pid: u32) -> Reading {
        let proc_fs = ProcFs::live();
        let time =
            |(scheduler, tid): (&u32, &u32)| Some((*scheduler, proc_fs.processor_time(pid, *tid)?));
        Reading {
            at: Instant::now(),
            limits: proc_fs.quota_limits(pid),
            times: self.threads.iter().filter_map(time).collect(),
        }
    }

    /// What there was since the first of the readings.
    pub fn since(&self, pid: u32) -> Option<SinceReading> {
        let first = self.readings.front()?;
        let proc_fs = ProcFs::live();
        let now = self.reading(pid);
        let used = |(scheduler, tid): (&u32, &u32)| {
            let (before, now) = (first.times.get(scheduler)?, now.times.get(scheduler)?);
            let used = ThreadUse {
                ran: now.ran.checked_sub(before.ran)?,
                waited: now.waited.checked_sub(before.waited)?,
                is_runnable: proc_fs.is_thread_runnable(pid, *tid),
            };
            Some((*scheduler, used))
        };
        let window = now.at - first.at;
        (window >= SHORTEST_WINDOW).then(|| SinceReading {
            window,
            is_throttled: is_throttled(&processors_since(&first.limits, &now.limits)),
            threads: self.threads.iter().filter_map(used).collect(),
        })
    }
}

/// What there was between two readings.
pub(super) struct SinceReading {
    pub window: Duration,
    pub is_throttled: Option<bool>,
    /// By the number of the scheduler; without those whose times are not known.
    pub threads: HashMap<u32, ThreadUse>,
}

/// What a thread did between two readings.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThreadUse {
    ran: Duration,
    waited: Duration,
    /// At the second one.
    is_runnable: bool,
}

impl ThreadUse {
    /// For how long it waited for a processor. The kernel has not added the wait of a thread that still waits.
    fn waited_within(&self, window: Duration) -> Duration {
        match self.is_runnable {
            true => window.saturating_sub(self.ran),
            false => self.waited.min(window),
        }
    }
}

/// Whether a quota throttled the VM; `None` where the counters of a group that could have are not known.
fn is_throttled(limits: &ProcessorLimits) -> Option<bool> {
    let are_all_known = limits.groups_known && limits.whole_tree;
    match limits.throttled() {
        Some((periods, _, ms)) if periods > 0 || ms > 0 => Some(true),
        Some(_) => are_all_known.then_some(false),
        None => (are_all_known && limits.allowed.is_none()).then_some(false),
    }
}

/// The known facts of a scheduler with late time limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// `None`: not known. One that runs a process may run.
    pub standing: Option<Standing>,
    /// The VM's own data has a process that it runs.
    pub runs_process: bool,
    /// Its thread sleeps in C code that this process called: it waits for no processor.
    pub sleeps_in_c: bool,
    pub is_throttled: Option<bool>,
    /// `None`: not known.
    pub thread: Option<ThreadUse>,
    /// The time of the counters.
    pub window: Duration,
    /// How late the first time limit is, at least.
    pub late: Duration,
}

/// Why it does not come to its timers. A scheduler that runs Erlang code comes to them many times in 10 ms on a processor,
/// so one whose thread waited for most of that time did so for no fault of the process.
pub(super) fn cause_of(seen: &Seen) -> LateCause {
    match seen.standing {
        Some(Standing::Offline) => return LateCause::Offline,
        Some(Standing::Blocked) => return LateCause::Blocked,
        Some(Standing::Online) | None => {}
    }
    if seen.runs_process && seen.sleeps_in_c {
        return LateCause::Process;
    }
    let is_throttled = seen.is_throttled == Some(true);
    // The limits are late for a part of the window, or for longer.
    let counted = seen.window.min(seen.late);
    let least = match is_throttled {
        true => counted / 10,
        false => counted / 2,
    };
    let has_waited = seen
        .thread
        .map(|thread| thread.waited_within(seen.window) >= least);
    match has_waited {
        Some(false) if seen.runs_process => LateCause::Process,
        Some(false) => LateCause::Unknown,
        Some(true) | None if is_throttled => LateCause::Throttled,
        Some(true) => LateCause::WaitsForProcessor,
        None => LateCause::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A native function that computes: its thread has the processor.
    const COMPUTES: Seen = Seen {
        standing: Some(Standing::Online),
        runs_process: true,
        sleeps_in_c: false,
        is_throttled: Some(false),
        thread: Some(ThreadUse {
            ran: ms(990),
            waited: ms(8),
            is_runnable: true,
        }),
        window: ms(1000),
        late: ms(700),
    };
    /// It has a processor now and then, and wants it always.
    const WAITS: ThreadUse = ThreadUse {
        ran: ms(100),
        waited: ms(500),
        is_runnable: true,
    };
    const SLEEPS: ThreadUse = ThreadUse {
        ran: ms(1),
        waited: ms(2),
        is_runnable: false,
    };

    #[test]
    fn a_process_is_named_only_where_its_thread_had_the_processor_or_slept() {
        assert_eq!(cause_of(&COMPUTES), LateCause::Process);
        let sleeps = Seen {
            thread: Some(SLEEPS),
            ..COMPUTES
        };
        assert_eq!(cause_of(&sleeps), LateCause::Process);
        // Whatever else of the VM a quota throttled.
        let in_c = Seen {
            sleeps_in_c: true,
            is_throttled: Some(true),
            thread: None,
            ..COMPUTES
        };
        assert_eq!(cause_of(&in_c), LateCause::Process);
        let runs_none = Seen {
            runs_process: false,
            ..COMPUTES
        };
        assert_eq!(cause_of(&runs_none), LateCause::Unknown);
    }

    #[test]
    fn a_quota_that_throttles_the_vm_is_the_cause() {
        let throttled = Seen {
            is_throttled: Some(true),
            ..COMPUTES
        };
        for thread in [
            WAITS,
            ThreadUse {
                ran: ms(800),
                ..WAITS
            },
        ] {
            let seen = Seen {
                thread: Some(thread),
                ..throttled
            };
            assert_eq!(cause_of(&seen), LateCause::Throttled);
        }
        let unknown = Seen {
            thread: None,
            ..throttled
        };
        assert_eq!(cause_of(&unknown), LateCause::Throttled);
        // The quota met others: this thread had its processor.
        assert_eq!(cause_of(&throttled), LateCause::Process);
    }

    #[test]
    fn a_thread_that_waits_for_a_processor_is_the_cause() {
        let waits = Seen {
            thread: Some(WAITS),
            ..COMPUTES
        };
        assert_eq!(cause_of(&waits), LateCause::WaitsForProcessor);
        // Whether a quota throttles it is not known, or it runs a port.
        for seen in [
            Seen {
                is_throttled: None,
                ..waits
            },
            Seen {
                runs_process: false,
                ..waits
            },
        ] {
            assert_eq!(cause_of(&seen), LateCause::WaitsForProcessor);
        }
        // It waited for 120 of the 150 ms that are late, in a window of a second, and sleeps by now.
        let briefly = Seen {
            thread: Some(ThreadUse {
                waited: ms(120),
                ..SLEEPS
            }),
            late: ms(150),
            ..COMPUTES
        };
        assert_eq!(cause_of(&briefly), LateCause::WaitsForProcessor);
    }

    #[test]
    fn a_scheduler_that_may_not_run_is_blocked_or_offline() {
        for (standing, cause) in [
            (Standing::Offline, LateCause::Offline),
            (Standing::Blocked, LateCause::Blocked),
        ] {
            let seen = Seen {
                standing: Some(standing),
                ..COMPUTES
            };
            assert_eq!(cause_of(&seen), cause);
        }
        let unknown = Seen {
            standing: None,
            ..COMPUTES
        };
        assert_eq!(cause_of(&unknown), LateCause::Process);
    }

    #[test]
    fn where_nothing_is_known_of_the_thread_no_process_is_named() {
        let unknown = Seen {
            thread: None,
            ..COMPUTES
        };
        assert_eq!(cause_of(&unknown), LateCause::Unknown);
        let nothing = Seen {
            is_throttled: None,
            ..unknown
        };
        assert_eq!(cause_of(&nothing), LateCause::Unknown);
    }

    #[test]
    fn a_quota_that_is_not_in_sight_may_throttle() {
        let quiet = ProcessorLimits {
            groups_known: true,
            whole_tree: true,
            ..ProcessorLimits::default()
        };
        assert_eq!(is_throttled(&quiet), Some(false));
        let counted = |throttled_periods, throttled_ms, whole_tree| {
            is_throttled(&ProcessorLimits {
                allowed: Some(0.5),
                periods: Some(10),
                throttled_periods: Some(throttled_periods),
                throttled_ms: Some(throttled_ms),
                whole_tree,
                ..quiet
            })
        };
        assert_eq!(counted(0, 0, true), Some(false));
        assert_eq!(counted(0, 0, false), None);
        assert_eq!(counted(3, 0, false), Some(true));
        assert_eq!(counted(0, 40, true), Some(true));
        let uncounted = ProcessorLimits {
            allowed: Some(0.5),
            ..quiet
        };
        assert_eq!(is_throttled(&uncounted), None);
        assert_eq!(is_throttled(&ProcessorLimits::default()), None);
    }
}
