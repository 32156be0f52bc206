//! Repeated snapshots of the processes of a VM.
//!
//! A snapshot reads all structs. It reads the data that they point at (names, dictionaries, binaries) only for
//! processes that are new, whose pointers changed, that the user sees, or whose turn it is: each has its turn
//! within [`TURNS`] snapshots. So a snapshot of ten thousand processes takes some milliseconds instead of a
//! hundred.

mod ancestry;
mod seen;
mod texts;
mod watched;

use std::time::{Duration, Instant};

use attach::{AttachError, AttachedVm, CodeLook};
use process_list::{Arrangement, ListedProcess};
use protocol::inside::{
    InsideProcessesParams, InsideProcessesResult, ProcessInC, ProcessLook, ProcessQuery,
};
use protocol::processes::RejectedEntries;
use shared_map::{HashMap, HashSet};
use vm_processes::Entry;

use ancestry::note_ancestors;
use seen::Seen;
use texts::{Places, Texts};
use watched::Watched;

use crate::in_c::{InC, SleepingThreads};
use crate::stride::Stride;
use crate::thread_time::thread_time;

/// Within this many snapshots, all known facts about a process are read again.
const TURNS: u64 = 16;
/// More are not listed: of each some hundred bytes are kept.
const MOST_PROCESSES: usize = 500_000;
/// Lines of one answer.
const MOST_LINES: u32 = 1000;
/// A snapshot takes at most one part in this many of a processor, by the pause after it.
const SHARE: f64 = 100.0;
const SHORTEST_PAUSE_MS: f64 = 1000.0;
const LONGEST_PAUSE_MS: f64 = 60_000.0;

/// The known facts about the processes of a VM.
#[derive(Debug, Default)]
pub(crate) struct ProcessWatch {
    watched: Watched,
    stride: Stride,
    texts: Texts,
    places: Places,
    /// Pid terms of those that were shown last.
    shown: HashSet<u64>,
    /// The query of the last request, and the list for it.
    list: Option<(ProcessQuery, Arrangement)>,
    rejected: RejectedEntries,
    left_out: u64,
    /// How often code was loaded.
    code_changes: u64,
    /// Code is being loaded, so that the code at an address is unknown.
    is_code_unclear: bool,
    last: Option<Look>,
    sleeping: SleepingThreads,
    /// Those in C code at the last snapshot, by their pids.
    in_c: HashMap<String, ProcessInC>,
}

/// A snapshot that was taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    number: u64,
    ended: Instant,
    took: Duration,
    cpu: Duration,
}

impl ProcessWatch {
    /// A window of the list, after another snapshot if that is wanted.
    pub fn answer(
        &mut self,
        vm: &mut AttachedVm,
        wanted: &InsideProcessesParams,
    ) -> Result<InsideProcessesResult, AttachError> {
        let look = match self.last {
            Some(last) if !wanted.look => last,
            _ => {
                let look = self.look(vm)?;
                self.look_into_c(vm);
                look
            }
        };
        let (query, list) = match self.list.take().filter(|(query, _)| *query == wanted.query) {
            Some(list) => list,
            None => (
                wanted.query.clone(),
                Arrangement::of(self.watched.processes(), &wanted.query),
            ),
        };
        let pids = vm.look(|vm| vm.pid_format())?;
        let first = usize::try_from(wanted.first).unwrap_or(usize::MAX);
        let end = first.saturating_add(wanted.limit.min(MOST_LINES) as usize);
        let mut lines = list.window(first..end, self.watched.processes(), &query, |id| {
            pids.text(id)
        });
        for line in &mut lines {
            let process = line.process.as_ref();
            line.in_c = process.and_then(|process| self.in_c.get(&process.pid).cloned());
        }
        let on_screen = list.places(first..end);
        self.shown = on_screen
            .map(|place| self.watched.processes()[place].id)
            .collect();
        let result = InsideProcessesResult {
            lines,
            length: list.len() as u64,
            processes: self.watched.processes().len() as u64,
            left_out: self.left_out,
            matching: list.matching,
            without_value: list.without_value,
            alarming: list.alarming,
            may_alarm: list.may_alarm,
            rejected: self.rejected,
            look: look.report(),
        };
        self.list = Some((query, list));
        Ok(result)
    }

