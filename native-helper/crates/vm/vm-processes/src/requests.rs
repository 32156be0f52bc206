//! The senders of the requests that wait in mailboxes.

use erlang_terms::{Boxed, Term};
use shared_map::HashSet;
use target_memory::{Range, TargetMemory, bytes_to_words, read_each, u64_at};
use vm_layout::messages::{MESSAGE_NEXT, MESSAGE_TERM};
use vm_tables::processes::is_local_pid;

use crate::chains::{ChainLimits, Element, walk};
use crate::entry::Entry;
use crate::messages::lists;
use crate::page::{MAX_PAGE, ProcessReader};

const WORD_BYTES: u64 = 8;
/// Messages of all mailboxes together that are read for their senders.
const MAX_MESSAGES: ChainLimits = ChainLimits {
    elements: 1 << 16,
    rounds: 1 << 12,
};
/// Words of a request that are read: a tuple of up to eight elements.
const REQUEST_WORDS: usize = 9;
const MAX_REQUEST_BYTES: usize = 8 << 20;

impl<M: TargetMemory> ProcessReader<'_, M> {
    /// The pids of this node that the waiting messages of each process have as elements of a tuple, as requests have
    /// those who sent them: at most [`MAX_PAGE`] at once. None for a process that worked during the reading.
    pub fn named_in_messages(&self, places: &[(u64, u64)]) -> Vec<HashSet<u64>> {
        let places = &places[..places.len().min(MAX_PAGE)];
        let looked: Vec<Option<Entry>> = self.look(places).into_iter().map(Result::ok).collect();
        let resting = looked.iter().enumerate();
        let (owners, entries): (Vec<usize>, Vec<Entry>) = resting
            .filter_map(|(index, entry)| Some((index, (*entry)?)))
            .filter(|(_, entry)| entry.rested_since(entry))
            .unzip();
        let mut requests: Vec<(usize, Range)> = Vec::new();
        walk(
            self.memory,
            lists(self.memory, &entries),
            Element::of(MESSAGE_TERM + WORD_BYTES as usize),
            &mut { MAX_MESSAGES },
            |process, _, message| {
                if let Term::Boxed(address) = Term::of(u64_at(message, MESSAGE_TERM)?) {
                    let len_bytes = REQUEST_WORDS * WORD_BYTES as usize;
                    requests.push((process, Range { address, len_bytes }));
                }
                u64_at(message, MESSAGE_NEXT)
            },
        );
        let ranges: Vec<Range> = requests.iter().map(|(_, range)| *range).collect();
        let read = read_each(self.memory, &ranges, MAX_REQUEST_BYTES);
        let after = self.look_again(&entries);
        let mut named = vec![HashSet::new(); places.len()];
        for ((process, _), bytes) in requests.into_iter().zip(read) {
            let rested = after[process].is_some_and(|after| after.rested_since(&entries[process]));
            let Some(bytes) = bytes.filter(|_| rested) else {
                continue;
            };
            let mut words = bytes_to_words(&bytes);
            let arity = words.next().and_then(Boxed::of).and_then(Boxed::arity);
            let elements = words.take(usize::try_from(arity.unwrap_or(0)).unwrap_or(usize::MAX));
            let pids = elements.filter(|word| is_local_pid(*word));
            named[owners[process]].extend(pids);
        }
        named
    }
}
