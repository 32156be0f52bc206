//! What binaries outside of its heap a process holds.
//!
//! A heap has a list of what lies outside of it, and one more of binaries that are being appended to. The
//! lists of all processes of a page are walked in step: one system call for the next element of each.

use std::collections::{HashMap, HashSet};

use erlang_terms::Boxed;
use target_memory::{Range, TargetMemory, address_at, read_each, u64_at};
use vm_layout::process_details::{BinaryFormat, OFF_HEAP_NEXT};

use crate::entry::Entry;

const ELEMENT_BYTES: usize = 32;
/// Elements of all lists of a page. A process whose lists were not walked to their ends by then has no sum.
const MAX_ELEMENTS: usize = 1 << 18;
/// No binary is longer than memory.
const MAX_BINARY_BYTES: u64 = 1 << 47;

/// Where the walk of one list is.
struct Walk {
    process: usize,
    next: u64,
}

/// Bytes of the binaries that each holds, each binary once; `None` when that cannot be said: it changed
/// meanwhile, holds too many, or its lists make no sense.
pub(crate) fn binary_bytes(
    memory: &impl TargetMemory,
    format: BinaryFormat,
    entries: &[Entry],
) -> Vec<Option<u64>> {
    let mut held: Vec<Option<HashSet<u64>>> = vec![Some(HashSet::new()); entries.len()];
    let lists = entries.iter().enumerate().flat_map(|(process, entry)| {
        [entry.off_heap, entry.appended].map(|next| Walk { process, next })
    });
    let mut walks: Vec<Walk> = lists.filter(|walk| walk.next != 0).collect();
    let mut left = MAX_ELEMENTS;
    while !walks.is_empty() {
        let Some(rest) = left.checked_sub(walks.len()) else {
            break;
        };
        left = rest;
        step(memory, format, &mut walks, &mut held);
    }
    for walk in walks {
        held[walk.process] = None;
    }
    sums(memory, format, &held)
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
        let parsed = element.and_then(|element| {
            let header = Boxed::of(u64_at(&element, 0)?)?;
            let binary = u64_at(&element, format.binary)?;
            let is_binary = header.subtag == format.reference_subtag;
            Some((
                is_binary.then_some(binary),
                u64_at(&element, OFF_HEAP_NEXT)?,
            ))
        });
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
