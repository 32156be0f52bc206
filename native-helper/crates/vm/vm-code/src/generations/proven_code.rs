//! Machine code as it was at the moment of a sample, read some time later.

use std::ops::Range;
use std::sync::Arc;

use target_memory::TargetMemory;

use super::reading::code_index;
use super::{Claim, CodeGenerations, Located, View};
use crate::blob::ModuleCode;
use crate::code_map::CodeMap;
use crate::machine_code::pieces_of;

/// Most machine code decoded in one place.
const MAX_DECODED_BYTES: usize = 4096;

impl CodeGenerations {
    /// The result of `decode` for the machine code at an address, as it was at the chosen time:
    /// from the code that was kept, or from memory if that still holds it. `None` when the code is
    /// gone, and when it may belong to two generations for which `decode` differs.
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
            View::Forgotten => match self.locate_forgotten(address) {
                Located::Known(_) => (0, 0),
                _ => return None,
            },
        };
        let mut found = None;
        for index in first..=last {
            let map = self.map(index);
            if last > first && map.identity_at(address).is_none() {
                continue;
            }
            let decoded = decode(&self.machine_code(memory, map, address, bytes)?);
            match &found {
                Some(before) if *before != decoded => return None,
                _ => found = Some(decoded),
            }
        }
        found
    }

    /// The bytes at an address, if they are of the generation that `map` has there: kept, or read
    /// and kept.
    fn machine_code(
        &self,
        memory: &impl TargetMemory,
        map: &CodeMap,
        address: u64,
        bytes: usize,
    ) -> Option<Vec<u8>> {
        let module = map.module_at(address);
        let offsets = module.and_then(|module| offsets_in(module, address, bytes));
        if let Some((module, offsets)) = module.zip(offsets) {
            if let Some(kept) = module.machine_code.at(offsets.clone()) {
                return Some(kept);
            }
            for piece in pieces_of(&offsets, module.code_bytes).unwrap_or_default() {
                self.keep_piece(memory, module, piece);
            }
            if let Some(kept) = module.machine_code.at(offsets) {
                return Some(kept);
            }
        }
        let code = memory.read_vec(address, bytes, MAX_DECODED_BYTES).ok()?;
        let addresses = address..address.checked_add(bytes as u64)?;
        self.is_still(memory, module, &addresses).then_some(code)
    }

    /// Reads a piece of the code of a module and keeps it, if it is of this module.
    fn keep_piece(
        &self,
        memory: &impl TargetMemory,
        module: &Arc<ModuleCode>,
        offsets: Range<u32>,
    ) {
        let of = |offset: u32| module.base.checked_add(u64::from(offset));
        let (Some(start), Some(end)) = (of(offsets.start), of(offsets.end)) else {
            return;
        };
        if module.machine_code.at(offsets.clone()).is_some() || memory.budget().is_half_used() {
            return;
        }
        let read = memory.read_held("machine code", start, offsets.len());
        if let Ok(piece) = read
            && self.is_still(memory, Some(module), &(start..end))
        {
            module.machine_code.keep(offsets.start, piece);
        }
    }

    /// Whether the bytes just read at these addresses belong to this module, or to none. Other
    /// modules may have come and gone since the last reading.
    fn is_still(
        &self,
        memory: &impl TargetMemory,
        module: Option<&Arc<ModuleCode>>,
        addresses: &Range<u64>,
    ) -> bool {
        // If a module lies in part where another one is by now, nothing is left of it.
        let of_module = |module: &Arc<ModuleCode>| {
            module.base..module.base.saturating_add(u64::from(module.code_bytes))
        };
        let all = module.map_or_else(|| addresses.clone(), of_module);
        let claims = self.current().module_of(&all).map(Arc::as_ptr);
        let (Some(seen), true) = (&self.seen, claims == module.map(Arc::as_ptr)) else {
            return false;
        };
        let is_unchanged = seen.still_holds(memory);
        let known_index = self.states.back().and_then(|state| state.code_index);
        let no_load = code_index(memory, self.code_index_at) == known_index;
        is_unchanged && no_load
            || module.is_some_and(|module| {
                seen.still_lists(memory, &self.listed, (module, &all), no_load)
            })
    }
}

/// The offsets of some bytes of a module; `None` where they are not all in it.
fn offsets_in(module: &ModuleCode, address: u64, bytes: usize) -> Option<Range<u32>> {
    let start = u32::try_from(address.checked_sub(module.base)?).ok()?;
    let end = start.checked_add(u32::try_from(bytes).ok()?)?;
    (end <= module.code_bytes).then_some(start..end)
}
