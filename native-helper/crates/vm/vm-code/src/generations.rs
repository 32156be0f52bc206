//! Code as it is loaded and purged while a capture runs.
//!
//! A sample is resolved some time after it was taken, and its address may belong to other code by
//! then. So the list of code is read often, and each state of it is kept with the time for which it
//! certainly held: from after the first reading that found it to before the last that still did.
//! Code that ran at any time in between belongs to that state. Between two states, an address is
//! named when both have the same code there, and else by the number of times the VM's code index
//! had advanced at the moment of the sample: loaded code runs only after an advance, and code that
//! runs is purged only after a later one took its place. Samples carry the code index, so that it
//! is known for the moment of each sample.
//!
//! - No advance: nothing that was loaded since ran yet, so the earlier code is the right one.
//! - One, between the two states: an address that only one of the two claims belongs to that one.
//! - An address that both claim belongs to the former if the process still uses the former index,
//!   which compiled code has in a register.
//! - Otherwise, and when the index is unknown, the address could belong to either, or to code that
//!   came and went unseen, and gets no name.
//!
//! A process that ends keeps its stack until its heap is freed, and code that only such a process
//! was in may be purged before that: addresses on its stack are named only where no other code has
//! been.

mod descriptions;
mod index_history;
mod proven_code;
mod reading;

use std::collections::VecDeque;
use std::sync::Arc;

use erlang_stack::{TraceReturns, VmWords};
use shared_map::HashSet;
use target_memory::TargetMemory;

use super::blob::ModuleCode;
use super::code_map::{CodeLocation, CodeMap};
use super::descriptor::{Descriptor, DescriptorMark};
use super::ranges::{CODE_INFO_BYTES, ModuleRanges};
use vm_layout::TableError;

use descriptions::ListFacts;
use index_history::IndexHistory;
pub use reading::{CodeReader, Look};
use reading::{ListRead, ListSeen, Seen, code_index};

/// Code index: there are three.
const CODE_INDICES: u32 = 3;
/// How long past states are kept for samples that arrive late.
const KEPT_NS: u64 = 10_000_000_000;
/// And how many at most.
const MAX_STATES: usize = 1024;
/// A process that ends is gone for good after so long.
const ENDING_NS: u64 = 2_000_000_000;

/// A mark that is cheap to read and different after every load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Mark {
    /// Of the JIT's list; none without a JIT.
    list: Option<DescriptorMark>,
    /// Which of the VM's copies of its code tables is in use: the next one after each load.
    code_index: Option<u32>,
}

/// The code at one stretch of time.
#[derive(Debug)]
struct State {
    map: Arc<CodeMap>,
    code_index: Option<u32>,
    /// Modules that the list names and did not in the state before.
    arrived: u32,
    from_ns: u64,
    until_ns: u64,
}

/// The moment that addresses are looked up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moment {
    /// Nanoseconds, by the clock of the readings.
    pub time_ns: u64,
    /// Set if compiled code was running.
    pub running: Option<Running>,
    /// The process was just ending.
    pub is_ending: bool,
}

/// The state of compiled code: its program counter, and the code index it uses for its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// The program counter.
    pub pc: u64,
    /// The register of the code index.
    pub code_index: u64,
}

/// Whose an address is between two states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    Before,
    After,
    /// Or that of neither.
    Either,
}

/// Which states an address is looked up in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    In(usize),
    /// Between this state and the next.
    After(usize),
    /// Before all states that are still known.
    Forgotten,
}

/// The circumstances of the chosen moment, beside its view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Circumstances {
    /// Between two states: how often the code index advanced, where that is known.
    loads: Option<u32>,
    /// Nothing that was loaded after the former runs yet.
    nothing_new_runs: bool,
    /// The running code uses the code index of the former state, and not the same index of a later
    /// round.
    runs_as_before: bool,
    /// Its stack may contain addresses of purged code: states from this time on count.
    ending_since_ns: Option<u64>,
}

