//! Code as it is loaded and purged while a capture runs.
//!
//! A sample is resolved some time after it was taken, and its address may belong to other code by
//! then. So the list of code is looked at often, and each state it was seen in is kept with the
//! time for which it certainly held: from after the first look that found it to before the last
//! that still did. What was executed at any time in between is in that state. Between two states
//! an address is named when both say the same of it, and else by how often the VM's code index
//! went on meanwhile, for code that is loaded runs only after that, and code that runs is purged
//! only after a later one took its place:
//!
//! - not at all: nothing that was loaded ran yet, so it is what was there before;
//! - once: what only one of the two claims is that; when both do, it is the former if the process
//!   still goes by the former index, which compiled code has in a register;
//! - otherwise, and when nobody knows, it could be of either, or of code that came and went unseen,
//!   and is named by none.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use target_memory::{Range, TargetMemory};

use super::blob::{Blob, MachineCode, ModuleCode, parse_blob};
use super::code_map::{CodeLocation, CodeMap};
use super::descriptor::{BLOB_HEAD_BYTES, Descriptor, DescriptorEntry, DescriptorMark};
use super::ranges::{CODE_INFO_BYTES, ModuleRanges};
use crate::TableError;

/// How long past states are kept for samples that arrive late.
const KEPT_NS: u64 = 10_000_000_000;
/// And how many at most.
const MAX_STATES: usize = 1024;
/// Code index: there are three.
const CODE_INDICES: u32 = 3;
/// In so short a time the code index cannot have gone round.
const MAX_UNSEEN_NS: u64 = 10_000_000;
/// Most machine code looked at in one place.
const MAX_DECODED_BYTES: usize = 4096;
/// Longest machine code of one module that is kept.
const MAX_KEPT_BYTES: u32 = 1 << 20;
/// Newest entries that are always read again in full: they may be new blobs at old addresses.
const ALWAYS_READ: usize = 16;

/// What is cheap to read and different after every load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Mark {
    list: DescriptorMark,
    /// Which of the VM's copies of its code tables is in use: the next one after each load.
    code_index: Option<u32>,
}

/// The code at one stretch of time.
#[derive(Debug)]
struct State {
    map: CodeMap,
    code_index: Option<u32>,
    from_ns: u64,
    until_ns: u64,
}

/// What compiled code was doing: where it was, and the code index it goes by for its calls.
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
}

/// A description that was read, and the bytes it began with.
#[derive(Debug)]
struct Parsed {
    head: [u8; BLOB_HEAD_BYTES],
    module: Arc<ModuleCode>,
}

/// The loaded code, now and before.
#[derive(Debug)]
pub struct CodeGenerations {
    descriptor: Descriptor,
    /// What says it instead, without a JIT.
    images: Option<ModuleRanges>,
    code_index_at: Option<u64>,
    /// Compiled code has it in the register it is said to have.
    code_index_in_register: bool,
    mark: Mark,
    parsed: HashMap<DescriptorEntry, Parsed>,
    /// By time; never empty once the code was read.
    states: VecDeque<State>,
    view: View,
    /// Whatever runs at the chosen time goes by the code index of the state before it.
    runs_as_before: bool,
    none: CodeMap,
    /// Return address at the bottom of every Erlang stack.
    pub normal_exit: u64,
    /// The VM runs with frame pointers.
    pub frame_pointers: bool,
    /// Descriptions that could not be read as such.
    pub unreadable: u32,
}

/// What is known of a program counter.
#[derive(Debug, Clone)]
pub enum Located {
    /// This, and nothing else.
    Known(CodeLocation),
    /// Code was loaded or purged there at about that time: it may be one or the other.
    Ambiguous,
    /// No module claims it.
    Unknown,
}

impl CodeGenerations {
    /// Reads all code of the VM.
    pub fn read(memory: &impl TargetMemory, descriptor: Descriptor) -> Result<Self, TableError> {
        let mut code = Self {
            descriptor,
            images: None,
            code_index_at: None,
            code_index_in_register: false,
            mark: Mark::default(),
            parsed: HashMap::new(),
            states: VecDeque::new(),
            view: View::In(0),
            runs_as_before: false,
            none: CodeMap::default(),
            normal_exit: 0,
            frame_pointers: false,
            unreadable: 0,
        };
        code.reload(memory, &|| 0)?;
        if code.normal_exit == 0 {
            return Err(TableError::malformed(
                "JIT descriptor",
                "no emulator record",
            ));
        }
        Ok(code)
    }

