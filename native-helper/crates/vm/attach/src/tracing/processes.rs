//! Processes whose messages and events are traced.

use retry::AfterFailure;
use shared_map::HashSet;
use target_memory::{Range, TargetMemory, read_each, u32_at, u64_at};
use vm_layout::trace_flags::{
    COLLECTIONS, EVENTS, RECEIVES, SCHEDULING, SENDS, are_flags, trace_flags_at,
};
use vm_tables::processes::{ProcessTable, is_local_pid};

use super::WHILE_IT_CHANGES;
use crate::error::AttachError;
use crate::vm::AttachedVm;

/// A look at so many takes some ten milliseconds.
const MOST_PROCESSES: usize = 100_000;
/// Structs that are read together.
const AT_ONCE: usize = 4096;

/// How many processes are traced, by what of them is reported to a tracer. Calls are not among it: breakpoints show which.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TracedProcesses {
    /// Processes that were looked at.
    pub looked_at: u64,
    /// Further ones, of which nothing is known.
    pub left_out: u64,
    /// Those of which something is reported.
    pub traced: u64,
    /// The messages that they send.
    pub sends: u64,
    /// The messages that they receive.
    pub receives: u64,
    /// What happens to them: starts, links, names and ends.
    pub events: u64,
    /// When they begin and stop to run.
    pub scheduling: u64,
    /// Their garbage collections.
    pub collections: u64,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// The processes that are traced now. `None` where it is not known where processes have that, or not all of those that
    /// were to be looked at could be read.
    ///
    /// # Errors
    /// The process is not the one that was attached to any more.
    pub fn traced_processes(&mut self) -> Result<Option<TracedProcesses>, AttachError> {
        self.look(|vm| {
            let layout = &vm.layout.process;
            let Some(flags) = trace_flags_at(layout) else {
                return Ok(None);
            };
            let at = [layout.id, flags];
            let look = || traced(&vm.memory, vm.process_table, at, MOST_PROCESSES).ok_or(());
            Ok(WHILE_IT_CHANGES.run(look, |()| AfterFailure::TryAgain).ok())
        })
    }
}

impl TracedProcesses {
    fn add(&mut self, flags: u32) {
        self.looked_at += 1;
        let kinds = [
            (&mut self.sends, SENDS),
            (&mut self.receives, RECEIVES),
            (&mut self.events, EVENTS),
            (&mut self.scheduling, SCHEDULING),
            (&mut self.collections, COLLECTIONS),
        ];
        let mut is_traced = false;
        for (count, wanted) in kinds {
            let is_one = flags & wanted != 0;
            *count += u64::from(is_one);
            is_traced |= is_one;
        }
        self.traced += u64::from(is_traced);
    }
}