/// The loaded code, now and before.
#[derive(Debug)]
pub struct CodeGenerations {
    /// Reads the list, unless someone else does.
    reader: Option<CodeReader>,
    code_index_at: Option<u64>,
    /// Compiled code has it in the expected register.
    code_index_in_register: bool,
    /// The list as of the last state.
    seen: Option<ListSeen>,
    /// All that it named.
    listed: Vec<Arc<ModuleCode>>,
    index_history: IndexHistory,
    /// By time; never empty once the code was read.
    states: VecDeque<State>,
    /// The last reading failed: code that was loaded since the last state is unknown.
    has_lost_sight: bool,
    /// The code of the very first state, when that is no longer kept: samples may come that are
    /// older than all states that are.
    forgotten: Option<Arc<CodeMap>>,
    view: View,
    circumstances: Circumstances,
    none: CodeMap,
    /// Return address at the bottom of every Erlang stack.
    pub normal_exit: u64,
    /// Return addresses of traced calls.
    pub trace_returns: TraceReturns,
    /// Of an interpreter, the instruction with which a process continues to end; else 0.
    pub continue_exit: u64,
    /// The VM runs with frame pointers.
    pub frame_pointers: bool,
    /// Descriptions that could not be read as such.
    pub unreadable: u32,
}

/// The result for a program counter.
#[derive(Debug, Clone)]
pub enum Located {
    /// This code, and no other.
    Known(CodeLocation),
    /// It may be one or the other.
    Ambiguous(Doubt),
    /// No module claims it.
    Unknown,
}

/// Why it is not known which code was at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// Code was loaded or purged there between the readings of the list before and after that time, or there is no
    /// reading after it.
    BetweenReadings,
    /// The list no longer had it, which it may have left before it ran for the last time.
    JustPurged,
    /// The process was ending: its stack may have addresses of code that was purged before, and other code was there.
    Ending,
    /// No reading from before that time is kept, and the address did not have the same code ever since.
    BeforeReadings,
}

impl CodeGenerations {
    /// Reads all code of the VM.
    pub fn read(memory: &impl TargetMemory, descriptor: Descriptor) -> Result<Self, TableError> {
        let mut code = Self::read_by(memory, CodeReader::of_descriptor(descriptor))?;
        if code.normal_exit == 0 {
            return Err(TableError::malformed(
                "JIT descriptor",
                "no emulator record",
            ));
        }
        // It is there for as long as the VM is.
        code.trace_returns = code.current().trace_returns(code.normal_exit);
        Ok(code)
    }

    /// Reads all code of an interpreter, whose stacks end in `normal_exit`, and whose traced calls return to
    /// `trace_returns`.
    pub fn read_images(
        memory: &impl TargetMemory,
        images: ModuleRanges,
        normal_exit: u64,
        trace_returns: TraceReturns,
    ) -> Result<Self, TableError> {
        let read = Self::read_by(memory, CodeReader::of_images(images, normal_exit))?;
        Ok(Self {
            trace_returns,
            ..read
        })
    }

    fn read_by(memory: &impl TargetMemory, mut reader: CodeReader) -> Result<Self, TableError> {
        let read = reader.reload(memory, &|| 0)?;
        let mut code = Self {
            reader: Some(reader),
            code_index_at: None,
            code_index_in_register: false,
            seen: None,
            listed: Vec::new(),
            index_history: IndexHistory::default(),
            states: VecDeque::new(),
            has_lost_sight: false,
            forgotten: None,
            view: View::In(0),
            circumstances: Circumstances::default(),
            none: CodeMap::default(),
            normal_exit: 0,
            trace_returns: TraceReturns::default(),
            continue_exit: 0,
            frame_pointers: false,
            unreadable: 0,
        };
        code.add_state(read);
        Ok(code)
    }

    /// Hands out the reader of the list of code, for a thread of its own: from then on its owner
    /// reads the list, and hands in each [`Look`]. Only the first call returns it.
    pub fn take_reader(&mut self) -> Option<CodeReader> {
        self.reader.take()
    }

    /// Checks whether code was loaded since the last reading; if so, reads it and returns true.
    /// `now_ns` is the clock of the samples. Does nothing when the reader was taken.
    pub fn refresh(
        &mut self,
        memory: &impl TargetMemory,
        now_ns: &impl Fn() -> u64,
    ) -> Result<bool, TableError> {
        let look = self
            .reader
            .as_mut()
            .map(|reader| reader.look(memory, now_ns));
        look.map_or(Ok(false), |look| self.absorb(look))
    }