    /// Reads all code of an interpreter, whose stacks end in `normal_exit`.
    pub fn read_images(
        memory: &impl TargetMemory,
        images: ModuleRanges,
        normal_exit: u64,
    ) -> Result<Self, TableError> {
        let mut code = Self {
            descriptor: Descriptor { address: 0 },
            images: Some(images),
            code_index_at: None,
            code_index_in_register: false,
            mark: Mark::default(),
            parsed: HashMap::new(),
            states: VecDeque::new(),
            view: View::In(0),
            runs_as_before: false,
            none: CodeMap::default(),
            normal_exit,
            frame_pointers: false,
            unreadable: 0,
        };
        code.reload(memory, &|| 0)?;
        Ok(code)
    }

    /// The VM's list of it.
    pub fn descriptor(&self) -> Descriptor {
        self.descriptor
    }

    /// Says where the VM keeps the number of its code index, where that is known: one look then
    /// tells how many modules were loaded since another.
    pub fn watch_code_index(&mut self, memory: &impl TargetMemory, address: Option<u64>) {
        self.code_index_at = address;
        self.mark.code_index = self.code_index(memory);
        if let Some(state) = self.states.back_mut() {
            state.code_index = self.mark.code_index;
        }
    }

    /// The code as of the last look.
    pub fn current(&self) -> &CodeMap {
        self.states.back().map_or(&self.none, |state| &state.map)
    }

    /// Looks whether code was loaded since the last call; when it was, reads it and returns true.
    /// `now_ns` is the clock of the samples. Samples can be resolved that were taken before the
    /// call; the shorter the time between two, the fewer of them are ambiguous.
    pub fn refresh(
        &mut self,
        memory: &impl TargetMemory,
        now_ns: &impl Fn() -> u64,
    ) -> Result<bool, TableError> {
        let before_ns = now_ns();
        if !self.has_changed(memory)? {
            if let Some(state) = self.states.back_mut() {
                state.until_ns = before_ns;
            }
            return Ok(false);
        }
        self.reload(memory, now_ns)?;
        Ok(true)
    }

    /// Says that compiled code has the code index in a register, [`Running::code_index`].
    pub fn expect_code_index_in_register(&mut self) {
        self.code_index_in_register = true;
    }

    /// Chooses the time that [`CodeGenerations::locate`] answers for, and the process: by what was
    /// `running`, where that was compiled code. True when the answers may be others than before.
    pub fn look_at(&mut self, time_ns: u64, running: Option<Running>) -> bool {
        let after = self
            .states
            .partition_point(|state| state.from_ns <= time_ns);
        let index = after.saturating_sub(1);
        let is_last = index + 1 >= self.states.len();
        let holds = is_last
            || self
                .states
                .get(index)
                .is_some_and(|state| time_ns <= state.until_ns);
        let view = if holds {
            View::In(index)
        } else {
            View::After(index)
        };
        let runs_as_before =
            !holds && running.is_some_and(|running| self.is_as_before(index, running));
        let before = (self.view, self.runs_as_before);
        (self.view, self.runs_as_before) = (view, runs_as_before);
        before != (view, runs_as_before)
    }

    /// Whether what runs goes by the code index of a state, after that was last seen. The shared
    /// fragments do not tell: they are where processes come and go.
    fn is_as_before(&self, index: usize, running: Running) -> bool {
        let in_fragments = self.map(index).fragments().is_none_or(|fragments| {
            running.pc.wrapping_sub(fragments.base) < u64::from(fragments.code_bytes)
        });
        let known = self.states.get(index).and_then(|state| state.code_index);
        self.code_index_in_register
            && !in_fragments
            && known.is_some_and(|known| u64::from(known) == running.code_index)
    }

    /// What is at `pc` at the chosen time.
    pub fn locate(&self, pc: u64) -> Located {
        let (before, after) = match self.view {
            View::In(index) => return self.locate_in(index, pc),
            View::After(index) => (index, index + 1),
        };
        match self.claim(before, pc) {
            Claim::Before => known(self.map(before).locate(pc)),
            Claim::After => known(self.map(after).locate(pc)),
            Claim::Either => Located::Ambiguous,
        }
    }

