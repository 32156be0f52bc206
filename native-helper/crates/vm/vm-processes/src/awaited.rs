//! The processes or ports that processes in a call wait for.
//!
//! A caller sets a monitor on the called process and keeps its reference, or its pid, in a variable of the
//! frame in which it waits. Which word that is differs by release and by how the call was made, so all words of
//! the frame are tried: a reference counts when the process has a monitor by it, a pid when it has a link or a
//! monitor on it. When they lead to one process and no other, that is the awaited one.
//!
//! A process that sends to a busy port is suspended, and repeats the call when it continues: the port is an
//! argument of the call it is about to make. Or it has sent and waits for the port's confirmation: then the port is
//! in its innermost frame. Only a port that is known to be busy counts.

use std::hash::Hash;

use erlang_terms::Term;
use shared_map::{HashMap, HashSet};
use target_memory::{Range, TargetMemory, bytes_to_words, read_each};
use vm_tables::processes::is_local_pid;

use crate::entry::Entry;
use crate::page::{MAX_PAGE, ProcessReader};
use crate::relations::{Other, Relation, other, references, trees};
use crate::status::Status;
use crate::waiter::Waiter;

/// No call that sends to a port has more arguments.
const MAX_ARGUMENTS: u64 = 8;

/// The awaited: a process, or anything else that is unique.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Awaited<T = Other> {
    /// That one, and no other.
    One(T),
    /// It cannot be proven.
    Unproven,
    /// It has worked since, or has ended.
    Moved,
}

/// The references that a process keeps in the frame in which it waits, in an unknown call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// No reference: it waits for any process.
    Nothing,
    /// A reference: an answer with it is expected, from any process.
    Reference,
    /// The reference of a monitor on this one, and of no other.
    MonitorOn(Other),
    /// It has worked since, or has ended.
    Moved,
}

impl<T> Awaited<T> {
    /// The same with the awaited converted.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Awaited<U> {
        match self {
            Self::One(one) => Awaited::One(make(one)),
            Self::Unproven => Awaited::Unproven,
            Self::Moved => Awaited::Moved,
        }
    }
}

/// A monitor or link that was found, and the process at its other end, where that is known.
type Found = Option<(Relation, Option<Other>)>;