    /// Adds a reading; readings come in the order they were done. True when there was a change.
    /// Samples that were taken before it can be resolved; the shorter the time between two
    /// readings, the fewer of them are ambiguous. After a failed reading, all samples since the
    /// last successful one are ambiguous, unless the code index has not advanced, or the target has
    /// ended: the code of its last samples is the last one that was read.
    pub fn absorb(&mut self, look: Look) -> Result<bool, TableError> {
        self.has_lost_sight = false;
        match look.0 {
            Seen::Same { at_ns, code_index } => {
                if let Some(state) = self.states.back_mut() {
                    state.until_ns = at_ns;
                }
                self.note_code_index(at_ns, code_index);
                Ok(false)
            }
            Seen::Changed(read) => {
                self.add_state(*read);
                Ok(true)
            }
            Seen::Failed {
                at_ns,
                code_index,
                error,
            } => {
                self.has_lost_sight = true;
                self.note_code_index(at_ns, code_index);
                Err(error)
            }
            Seen::Gone(error) => Err(error),
        }
    }

    /// Notes that the VM's code index had this value at some time, according to a sample.
    pub fn note_code_index(&mut self, at_ns: u64, code_index: Option<u32>) {
        if let Some(index) = code_index {
            self.index_history.note((at_ns, index));
        }
    }

    fn add_state(&mut self, read: ListRead) {
        let ListRead {
            listed,
            code_index,
            from_ns,
            until_ns,
            seen,
            facts,
        } = read;
        let state = State {
            map: self.map_of(&listed),
            code_index,
            arrived: arrived(&self.listed, &listed),
            from_ns,
            until_ns,
        };
        self.listed = listed;
        let ListFacts {
            normal_exit,
            frame_pointers,
            unreadable,
        } = facts;
        (self.normal_exit, self.frame_pointers) = (normal_exit, frame_pointers);
        (self.unreadable, self.seen) = (unreadable, Some(seen));
        for at_ns in [state.from_ns, state.until_ns] {
            self.note_code_index(at_ns, state.code_index);
        }
        let oldest_ns = state.from_ns.saturating_sub(KEPT_NS);
        self.states.push_back(state);
        while self.states.len() > MAX_STATES
            || (self.states.len() > 2
                && self.states.front().is_some_and(|s| s.until_ns < oldest_ns))
        {
            let oldest = self.states.pop_front();
            self.forgotten = self.forgotten.take().or(oldest.map(|state| state.map));
        }
        self.view = View::In(self.states.len() - 1);
        self.circumstances = Circumstances::default();
    }

    /// A map of the current list. It shares most of its parts with the last one: many states are
    /// kept.
    fn map_of(&self, listed: &[Arc<ModuleCode>]) -> Arc<CodeMap> {
        let Some(last) = self.states.back() else {
            return Arc::new(CodeMap::new(listed));
        };
        let pairs = || self.listed.iter().zip(listed);
        match listed.len() == self.listed.len() && pairs().all(|(a, b)| Arc::ptr_eq(a, b)) {
            true => Arc::clone(&last.map),
            false => Arc::new(CodeMap::new(listed).sharing_with(&last.map)),
        }
    }

    /// Sets where the VM keeps the number of its code index, if known: one reading then shows how
    /// many modules were loaded since another.
    pub fn watch_code_index(&mut self, memory: &impl TargetMemory, address: Option<u64>) {
        self.code_index_at = address;
        let index = code_index(memory, address);
        if let Some(reader) = &mut self.reader {
            (reader.code_index_at, reader.mark.code_index) = (address, index);
        }
        if let Some(state) = self.states.back_mut() {
            state.code_index = index;
        }
    }

    /// Where the number of the code index is, when that is known.
    pub fn code_index_address(&self) -> Option<u64> {
        self.code_index_at
    }

    /// Notes that the readings have stopped: code that is loaded from now on is unknown.
    pub fn lose_sight(&mut self) {
        self.has_lost_sight = true;
    }

    /// Code was loaded or purged since it was read first.
    pub fn has_changed(&self) -> bool {
        self.states.len() > 1
    }

    /// The code as of the last reading.
    pub fn current(&self) -> &CodeMap {
        self.states
            .back()
            .map_or(&self.none, |state| state.map.as_ref())
    }

    /// The newest generation of each module as of the last reading; see [`CodeMap::newest`].
    pub fn newest(&self) -> Vec<(&Arc<ModuleCode>, bool)> {
        self.current().newest(&self.listed)
    }

    /// Notes that compiled code has the code index in a register, [`Running::code_index`].
    pub fn expect_code_index_in_register(&mut self) {
        self.code_index_in_register = true;
    }

