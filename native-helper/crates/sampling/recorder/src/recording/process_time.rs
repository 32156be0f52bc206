//! The clock of the target's process, which has the time of all of its threads, against the samples.

use std::time::{Duration, Instant};

use capture::process_time::ProcessTime;

use super::Recording;
use crate::sys;

const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// Standard deviations of the number of samples that are left out of the claimed time.
const DEVIATIONS: f64 = 2.0;

/// Readings of the clock, nanoseconds; `None` where there is none.
#[derive(Debug, Default)]
pub(super) struct ProcessClock {
    first_ns: Option<u64>,
    last_ns: Option<u64>,
    looked: Option<Instant>,
    /// The reading before the last: all samples of that time have been read by now.
    settled_ns: Option<u64>,
    /// The last look found the process, so that the time up to it is known, and not only to be at least that.
    is_there: bool,
}

impl ProcessClock {
    /// A clock whose time counts from `now_ns` on.
    pub(super) fn from(now_ns: Option<u64>) -> Self {
        Self {
            first_ns: now_ns,
            ..Self::default()
        }
    }

    /// Takes in a reading when it is time to; `now` whatever the time is. Of a process that has ended there is none.
    fn look(&mut self, now: bool, read_ns: impl FnOnce() -> Option<u64>) {
        let is_due = self.looked.is_none_or(|it| it.elapsed() >= LOOK_INTERVAL);
        if !now && !is_due {
            return;
        }
        self.looked = Some(Instant::now());
        self.settled_ns = self.last_ns;
        let read_ns = read_ns();
        self.is_there = read_ns.is_some();
        self.last_ns = self.last_ns.max(read_ns);
    }

    /// The time up to the last reading, or that of which all samples have been read. `None` where the clock was not read,
    /// and for a process that has ended and had used nothing before: its last time is not known. A process that is
    /// there and has used nothing is known to have used 0.
    fn used_ns(&self, has_ended: bool) -> Option<u64> {
        let until_ns = if has_ended {
            self.last_ns
        } else {
            self.settled_ns
        };
        let used_ns = until_ns?.saturating_sub(self.first_ns?);
        Some(used_ns).filter(|used_ns| *used_ns > 0 || self.is_there)
    }
}

/// The record for `cpu_ns`, when samples stand for `sampled_ns`, each for `period_ns` at least.
fn compared(cpu_ns: u64, sampled_ns: u64, period_ns: u64) -> ProcessTime {
    let samples = (sampled_ns / period_ns.max(1)) as f64;
    // Of a time in which few samples or none were expected, there may be none.
    let by_chance = DEVIATIONS * (samples + 1.0).sqrt() + DEVIATIONS;
    let unsure_ns = (by_chance * period_ns as f64) as u64;
    ProcessTime {
        cpu_ns,
        missing_ns: cpu_ns.saturating_sub(sampled_ns.saturating_add(unsure_ns)),
    }
}

impl Recording {
    /// Reads the clock of the process, before samples of the same time are counted.
    pub(super) fn look_at_process_clock(&mut self, now: bool) {
        let pid = self.pid;
        self.process_clock.look(now, || sys::process_cpu_ns(pid));
    }

    /// The capture's record of the process's clock; `None` as long as it is not known. `not_seen_ns` is the time of
    /// samples that were lost.
    pub(super) fn process_time(&self, not_seen_ns: u64) -> Option<ProcessTime> {
        let used_ns = self.process_clock.used_ns(self.ran.is_some())?;
        let sampled_ns = self.resolver.table.writer.sampled_ns();
        let sampled_ns = sampled_ns.saturating_add(not_seen_ns);
        Some(compared(used_ns, sampled_ns, self.asked_period_ns()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    #[test]
    fn the_clock_counts_from_the_start_and_one_of_an_ended_process_stands() {
        let mut clock = ProcessClock::from(Some(70));
        clock.look(true, || Some(100));
        clock.look(false, || unreachable!("it is not time to look"));
        assert_eq!(
            (clock.used_ns(false), clock.used_ns(true)),
            (None, Some(30))
        );
        clock.look(true, || None);
        assert_eq!(
            (clock.used_ns(false), clock.used_ns(true)),
            (Some(30), Some(30))
        );
        let mut unknown = ProcessClock::from(None);
        unknown.look(true, || Some(100));
        assert_eq!(unknown.used_ns(true), None);
    }

    #[test]
    fn no_time_that_was_looked_at_is_0_and_one_that_was_not_is_unknown() {
        let mut idle = ProcessClock::from(Some(70));
        assert_eq!((idle.used_ns(false), idle.used_ns(true)), (None, None));
        idle.look(true, || Some(70));
        idle.look(true, || Some(70));
        assert_eq!(
            (idle.used_ns(false), idle.used_ns(true)),
            (Some(0), Some(0))
        );
        // It ended between two looks: it may have worked after the first.
        idle.look(true, || None);
        assert_eq!(idle.used_ns(true), None);
    }

    #[test]
    fn threads_that_are_not_sampled_are_missing_and_chance_is_not() {
        let period_ns = SECOND_NS / 499;
        // The measured one: 18 samples of 1.28 s.
        let short = compared(128 * SECOND_NS / 100, 18 * period_ns, period_ns);
        assert!(
            (3..=5).contains(&short.accounted_pct().unwrap()),
            "{short:?}"
        );
        for (cpu_ns, sampled_ns) in [
            (0, 0),
            (3 * period_ns, 0),
            (10 * SECOND_NS, 10 * SECOND_NS),
            (10 * SECOND_NS, 99 * SECOND_NS / 10),
            (SECOND_NS, 2 * SECOND_NS),
        ] {
            let all = compared(cpu_ns, sampled_ns, period_ns);
            assert_eq!((all.cpu_ns, all.missing_ns), (cpu_ns, 0));
        }
        assert_eq!(compared(SECOND_NS, u64::MAX, 0).missing_ns, 0);
    }
}
