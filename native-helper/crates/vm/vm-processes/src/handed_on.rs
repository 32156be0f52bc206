//! Requests that a server has handed on: which process has the reference with which its caller waits for the answer.
//!
//! A server that answers later, by another process, has given that one the address of the answer: the caller's pid and
//! the reference of the call. A reference is unique in a node, so where its numbers are in the data of a process, that
//! process has it or had it; where they are in a message that waits for it, it has yet to take the request.

use erlang_terms::Term;
use shared_map::HashSet;
use target_memory::{Range, TargetMemory, bytes_to_words, read_each, u64_at};
use vm_layout::messages::{
    FRAGMENT_USED, FRAGMENT_WORDS, MESSAGE_DATA, MESSAGE_FRAGMENT, MESSAGE_NEXT,
    MESSAGE_WITH_FRAGMENT,
};
use vm_layout::process_details::TAKEN_MESSAGES_BEHIND;
use vm_tables::processes::is_local_pid;

use crate::chains::{Chain, ChainLimits, Element, walk};
use crate::entry::{Entry, Fault};
use crate::messages::{FRAGMENT_BYTES, MESSAGE, fragment_within, next_fragment, walk_messages};
use crate::page::{MAX_PAGE, ProcessReader};
use crate::relations::{references, trees};
use crate::waiter::Waiter;

/// Of one part of a process's memory: few workers have more.
const MAX_PART_BYTES: usize = 4 << 20;
/// Messages and heap fragments of one process that are looked through.
const MAX_FRAGMENTS: ChainLimits = ChainLimits {
    elements: 1 << 14,
    rounds: 1 << 10,
};

/// The numbers of a reference.
pub type Reference = [u64; 2];

/// Of some references, those that a process has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeldReferences {
    /// In its own data, among garbage, too: it has them or had them.
    pub own: HashSet<Reference>,
    /// In messages that wait for it.
    pub waiting: HashSet<Reference>,
    /// All of that was looked through: otherwise it may have more.
    pub is_whole: bool,
}

/// The processes of this node that a process knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relatives {
    /// It has links to them.
    pub linked: Vec<u64>,
    /// It has monitors on them.
    pub monitored: Vec<u64>,
}

