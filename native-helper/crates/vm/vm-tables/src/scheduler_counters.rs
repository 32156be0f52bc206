//! What schedulers count for the whole life of a VM: collections, words they gave back, bytes of ports.
//!
//! Each normal scheduler counts for itself, in words that no other thread writes. Collections on dirty schedulers and
//! bytes that other threads moved are counted elsewhere and are not in it.

use target_memory::{Range, TargetMemory, u64_at};
use vm_layout::TableError;
use vm_layout::run_queues::CountersBeforeTables;

use crate::schedulers::MAX_SCHEDULERS;

const TABLE: &str = "counters of schedulers";
/// No VM lives as long as that takes.
const MAX_COUNT: u64 = 1 << 56;

/// Where the schedulers of a VM count. That never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchedulerCounters {
    distances: CountersBeforeTables,
    /// The range read of each scheduler: from its first counter up to the number of its ETS tables.
    ranges: Vec<Range>,
}

/// The counters of one scheduler, or the sums of those of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SchedulerCounts {
    /// Collections, as `erlang:statistics(garbage_collection)` counts them.
    pub collections: u64,
    /// Words that these gave back.
    pub reclaimed_words: u64,
    /// Bytes that ports have read, as `erlang:statistics(io)` counts them.
    pub io_in_bytes: u64,
    /// Bytes that ports have written.
    pub io_out_bytes: u64,
}

impl SchedulerCounts {
    /// The sums of the counters of each scheduler.
    pub fn of(each: &[Self]) -> Self {
        each.iter().fold(Self::default(), |sums, one| Self {
            collections: sums.collections.saturating_add(one.collections),
            reclaimed_words: sums.reclaimed_words.saturating_add(one.reclaimed_words),
            io_in_bytes: sums.io_in_bytes.saturating_add(one.io_in_bytes),
            io_out_bytes: sums.io_out_bytes.saturating_add(one.io_out_bytes),
        })
    }
}

impl SchedulerCounters {
    /// The counters that lie before these places, where schedulers have the number of their ETS tables, one for
    /// each normal scheduler. `reductions` is the count of the run queues: a VM that has started has collected,
    /// and no collection is had for no reduction.
    ///
    /// # Errors
    /// They cannot be read, or the words there are no such counters.
    pub fn find(
        memory: &impl TargetMemory,
        distances: CountersBeforeTables,
        tables: &[u64],
        reductions: u64,
    ) -> Result<Self, TableError> {
        let ranges: Option<Vec<Range>> = tables
            .iter()
            .take(MAX_SCHEDULERS as usize)
            .map(|place| {
                Some(Range {
                    address: place.checked_sub(distances.io_out as u64)?,
                    len_bytes: distances.io_out,
                })
            })
            .collect();
        let ranges = ranges.filter(|ranges| !ranges.is_empty());
        let counters = Self {
            distances,
            ranges: ranges.ok_or_else(|| TableError::malformed(TABLE, "they are nowhere"))?,
        };
        let counts = counters.read(memory)?;
        match (1..=reductions).contains(&counts.collections) && counts.reclaimed_words > 0 {
            true => Ok(counters),
            false => Err(TableError::malformed(
                TABLE,
                format!("{counts:?} with {reductions} reductions"),
            )),
        }
    }

    /// The sums of their current values, in one read.
    ///
    /// # Errors
    /// They cannot be read, or have impossible values.
    pub fn read(&self, memory: &impl TargetMemory) -> Result<SchedulerCounts, TableError> {
        Ok(SchedulerCounts::of(&self.read_each(memory)?))
    }

    /// The current values of each normal scheduler, in one read.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn read_each(
        &self,
        memory: &impl TargetMemory,
    ) -> Result<Vec<SchedulerCounts>, TableError> {
        let each = self.distances.io_out;
        let mut bytes = vec![0; each * self.ranges.len()];
        memory.read_many(&self.ranges, &mut bytes)?;
        let counts = bytes.chunks_exact(each).map(|scheduler| {
            let count = |distance: usize| {
                let count = u64_at(scheduler, each.wrapping_sub(distance));
                let possible = count.filter(|count| *count < MAX_COUNT);
                possible.ok_or_else(|| TableError::malformed(TABLE, format!("{count:?} of one")))
            };
            Ok(SchedulerCounts {
                collections: count(self.distances.collections)?,
                reclaimed_words: count(self.distances.reclaimed_words)?,
                io_in_bytes: count(self.distances.io_in)?,
                io_out_bytes: count(self.distances.io_out)?,
            })
        });
        counts.collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;
    use vm_layout::run_queues::RUN_QUEUES;

    use super::*;

    /// Two schedulers with these words before the number of their tables, which is at 0x1100 and 0x2100.
    fn vm(words: &[(usize, u64)]) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        for at in [0x1000, 0x2000] {
            let mut all = [0; 33];
            for (distance, value) in words {
                all[32 - distance / 8] = *value;
            }
            memory.map_words(at, &all);
        }
        memory
    }

    const PLACES: [u64; 2] = [0x1100, 0x2100];

    #[test]
    fn what_each_scheduler_has_counted_is_added_up() {
        for layout in &RUN_QUEUES {
            let it = layout.counters;
            let memory = vm(&[
                (it.collections, 7),
                (it.reclaimed_words, 900),
                (it.io_in, 41),
                (it.io_out, 98_000),
            ]);
            let counters = SchedulerCounters::find(&memory, it, &PLACES, 14).unwrap();
            let counts = SchedulerCounts {
                collections: 14,
                reclaimed_words: 1800,
                io_in_bytes: 82,
                io_out_bytes: 196_000,
            };
            assert_eq!(counters.read(&memory).unwrap(), counts);
            let each = counters.read_each(&memory).unwrap();
            assert_eq!((each.len(), each[0].collections), (2, 7));
            assert_eq!(SchedulerCounts::of(&each), counts);
            // More collections than reductions.
            assert!(SchedulerCounters::find(&memory, it, &PLACES, 13).is_err());
        }
    }

    #[test]
    fn what_counts_nothing_or_what_cannot_be_is_refused() {
        let it = RUN_QUEUES[1].counters;
        let none = vm(&[(it.collections, 7)]);
        assert!(SchedulerCounters::find(&none, it, &PLACES, 99).is_err());
        let pointer = vm(&[
            (it.collections, 7),
            (it.reclaimed_words, 9),
            (it.io_in, u64::MAX),
        ]);
        assert!(SchedulerCounters::find(&pointer, it, &PLACES, 99).is_err());
        assert!(SchedulerCounters::find(&none, it, &[], 99).is_err());
        assert!(SchedulerCounters::find(&none, it, &[5], 99).is_err());
    }

    proptest! {
        #[test]
        fn garbage_is_refused_or_added_up(words: [u64; 33], reductions: u64) {
            let mut memory = SnapshotMemory::new();
            memory.map_words(0x1000, &words);
            let it = RUN_QUEUES[0].counters;
            let _ = SchedulerCounters::find(&memory, it, &PLACES[..1], reductions);
        }
    }
}
