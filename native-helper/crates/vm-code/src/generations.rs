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

mod reading;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use target_memory::TargetMemory;

use super::blob::ModuleCode;
use super::code_map::{CodeLocation, CodeMap};
use super::descriptor::{BLOB_HEAD_BYTES, Descriptor, DescriptorEntry, DescriptorMark};
use super::ranges::{CODE_INFO_BYTES, ModuleRanges};
use vm_layout::TableError;

/// Code index: there are three.
const CODE_INDICES: u32 = 3;
/// In so short a time the code index cannot have gone round.
const MAX_UNSEEN_NS: u64 = 10_000_000;
/// Most machine code looked at in one place.
const MAX_DECODED_BYTES: usize = 4096;

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

/// A look that failed.
#[derive(Debug, Clone, Copy)]
struct LostSight {
    /// What could be read all the same.
    code_index: Option<u32>,
    at_ns: u64,
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
    /// When the last look failed: what was loaded since the last state is not known.
    lost_sight: Option<LostSight>,
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
        let mut code = Self::unread(descriptor, None, 0);
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
        let mut code = Self::unread(Descriptor { address: 0 }, Some(images), normal_exit);
        code.reload(memory, &|| 0)?;
        Ok(code)
    }

    fn unread(descriptor: Descriptor, images: Option<ModuleRanges>, normal_exit: u64) -> Self {
        Self {
            descriptor,
            images,
            code_index_at: None,
            code_index_in_register: false,
            mark: Mark::default(),
            parsed: HashMap::new(),
            states: VecDeque::new(),
            lost_sight: None,
            view: View::In(0),
            runs_as_before: false,
            none: CodeMap::default(),
            normal_exit,
            frame_pointers: false,
            unreadable: 0,
        }
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
        let holds = is_last && self.lost_sight.is_none()
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
        let is_next_known = before + 1 < self.states.len();
        match (old, new, self.loads_after(before)) {
            (Some(_), Some(_), _) if old == new => Claim::After,
            (Some(_), _, Some(0)) => Claim::Before,
            (Some(_), _, Some(_)) if self.runs_as_before => Claim::Before,
            (Some(_), None, Some(1)) if is_next_known => Claim::Before,
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
            Located::Unknown => self.is_unknown_code(address),
        }
    }

    fn is_unknown_code(&self, address: u64) -> bool {
        let (View::In(index) | View::After(index)) = self.view;
        self.map(index).is_unknown_code(address)
    }

    fn map(&self, index: usize) -> &CodeMap {
        self.states
            .get(index)
            .map_or(&self.none, |state| &state.map)
    }

    /// How often the code index went on between a state and the next, or a look that failed: 0 to 2,
    /// for one of the three indices after 3 times is the same again. `None` when that is possible, or unknown.
    fn loads_after(&self, before: usize) -> Option<u32> {
        let old = self.states.get(before)?;
        let (code_index, at_ns) = match (self.states.get(before + 1), self.lost_sight) {
            (Some(new), _) => (new.code_index?, new.from_ns),
            (None, Some(failed)) => (failed.code_index?, failed.at_ns),
            (None, None) => return None,
        };
        let steps = (code_index + CODE_INDICES - old.code_index?) % CODE_INDICES;
        (at_ns.saturating_sub(old.until_ns) <= MAX_UNSEEN_NS).then_some(steps)
    }
}

fn known(location: Option<CodeLocation>) -> Located {
    location.map_or(Located::Unknown, Located::Known)
}

#[cfg(test)]
mod tests;
