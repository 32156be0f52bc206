//! Stacks of processes that rest.

use target_memory::{Range, TargetMemory, address_at, read_each};

use crate::entry::Entry;
use crate::page::{MAX_PAGE, ProcessReader};
use crate::status::Status;

/// Bytes of a stack that are read, from its top on: nearly all are shorter.
const MAX_STACK_BYTES: usize = 4096;

/// The stack of a process that rested while it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestingStack {
    /// The process.
    pub entry: Entry,
    /// Its words from the top on.
    pub words: Vec<u8>,
    /// There are more.
    pub is_cut: bool,
}

impl<M: TargetMemory> ProcessReader<'_, M> {
    /// The stacks of the processes at these places, at most [`MAX_PAGE`]; `None` for those that have ended or
    /// worked during the reading. The structs, read before and after, prove that nothing moved.
    pub fn resting_stacks(&self, places: &[(u64, u64)]) -> Vec<Option<RestingStack>> {
        let before = self.look(places);
        let resting: Vec<(usize, Entry)> = before
            .into_iter()
            .enumerate()
            .filter_map(|(index, entry)| Some((index, entry.ok()?)))
            // A process that does not rest by itself is not worth reading its stack.
            .filter(|(_, entry)| entry.rested_since(entry))
            .collect();
        let ranges: Vec<Range> = resting.iter().map(|(_, entry)| range_of(entry)).collect();
        let words = read_each(self.memory, &ranges, MAX_PAGE * MAX_STACK_BYTES);
        let entries: Vec<Entry> = resting.iter().map(|(_, entry)| *entry).collect();
        let after = self.look_again(&entries);
        let mut stacks = vec![None; places.len()];
        for (((index, entry), words), after) in resting.into_iter().zip(words).zip(after) {
            let rested = after.is_some_and(|after| after.rested_since(&entry));
            stacks[index] = words.filter(|_| rested).map(|words| RestingStack {
                is_cut: words.len() as u64 != entry.hend.saturating_sub(entry.stop),
                entry,
                words,
            });
        }
        stacks
    }
}

impl<M: TargetMemory> ProcessReader<'_, M> {
    /// The process whose struct is at `address`; `None` when there is none by now.
    pub fn entry_at(&self, address: u64) -> Option<Entry> {
        let id = address_at(address, self.layout.id as u64).ok()?;
        let id = self.memory.read_u64(id).ok()?;
        self.entry((self.pids.slot(id), address))
    }

    /// The stack of the process whose struct is at `address` and that is in C code: a scheduler runs it, and nothing of
    /// it changed while it was read. `None` for any other.
    pub fn stack_in_c(&self, address: u64) -> Option<RestingStack> {
        let entry = self.entry_at(address)?;
        let place = (entry.slot, address);
        let words = read_each(self.memory, &[range_of(&entry)], MAX_STACK_BYTES).pop()??;
        let is_running = Status::of(entry.state) == Status::Running;
        (is_running && self.entry(place) == Some(entry)).then_some(RestingStack {
            is_cut: words.len() as u64 != entry.hend.saturating_sub(entry.stop),
            entry,
            words,
        })
    }
}

fn range_of(entry: &Entry) -> Range {
    let len_bytes = entry.hend.saturating_sub(entry.stop);
    Range {
        address: entry.stop,
        len_bytes: usize::try_from(len_bytes).map_or(MAX_STACK_BYTES, |it| it.min(MAX_STACK_BYTES)),
    }
}
