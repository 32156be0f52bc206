//! How the processes of each name spent their time, by their state in each snapshot: waiting, ready and not
//! run, running. The sums of all names are processes × seconds.

use std::rc::Rc;
use std::time::Duration;

use process_list::ListedProcess;
use serde_json::{Value, json};
use shared_map::HashMap;
use shared_sort::{Inserted, SharedSort};

/// Names that are told apart; processes with labels of their own have one each.
const MOST_NAMES: usize = 10_000;
/// Names that a capture contains, those with the most activity first.
const KEPT_NAMES: usize = 2000;
/// Processes that are remembered, to know which of them ran: of each some hundred bytes are kept.
const MOST_PROCESSES: usize = 100_000;
/// Pids that a capture contains of those that ran.
const KEPT_PIDS: usize = 20_000;

/// The state of a process in a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// It waits for a message, or is suspended.
    Waiting,
    /// It waits for a scheduler.
    Ready,
    /// A scheduler runs it, or collects its garbage.
    Running,
    /// It ends.
    Ending,
}

/// Nanoseconds by state.
#[derive(Debug, Clone, Copy, Default)]
struct Times([u64; 4]);

impl Times {
    fn add(&mut self, found: Found, ns: u64) {
        let time = &mut self.0[found as usize];
        *time = time.saturating_add(ns);
    }

    fn add_all(&mut self, other: Self) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum = sum.saturating_add(more);
        }
    }

    fn all(self) -> u64 {
        self.0
            .iter()
            .fold(0, |sum, more| u64::saturating_add(sum, *more))
    }

    /// All but the waiting.
    fn working(self) -> u64 {
        self.all() - self.0[Found::Waiting as usize]
    }

    fn json(self) -> serde_json::Map<String, Value> {
        let names = ["waiting_s", "ready_s", "running_s", "ending_s"];
        let seconds = self.0.map(seconds);
        names
            .into_iter()
            .map(str::to_owned)
            .zip(seconds.map(Value::from))
            .inserted()
    }
}

/// A process without a registered name: samples of it do not contain its name.
struct Unnamed {
    pid: Rc<str>,
    name: Rc<str>,
    reductions: u64,
    has_run: bool,
}

/// The sums so far.
#[derive(Default)]
pub(super) struct SpentTime {
    names: HashMap<Rc<str>, Times>,
    /// Time of those for whose name there was no room.
    rest: Times,
    unnamed: HashMap<u64, Unnamed>,
    looked_ns: u64,
    looks: u64,
}

impl SpentTime {
    /// Begins a snapshot that stands for this much time.
    pub fn look(&mut self, stands_for: Duration) {
        self.looks += 1;
        self.looked_ns = self.looked_ns.saturating_add(super::whole_ns(stands_for));
    }

    /// Adds the state of a process in the snapshot that began last.
    pub fn add(&mut self, process: &ListedProcess, called: &str, found: Found, time: Duration) {
        let ns = super::whole_ns(time);
        self.remember(process, called, found);
        if let Some(times) = self.names.get_mut(called) {
            times.add(found, ns);
        } else if self.names.len() < MOST_NAMES {
            let times = self.names.entry(called.into()).or_default();
            times.add(found, ns);
        } else {
            self.rest.add(found, ns);
        }
    }

    /// Notes which processes ran: those that do, those whose reductions have grown, and those that the first
    /// snapshot did not have.
    fn remember(&mut self, process: &ListedProcess, called: &str, found: Found) {
        if process.name.is_some() {
            return;
        }
        let is_first = self.looks == 1;
        if let Some(known) = self.unnamed.get_mut(&process.id) {
            known.has_run |= found != Found::Waiting || known.reductions != process.reductions;
            if *known.name != *called {
                known.name = called.into();
            }
        } else if self.unnamed.len() < MOST_PROCESSES {
            let unnamed = Unnamed {
                pid: Rc::clone(&process.pid),
                name: called.into(),
                reductions: process.reductions,
                has_run: !is_first || found != Found::Waiting,
            };
            self.unnamed.insert(process.id, unnamed);
        }
    }

    /// The times, as a capture contains them; `until` is when the last snapshot was, after the
    /// beginning.
    pub fn json(self, until: Duration) -> Value {
        let mut pids: HashMap<Rc<str>, Vec<Rc<str>>> = HashMap::new();
        let ran = self.unnamed.into_values().filter(|it| it.has_run);
        for Unnamed { pid, name, .. } in ran.take(KEPT_PIDS) {
            pids.entry(name).or_default().push(pid);
        }
        let mut names: Vec<(Rc<str>, Times)> = self.names.into_iter().collect();
        names.shared_sort_by(|(a, more), (b, less)| {
            let of = |times: &Times| (times.working(), times.all());
            of(less).cmp(&of(more)).then_with(|| a.cmp(b))
        });
        let mut rest = self.rest;
        for (_, times) in names.iter().skip(KEPT_NAMES) {
            rest.add_all(*times);
        }
        names.truncate(KEPT_NAMES);
        let json = names.into_iter().map(|(name, times)| {
            let mut json = times.json();
            let mut pids = pids.remove(&name).unwrap_or_default();
            pids.shared_sort();
            json.insert("name".to_owned(), json!(&*name));
            json.insert(
                "pids".to_owned(),
                pids.iter().map(|pid| json!(&**pid)).collect(),
            );
            Value::Object(json)
        });
        json!({
            "looked_s": seconds(self.looked_ns),
            "until_s": until.as_secs_f64(),
            "names": json.collect::<Vec<Value>>(),
            "rest": rest.json(),
        })
    }
}

fn seconds(ns: u64) -> f64 {
    Duration::from_nanos(ns).as_secs_f64()
}
