//! Events of one thread that count and take no samples: a group, whose events count at the same times.

use std::array::from_fn;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

pub use crate::attr::Counter;
use crate::attr::{PerfEventAttr, Scope};
use crate::event::{OpenError, open_error};
use crate::sys;

/// The most counters of a group: hardly a processor has more at a time.
pub const MOST_COUNTERS: usize = 4;
/// Before the counts: how many there are, and the two times.
const WORDS_BEFORE: usize = 3;

/// Events of one thread. They count from [`CounterGroup::enable`] on, wherever it runs.
#[derive(Debug)]
pub struct CounterGroup {
    /// The first one leads.
    events: Vec<OwnedFd>,
}

impl CounterGroup {
    /// Opens at most [`MOST_COUNTERS`] events. `is_user_only`: hardware counters leave out the time in the kernel, as they
    /// have to without rights. Migrations happen in the kernel: without the right to count there they are refused, since
    /// the kernel would count none.
    pub fn open(counters: &[Counter], tid: u32, is_user_only: bool) -> Result<Self, OpenError> {
        let scope = Scope::Thread { tid, cpu: None };
        let (tid, cpu) = scope.thread_and_cpu().ok_or(OpenError::ThreadGone)?;
        let mut events: Vec<OwnedFd> = Vec::with_capacity(counters.len());
        for counter in counters {
            let attr = PerfEventAttr::counting(*counter, events.is_empty(), is_user_only);
            let leader = events.first().map(AsFd::as_fd);
            let event = sys::perf_event_open(&attr, tid, cpu, leader).map_err(open_error)?;
            events.push(event);
        }
        Ok(Self { events })
    }

    /// Starts all of them.
    pub fn enable(&self) -> io::Result<()> {
        self.events
            .first()
            .map_or(Ok(()), |leader| sys::enable(leader.as_fd()))
    }

    /// The counts by now, in the order of the counters.
    pub fn read(&self) -> io::Result<GroupCounts> {
        let Some(leader) = self.events.first() else {
            return Ok(GroupCounts::default());
        };
        let mut words = [0; WORDS_BEFORE + MOST_COUNTERS];
        let read = sys::read_words(leader.as_fd(), &mut words)?;
        // A group that cannot be scheduled has nothing to read.
        if read != WORDS_BEFORE + self.events.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let [_, enabled_ns, running_ns, counts @ ..] = words;
        Ok(GroupCounts {
            enabled_ns,
            running_ns,
            counts,
        })
    }
}

/// Counts of a group by one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupCounts {
    /// How long its thread was on a CPU, nanoseconds.
    pub enabled_ns: u64,
    /// The part of it in which the group had a place among the counters of the processor.
    pub running_ns: u64,
    /// Counts of that part.
    pub counts: [u64; MOST_COUNTERS],
}

impl GroupCounts {
    /// The counts since an earlier reading, made up for the time without a place. `None` if there was none all the time.
    #[must_use]
    pub fn since(&self, before: &Self) -> Option<[u64; MOST_COUNTERS]> {
        let enabled_ns = self.enabled_ns.saturating_sub(before.enabled_ns);
        let running_ns = self.running_ns.saturating_sub(before.running_ns);
        let scaled = |count: u64| match running_ns {
            0 => count,
            all if all == enabled_ns => count,
            part => {
                let whole = u128::from(count) * u128::from(enabled_ns) / u128::from(part);
                u64::try_from(whole).unwrap_or(u64::MAX)
            }
        };
        let counted = |index: usize| self.counts[index].saturating_sub(before.counts[index]);
        let had_place = running_ns > 0 || enabled_ns == 0;
        had_place.then(|| from_fn(|index| scaled(counted(index))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(enabled_ns: u64, running_ns: u64, first: u64) -> GroupCounts {
        GroupCounts {
            enabled_ns,
            running_ns,
            counts: [first, 0, 0, 0],
        }
    }

    #[test]
    fn counts_are_made_up_for_the_time_without_a_place() {
        let before = counts(1000, 1000, 70);
        assert_eq!(counts(3000, 3000, 75).since(&before), Some([5, 0, 0, 0]));
        assert_eq!(counts(3000, 1500, 75).since(&before), Some([20, 0, 0, 0]));
        let large = counts(u64::MAX, 1, u64::MAX);
        let all = large.since(&GroupCounts::default());
        assert_eq!(all, Some([u64::MAX, 0, 0, 0]));
    }

    #[test]
    fn a_group_without_a_place_counts_nothing_that_is_known_and_a_thread_that_slept_counts_0() {
        let before = counts(1000, 1000, 70);
        assert_eq!(counts(3000, 1000, 70).since(&before), None);
        assert_eq!(before.since(&before), Some([0; MOST_COUNTERS]));
    }
}