    /// Checks the threads of schedulers that run a process and sleep. Where that fails, none is known.
    fn look_into_c(&mut self, vm: &mut AttachedVm) {
        let found = self.sleeping.long_asleep(vm).unwrap_or_default();
        let places = found.into_iter().map(|InC { facts, .. }| {
            let caller = facts.stack.into_iter().next();
            let place = ProcessInC {
                function: facts.function.or(caller),
                thread_id: facts.thread_id,
                thread_name: facts.thread_name,
                seconds: facts.seconds,
            };
            (facts.pid, place)
        });
        self.in_c = places.collect();
    }

    /// How often code was loaded since the beginning. After a change, earlier facts about addresses
    /// no longer hold.
    pub fn code_changes(&self) -> u64 {
        self.code_changes
    }

    /// Whether so much code was loaded during the last snapshot that addresses in code are
    /// meaningless.
    pub fn is_code_unclear(&self) -> bool {
        self.is_code_unclear
    }

    /// The processes of the last snapshot, each with its place in the VM's table.
    pub fn each(&self) -> impl Iterator<Item = ((u64, u64), &ListedProcess)> {
        self.watched.each()
    }

    /// Takes a snapshot of all processes.
    pub fn look(&mut self, vm: &mut AttachedVm) -> Result<Look, AttachError> {
        let (began, cpu_began) = (Instant::now(), thread_time());
        let number = self.last.map_or(1, |last| last.number + 1);
        let code = vm.look_at_code()?;
        if code == CodeLook::Changed {
            self.places.forget();
            self.code_changes += 1;
        }
        self.is_code_unclear = code == CodeLook::Unclear;
        let pids = vm.look(|vm| vm.pid_format())?;
        self.list = None;
        self.rejected = RejectedEntries::default();
        let mut first = 0;
        loop {
            let is_wanted = |entry: &&Entry| {
                entry.slot % TURNS == number % TURNS
                    || self.shown.contains(&entry.id)
                    || self.watched.points_elsewhere(entry)
            };
            let read = self
                .stride
                .read(|many| vm.processes_of_interest(first, many, is_wanted));
            let (page, facts) = read?;
            let at = Instant::now();
            self.rejected.freed += u64::from(page.rejected.freed);
            self.rejected.torn += u64::from(page.rejected.torn);
            let mut facts = facts.into_iter().peekable();
            for entry in page.entries {
                let facts = facts.next_if(|facts| facts.entry.slot == entry.slot);
                let seen = Seen::new(entry, facts, at, number);
                let earlier = self.watched.at(entry.slot);
                let places = (!self.is_code_unclear).then_some(&mut self.places);
                let (kept, process) = seen.process(vm, pids, earlier, &mut self.texts, places);
                self.watched.put(kept, process);
            }
            match page.next.filter(|next| *next > first) {
                Some(next) if self.watched.processes().len() < MOST_PROCESSES => first = next,
                _ => break,
            }
            self.stride.pause();
        }
        self.watched.forget_unseen(number);
        note_ancestors(vm, pids, &mut self.watched, &mut self.texts);
        self.texts.forget_unused();
        self.left_out = match self.watched.processes().len() {
            known @ MOST_PROCESSES.. => {
                u64::from(vm.node_counts()?.processes.count).saturating_sub(known as u64)
            }
            _ => 0,
        };
        let look = Look {
            number,
            ended: Instant::now(),
            took: began.elapsed(),
            cpu: thread_time().saturating_sub(cpu_began),
        };
        self.last = Some(look);
        Ok(look)
    }
}

impl Look {
    fn report(&self) -> ProcessLook {
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        ProcessLook {
            number: self.number,
            age_ms: u64::try_from(self.ended.elapsed().as_millis()).unwrap_or(u64::MAX),
            took_ms: ms(self.took),
            cpu_ms: ms(self.cpu),
            next_ms: pause_ms(self.cpu, SHORTEST_PAUSE_MS),
        }
    }
}

/// The pause before another snapshot that takes as much of a processor, milliseconds.
pub(crate) fn pause_ms(cpu: Duration, shortest_ms: f64) -> u64 {
    let pause_ms = cpu.as_secs_f64() * 1000.0 * SHARE;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "up to a minute"
    )]
    let whole_ms = pause_ms.clamp(shortest_ms, LONGEST_PAUSE_MS) as u64;
    whole_ms
}