/// Those of the first `most` of a table of processes that have their pid and their flags there.
fn traced(
    memory: &impl TargetMemory,
    table: ProcessTable,
    [id_at, flags_at]: [usize; 2],
    most: usize,
) -> Option<TracedProcesses> {
    let places = table.occupied(memory, most).ok()?;
    let mut found = TracedProcesses::default();
    if places.len() == most {
        let count = u64::from(table.fill(memory).ok()?.count);
        found.left_out = count.saturating_sub(places.len() as u64);
    }
    let len_bytes = id_at.max(flags_at) + 8;
    let mut unread = HashSet::new();
    for part in places.chunks(AT_ONCE) {
        let ranges = Range::at_each(part.iter().map(|(_, address)| *address), len_bytes);
        let read = read_each(memory, &ranges, AT_ONCE * len_bytes);
        for (place, bytes) in part.iter().zip(read) {
            let bytes = bytes.unwrap_or_default();
            let is_process = u64_at(&bytes, id_at).is_some_and(is_local_pid);
            match u32_at(&bytes, flags_at).filter(|_| is_process) {
                Some(flags) if are_flags(flags) => found.add(flags),
                // Its memory may be another one's by now.
                Some(_) | None => {
                    unread.insert(*place);
                }
            }
        }
    }
    // Those that ended since then are gone from the table.
    let is_there = |place: &(u64, u64)| unread.contains(place);
    let are_all_gone = || {
        let now = table.occupied(memory, most);
        now.is_ok_and(|now| !now.iter().any(is_there))
    };
    let is_whole = unread.is_empty() || are_all_gone();
    (is_whole && found.looked_at > 0).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use target_memory::{ReadError, SnapshotMemory};

    const AT: [usize; 2] = [0, 24];

    /// Those of a table of processes with these pids and flags.
    fn found(processes: &[(u64, u64)]) -> Option<TracedProcesses> {
        found_of(processes, 100)
    }

    fn found_of(processes: &[(u64, u64)], most: usize) -> Option<TracedProcesses> {
        traced(&memory_of(processes), TABLE, AT, most)
    }

    const TABLE: ProcessTable = ProcessTable { address: 0x1000 };
    const STRUCTS: u64 = 0x10_000;

    fn memory_of(processes: &[(u64, u64)]) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        let mut table = vec![0u64; 27];
        (table[17], table[24], table[26]) = (processes.len() as u64, 0x9000, 8);
        let mut slots = [0u64; 8];
        for (slot, (id, flags)) in slots.iter_mut().zip(processes) {
            *slot = STRUCTS + (id >> 4) * 0x1000;
            memory.map_words(*slot, &[*id, 1, 0x3b, *flags, 0, 0]);
        }
        memory.map_words(0x1000, &table).map_words(0x9000, &slots);
        memory
    }

    /// Memory whose table is another one as soon as a process was read.
    struct Ending {
        memory: SnapshotMemory,
        table_after: SnapshotMemory,
        is_read: Cell<bool>,
    }

    impl TargetMemory for Ending {
        fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
            if address >= STRUCTS {
                self.is_read.set(true);
                return self.memory.read(address, buffer);
            }
            match self.is_read.get() {
                true => self.table_after.read(address, buffer),
                false => self.memory.read(address, buffer),
            }
        }
    }

    #[test]
    fn one_that_ended_and_whose_memory_is_another_ones_is_left_out() {
        let found = |after: &[(u64, u64)]| {
            let memory = Ending {
                memory: memory_of(&[(0x13, 0x10), (0x23, 0x7f00_1000), (0x3f, 0)]),
                table_after: memory_of(after),
                is_read: Cell::new(false),
            };
            traced(&memory, TABLE, AT, 100).map(|it| (it.looked_at, it.sends))
        };
        assert_eq!(found(&[(0x13, 0x10)]), Some((1, 1)));
        assert_eq!(found(&[(0x13, 0x10), (0x23, 0)]), None, "it is still there");
    }

    #[test]
    fn a_process_counts_once_and_for_each_kind_that_it_has() {
        // `call` with a timestamp and `sensitive` are no messages or events.
        let all = [
            (0x13, 0x30),
            (0x23, 0x20_0000),
            (0x33, 0x401),
            (0x43, 0x8),
            (0x53, 0),
            (0x63, 0x4800),
        ];
        let expected = TracedProcesses {
            looked_at: 6,
            left_out: 0,
            traced: 3,
            sends: 1,
            receives: 1,
            events: 1,
            scheduling: 1,
            collections: 1,
        };
        assert_eq!(found(&all), Some(expected));
    }

    #[test]
    fn those_that_are_too_many_are_counted_as_left_out() {
        let found = found_of(&[(0x13, 0), (0x23, 0x10), (0x33, 0x10)], 2).unwrap();
        assert_eq!((found.looked_at, found.left_out, found.sends), (2, 1, 1));
    }

    #[test]
    fn none_is_claimed_where_not_all_can_be_read() {
        assert_eq!(found(&[(0x13, 0), (0x23, 0x7f00_1000)]), None, "no flags");
        assert_eq!(found(&[(0x13, 0), (0x2f, 0)]), None, "no process");
        assert_eq!(found(&[]), None);
    }
}
