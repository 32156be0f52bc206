//! The binaries outside of its heap that a process holds.
//!
//! A heap has a list of the data outside of it, and one more of binaries that are being appended to. The
//! lists of all processes of a page are walked in step, one system call for the next element of each, as
//! long as they are short. Longer lists are walked in a copy of the heap, one process after the other: so
//! a moment after its lists were read, each process is checked again for rest.
//!
//! A message that waits outside of the heap of its receiver has such a list in each of its heap fragments.

use std::collections::HashSet;
use std::collections::hash_map::{Entry as Place, HashMap};

use erlang_terms::Boxed;
use target_memory::{Range, TargetMemory, address_at, read_each, u64_at};
use vm_layout::messages::FRAGMENT_OFF_HEAP;
use vm_layout::process_details::{BinaryFormat, OFF_HEAP_NEXT};

use crate::chains::{Chain, ChainLimits, Element, read_one, walk};
use crate::entry::Entry;
use crate::messages::walk_messages;

const ELEMENT: Element = Element {
    len_bytes: 32,
    least_bytes: OFF_HEAP_NEXT + 8,
};
/// Elements of each list that are read in step.
const IN_STEP: usize = 32;
/// Elements of a longer list. A process with more has no sum.
const MAX_ELEMENTS: usize = 1 << 18;
/// Binaries whose heads are read at once.
const HEADS_AT_ONCE: usize = 1 << 16;
/// Lists of heap fragments of messages that are followed at once.
const LISTS_AT_ONCE: usize = 1 << 16;
/// Messages, their fragments and the elements of the lists of these that are read, of all processes together: some
/// seconds of system calls at most, where each lies elsewhere.
const MAX_OF_MESSAGES: ChainLimits = ChainLimits {
    elements: 1 << 23,
    rounds: 1 << 20,
};
/// References of messages that are remembered, of all processes together.
const MAX_MESSAGE_REFERENCES: usize = 1 << 21;
/// How often a heap is copied of a process that works in between.
const COPIES: usize = 3;
/// Bytes of a heap, and of an old heap, that is copied for its list.
const MAX_COPY_BYTES: usize = 64 << 20;
/// No binary is longer than memory.
const MAX_BINARY_BYTES: u64 = 1 << 47;

/// No binary has this many references.
const MAX_REFERENCES: u64 = 1 << 40;

/// A binary that a process holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldBinary {
    /// Where it is.
    pub address: u64,
    /// How long it is.
    pub bytes: u64,
    /// References of this process, and of the messages that wait for it.
    pub references: u64,
    /// The binary's own count of all references at that moment.
    pub reference_count: u64,
    /// It is among those that the process is appending to.
    pub is_appended: bool,
}

/// The binaries that a process holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Each once, in no order.
    pub binaries: Vec<HeldBinary>,
    /// Messages that wait for it and could not be read, at least: more binaries may be in them.
    pub unread_messages: u64,
}

/// How much of the messages that wait is read, of all processes together.
#[derive(Debug)]
pub struct MessageLimits {
    walks: ChainLimits,
    references: usize,
}

impl Default for MessageLimits {
    fn default() -> Self {
        Self {
            walks: MAX_OF_MESSAGES,
            references: MAX_MESSAGE_REFERENCES,
        }
    }
}

/// References by binary; whether one is in the list of those that are being appended to.
type References = HashMap<u64, (u64, bool)>;

/// Where the walk of one list is.
struct Walk {
    process: usize,
    next: u64,
    is_appended: bool,
}

/// Bytes of the binaries that each holds, each binary once; `None` as for [`held_binaries`].
pub(crate) fn binary_bytes(held: &[HeldBinary]) -> u64 {
    let add = |sum: u64, binary: &HeldBinary| sum.saturating_add(binary.bytes);
    held.iter().fold(0, add)
}

