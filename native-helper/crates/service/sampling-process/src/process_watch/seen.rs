//! One snapshot's facts about a process, combined with the earlier ones.

use std::rc::Rc;
use std::time::Instant;

use attach::AttachedVm;
use process_list::{ListedProcess, Place};
use vm_processes::{Entry, Priority, ProcessFacts, Status};
use vm_tables::pids::PidFormat;

use super::texts::{Places, Spot, Texts};
use super::watched::{Kept, OutsideBytes};
use crate::processes::tells_where;

/// A process, as it was read.
pub(super) struct Seen {
    entry: Entry,
    /// The data it points at, if that was read.
    facts: Option<ProcessFacts>,
    at: Instant,
    look: u64,
}

impl Seen {
    pub fn new(entry: Entry, facts: Option<ProcessFacts>, at: Instant, look: u64) -> Self {
        Self {
            // The struct that was read with the data it points at may be newer.
            entry: facts.as_ref().map_or(entry, |facts| facts.entry),
            facts,
            at,
            look,
        }
    }

    /// The current facts about the process. `earlier` was at its place in the last snapshot. Without
    /// `places`, the code at an address is unknown.
    pub fn process(
        self,
        vm: &AttachedVm,
        pids: PidFormat,
        earlier: Option<(&Kept, &ListedProcess)>,
        texts: &mut Texts,
        places: Option<&mut Places>,
    ) -> (Kept, ListedProcess) {
        let Self {
            entry,
            facts,
            at,
            look,
        } = self;
        let earlier = earlier.filter(|(kept, _)| kept.id == entry.id);
        let same = earlier.filter(|(kept, _)| kept.address == entry.address);
        let before = same.map(|(_, process)| process);
        let who = Who::of(facts.as_ref(), before, texts);
        let status = Status::of(entry.state);
        let spot = places.map(|places| places.at(vm, entry.i, texts));
        let current = match spot {
            _ if !tells_where(status) => Place::default(),
            Some(Spot::Here(place)) => place,
            Some(Spot::Noted) => noted(facts.as_ref(), before, texts),
            None => where_it_rested(before, &entry),
        };
        let outside = outside(facts.as_ref(), same.map(|(kept, _)| kept.outside));
        let rates = earlier.and_then(|(kept, process)| Rates::between(kept, process, &entry, at));
        let process = ListedProcess {
            pid: earlier.map_or_else(
                || pids.text(entry.id).into(),
                |(_, process)| Rc::clone(&process.pid),
            ),
            number: pids.number(entry.id),
            id: entry.id,
            parent: entry.parent(),
            name: who.name,
            label: who.label,
            is_label_known: who.is_label_known,
            initial_call: who.initial_call,
            current,
            status,
            priority: Priority::of(entry.state),
            mailbox: entry.mailbox,
            is_mailbox_at_least: !entry.is_mailbox_whole,
            memory_bytes: vm.process_bytes(&entry, outside.bytes()),
            is_memory_at_least: !outside.is_whole,
            message_bytes: outside.messages,
            heap_words: entry.heap_words(),
            heap_used_words: entry.heap_used_words(),
            reductions: entry.reductions,
            minor_gcs: entry.minor_gcs,
            binary_bytes: known_binaries(facts.as_ref(), before),
            reductions_per_second: rates.as_ref().map(|rates| rates.reductions),
            collections_per_second: rates.as_ref().map(|rates| rates.collections),
            supervisor: before.and_then(|it| it.supervisor.clone()),
            application: before.and_then(|it| it.application.clone()),
        };
        let kept = Kept {
            outside,
            ancestors: facts
                .filter(|facts| facts.is_dictionary_known)
                .map(|facts| facts.ancestors),
            ..Kept::of(&entry, at, look)
        };
        (kept, process)
    }
}

/// Code in which a process rests is not purged: a process that has not run since is where it was.
fn where_it_rested(before: Option<&ListedProcess>, now: &Entry) -> Place {
    before
        .filter(|it| it.reductions == now.reductions)
        .map_or_else(Place::default, |it| it.current.clone())
}

/// The values read now, else the earlier ones.
fn outside(facts: Option<&ProcessFacts>, before: Option<OutsideBytes>) -> OutsideBytes {
    let before = before.unwrap_or_default();
    let Some(facts) = facts else {
        return before;
    };
    OutsideBytes {
        dictionary: match facts.is_dictionary_known {
            true => facts.dictionary_bytes,
            false => before.dictionary,
        },
        relations: facts.relation_bytes,
        messages: facts.message_bytes,
        is_whole: facts.is_memory_whole,
    }
}

fn known_binaries(facts: Option<&ProcessFacts>, before: Option<&ListedProcess>) -> Option<u64> {
    match facts {
        Some(facts) => facts.binary_bytes,
        None => before.and_then(|it| it.binary_bytes),
    }
}

/// The place that the process itself notes.
fn noted(facts: Option<&ProcessFacts>, before: Option<&ListedProcess>, texts: &mut Texts) -> Place {
    Place {
        function: match facts {
            Some(facts) => texts.shared_if_any(facts.current_call.as_deref()),
            None => before.and_then(|it| it.current.function.clone()),
        },
        ..Place::default()
    }
}

/// The names of a process.
struct Who {
    name: Option<Rc<str>>,
    label: Option<Rc<str>>,
    is_label_known: bool,
    initial_call: Option<Rc<str>>,
}

impl Who {
    /// The names read now, else the earlier ones.
    fn of(facts: Option<&ProcessFacts>, before: Option<&ListedProcess>, texts: &mut Texts) -> Self {
        let known =
            |of: fn(&ListedProcess) -> &Option<Rc<str>>| before.and_then(|it| of(it).clone());
        let was_label_known = before.is_some_and(|it| it.is_label_known);
        let Some(facts) = facts else {
            return Self {
                name: known(|it| &it.name),
                label: known(|it| &it.label),
                is_label_known: was_label_known,
                initial_call: known(|it| &it.initial_call),
            };
        };
        let mut read = |text: &Option<String>| texts.shared_if_any(text.as_deref());
        let (name, label) = (read(&facts.name), read(&facts.label));
        let initial_call = read(&facts.initial_call);
        match facts.is_dictionary_known {
            true => Self {
                name,
                label,
                is_label_known: facts.is_label_known,
                initial_call,
            },
            // The initial call from its dictionary, even an earlier one, is better than the one of
            // its struct.
            false => Self {
                name,
                label: known(|it| &it.label),
                is_label_known: was_label_known,
                initial_call: known(|it| &it.initial_call).or(initial_call),
            },
        }
    }
}

/// Its activity per second between two snapshots.
struct Rates {
    reductions: f64,
    collections: f64,
}

impl Rates {
    fn between(kept: &Kept, process: &ListedProcess, now: &Entry, at: Instant) -> Option<Self> {
        let seconds = at.saturating_duration_since(kept.at).as_secs_f64();
        let reductions = now.reductions.checked_sub(process.reductions)?;
        // The count begins anew with each collection of all, which is one more.
        let collections = match now.minor_gcs.checked_sub(process.minor_gcs) {
            Some(more) => u64::from(more),
            None => u64::from(now.minor_gcs) + 1,
        };
        #[expect(clippy::cast_precision_loss, reason = "a rate of some digits")]
        let each_second = |count: u64| count as f64 / seconds;
        (seconds > 0.0).then(|| Self {
            reductions: each_second(reductions),
            collections: each_second(collections),
        })
    }
}