    /// Chooses the moment that [`CodeGenerations::locate`] answers for. True when the answers may
    /// be others than before.
    pub fn look_at(&mut self, moment: Moment) -> bool {
        let time_ns = moment.time_ns;
        let after = self
            .states
            .partition_point(|state| state.from_ns <= time_ns);
        let index = after.saturating_sub(1);
        let is_last = index + 1 >= self.states.len();
        let holds = is_last && !self.has_lost_sight
            || self
                .states
                .get(index)
                .is_some_and(|state| time_ns <= state.until_ns);
        let is_forgotten = self.forgotten.is_some() && after == 0;
        let mut circumstances = Circumstances {
            ending_since_ns: moment.is_ending.then(|| time_ns.saturating_sub(ENDING_NS)),
            ..Circumstances::default()
        };
        let view = if is_forgotten {
            View::Forgotten
        } else if holds {
            View::In(index)
        } else {
            let (loads, running) = (self.loads_after(index), moment.running);
            circumstances.loads = loads;
            circumstances.nothing_new_runs =
                loads.is_some() && self.nothing_new_runs(index, time_ns);
            // After three loads, the index has its first value again.
            circumstances.runs_as_before = loads.is_some_and(|loads| loads < CODE_INDICES)
                && running.is_some_and(|running| self.is_as_before(index, running));
            View::After(index)
        };
        let before = (self.view, self.circumstances);
        (self.view, self.circumstances) = (view, circumstances);
        before != (view, circumstances)
    }

    /// Whether the code index had not advanced at some time after a state.
    fn nothing_new_runs(&self, before: usize, time_ns: u64) -> bool {
        let history = &self.index_history;
        let state = self.states.get(before);
        let seen = state.and_then(|state| Some((state.until_ns, state.code_index?)));
        seen.and_then(|seen| history.at_most_until(seen, time_ns)) == Some(0)
    }

    /// Whether running code uses the code index of a state, after that was last seen. The shared
    /// fragments do not show this: processes enter and leave through them.
    fn is_as_before(&self, index: usize, running: Running) -> bool {
        let in_fragments = self.map(index).fragments().is_none_or(|fragments| {
            running.pc.wrapping_sub(fragments.base) < u64::from(fragments.code_bytes)
        });
        let known = self.states.get(index).and_then(|state| state.code_index);
        self.code_index_in_register
            && !in_fragments
            && known.is_some_and(|known| u64::from(known) == running.code_index)
    }

    /// The code at `pc` at the chosen time.
    pub fn locate(&self, pc: u64) -> Located {
        if let Some(since_ns) = self.circumstances.ending_since_ns
            && !self.is_only_generation(pc, since_ns)
        {
            return Located::Ambiguous(Doubt::Ending);
        }
        let (before, after) = match self.view {
            View::In(index) => return self.locate_in(index, pc),
            View::After(index) => (index, index + 1),
            View::Forgotten => return self.locate_forgotten(pc),
        };
        match self.claim(before, pc) {
            Claim::Before => known(self.map(before).locate(pc)),
            Claim::After => known(self.map(after).locate(pc)),
            Claim::Either => Located::Ambiguous(Doubt::BetweenReadings),
        }
    }

    /// The code at `pc` at a time whose state is no longer kept: the first code there, if all
    /// states that are kept have it as well; else it is ambiguous. Code that is listed again has
    /// another identity, so code with the same identity in both was there all the time.
    fn locate_forgotten(&self, pc: u64) -> Located {
        let first = self.forgotten.as_ref().and_then(|map| map.identity_at(pc));
        let mut identities = self.states.iter().map(|state| state.map.identity_at(pc));
        match first.is_some() && identities.all(|identity| identity == first) {
            true => known(self.map(0).locate(pc)),
            false => Located::Ambiguous(Doubt::BeforeReadings),
        }
    }

    /// Whether the code at `pc` at the chosen time is the only one that was there since some time.
    fn is_only_generation(&self, pc: u64, since_ns: u64) -> bool {
        let (View::In(last) | View::After(last)) = self.view else {
            return true;
        };
        let mut identities = self
            .states
            .iter()
            .take(last + 2)
            .rev()
            .take_while(|state| state.until_ns >= since_ns)
            .filter_map(|state| state.map.identity_at(pc));
        let first = identities.next();
        identities.all(|identity| Some(identity) == first)
    }

    /// Whether a state or the next one determines the code at `pc` in between.
    fn claim(&self, before: usize, pc: u64) -> Claim {
        let identity_in = |index| self.map(index).identity_at(pc);
        let (old, new) = (identity_in(before), identity_in(before + 1));
        let Circumstances {
            loads,
            nothing_new_runs,
            runs_as_before,
            ..
        } = self.circumstances;
        match (old, new) {
            (Some(_), Some(_)) if old == new => Claim::After,
            (Some(_), _) if nothing_new_runs || runs_as_before || loads == Some(0) => Claim::Before,
            (Some(_), None) if loads == Some(1) => Claim::Before,
            (None, Some(_)) if loads == Some(1) => Claim::After,
            _ => Claim::Either,
        }
    }