    /// Which of a state and the next tells whose `pc` is in between.
    fn claim(&self, before: usize, pc: u64) -> Claim {
        let identity_in = |index| self.map(index).identity_at(pc);
        let (old, new) = (identity_in(before), identity_in(before + 1));
        match (old, new, self.loads_after(before)) {
            (Some(_), Some(_), _) if old == new => Claim::After,
            (Some(_), _, Some(0)) => Claim::Before,
            (Some(_), _, Some(_)) if self.runs_as_before => Claim::Before,
            (Some(_), None, Some(1)) => Claim::Before,
            (None, Some(_), Some(1)) => Claim::After,
            _ => Claim::Either,
        }
    }

    /// What is at `pc` while a state holds. A purge shows only in what is missing, so the code of
    /// the state before may have been there a moment longer than the list says.
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
            (None, Some(_)) => Located::Ambiguous,
            (None, None) => Located::Unknown,
        }
    }

    /// What `decode` makes of the machine code at an address, as it was at the chosen time: from
    /// the code that was kept, or from memory where that still holds it. `None` when the code is
    /// gone, and when it may be of two generations that `decode` tells apart.
    pub fn decode_code<T: PartialEq>(
        &self,
        memory: &impl TargetMemory,
        address: u64,
        bytes: usize,
        decode: impl Fn(&[u8]) -> T,
    ) -> Option<T> {
        let (first, last) = match self.view {
            View::In(index) => (index, index),
            View::After(index) => match self.claim(index, address) {
                Claim::Before => (index, index),
                Claim::After => (index + 1, index + 1),
                Claim::Either => (index, index + 1),
            },
        };
        let mut found = None;
        for index in first..=last {
            let map = self.map(index);
            if last > first && map.identity_at(address).is_none() {
                continue;
            }
            let decoded = match map.kept_code(address, bytes) {
                Some(kept) => decode(kept),
                None => decode(&self.code_in_memory(memory, map, address, bytes)?),
            };
            match &found {
                Some(before) if *before != decoded => return None,
                _ => found = Some(decoded),
            }
        }
        found
    }

    /// The bytes at an address, if they are of the generation that `map` has there.
    fn code_in_memory(
        &self,
        memory: &impl TargetMemory,
        map: &CodeMap,
        address: u64,
        bytes: usize,
    ) -> Option<Vec<u8>> {
        if map.identity_at(address) != self.current().identity_at(address) {
            return None;
        }
        let code = memory.read_vec(address, bytes, MAX_DECODED_BYTES).ok()?;
        let is_unchanged = match &self.images {
            Some(images) => images.changed(memory).is_ok_and(|changed| !changed),
            None => self.descriptor.begins_as(memory, &self.mark.list),
        };
        (is_unchanged && self.code_index(memory) == self.mark.code_index).then_some(code)
    }

    fn has_changed(&self, memory: &impl TargetMemory) -> Result<bool, TableError> {
        Ok(self.read_mark(memory)? != self.mark
            || match &self.images {
                Some(images) => images.changed(memory)?,
                None => false,
            })
    }

    /// Which function is at `address` at the chosen time: its module's address and its own offset.
    pub fn function_at(&self, address: u64) -> Option<(u64, u32)> {
        match self.locate(address) {
            Located::Known(found) => Some((found.module.base, found.range.start)),
            _ => None,
        }
    }

    /// True when interpreted code may have an instruction at `address`: a word of code behind the
    /// description of its function. Where it is not known whose code that is, any word may be one.
    pub fn is_instruction(&self, address: u64) -> bool {
        address.is_multiple_of(8) && self.is_behind_description(address)
    }

    /// True when interpreted code may go on at `address` after a call: behind some instruction.
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
            Located::Ambiguous => true,
            Located::Unknown => false,
        }
    }

    fn map(&self, index: usize) -> &CodeMap {
        self.states
            .get(index)
            .map_or(&self.none, |state| &state.map)
    }

    /// How often the code index went on between a state and the next: 0 to 2, for one of the
    /// three indices after 3 times is the same again. `None` when that is possible, or unknown.
    fn loads_after(&self, before: usize) -> Option<u32> {
        let (old, new) = (self.states.get(before)?, self.states.get(before + 1)?);
        let steps = (new.code_index? + CODE_INDICES - old.code_index?) % CODE_INDICES;
        (new.from_ns.saturating_sub(old.until_ns) <= MAX_UNSEEN_NS).then_some(steps)
    }

    fn code_index(&self, memory: &impl TargetMemory) -> Option<u32> {
        let index = memory.read_u32(self.code_index_at?).ok()?;
        (index < CODE_INDICES).then_some(index)
    }

    fn read_mark(&self, memory: &impl TargetMemory) -> Result<Mark, TableError> {
        let list = match self.images {
            Some(_) => DescriptorMark::default(),
            None => self.descriptor.mark(memory)?,
        };
        Ok(Mark {
            list,
            code_index: self.code_index(memory),
        })
    }

    fn reload(
        &mut self,
        memory: &impl TargetMemory,
        now_ns: &impl Fn() -> u64,
    ) -> Result<(), TableError> {
        let mut last_error = TableError::Unstable {
            table: "the list of loaded code",
        };
        for _ in 0..4 {
            match self.try_reload(memory, now_ns) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(TableError::Read(error)) if error.target_gone() => return Err(error.into()),
                Err(error) => last_error = error,
            }
        }
        Err(last_error)
    }

    /// False when the list changed meanwhile.
    fn try_reload(
        &mut self,
        memory: &impl TargetMemory,
        now_ns: &impl Fn() -> u64,
    ) -> Result<bool, TableError> {
        let mark = self.read_mark(memory)?;
        if let Some(images) = &mut self.images {
            let Some(read) = images.reload(memory, now_ns)? else {
                return Ok(false);
            };
            self.unreadable = images.unreadable;
            self.mark = mark;
            self.add_state(State {
                map: CodeMap::new(&read.modules),
                code_index: mark.code_index,
                from_ns: read.from_ns,
                until_ns: read.until_ns,
            });
            return Ok(true);
        }
        let from_ns = now_ns();
        let known: Vec<DescriptorEntry> = self.parsed.keys().copied().collect();
        let entries = self.descriptor.entries(memory, &known)?;
        let replaced = self.replaced(memory, &entries);
        let unread: Vec<DescriptorEntry> = entries
            .iter()
            .enumerate()
            .filter(|(index, entry)| {
                *index < ALWAYS_READ || !self.parsed.contains_key(entry) || replaced.contains(index)
            })
            .map(|(_, entry)| *entry)
            .collect();
        let blobs = self.descriptor.blobs(memory, &unread)?;
        let blobs: Vec<_> = blobs
            .iter()
            .map(|bytes| (bytes, self.keep_code(memory, parse_blob(bytes))))
            .collect();
        let until_ns = now_ns();
        if self.read_mark(memory)? != mark {
            return Ok(false);
        }
        let mut parsed = std::mem::take(&mut self.parsed);
        for (entry, (bytes, blob)) in unread.iter().zip(blobs) {
            match blob {
                Ok(Blob::Emulator {
                    frame_pointers,
                    normal_exit,
                }) => {
                    self.frame_pointers = frame_pointers;
                    self.normal_exit = normal_exit;
                }
                Ok(Blob::Module(module)) => {
                    // What is unchanged keeps its identity.
                    match parsed.get(entry) {
                        Some(known) if *known.module == module => {}
                        _ => {
                            let head = bytes.first_chunk().copied().unwrap_or_default();
                            let module = Arc::new(module);
                            parsed.insert(*entry, Parsed { head, module });
                        }
                    }
                }
                Err(_) => self.unreadable = self.unreadable.saturating_add(1),
            }
        }
        let newest_first: Vec<Arc<ModuleCode>> = entries
            .iter()
            .filter_map(|entry| Some(Arc::clone(&parsed.get(entry)?.module)))
            .collect();
        self.parsed = entries
            .iter()
            .filter_map(|entry| Some((*entry, parsed.remove(entry)?)))
            .collect();
        self.mark = mark;
        self.add_state(State {
            map: CodeMap::new(&newest_first),
            code_index: mark.code_index,
            from_ns,
            until_ns,
        });
        Ok(true)
    }

    /// Reads the machine code of a module that was loaded while we looked on: it may well be gone
    /// by the time a sample in it is resolved.
    fn keep_code(
        &self,
        memory: &impl TargetMemory,
        blob: Result<Blob, TableError>,
    ) -> Result<Blob, TableError> {
        let mut blob = blob?;
        if let Blob::Module(module) = &mut blob
            && !self.states.is_empty()
            && module.code_bytes <= MAX_KEPT_BYTES
        {
            let length = module.code_bytes as usize;
            let code = memory.read_vec(module.base, length, length).ok();
            module.machine_code = MachineCode(code.map(Vec::into_boxed_slice));
        }
        Ok(blob)
    }

    /// Entries that are where they were and yet begin with other bytes: one that was freed gives
    /// its place to the next of the same size.
    fn replaced(&self, memory: &impl TargetMemory, entries: &[DescriptorEntry]) -> Vec<usize> {
        let known: Vec<(usize, &DescriptorEntry, &Parsed)> = entries
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| Some((index, entry, self.parsed.get(entry)?)))
            .collect();
        let ranges: Vec<Range> = known
            .iter()
            .map(|(_, entry, _)| Range {
                address: entry.blob,
                len_bytes: BLOB_HEAD_BYTES,
            })
            .collect();
        let mut heads = vec![0; ranges.len() * BLOB_HEAD_BYTES];
        if memory.read_many(&ranges, &mut heads).is_err() {
            // Some went away just now; what is unsure is read again.
            return known.iter().map(|(index, ..)| *index).collect();
        }
        known
            .iter()
            .zip(heads.chunks_exact(BLOB_HEAD_BYTES))
            .filter(|((_, _, parsed), head)| parsed.head != **head)
            .map(|((index, ..), _)| *index)
            .collect()
    }

    fn add_state(&mut self, state: State) {
        let oldest_ns = state.from_ns.saturating_sub(KEPT_NS);
        self.states.push_back(state);
        while self.states.len() > MAX_STATES
            || (self.states.len() > 2
                && self.states.front().is_some_and(|s| s.until_ns < oldest_ns))
        {
            self.states.pop_front();
        }
        (self.view, self.runs_as_before) = (View::In(self.states.len() - 1), false);
    }
}

