//! Where the schedulers are, without symbols and without knowing how their structs look.
//!
//! Each ErtsSchedulerData, aligned to a cache line, holds the `pthread_t` of its thread, and that
//! leads to a thread control block, which starts with a pointer to itself and goes on in a way that
//! each C library has of its own. So the three
//! arrays (normal, dirty CPU, dirty I/O) are the objects that the emulator's variables point to
//! and that hold such a word; the distance between elements, their number, and the fields that
//! count them follow from the elements themselves.

mod thread_block;

use std::collections::{BTreeMap, BTreeSet};

use target_memory::{Range, ReadError, TargetMemory, bytes_to_words, u32_at, u64_at};

use vm_layout::TableError;
use vm_layout::derive::SchedulerFields;
use vm_layout::emulator_image::{EmulatorImage, is_pointer};
use vm_tables::schedulers::{MAX_SCHEDULERS, SchedulerArray, SchedulerKind};

use crate::same_length::read_all;
use thread_block::{thread_of, threads_among};

const CACHE_LINE: u64 = 64;
/// How far into the struct the thread and the counters are looked for.
const HEAD_BYTES: usize = 512;
/// The thread is among the first fields.
const THREAD_WITHIN_BYTES: usize = 128;
/// A scheduler's struct is some 41 KiB on every release known.
const MAX_STRIDE_BYTES: u64 = 96 << 10;
const LEAST_STRIDE_BYTES: u64 = 4 << 10;
/// Structures that are read together.
const READ_AT_ONCE: usize = 512;
/// Cache lines that are searched together for the next struct.
const LINES_AT_ONCE: usize = 256;
const NAME: &str = "the schedulers";

/// The facts in the arrays about themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchedulerScan {
    /// Normal, dirty CPU, dirty I/O.
    pub arrays: [SchedulerArray; 3],
    /// Offset of the pthread_t.
    pub thread: usize,
    /// Offset of the kind, 32 bits: 0, 1, 2.
    pub kind: usize,
    /// How far apart they are, and where their numbers are.
    pub fields: SchedulerFields,
}

/// Finds the three arrays.
pub fn scan(
    memory: &impl TargetMemory,
    image: &EmulatorImage,
) -> Result<SchedulerScan, TableError> {
    let (thread, firsts) = firsts(memory, image)?;
    let stride = firsts
        .iter()
        .filter_map(|first| gap_to_next(memory, *first, thread))
        .min();
    let counted: Vec<(u64, u32)> = firsts
        .iter()
        .map(|first| (*first, count(memory, *first, stride, thread, &firsts)))
        .collect();
    let heads = counted
        .iter()
        .map(|&(first, count)| heads(memory, first, count, stride.unwrap_or(0)))
        .collect::<Result<Vec<_>, _>>()?;
    let (kind, order) = kinds(&heads)?;
    let [normal, dirty_cpu, dirty_io] = order;
    let number = counting(&heads, |array| array == normal, kind)?;
    let dirty_number = counting(&heads, |array| array != normal, kind)?;
    let array = |index: usize, kind| {
        let (first, count) = counted.get(index).copied().unwrap_or_default();
        SchedulerArray { kind, first, count }
    };
    let several = counted.iter().any(|(_, count)| *count > 1);
    Ok(SchedulerScan {
        arrays: [
            array(normal, SchedulerKind::Normal),
            array(dirty_cpu, SchedulerKind::DirtyCpu),
            array(dirty_io, SchedulerKind::DirtyIo),
        ],
        thread,
        kind,
        fields: SchedulerFields {
            stride: stride.filter(|_| several).map(|stride| stride as usize),
            number,
            dirty_number,
        },
    })
}

/// The first elements of exactly three arrays, and where each keeps its thread.
fn firsts(
    memory: &impl TargetMemory,
    image: &EmulatorImage,
) -> Result<(usize, Vec<u64>), TableError> {
    // A tree of numbers takes some two words for each.
    let most_bytes = image.words().count().saturating_mul(16);
    let spent = |spent| ReadError::spent(0, spent);
    let _held = memory
        .budget()
        .hold("pointers", most_bytes)
        .map_err(spent)?;
    let pointers: BTreeSet<u64> = image
        .words()
        .map(|(_, word)| word)
        .filter(|word| is_pointer(*word, CACHE_LINE) && !image.is_variable(*word))
        .collect();
    let pointers: Vec<u64> = pointers.into_iter().collect();
    let mut by_offset: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for pointers in pointers.chunks(READ_AT_ONCE) {
        let heads = read_all(memory, pointers.iter().copied(), THREAD_WITHIN_BYTES);
        let words = heads.iter().flatten().flat_map(|head| bytes_to_words(head));
        let threads = threads_among(memory, words);
        for (pointer, head) in pointers.iter().zip(&heads) {
            // A thread control block itself is no scheduler.
            let Some(head) = head
                .as_deref()
                .filter(|head| u64_at(head, 0) != Some(*pointer))
            else {
                continue;
            };
            for (index, word) in bytes_to_words(head).enumerate() {
                if threads.contains(&word) {
                    by_offset.entry(index * 8).or_default().push(*pointer);
                }
            }
        }
    }
    let mut triples = by_offset.into_iter().filter(|(_, found)| found.len() == 3);
    match (triples.next(), triples.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(TableError::NotFound {
            table: NAME,
            wanted: "three arrays of structs that each hold the thread of a scheduler",
        }),
        (Some(_), Some(_)) => Err(TableError::Ambiguous {
            table: NAME,
            candidates: 2,
        }),
    }
}