impl<M: TargetMemory> ProcessReader<'_, M> {
    /// The reference of each call, whose caller waits for the process with the pid term beside it: that of the only
    /// monitor it has on that one, or of the only one in the frame in which it waits. At most [`MAX_PAGE`] at once.
    pub fn call_references(&self, calls: &[(&Waiter, u64)]) -> Vec<Option<Reference>> {
        let calls = &calls[..calls.len().min(MAX_PAGE)];
        let tops: Vec<u64> = calls.iter().map(|(it, _)| it.entry.monitors).collect();
        let monitors = trees(self.memory, self.details, &tops);
        let on_callee = calls.iter().zip(monitors).map(|((_, callee), monitors)| {
            let monitors = monitors.unwrap_or_default().into_iter();
            let keys = monitors.filter(|it| it.other == *callee).map(|it| it.key);
            keys.collect::<Vec<u64>>()
        });
        let on_callee: Vec<Vec<u64>> = on_callee.collect();
        let in_frames = calls.iter().flat_map(|(waiter, _)| &waiter.variables);
        let terms: Vec<u64> = in_frames
            .chain(on_callee.iter().flatten())
            .copied()
            .collect();
        let numbers = references(self.memory, &terms);
        let waiters: Vec<Entry> = calls.iter().map(|(waiter, _)| waiter.entry).collect();
        let after = self.look_again(&waiters);
        let looks = calls.iter().zip(on_callee).zip(after);
        looks
            .map(|(((waiter, _), keys), after)| {
                let rested = after.is_some_and(|after| after.rested_since(&waiter.entry));
                let of = |terms: &[u64]| -> HashSet<Reference> {
                    terms
                        .iter()
                        .filter_map(|it| numbers.get(it).copied())
                        .collect()
                };
                let (monitors, frame) = (of(&keys), of(&waiter.variables));
                let in_frame = only(monitors.intersection(&frame).copied());
                in_frame
                    .or_else(|| only(monitors.iter().copied()))
                    .filter(|_| rested)
            })
            .collect()
    }

    /// The processes of this node that the one at this place, with the pid term `id`, knows; `None` where that cannot be
    /// read, and where the place is another one's by now.
    pub fn relatives(&self, place: (u64, u64), id: u64) -> Option<Relatives> {
        let entry = self.entry_of(place, id).ok()?;
        let [links, monitors] = self.relations(&entry);
        let pids = |relations: Vec<crate::Relation>| {
            let others = relations.into_iter().map(|it| it.other);
            let here =
                others.filter(|it| matches!(Term::of(*it), Term::Pid(id) if is_local_pid(id)));
            here.filter(|it| *it != entry.id).collect()
        };
        Some(Relatives {
            linked: pids(links?),
            monitored: pids(monitors?),
        })
    }

    /// Those of the `wanted` references that the process at this place, with the pid term `id`, has. It may run: numbers
    /// like these are nowhere by chance.
    pub fn held_references(
        &self,
        place: (u64, u64),
        id: u64,
        wanted: &HashSet<Reference>,
    ) -> HeldReferences {
        let entry = match self.entry_of(place, id) {
            Ok(entry) => entry,
            // One that has ended has nothing.
            Err(fault) => {
                return HeldReferences {
                    is_whole: fault == Fault::Freed,
                    ..HeldReferences::default()
                };
            }
        };
        let mut found = HeldReferences {
            // The other block of a delayed collection is not read.
            is_whole: entry.abandoned_heap == 0,
            ..HeldReferences::default()
        };
        // The heap of one that runs is longer than its struct has it.
        let heaps = [
            (entry.heap, entry.stop),
            (entry.stop, entry.hend),
            (entry.old_heap, entry.old_htop),
        ];
        for (start, end) in heaps.into_iter().filter(|(start, end)| start < end) {
            let all_bytes = usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX);
            let len_bytes = all_bytes.min(MAX_PART_BYTES);
            let bytes = self.memory.read_vec(start, len_bytes, len_bytes);
            found.is_whole &= bytes.is_ok() && len_bytes == all_bytes;
            found.own.extend(among(&bytes.unwrap_or_default(), wanted));
        }
        let (own, are_all) = self.own_fragments(&entry);
        let are_read = self.search(&own, wanted, &mut found.own);
        found.is_whole &= are_all && are_read;
        let mut in_messages = Vec::new();
        let waiting = walk_messages(
            self.memory,
            &[entry],
            &mut { MAX_FRAGMENTS },
            |_, at, fragment| in_messages.extend(words_of(at, fragment)),
        );
        let are_read = self.search(&in_messages, wanted, &mut found.waiting);
        found.is_whole &= are_read && waiting.iter().all(|it| it.is_whole);
        // A collection may have moved data of one that runs from the unread part to the one that was read.
        let blocks = |it: &Entry| (it.heap, it.hend, it.old_heap);
        found.is_whole &= match self.entry_of(place, id) {
            Ok(after) => blocks(&after) == blocks(&entry),
            Err(fault) => fault == Fault::Freed,
        };
        found
    }

    /// The process with that pid term at this place. Another one there shows that it has ended.
    fn entry_of(&self, place: (u64, u64), id: u64) -> Result<Entry, Fault> {
        let entry = self.entry_or_fault(place)?;
        match entry.id == id {
            true => Ok(entry),
            false => Err(Fault::Freed),
        }
    }

    /// Adds the `wanted` references in these ranges to `found`; whether all of them could be read.
    fn search(
        &self,
        ranges: &[Range],
        wanted: &HashSet<Reference>,
        found: &mut HashSet<Reference>,
    ) -> bool {
        let read = read_each(self.memory, ranges, MAX_PART_BYTES);
        let are_all = read.iter().all(Option::is_some);
        for bytes in read.iter().flatten() {
            found.extend(among(bytes, wanted));
        }
        are_all
    }

    /// The words of the heap fragments of a process, and of the messages that it has taken, which are its own data until
    /// the next collection; and whether these are all of them.
    pub(crate) fn own_fragments(&self, entry: &Entry) -> (Vec<Range>, bool) {
        let mut limits = MAX_FRAGMENTS;
        let (mut ranges, mut are_valid) = (Vec::new(), true);
        let mut lists = vec![Chain::new(0, entry.fragments)];
        let taken = (self.details.fragments + TAKEN_MESSAGES_BEHIND) as u64;
        let taken = self.memory.read_u64_at(entry.address, taken);
        are_valid &= taken.is_ok();
        let unread = walk(
            self.memory,
            vec![Chain::new(0, taken.unwrap_or(0))],
            MESSAGE,
            &mut limits,
            |_, at, message| {
                match u64_at(message, MESSAGE_DATA)? {
                    0 => {}
                    MESSAGE_WITH_FRAGMENT => {
                        let fragment = message.get(MESSAGE_FRAGMENT..)?;
                        let next = next_fragment(fragment);
                        are_valid &= next.is_some();
                        lists.push(Chain::new(0, next?));
                        ranges.extend(words_of(fragment_within(at), fragment));
                    }
                    data => lists.push(Chain::new(0, data)),
                }
                u64_at(message, MESSAGE_NEXT)
            },
        );
        are_valid &= unread.is_empty();
        let element = Element::of(FRAGMENT_BYTES);
        let unread = walk(
            self.memory,
            lists,
            element,
            &mut limits,
            |_, at, fragment| {
                let next = next_fragment(fragment);
                are_valid &= next.is_some();
                ranges.extend(words_of(at, fragment).filter(|_| next.is_some()));
                next
            },
        );
        (ranges, are_valid && unread.is_empty())
    }
}

/// The words in use of the heap fragment at this address, which begins with these bytes.
fn words_of(address: u64, fragment: &[u8]) -> Option<Range> {
    let words = usize::try_from(u64_at(fragment, FRAGMENT_USED)?).ok()?;
    let (address, len_bytes) = (
        address.checked_add(FRAGMENT_WORDS as u64)?,
        words.checked_mul(8)?,
    );
    (words > 0).then_some(Range { address, len_bytes })
}

/// The `wanted` references whose numbers are among these words.
fn among(bytes: &[u8], wanted: &HashSet<Reference>) -> Vec<Reference> {
    let words: Vec<u64> = bytes_to_words(bytes).collect();
    let pairs = words
        .windows(2)
        .filter_map(|pair| Some([*pair.first()?, *pair.get(1)?]));
    pairs.filter(|pair| wanted.contains(pair)).collect()
}

/// The one there is, if there is one and no other.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    all.next().filter(|_| all.next().is_none())
}