fn known(location: Option<CodeLocation>) -> Located {
    location.map_or(Located::Unknown, Located::Known)
}

#[cfg(test)]
mod tests {
    use super::super::blob::tests::module_blob;
    use super::*;
    use target_memory::SnapshotMemory;

    const DESCRIPTOR: Descriptor = Descriptor { address: 0x100 };
    const CODE_INDEX: u64 = 0x8000_0000;

    fn emulator_blob() -> Vec<u8> {
        [0u64, 0, 0xe417, 0]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    /// Modules newest first as (blob), then the emulator record.
    fn vm(blobs: &[Vec<u8>]) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        let all: Vec<Vec<u8>> = blobs.iter().cloned().chain([emulator_blob()]).collect();
        let entry = |index: usize| 0x1000 * (all.len() - index) as u64;
        memory.map_words(0x100, &[1, 0, entry(0)]);
        for (index, blob) in all.iter().enumerate() {
            let next = if index + 1 < all.len() {
                entry(index + 1)
            } else {
                0
            };
            let previous = if index > 0 { entry(index - 1) } else { 0 };
            let at = 0x10_0000 + entry(index);
            memory
                .map_words(entry(index), &[next, previous, at, blob.len() as u64])
                .map(at, blob.clone());
        }
        memory
    }

    fn name_at(code: &CodeGenerations, pc: u64) -> String {
        match code.locate(pc) {
            Located::Known(location) => location.name.raw().to_owned(),
            other => format!("{other:?}"),
        }
    }