/// The binaries that each holds; `None` when they are unknown: the process worked during the reading, holds too many,
/// or its lists are invalid. `look` reads entries again. With limits for `messages`, the binaries of waiting messages
/// are included.
pub(crate) fn held_binaries(
    memory: &impl TargetMemory,
    format: BinaryFormat,
    entries: &[Entry],
    mut messages: Option<&mut MessageLimits>,
    look: impl Fn(&[Entry]) -> Vec<Option<Entry>>,
) -> Vec<Option<Held>> {
    let mut held: Vec<Option<References>> = vec![Some(References::new()); entries.len()];
    let lists = entries.iter().enumerate().flat_map(|(process, entry)| {
        [(entry.off_heap, false), (entry.appended, true)].map(|(next, is_appended)| Walk {
            process,
            next,
            is_appended,
        })
    });
    let mut walks: Vec<Walk> = lists.filter(|walk| walk.next != 0).collect();
    for _ in 0..IN_STEP {
        if walks.is_empty() {
            break;
        }
        step(memory, format, &mut walks, &mut held);
    }
    let long: HashSet<usize> = walks.into_iter().map(|walk| walk.process).collect();
    for process in &long {
        held[*process] = None;
    }
    let mut with_messages = |entries: &[Entry], held: &mut [Option<References>]| match &mut messages
    {
        Some(limits) => add_messages(memory, format, entries, limits, held),
        None => vec![0; entries.len()],
    };
    let unread = with_messages(entries, &mut held);
    let in_step = with_sizes(memory, format, held).into_iter().zip(unread);
    let checked = in_step.zip(entries).zip(look(entries));
    let mut binaries: Vec<Option<Held>> = checked
        .map(|(((held, unread_messages), before), after)| {
            let binaries = held.filter(|_| has_rested(before, after))?;
            Some(Held {
                binaries,
                unread_messages,
            })
        })
        .collect();
    for process in long {
        let look_at_one = || look(&entries[process..=process]).pop().flatten();
        binaries[process] = (0..COPIES).find_map(|_| {
            // The entry that was read with the page is too old by now.
            let before = look_at_one()?;
            let mut held = [held_by_copy(memory, format, &before)];
            let unread = with_messages(&[before], &mut held);
            let binaries = with_sizes(memory, format, held.into()).pop().flatten()?;
            has_rested(&before, look_at_one()).then_some(Held {
                binaries,
                unread_messages: unread.iter().sum(),
            })
        });
    }
    binaries
}

/// Adds the binaries that waiting messages refer to, for processes whose own are known. Returns how many messages
/// of each process could not be read.
fn add_messages(
    memory: &impl TargetMemory,
    format: BinaryFormat,
    entries: &[Entry],
    limits: &mut MessageLimits,
    held: &mut [Option<References>],
) -> Vec<u64> {
    let known: Vec<usize> = (0..entries.len())
        .filter(|it| held[*it].is_some())
        .collect();
    let of_known: Vec<Entry> = known.iter().map(|it| entries[*it]).collect();
    let mut lists: Vec<(usize, u64)> = Vec::new();
    let waiting = walk_messages(
        memory,
        &of_known,
        &mut limits.walks,
        |process, _, fragment| match u64_at(fragment, FRAGMENT_OFF_HEAP) {
            Some(0) | None => {}
            Some(first) => lists.push((known[process], first)),
        },
    );
    let mut unread = vec![0_u64; entries.len()];
    for (process, waiting) in known.iter().zip(waiting) {
        unread[*process] = waiting.unread;
    }
    for lists in lists.chunks(LISTS_AT_ONCE) {
        let chains = lists.iter();
        let chains = chains.map(|(process, first)| Chain::new(*process, *first));
        let mut is_beyond = Vec::new();
        let cut = walk(
            memory,
            chains.collect(),
            ELEMENT,
            &mut limits.walks,
            |process, _, element| {
                let parsed = parse(format, element);
                let left = limits.references.checked_sub(1);
                let (Some((binary, next)), Some(left), Some(binaries)) =
                    (parsed, left, &mut held[process])
                else {
                    is_beyond.push(process);
                    return None;
                };
                limits.references = left;
                note(binaries, binary, false);
                Some(next)
            },
        );
        for process in cut.into_iter().chain(is_beyond) {
            unread[process] += 1;
        }
    }
    unread
}

fn has_rested(before: &Entry, after: Option<Entry>) -> bool {
    after.is_some_and(|after| after.rested_since(before))
}

/// The binaries that a process holds, by a copy of its heap. Elements outside of it are read where
/// they are.
fn held_by_copy(
    memory: &impl TargetMemory,
    format: BinaryFormat,
    entry: &Entry,
) -> Option<References> {
    let copied = |start: u64, end: u64| {
        let len_bytes = usize::try_from(end.checked_sub(start)?).ok()?;
        let bytes = memory.read_vec(start, len_bytes, MAX_COPY_BYTES).ok()?;
        Some((start, bytes))
    };
    let blocks = [
        copied(entry.heap, entry.htop),
        copied(entry.old_heap, entry.old_htop),
    ];
    let element_at = |address: u64| {
        let in_copy = blocks.iter().flatten().find_map(|(start, bytes)| {
            let offset = usize::try_from(address.checked_sub(*start)?).ok()?;
            bytes.get(offset..offset.checked_add(ELEMENT.len_bytes)?)
        });
        match in_copy {
            Some(element) => parse(format, element),
            None => parse(format, &read_one(memory, address, ELEMENT)?),
        }
    };
    let mut binaries = References::new();
    let mut left = MAX_ELEMENTS;
    for (first, is_appended) in [(entry.off_heap, false), (entry.appended, true)] {
        let (mut next, mut steps, mut marked) = (first, 0_u32, None);
        while next != 0 {
            left = left.checked_sub(1)?;
            let (binary, after) = element_at(next)?;
            note(&mut binaries, binary, is_appended);
            // A list that comes back to an earlier element never ends: the mark is set at growing
            // distances.
            if marked == Some(after) {
                return None;
            }
            steps += 1;
            if steps.is_power_of_two() {
                marked = Some(after);
            }
            next = after;
        }
    }
    Some(binaries)
}

