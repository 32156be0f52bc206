//! The facts in process dictionaries that identify a process.
//!
//! `proc_lib` notes there the function with which a process was really started, and its label. A dictionary is a
//! table of slots: nothing, a pair, or a list of pairs that share a slot. The wanted pairs are read for all
//! processes of a page in step, so that a page takes some system calls and not some for each process.

use erlang_terms::{Boxed, Limits, Term, TermText};
use target_memory::{
    Range, TargetMemory, address_at, bytes_to_words, read_each, read_each_not_null, u32_at, u64_at,
};
use vm_layout::process_details::{DICTIONARY_HEAD_BYTES, DICTIONARY_SLOTS, DICTIONARY_USED};

use crate::entry::Entry;
use crate::names::call_text;

/// The wanted keys.
const INITIAL_CALL: &str = "$initial_call";
const LABEL: &str = "$process_label";
const ANCESTORS: &str = "$ancestors";

/// No dictionary has more slots.
const MAX_SLOTS: u32 = 1 << 27;
/// Slots of one dictionary that are read: a process is not expected to keep its identity beyond
/// them.
const LOOKED_THROUGH: u32 = 1 << 16;
/// Slots, and pairs, of all dictionaries of a page.
const MAX_SLOT_BYTES: usize = 8 << 20;
const MAX_PAIRS: usize = 1 << 18;
/// Pairs that share a slot.
const MAX_CHAIN: usize = 64;
const PAIR_BYTES: usize = 24;
/// A tuple of three.
const TRIPLE_BYTES: usize = 32;
const CELL_BYTES: usize = 16;
/// Ancestors of a process: no tree of supervisors is deeper.
const MAX_ANCESTORS: usize = 16;
/// More than is read in one step of a page.
const MAX_STEP_BYTES: usize = 1 << 20;
const WORD_BYTES: u64 = 8;

/// The facts in a dictionary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DictionaryFacts {
    /// Its initial call, as `proc_lib` has it.
    pub initial_call: Option<String>,
    /// Its label.
    pub label: Option<String>,
    /// Its ancestors, the nearest first: pids, and atoms.
    pub ancestors: Vec<u64>,
    /// Bytes of the table itself; the terms that it refers to are on the heap.
    pub table_bytes: u64,
    /// All of it was read. Else it may have more than is here.
    pub is_whole: bool,
}

/// The facts in the dictionary of each process.
pub(crate) fn facts_of<M: TargetMemory>(
    text: &mut TermText<'_, M>,
    entries: &[Entry],
) -> Vec<DictionaryFacts> {
    let memory = text.memory;
    let whole = DictionaryFacts {
        is_whole: true,
        ..DictionaryFacts::default()
    };
    let mut facts = vec![whole; entries.len()];
    let (mut calls, mut ancestors) = (Vec::new(), Vec::new());
    for (process, pair) in pairs(memory, entries, &mut facts) {
        let Some((key, value)) = key_and_value(&pair) else {
            continue;
        };
        let Ok(key) = text.atoms.name(memory, key) else {
            continue;
        };
        match (key, Term::of(value)) {
            (INITIAL_CALL, Term::Boxed(triple)) => calls.push((process, triple)),
            (ANCESTORS, Term::List(cell)) => ancestors.push((process, cell)),
            (LABEL, _) => facts[process].label = Some(text.show(value, Limits::LABEL)),
            _ => {}
        }
    }
    for (process, triple) in read_at(memory, &calls, TRIPLE_BYTES) {
        facts[process].initial_call = initial_call(text, &triple);
    }
    note_ancestors(memory, ancestors, &mut facts);
    facts
}

/// Follows the lists of ancestors, all of them one step at a time.
fn note_ancestors(
    memory: &impl TargetMemory,
    mut cells: Vec<(usize, u64)>,
    facts: &mut [DictionaryFacts],
) {
    for _ in 0..MAX_ANCESTORS {
        if cells.is_empty() {
            return;
        }
        let read = read_at(memory, &cells, CELL_BYTES);
        cells = read
            .into_iter()
            .filter_map(|(process, cell)| {
                facts[process].ancestors.push(u64_at(&cell, 0)?);
                match Term::of(u64_at(&cell, 8)?) {
                    Term::List(next) => Some((process, next)),
                    _ => None,
                }
            })
            .collect();
    }
}

/// Reads the same number of bytes at each of these addresses; unreadable ones are left out.
fn read_at(
    memory: &impl TargetMemory,
    places: &[(usize, u64)],
    len_bytes: usize,
) -> Vec<(usize, Vec<u8>)> {
    let ranges = Range::at_each(places.iter().map(|(_, address)| *address), len_bytes);
    let read = read_each(memory, &ranges, MAX_STEP_BYTES);
    let found = places.iter().zip(read);
    found
        .filter_map(|((process, _), bytes)| Some((*process, bytes?)))
        .collect()
}