impl<M: TargetMemory> ProcessReader<'_, M> {
    /// The process that each waits for; at most [`MAX_PAGE`] at once.
    pub fn awaited(&mut self, waiters: &[Waiter]) -> Vec<Awaited> {
        let found = self.related(waiters, |waiter, monitors, links, numbers| {
            one(&waiter.variables, monitors, links, |term| {
                numbers.get(&term).copied()
            })
        });
        let found = found.into_iter();
        found
            .map(|found| match found {
                None => Awaited::Moved,
                Some(found) => found
                    .and_then(|(_, other)| other)
                    .map_or(Awaited::Unproven, Awaited::One),
            })
            .collect()
    }

    /// The references that each keeps in the frame in which it waits, in unknown calls; at most [`MAX_PAGE`] at
    /// once.
    pub fn kept_references(&mut self, waiters: &[Waiter]) -> Vec<Kept> {
        let found = self.related(waiters, |waiter, monitors, _, numbers| {
            let number = |term: u64| numbers.get(&term).copied();
            let references = waiter.variables.iter().filter_map(|word| number(*word));
            let of_frame: HashSet<[u64; 2]> = references.collect();
            let has_any = !of_frame.is_empty();
            // A pid alone proves nothing here.
            let frame: Vec<u64> = waiter
                .variables
                .iter()
                .copied()
                .filter(|word| number(*word).is_some())
                .collect();
            has_any.then(|| one(&frame, monitors, &[], number).unwrap_or_default())
        });
        let found = found.into_iter();
        found
            .map(|found| match found {
                None => Kept::Moved,
                Some(None) => Kept::Nothing,
                Some(Some((_, None))) => Kept::Reference,
                Some(Some((_, Some(other)))) => Kept::MonitorOn(other),
            })
            .collect()
    }

    /// The relation that `find` chooses of the monitors and links of each, with the process at its other end;
    /// `None` for processes that worked during the reading, and `Some(None)` where it chooses none.
    fn related(
        &mut self,
        waiters: &[Waiter],
        find: impl Fn(&Waiter, &[Relation], &[Relation], &HashMap<u64, [u64; 2]>) -> Option<Relation>,
    ) -> Vec<Option<Found>> {
        let waiters = &waiters[..waiters.len().min(MAX_PAGE)];
        let memory = self.memory;
        let tops = |top: fn(&Entry) -> u64| -> Vec<u64> {
            waiters.iter().map(|waiter| top(&waiter.entry)).collect()
        };
        let monitors = trees(memory, self.details, &tops(|entry| entry.monitors));
        let links = trees(memory, self.details, &tops(|entry| entry.links));
        let in_frames = waiters.iter().flat_map(|waiter| &waiter.variables);
        let in_monitors = monitors.iter().flatten().flatten();
        let terms: Vec<u64> = in_frames
            .copied()
            .chain(in_monitors.map(|monitor| monitor.key))
            .collect();
        let numbers = references(memory, &terms);
        let found: Vec<Option<Relation>> = waiters
            .iter()
            .zip(monitors.iter().zip(&links))
            .map(|(waiter, (monitors, links))| {
                let (monitors, links) = (monitors.as_ref()?, links.as_ref()?);
                // A monitor on itself is an alias: that is no wait for another process.
                let is_other = |monitor: &&Relation| monitor.other != waiter.entry.id;
                let monitors: Vec<Relation> = monitors.iter().filter(is_other).copied().collect();
                find(waiter, &monitors, links, &numbers)
            })
            .collect();
        // Before the last reading: the memory is the processes' own until then.
        let others: Vec<Found> = found
            .into_iter()
            .map(|relation| Some((relation?, other(memory, self.atoms, relation?))))
            .collect();
        let rested = self.rest(waiters);
        rested
            .into_iter()
            .zip(others)
            .map(|(rested, other)| rested.then_some(other))
            .collect()
    }

    /// Which of them did nothing since their stacks were read; at most [`MAX_PAGE`] at once.
    pub fn rest(&self, waiters: &[Waiter]) -> Vec<bool> {
        let entries = waiters.iter().take(MAX_PAGE).map(|waiter| waiter.entry);
        let entries: Vec<Entry> = entries.collect();
        let after = self.look_again(&entries);
        let rested = entries.iter().zip(after);
        rested
            .map(|(before, after)| after.is_some_and(|after| after.rested_since(before)))
            .collect()
    }

    /// For which of the `busy` ports each waits, that is suspended in a call which sends or waits in it for the
    /// port's answer: their ids. At most [`MAX_PAGE`] at once.
    pub fn awaited_ports(
        &self,
        waiters: &[Waiter],
        busy: impl Fn(u64) -> bool,
    ) -> Vec<Awaited<u64>> {
        let entries = waiters.iter().take(MAX_PAGE).map(|waiter| waiter.entry);
        let entries: Vec<Entry> = entries.collect();
        let range = |entry: &Entry| Range {
            address: entry.arguments,
            len_bytes: entry.arity.min(MAX_ARGUMENTS) as usize * 8,
        };
        let ranges: Vec<Range> = entries.iter().map(range).collect();
        let arguments = read_each(self.memory, &ranges, MAX_PAGE * MAX_ARGUMENTS as usize * 8);
        // After its arguments were read: they are the process's own until then.
        let after = self.look_again(&entries);
        let looks = waiters.iter().zip(arguments).zip(after);
        looks
            .map(|((waiter, arguments), after)| {
                let before = &waiter.entry;
                let rested = after.is_some_and(|after| after.rested_since(before));
                let words = match Status::of(before.state) {
                    Status::Suspended => bytes_to_words(&arguments.unwrap_or_default()).collect(),
                    Status::Waiting => waiter.variables.clone(),
                    _ => return Awaited::Moved,
                };
                match (rested, one_port(&words, &busy)) {
                    (false, _) => Awaited::Moved,
                    (true, Some(port)) => Awaited::One(port),
                    (true, None) => Awaited::Unproven,
                }
            })
            .collect()
    }

    /// The links and the monitors of a process; `None` for those that are unknown.
    pub fn relations(&self, entry: &Entry) -> [Option<Vec<Relation>>; 2] {
        let mut trees =
            trees(self.memory, self.details, &[entry.links, entry.monitors]).into_iter();
        std::array::from_fn(|_| trees.next().flatten())
    }

    /// The process at the other end of a relation; `None` for anything else.
    pub fn other(&mut self, relation: Relation) -> Option<Other> {
        other(self.memory, self.atoms, relation)
    }
}

/// The only relation that the words of a frame lead to. `reference_of` identifies the reference of a
/// term.
fn one<R: Eq + Hash>(
    variables: &[u64],
    monitors: &[Relation],
    links: &[Relation],
    reference_of: impl Fn(u64) -> Option<R>,
) -> Option<Relation> {
    // Each of hundreds of words is looked up among thousands of relations.
    let with_reference = |monitor: &Relation| Some((reference_of(monitor.key)?, *monitor));
    let mut by_reference: HashMap<R, Vec<Relation>> = HashMap::new();
    for (reference, monitor) in monitors.iter().filter_map(with_reference) {
        by_reference.entry(reference).or_default().push(monitor);
    }
    let related = monitors.iter().chain(links);
    let related: HashMap<u64, Relation> = related.map(|it| (it.other, *it)).collect();
    // They are distinguished by their process, not by the word that found them.
    let mut found: HashMap<(u64, u64), Relation> = HashMap::new();
    let mut add = |relation: &Relation| found.insert((relation.other, relation.name), *relation);
    for word in variables {
        match Term::of(*word) {
            Term::Boxed(_) => {
                let meant = reference_of(*word).and_then(|it| by_reference.get(&it));
                for relation in meant.into_iter().flatten() {
                    add(relation);
                }
            }
            Term::Pid(id) if is_local_pid(id) => {
                if let Some(relation) = related.get(&id) {
                    add(relation);
                }
            }
            _ => {}
        }
    }
    let mut found = found.into_values();
    found.next().filter(|_| found.next().is_none())
}

/// The busy port among these words, when there is one and no other.
fn one_port(words: &[u64], busy: impl Fn(u64) -> bool) -> Option<u64> {
    let ports = words.iter().copied();
    let ports = ports.filter(|word| matches!(Term::of(*word), Term::Port(_)) && busy(*word));
    let mut ports = ports.collect::<HashSet<u64>>().into_iter();
    ports.next().filter(|_| ports.next().is_none())
}

#[cfg(test)]
mod tests;