    /// The code at `pc` while a state holds. A purge shows only by missing entries, so the code of
    /// the state before may have been there a moment longer than the list shows.
    fn locate_in(&self, index: usize, pc: u64) -> Located {
        let before = index.checked_sub(1);
        let gone = before.and_then(|before| self.map(before).locate(pc));
        match (self.map(index).locate(pc), gone) {
            (Some(found), _) => Located::Known(found),
            (None, Some(found))
                if before
                    .and_then(|before| self.loads_after(before))
                    .is_some_and(|loads| loads <= 1) =>
            {
                Located::Known(found)
            }
            (None, Some(_)) => Located::Ambiguous(Doubt::JustPurged),
            (None, None) => Located::Unknown,
        }
    }

    /// What the VM itself puts on the stacks of its processes.
    pub fn vm_words(&self) -> VmWords {
        VmWords {
            normal_exit: self.normal_exit,
            traces: self.trace_returns,
            frame_pointers: self.frame_pointers,
        }
    }

    /// True for an address in the description of a function at the chosen time, or where a call of it begins: no
    /// call returns there.
    pub fn is_before_function(&self, address: u64) -> bool {
        matches!(self.locate(address), Located::Known(found) if found.is_before_function())
    }

    /// Which function is at `address` at the chosen time: its module's address and its own offset.
    pub fn function_at(&self, address: u64) -> Option<(u64, u32)> {
        match self.locate(address) {
            Located::Known(found) => Some((found.module.base, found.range.start)),
            _ => None,
        }
    }

    /// True when interpreted code may have an instruction at `address`: a word of code behind the
    /// description of its function. Where it is not known whose code that is, or where its functions
    /// are, any word may be one.
    pub fn is_instruction(&self, address: u64) -> bool {
        address.is_multiple_of(8) && self.is_behind_description(address)
    }

    /// True when interpreted code may continue at `address` after a call: behind some instruction.
    pub fn is_continuation(&self, address: u64) -> bool {
        let call = address.wrapping_sub(1);
        address.is_multiple_of(8) && self.is_behind_description(call)
    }

    fn is_behind_description(&self, address: u64) -> bool {
        match self.locate(address) {
            Located::Known(found) => {
                let first = u64::from(found.range.start) + u64::from(CODE_INFO_BYTES);
                address.wrapping_sub(found.module.base) >= first
            }
            Located::Ambiguous(_) => true,
            Located::Unknown => self.is_unknown_code(address),
        }
    }

    fn is_unknown_code(&self, address: u64) -> bool {
        match self.view {
            View::In(index) | View::After(index) => self.map(index).is_unknown_code(address),
            View::Forgotten => true,
        }
    }

    fn map(&self, index: usize) -> &CodeMap {
        self.states
            .get(index)
            .map_or(&self.none, |state| state.map.as_ref())
    }

    /// How often the code index advanced between a state and the next. `None` when it may have gone
    /// round unseen, or is unknown: while the list could not be read, there is no other source.
    ///
    /// The index alone does not distinguish three loads from none, and a VM that catches up has
    /// loaded three modules within 4 ms (measured on 25). The list does: each load adds to it, the
    /// last of them before the index advances.
    fn loads_after(&self, before: usize) -> Option<u32> {
        let (old, new) = (self.states.get(before)?, self.states.get(before + 1)?);
        let (from, to) = (
            (old.until_ns, old.code_index?),
            (new.from_ns, new.code_index?),
        );
        let total = self.index_history.between(from, to)?;
        (new.arrived <= total + 1).then_some(total)
    }
}

/// How many of `listed` are not of `before`.
fn arrived(before: &[Arc<ModuleCode>], listed: &[Arc<ModuleCode>]) -> u32 {
    let known: HashSet<*const ModuleCode> = before.iter().map(Arc::as_ptr).collect();
    let new = listed
        .iter()
        .filter(|module| !known.contains(&Arc::as_ptr(module)));
    u32::try_from(new.count()).unwrap_or(u32::MAX)
}

fn known(location: Option<CodeLocation>) -> Located {
    location.map_or(Located::Unknown, Located::Known)
}

#[cfg(test)]
mod tests;