/// The binary that an element of a list refers to, if it is one, and the next element.
fn parse(format: BinaryFormat, element: &[u8]) -> Option<(Option<u64>, u64)> {
    let header = Boxed::of(u64_at(element, 0)?)?;
    let is_binary = header.subtag == format.reference_subtag;
    let binary = u64_at(element, format.binary)?;
    Some((is_binary.then_some(binary), u64_at(element, OFF_HEAP_NEXT)?))
}

fn note(binaries: &mut References, binary: Option<u64>, is_appended: bool) {
    if let Some(binary) = binary {
        match binaries.entry(binary) {
            Place::Occupied(mut place) => {
                let (references, appended) = place.get_mut();
                *references += 1;
                *appended |= is_appended;
            }
            Place::Vacant(place) => {
                place.insert((1, is_appended));
            }
        }
    }
}

/// Goes one element on in each list, and keeps those that have more.
fn step(
    memory: &impl TargetMemory,
    format: BinaryFormat,
    walks: &mut Vec<Walk>,
    held: &mut [Option<References>],
) {
    let ranges = Range::at_each(walks.iter().map(|walk| walk.next), ELEMENT.len_bytes);
    let mut elements = read_each(memory, &ranges, ranges.len() * ELEMENT.len_bytes).into_iter();
    walks.retain_mut(|walk| {
        let element = elements.next().flatten();
        let element = element.or_else(|| read_one(memory, walk.next, ELEMENT));
        let parsed = element.and_then(|element| parse(format, &element));
        let of_process = &mut held[walk.process];
        match (parsed, of_process) {
            (Some((binary, next)), Some(binaries)) => {
                note(binaries, binary, walk.is_appended);
                walk.next = next;
                next != 0
            }
            (_, of_process) => {
                *of_process = None;
                false
            }
        }
    });
}

/// Adds the sizes and reference counts of each one's binaries.
fn with_sizes(
    memory: &impl TargetMemory,
    format: BinaryFormat,
    held: Vec<Option<References>>,
) -> Vec<Option<Vec<HeldBinary>>> {
    let distinct: HashSet<u64> = held
        .iter()
        .flatten()
        .flat_map(|binaries| binaries.keys().copied())
        .collect();
    let known = binary_heads(memory, format, distinct);
    let of_one = |binaries: References| {
        let one = |(address, (references, is_appended)): (u64, (u64, bool))| {
            let (bytes, reference_count) = *known.get(&address)?;
            Some(HeldBinary {
                address,
                bytes,
                references,
                reference_count,
                is_appended,
            })
        };
        binaries.into_iter().map(one).collect::<Option<Vec<_>>>()
    };
    held.into_iter().map(|one| one.and_then(of_one)).collect()
}

/// By address, the length of these binaries and their reference counts; unreadable and implausible ones are
/// missing.
pub fn binary_heads(
    memory: &impl TargetMemory,
    format: BinaryFormat,
    binaries: impl IntoIterator<Item = u64>,
) -> HashMap<u64, (u64, u64)> {
    let first = format.reference_count.min(format.size);
    let len_bytes = format.reference_count.max(format.size) + 8 - first;
    let range = |binary: u64| {
        let address = address_at(binary, first as u64).ok()?;
        Some((binary, Range { address, len_bytes }))
    };
    let ranges = binaries.into_iter().filter_map(range);
    let (binaries, ranges): (Vec<u64>, Vec<Range>) = ranges.unzip();
    let at_once = binaries
        .chunks(HEADS_AT_ONCE)
        .zip(ranges.chunks(HEADS_AT_ONCE));
    let read = at_once.flat_map(|(binaries, ranges)| {
        let read = read_each(memory, ranges, ranges.len() * len_bytes);
        binaries.iter().zip(read)
    });
    let heads = read.filter_map(|(binary, head)| {
        let head = head?;
        let bytes = u64_at(&head, format.size - first)?;
        let references = u64_at(&head, format.reference_count - first)?;
        let is_sane = bytes < MAX_BINARY_BYTES && references < MAX_REFERENCES;
        is_sane.then_some((*binary, (bytes, references)))
    });
    heads.collect()
}

#[cfg(test)]
mod tests;