    /// Start, end, name, lines.
    type RangeFacts = (u32, u32, &'static str, &'static [(u32, u32)]);
    const OLD: [RangeFacts; 1] = [(0, 64, "m:old/0", &[])];
    const NEW: [RangeFacts; 1] = [(0, 64, "m:new/0", &[])];

    fn refresh(code: &mut CodeGenerations, memory: &SnapshotMemory, now_ns: u64) -> bool {
        code.refresh(memory, &|| now_ns).unwrap()
    }

    fn name_then(code: &mut CodeGenerations, time_ns: u64, pc: u64) -> String {
        code.look_at(time_ns, None);
        name_at(code, pc)
    }

    #[test]
    fn between_two_looks_an_address_of_two_generations_is_not_named() {
        let old = module_blob("m", 0x50_0000, 64, &OLD);
        let other = module_blob("n", 0x60_0000, 64, &[(0, 64, "n:f/0", &[])]);
        let memory = vm(&[old.clone(), other.clone()]);
        let mut code = CodeGenerations::read(&memory, DESCRIPTOR).unwrap();
        assert_eq!(code.normal_exit, 0xe417);
        assert!(!refresh(&mut code, &memory, 1000));

        let memory = vm(&[module_blob("m", 0x50_0000, 64, &NEW), old, other]);
        assert!(refresh(&mut code, &memory, 2000));
        assert!(!refresh(&mut code, &memory, 3000));
        for (time_ns, name) in [
            (1000, "m:old/0"),
            (1001, "Ambiguous"),
            (1999, "Ambiguous"),
            (2000, "m:new/0"),
            (9000, "m:new/0"),
        ] {
            assert_eq!(name_then(&mut code, time_ns, 0x50_0000), name, "{time_ns}");
            assert_eq!(name_then(&mut code, time_ns, 0x60_0000), "n:f/0");
        }
    }

