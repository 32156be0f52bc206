//! Requests that a server has handed on: which process has the reference with which its caller waits for the answer.
//!
//! A server that answers later, by another process, has given that one the address of the answer: the caller's pid and
//! the reference of the call. A reference is unique in a node, so where its numbers are on the heap or the stack of a
//! process, that process has it or had it.

use std::collections::HashSet;

use erlang_terms::Term;
use target_memory::{TargetMemory, bytes_to_words};
use vm_tables::processes::is_local_pid;

use crate::awaited::Waiter;
use crate::entry::Entry;
use crate::page::{MAX_PAGE, ProcessReader};
use crate::relations::{references, trees};

/// Of one part of a process's memory: a request that was handed on is among a worker's first data, and few workers
/// have more.
const MAX_PART_BYTES: u64 = 4 << 20;
/// Processes of this node that one has links to or monitors on.
const MAX_RELATIVES: usize = 1000;

/// The numbers of a reference.
pub type Reference = [u64; 2];

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

    /// The processes of this node that the one at this place knows; `None` where that cannot be read.
    pub fn relatives(&self, place: (u64, u64)) -> Option<Relatives> {
        let entry = self.entry(place)?;
        let [links, monitors] = self.relations(&entry);
        let pids = |relations: Vec<crate::Relation>| {
            let others = relations.into_iter().map(|it| it.other);
            let here =
                others.filter(|it| matches!(Term::of(*it), Term::Pid(id) if is_local_pid(id)));
            here.filter(|it| *it != entry.id)
                .take(MAX_RELATIVES)
                .collect()
        };
        Some(Relatives {
            linked: pids(links?),
            monitored: pids(monitors?),
        })
    }

    /// Which of the `wanted` references the process at this place has on its heap or its stack, among garbage, too. It
    /// may run: numbers like these are nowhere by chance.
    pub fn has_references(
        &self,
        place: (u64, u64),
        wanted: &HashSet<Reference>,
    ) -> HashSet<Reference> {
        let Some(entry) = self.entry(place) else {
            return HashSet::new();
        };
        let parts = [
            (entry.heap, entry.htop),
            (entry.stop, entry.hend),
            (entry.old_heap, entry.old_htop),
        ];
        let mut found = HashSet::new();
        for (start, end) in parts {
            let len_bytes = end.saturating_sub(start).min(MAX_PART_BYTES) as usize;
            let bytes = self.memory.read_vec(start, len_bytes, len_bytes);
            let words: Vec<u64> = bytes_to_words(&bytes.unwrap_or_default()).collect();
            let pairs = words
                .windows(2)
                .filter_map(|pair| Some([*pair.first()?, *pair.get(1)?]));
            found.extend(pairs.filter(|pair| wanted.contains(pair)));
        }
        found
    }
}

/// The one there is, if there is one and no other.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    all.next().filter(|_| all.next().is_none())
}
