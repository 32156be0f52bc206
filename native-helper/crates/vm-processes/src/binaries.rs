//! What binaries outside of its heap a process holds.
//!
//! A heap has a list of what lies outside of it, and one more of binaries that are being appended to. The
//! lists of all processes of a page are walked in step, one system call for the next element of each, as
//! long as they are short. What is longer is walked in a copy of its heap, one process after the other: so
//! each is looked at again, whether it rested, a moment after its lists were read.

use std::collections::{HashMap, HashSet};

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

/// Where the walk of one list is.
struct Walk {
    process: usize,
    next: u64,
}

/// Bytes of the binaries that each holds, each binary once; `None` when that cannot be said: it worked
/// meanwhile, holds too many, or its lists make no sense. `look` reads entries again.
pub(crate) fn binary_bytes(
    memory: &impl TargetMemory,
    format: BinaryFormat,
    entries: &[Entry],
    look: impl Fn(&[Entry]) -> Vec<Option<Entry>>,
) -> Vec<Option<u64>> {
    let mut held: Vec<Option<HashSet<u64>>> = vec![Some(HashSet::new()); entries.len()];
    let lists = entries.iter().enumerate().flat_map(|(process, entry)| {
        [entry.off_heap, entry.appended].map(|next| Walk { process, next })
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
    let in_step = sums(memory, format, &held);
    let checked = in_step.into_iter().zip(entries).zip(look(entries));
    let mut bytes: Vec<Option<u64>> = checked
        .map(|((sum, before), after)| sum.filter(|_| has_rested(before, after)))
        .collect();
    for process in long {
        let look_at_one = || look(&entries[process..=process]).pop().flatten();
        bytes[process] = (0..COPIES).find_map(|_| {
            // What was read with the page is too old by now.
            let before = look_at_one()?;
            let held = held_by_copy(memory, format, &before);
            let sum = sums(memory, format, &[held]).pop().flatten();
            sum.filter(|_| has_rested(&before, look_at_one()))
        });
    }
    bytes
}

fn has_rested(before: &Entry, after: Option<Entry>) -> bool {
    after.is_some_and(|after| after.rested_since(before))
}

/// What a process holds, by a copy of its heap. Elements that lie elsewhere are read where they are.
fn held_by_copy(
    memory: &impl TargetMemory,
    format: BinaryFormat,
    entry: &Entry,
) -> Option<HashSet<u64>> {
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
    let mut binaries = HashSet::new();
    let mut left = MAX_ELEMENTS;
    for first in [entry.off_heap, entry.appended] {
        let mut next = first;
        while next != 0 {
            left = left.checked_sub(1)?;
            let (binary, after) = element_at(next)?;
            binaries.extend(binary);
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

/// Goes one element on in each list, and keeps those that have more.
fn step(
    memory: &impl TargetMemory,
    format: BinaryFormat,
    walks: &mut Vec<Walk>,
    held: &mut [Option<HashSet<u64>>],
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
                binaries.extend(binary);
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

/// The sizes of the binaries of each.
fn sums(
    memory: &impl TargetMemory,
    format: BinaryFormat,
    held: &[Option<HashSet<u64>>],
) -> Vec<Option<u64>> {
    let distinct: HashSet<u64> = held.iter().flatten().flatten().copied().collect();
    let sizes = distinct.into_iter().filter_map(|binary| {
        let address = address_at(binary, format.size as u64).ok()?;
        Some((
            binary,
            Range {
                address,
                len_bytes: 8,
            },
        ))
    });
    let (binaries, ranges): (Vec<u64>, Vec<Range>) = sizes.unzip();
    let read = read_each(memory, &ranges, MAX_ELEMENTS * 8).into_iter();
    let known: HashMap<u64, u64> = binaries
        .into_iter()
        .zip(read)
        .filter_map(|(binary, size)| Some((binary, u64_at(&size?, 0)?)))
        .filter(|(_, size)| *size < MAX_BINARY_BYTES)
        .collect();
    let sum = |binaries: &HashSet<u64>| {
        let sizes = binaries.iter().map(|binary| known.get(binary).copied());
        sizes.sum::<Option<u64>>()
    };
    held.iter()
        .map(|binaries| sum(binaries.as_ref()?))
        .collect()
}
