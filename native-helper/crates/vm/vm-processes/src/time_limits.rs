//! When the time limits of waiting processes end, and whose scheduler has to notice that.

use target_memory::{Range, TargetMemory, read_each, u32_at, u64_at};
use vm_layout::timers::PROCESS_TIMER;

use crate::entry::Entry;
use crate::page::{MAX_PAGE, ProcessReader};

/// The time limit of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimit {
    /// The number of the normal scheduler whose timer wheel has it.
    pub scheduler: u32,
    /// When it ends, milliseconds, as the time of a wheel.
    pub due_ms: u64,
}

impl<M: TargetMemory> ProcessReader<'_, M> {
    /// The time limit of each; `None` for those without one, and for those that worked since they were read. At most
    /// [`MAX_PAGE`] at once.
    pub fn time_limits(&self, entries: &[Entry]) -> Vec<Option<TimeLimit>> {
        let entries = &entries[..entries.len().min(MAX_PAGE)];
        let ranges = Range::at_each(entries.iter().map(|entry| entry.timer), PROCESS_TIMER.bytes);
        let read = read_each(self.memory, &ranges, MAX_PAGE * PROCESS_TIMER.bytes);
        // The memory is the timer's as long as the process has it.
        let after = self.look_again(entries);
        let looks = entries.iter().zip(read).zip(after);
        looks
            .map(|((before, bytes), after)| {
                let is_same = after
                    .is_some_and(|after| after.timer == before.timer && after.rested_since(before));
                bytes
                    .filter(|_| is_same && before.has_limit())
                    .and_then(|bytes| limit(&bytes, before.address))
            })
            .collect()
    }
}

/// The time limit of the timer, if it is a running one of the process at this address.
fn limit(timer: &[u8], process: u64) -> Option<TimeLimit> {
    let flags = u32_at(timer, PROCESS_TIMER.flags)?;
    let is_running = flags & (PROCESS_TIMER.is_of_process | PROCESS_TIMER.is_paused)
        == PROCESS_TIMER.is_of_process;
    let is_its = u64_at(timer, PROCESS_TIMER.process)? == process;
    (is_running && is_its).then_some(TimeLimit {
        scheduler: flags & PROCESS_TIMER.scheduler_mask,
        due_ms: u64_at(timer, PROCESS_TIMER.due)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timer(flags: u32, process: u64, due: u64) -> Vec<u8> {
        let words = [u64::from(flags) | 1 << 32, 0, process, due];
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn a_timer_counts_where_it_names_its_process_and_runs() {
        let is_of_process = PROCESS_TIMER.is_of_process;
        let expected = TimeLimit {
            scheduler: 1023,
            due_ms: 86_400_123,
        };
        let timer_of = |flags| limit(&timer(flags, 0x7000, 86_400_123), 0x7000);
        assert_eq!(timer_of(is_of_process | 1023), Some(expected));
        assert_eq!(timer_of(1023), None, "of a port");
        assert_eq!(timer_of(is_of_process | PROCESS_TIMER.is_paused), None);
        assert_eq!(limit(&timer(is_of_process | 1, 0x7008, 5), 0x7000), None);
        assert_eq!(
            limit(&timer(is_of_process | 1, 0x7000, 5)[..24], 0x7000),
            None
        );
    }
}
