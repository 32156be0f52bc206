//! What binaries outside of its heap a process holds.
//!
//! A heap has a list of what lies outside of it, and one more of binaries that are being appended to. The
//! lists of all processes of a page are walked in step, one system call for the next element of each, as
//! long as they are short. What is longer is walked in a copy of its heap, one process after the other: so
//! each is looked at again, whether it rested, a moment after its lists were read.

use std::collections::HashSet;
use std::collections::hash_map::{Entry as Place, HashMap};

use erlang_terms::Boxed;
use target_memory::{Range, TargetMemory, address_at, read_each, u64_at};
use vm_layout::process_details::{BinaryFormat, OFF_HEAP_NEXT};

use crate::entry::Entry;

const ELEMENT_BYTES: usize = 32;
/// Elements of each list that are read in step.
const IN_STEP: usize = 32;
/// Elements of a longer list. A process with more has no sum.
const MAX_ELEMENTS: usize = 1 << 18;
/// How often a heap is copied of a process that works in between.
const COPIES: usize = 3;
/// Bytes of a heap, and of an old heap, that is copied for its list.
const MAX_COPY_BYTES: usize = 64 << 20;
/// No binary is longer than memory.
const MAX_BINARY_BYTES: u64 = 1 << 47;

/// No binary has so many references.
const MAX_REFERENCES: u64 = 1 << 40;

/// A binary that a process holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldBinary {
    /// Where it is.
    pub address: u64,
    /// How long it is.
    pub bytes: u64,
    /// References of this process.
    pub references: u64,
    /// References of all, as it says itself at that moment.
    pub reference_count: u64,
    /// It is among those that the process is appending to.
    pub is_appended: bool,
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

/// The binaries that each holds, in no order; `None` when that cannot be said: it worked meanwhile, holds too
/// many, or its lists make no sense. `look` reads entries again.
pub(crate) fn held_binaries(
    memory: &impl TargetMemory,
    format: BinaryFormat,
    entries: &[Entry],
    look: impl Fn(&[Entry]) -> Vec<Option<Entry>>,
) -> Vec<Option<Vec<HeldBinary>>> {
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
    let in_step = with_sizes(memory, format, held);
    let checked = in_step.into_iter().zip(entries).zip(look(entries));
    let mut binaries: Vec<Option<Vec<HeldBinary>>> = checked
        .map(|((held, before), after)| held.filter(|_| has_rested(before, after)))
        .collect();
    for process in long {
        let look_at_one = || look(&entries[process..=process]).pop().flatten();
        binaries[process] = (0..COPIES).find_map(|_| {
            // What was read with the page is too old by now.
            let before = look_at_one()?;
            let held = held_by_copy(memory, format, &before);
            let held = with_sizes(memory, format, vec![held]).pop().flatten();
            held.filter(|_| has_rested(&before, look_at_one()))
        });
    }
    binaries
}

fn has_rested(before: &Entry, after: Option<Entry>) -> bool {
    after.is_some_and(|after| after.rested_since(before))
}

/// What a process holds, by a copy of its heap. Elements that lie elsewhere are read where they are.
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
            bytes.get(offset..offset.checked_add(ELEMENT_BYTES)?)
        });
        match in_copy {
            Some(element) => parse(format, element),
            None => parse(
                format,
                &memory
                    .read_vec(address, ELEMENT_BYTES, ELEMENT_BYTES)
                    .ok()?,
            ),
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
            // A list that comes back to where it was never ends: the mark is left behind ever more seldom.
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
    let ranges: Vec<Range> = walks
        .iter()
        .map(|walk| Range {
            address: walk.next,
            len_bytes: ELEMENT_BYTES,
        })
        .collect();
    let mut elements = read_each(memory, &ranges, ranges.len() * ELEMENT_BYTES).into_iter();
    walks.retain_mut(|walk| {
        let element = elements.next().flatten();
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

/// What the binaries of each say of themselves.
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

/// By address, how long these binaries are and how many references they have; those that cannot be read, or
/// say nonsense, are missing.
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
    let read = read_each(memory, &ranges, MAX_ELEMENTS * len_bytes);
    let heads = binaries.into_iter().zip(read).filter_map(|(binary, head)| {
        let head = head?;
        let bytes = u64_at(&head, format.size - first)?;
        let references = u64_at(&head, format.reference_count - first)?;
        let is_sane = bytes < MAX_BINARY_BYTES && references < MAX_REFERENCES;
        is_sane.then_some((binary, (bytes, references)))
    });
    heads.collect()
}