/// All pairs of all dictionaries, each with the index of its process.
fn pairs(
    memory: &impl TargetMemory,
    entries: &[Entry],
    facts: &mut [DictionaryFacts],
) -> Vec<(usize, Vec<u8>)> {
    let tables = slots(memory, entries, facts);
    let mut places: Vec<(usize, u64)> = Vec::new();
    for (process, table) in tables {
        for word in bytes_to_words(&table) {
            if places.len() >= MAX_PAIRS {
                facts[process].is_whole = false;
                break;
            }
            match Term::of(word) {
                Term::Boxed(pair) => places.push((process, pair)),
                Term::List(cell) => {
                    places.extend(chained(memory, cell).map(|pair| (process, pair)))
                }
                _ => {}
            }
        }
    }
    for (process, _) in places.drain(MAX_PAIRS.min(places.len())..) {
        facts[process].is_whole = false;
    }
    let ranges = Range::at_each(places.iter().map(|(_, address)| *address), PAIR_BYTES);
    let read = read_each(memory, &ranges, MAX_PAIRS * PAIR_BYTES);
    let found = places.into_iter().zip(read);
    found
        .filter_map(|((process, _), pair)| {
            facts[process].is_whole &= pair.is_some();
            Some((process, pair?))
        })
        .collect()
}

/// The slots of each dictionary that has one, by the index of its process.
fn slots(
    memory: &impl TargetMemory,
    entries: &[Entry],
    facts: &mut [DictionaryFacts],
) -> Vec<(usize, Vec<u8>)> {
    let heads = Range::at_each(
        entries.iter().map(|entry| entry.dictionary),
        DICTIONARY_HEAD_BYTES,
    );
    let found = read_each_not_null(memory, &heads, MAX_SLOT_BYTES);
    let (mut processes, mut ranges) = (Vec::new(), Vec::new());
    for (process, (entry, head)) in entries.iter().zip(found).enumerate() {
        let Some((used, all)) = head
            .and_then(|head| u32_at(&head, DICTIONARY_USED).zip(u32_at(&head, DICTIONARY_SLOTS)))
        else {
            facts[process].is_whole = entry.dictionary == 0;
            continue;
        };
        let first = address_at(entry.dictionary, DICTIONARY_HEAD_BYTES as u64);
        let (true, Ok(address)) = (used <= all && all <= MAX_SLOTS, first) else {
            facts[process].is_whole = false;
            continue;
        };
        facts[process].is_whole = used <= LOOKED_THROUGH;
        facts[process].table_bytes = DICTIONARY_HEAD_BYTES as u64 + u64::from(all) * WORD_BYTES;
        processes.push(process);
        ranges.push(Range {
            address,
            len_bytes: used.min(LOOKED_THROUGH) as usize * 8,
        });
    }
    let read = read_each(memory, &ranges, MAX_SLOT_BYTES);
    let found = processes.into_iter().zip(read);
    found
        .filter_map(|(process, table)| {
            facts[process].is_whole &= table.is_some();
            Some((process, table?))
        })
        .collect()
}

/// The pairs in a list, up to a limit.
fn chained(memory: &impl TargetMemory, cell: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(cell);
    let pairs = std::iter::from_fn(move || {
        let bytes = memory.read_vec(next?, 16, 16).ok()?;
        next = match Term::of(u64_at(&bytes, 8)?) {
            Term::List(cell) => Some(cell),
            _ => None,
        };
        match Term::of(u64_at(&bytes, 0)?) {
            Term::Boxed(pair) => Some(pair),
            _ => None,
        }
    });
    pairs.take(MAX_CHAIN)
}

fn key_and_value(pair: &[u8]) -> Option<(u64, u64)> {
    let header = Boxed::of(u64_at(pair, 0)?)?;
    let key = u64_at(pair, 8).filter(|key| matches!(Term::of(*key), Term::Atom(_)))?;
    (header.arity() == Some(2)).then_some((key, u64_at(pair, 16)?))
}

/// `{Module, Function, Arity}`.
fn initial_call<M: TargetMemory>(text: &mut TermText<'_, M>, bytes: &[u8]) -> Option<String> {
    let word = |index: usize| u64_at(bytes, index * 8);
    let is_triple = Boxed::of(word(0)?)?.arity() == Some(3);
    let Term::Small(arity) = Term::of(word(3).filter(|_| is_triple)?) else {
        return None;
    };
    let call = [word(1)?, word(2)?, u64::try_from(arity).ok()?];
    call_text(text.memory, text.atoms, call)
}