/// Distance to the next struct with a thread. Memory that is not there ends the search.
fn gap_to_next(memory: &impl TargetMemory, first: u64, thread: usize) -> Option<u64> {
    let thread_of_first = first.wrapping_add(thread as u64);
    let own = memory.read_u64(thread_of_first).ok()?;
    let gaps: Vec<u64> = (LEAST_STRIDE_BYTES..=MAX_STRIDE_BYTES)
        .step_by(CACHE_LINE as usize)
        .collect();
    for gaps in gaps.chunks(LINES_AT_ONCE) {
        let places = Range::at_each(gaps.iter().map(|gap| thread_of_first.wrapping_add(*gap)), 8);
        let mut bytes = [0; LINES_AT_ONCE * 8];
        let count = memory.read_leading(&places, &mut bytes);
        let words = bytes_to_words(&bytes).take(count);
        let others: Vec<(u64, u64)> = gaps
            .iter()
            .copied()
            .zip(words)
            .filter(|(_, word)| *word != own)
            .collect();
        let threads = threads_among(memory, others.iter().map(|(_, word)| *word));
        let found = others.iter().find(|(_, word)| threads.contains(word));
        if found.is_some() || count < gaps.len() {
            return found.map(|(gap, _)| *gap);
        }
    }
    None
}

fn count(
    memory: &impl TargetMemory,
    first: u64,
    stride: Option<u64>,
    thread: usize,
    firsts: &[u64],
) -> u32 {
    let Some(stride) = stride else { return 1 };
    (1..MAX_SCHEDULERS)
        .find(|index| {
            let element = first.wrapping_add(stride.wrapping_mul(u64::from(*index)));
            firsts.contains(&element) || !thread_of(memory, element, thread)
        })
        .unwrap_or(MAX_SCHEDULERS)
}

fn heads(
    memory: &impl TargetMemory,
    first: u64,
    count: u32,
    stride: u64,
) -> Result<Vec<Vec<u8>>, TableError> {
    (0..u64::from(count))
        .map(|index| {
            let element = first.wrapping_add(stride.wrapping_mul(index));
            Ok(memory.read_vec(element, HEAD_BYTES, HEAD_BYTES)?)
        })
        .collect()
}

/// Where each struct contains 0 (normal), 1 (dirty CPU) or 2 (dirty I/O) followed by its two
/// numbers, and which array is which.
fn kinds(heads: &[Vec<Vec<u8>>]) -> Result<(usize, [usize; 3]), TableError> {
    let kind_of = |array: &[Vec<u8>], offset: usize| {
        let first = u32_at(array.first()?, offset)?;
        array
            .iter()
            .all(|head| u32_at(head, offset) == Some(first))
            .then_some(first)
    };
    let mut found = Vec::new();
    for offset in (0..HEAD_BYTES - 24).step_by(4) {
        let kinds: Vec<Option<u32>> = heads.iter().map(|array| kind_of(array, offset)).collect();
        let position = |kind| kinds.iter().position(|found| *found == Some(kind));
        let (Some(normal), Some(cpu), Some(io)) = (position(0), position(1), position(2)) else {
            continue;
        };
        let has_numbers = counting(heads, |array| array == normal, offset).is_ok()
            && counting(heads, |array| array != normal, offset).is_ok();
        if has_numbers {
            found.push((offset, [normal, cpu, io]));
        }
    }
    match <[_; 1]>::try_from(found) {
        Ok([one]) => Ok(one),
        Err(others) if others.is_empty() => Err(TableError::NotFound {
            table: NAME,
            wanted: "field that distinguishes normal from dirty ones",
        }),
        Err(others) => Err(TableError::Ambiguous {
            table: NAME,
            candidates: others.len(),
        }),
    }
}

/// Which of the two words after the kind counts 1, 2, 3 in the arrays `counts` is true of and is
/// zero in the others.
fn counting(
    heads: &[Vec<Vec<u8>>],
    counts: impl Fn(usize) -> bool,
    kind: usize,
) -> Result<usize, TableError> {
    const NUMBERS_BYTES: usize = 16;
    // Further fields count schedulers as well: slots of their own in other tables.
    let after = (kind + 4).next_multiple_of(8);
    let mut found = (after..after + NUMBERS_BYTES).step_by(8).filter(|offset| {
        heads.iter().enumerate().all(|(array, heads)| {
            heads.iter().enumerate().all(|(index, head)| {
                let expected = if counts(array) { index as u64 + 1 } else { 0 };
                u64_at(head, *offset).map(|word| word & 0xffff_ffff) == Some(expected)
            })
        })
    });
    match (found.next(), found.next()) {
        (Some(offset), None) => Ok(offset),
        (None, _) => Err(TableError::NotFound {
            table: NAME,
            wanted: "field that numbers them",
        }),
        (Some(_), Some(_)) => Err(TableError::Ambiguous {
            table: NAME,
            candidates: 2,
        }),
    }
}

#[cfg(test)]
mod tests;