    #[test]
    fn code_that_came_or_went_is_named_when_nothing_else_can_have_been_there() {
        let gone = module_blob("m", 0x50_0000, 64, &OLD);
        let came = module_blob("m", 0x70_0000, 64, &NEW);
        let stays = module_blob("n", 0x60_0000, 64, &[(0, 64, "n:f/0", &[])]);
        // (how many code indices on, how long between the looks, whether it is named)
        for (loads, nanoseconds, named) in [
            (Some(1), 1_000_000, true),
            (Some(2), 1_000_000, false),
            (Some(1), 50_000_000, false),
            (None, 1_000_000, false),
        ] {
            let mut memory = vm(&[gone.clone(), stays.clone()]);
            memory.map(CODE_INDEX, vec![2, 0, 0, 0]);
            let mut code = CodeGenerations::read(&memory, DESCRIPTOR).unwrap();
            code.watch_code_index(&memory, loads.map(|_| CODE_INDEX));
            assert!(!refresh(&mut code, &memory, 10));
            let mut memory = vm(&[came.clone(), stays.clone()]);
            memory.map(CODE_INDEX, vec![(2 + loads.unwrap_or(0)) % 3, 0, 0, 0]);
            assert!(refresh(&mut code, &memory, 10 + nanoseconds));
            let expected = |name: &str| if named { name } else { "Ambiguous" }.to_owned();
            assert_eq!(name_then(&mut code, 11, 0x50_0000), expected("m:old/0"));
            assert_eq!(name_then(&mut code, 11, 0x70_0000), expected("m:new/0"));
            assert_eq!(name_then(&mut code, 11, 0x60_0000), "n:f/0");
        }
    }

    #[test]
    fn code_in_the_place_of_other_code_runs_only_after_the_code_index_went_on() {
        let fragments = module_blob(
            "global",
            0x90_0000,
            64,
            &[(0, 64, "global::garbage_collect", &[])],
        );
        let old = [module_blob("m", 0x50_0000, 64, &OLD), fragments.clone()];
        let new = [module_blob("m", 0x50_0000, 64, &NEW), fragments];
        let in_module = |code_index| {
            Some(Running {
                pc: 0x60_0000,
                code_index,
            })
        };
        let in_fragments = |code_index| {
            Some(Running {
                pc: 0x90_0010,
                code_index,
            })
        };
        // (how many code indices on, how long between the looks, what runs, whose it is)
        for (loads, nanoseconds, running, name) in [
            (0, 1_000_000, None, "m:old/0"),
            (0, 50_000_000, None, "Ambiguous"),
            (1, 1_000_000, None, "Ambiguous"),
            (1, 1_000_000, in_module(2), "m:old/0"),
            (2, 1_000_000, in_module(2), "m:old/0"),
            (1, 50_000_000, in_module(2), "Ambiguous"),
            (1, 1_000_000, in_module(0), "Ambiguous"),
            (1, 1_000_000, in_module(3), "Ambiguous"),
            (1, 1_000_000, in_module(1 << 32 | 2), "Ambiguous"),
            (1, 1_000_000, in_fragments(2), "Ambiguous"),
        ] {
            let mut memory = vm(&old);
            memory.map(CODE_INDEX, vec![2, 0, 0, 0]);
            let mut code = CodeGenerations::read(&memory, DESCRIPTOR).unwrap();
            code.watch_code_index(&memory, Some(CODE_INDEX));
            let name_of = |code: &mut CodeGenerations, time_ns| {
                code.look_at(time_ns, running);
                name_at(code, 0x50_0000)
            };
            assert!(!refresh(&mut code, &memory, 10));
            let mut memory = vm(&new);
            memory.map(CODE_INDEX, vec![(2 + loads) % 3, 0, 0, 0]);
            assert!(refresh(&mut code, &memory, 10 + nanoseconds));
            // Where the register is not known to hold the index, it says nothing.
            let unknown = if loads == 0 { name } else { "Ambiguous" };
            assert_eq!(name_of(&mut code, 11), unknown, "{loads} {running:x?}");
            code.expect_code_index_in_register();
            assert_eq!(name_of(&mut code, 11), name, "{loads} {running:x?}");
            assert_eq!(name_of(&mut code, 10), "m:old/0");
            assert_eq!(name_of(&mut code, 10 + nanoseconds), "m:new/0");
        }
    }

    #[test]
    fn machine_code_that_is_gone_is_remembered_and_of_two_generations_must_agree() {
        let decoded = |code: &mut CodeGenerations, memory: &SnapshotMemory, time_ns: u64| {
            code.look_at(time_ns, None);
            code.decode_code(memory, 0x50_0000, 2, <[u8]>::to_vec)
        };
        let stage = |ranges, bytes: [u8; 2]| {
            let mut memory = vm(&[module_blob("m", 0x50_0000, 64, ranges)]);
            memory.map(0x50_0000, [&bytes[..], &[0; 62]].concat());
            memory
        };
        // Read before anyone looked on, so from memory, and only as long as that holds it.
        let first = stage(&OLD, [1, 1]);
        let mut code = CodeGenerations::read(&first, DESCRIPTOR).unwrap();
        assert_eq!(decoded(&mut code, &first, 5), Some(vec![1, 1]));
        let second = stage(&NEW, [2, 2]);
        assert!(refresh(&mut code, &second, 10));
        let third = stage(&OLD, [3, 3]);
        assert!(refresh(&mut code, &third, 20));
        let fourth = stage(&NEW, [3, 3]);
        assert!(refresh(&mut code, &fourth, 30));
        for (time_ns, bytes) in [
            (0, None),
            (10, Some(vec![2, 2])),
            (15, None),
            (20, Some(vec![3, 3])),
            (25, Some(vec![3, 3])),
        ] {
            assert_eq!(decoded(&mut code, &fourth, time_ns), bytes, "{time_ns}");
        }
    }

    #[test]
    fn past_states_are_kept_for_samples_that_arrive_late() {
        let blobs = [OLD, NEW].map(|ranges| module_blob("m", 0x50_0000, 64, &ranges));
        let mut code = CodeGenerations::read(&vm(&blobs[..1]), DESCRIPTOR).unwrap();
        for second in 1..30 {
            let memory = vm(&blobs[second % 2..][..1]);
            assert!(refresh(&mut code, &memory, second as u64 * 1_000_000_000));
            assert!(!refresh(
                &mut code,
                &memory,
                second as u64 * 1_000_000_000 + 500
            ));
        }
        for second in 20..30 {
            let name = ["m:old/0", "m:new/0"][second % 2];
            let time_ns = second as u64 * 1_000_000_000 + 200;
            assert_eq!(name_then(&mut code, time_ns, 0x50_0000), name);
        }
        assert!(code.states.len() <= 12);
    }

    #[test]
    fn a_blob_that_took_the_place_of_another_is_read_again_however_old_its_entry_looks() {
        let filler = |index: u64| {
            let base = 0x100_0000 + index * 0x1000;
            module_blob("f", base, 64, &[(0, 64, "f:f/0", &[])])
        };
        let mut blobs: Vec<Vec<u8>> = (0..40).map(filler).collect();
        let mut code = CodeGenerations::read(&vm(&blobs), DESCRIPTOR).unwrap();
        // Same length, another place; and the newest is another too, so that it is noticed.
        blobs[30] = module_blob("f", 0x900_0000, 64, &[(0, 64, "f:g/0", &[])]);
        blobs[0] = module_blob("f", 0x910_0000, 64, &[(0, 64, "f:h/0", &[])]);
        assert!(refresh(&mut code, &vm(&blobs), 5));
        assert_eq!(name_then(&mut code, 5, 0x900_0000), "f:g/0");
        let gone = name_then(&mut code, 5, 0x100_0000 + 30 * 0x1000);
        assert_eq!(gone, "Ambiguous", "it may have been purged just now");
    }
}
