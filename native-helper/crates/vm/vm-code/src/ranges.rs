//! Loaded code where there is no JIT to describe it: the VM's own index of module images.
//!
//! The static variable `r` has three copies, one for each code index, of {modules, count,
//! allocated, middle}; `modules` is a sorted array of {start, end}. A module starts with its code
//! header; an empty range is one that was purged.

mod find;
mod module;

use std::sync::Arc;

use arch::USER_END;
use shared_map::{HashMap, HashSet};
use target_memory::{Range, ReadError, TargetMemory, bytes_to_words};

use super::blob::ModuleCode;
use vm_layout::InterpreterLayout;
use vm_layout::TableError;
use vm_tables::atoms::AtomTable;

pub use find::find_ranges;
pub(crate) use module::CODE_INFO_BYTES;
pub use module::parse_module;

const TABLE: &str = "the list of module images";
/// Code indices, and the words for each.
const COPIES: usize = 3;
const COPY_WORDS: usize = 4;
/// More modules than any node has.
const MAX_MODULES: u64 = 100_000;
/// Largest accepted module image, and largest sum of all.
const MAX_MODULE_BYTES: u64 = 64 << 20;
const MAX_TOTAL_BYTES: u64 = 1 << 30;
/// The head of a module is enough to distinguish it from one that takes its place: pointers to its
/// literals, its lines, its checksum and its first functions.
const HEAD_BYTES: usize = 128;

/// Where the index is, and the data needed to find names.
#[derive(Debug)]
pub struct ModuleRanges {
    place: Place,
    layout: InterpreterLayout,
    atoms: AtomTable,
    mark: Arc<RangesMark>,
    parsed: HashMap<ModuleHead, Arc<ModuleCode>>,
    /// Modules that are not valid as far as is known here: their code has no names.
    pub unreadable: u32,
}

/// Where the index is, and where the number of the copy in use is.
#[derive(Debug, Clone, Copy)]
struct Place {
    address: u64,
    active_index: Option<u64>,
}

/// The index as it was read, to check whether it has changed.
#[derive(Debug)]
pub(crate) struct ImagesSeen {
    place: Place,
    mark: Arc<RangesMark>,
}

impl ImagesSeen {
    /// True when the modules are still these.
    pub fn still_hold(&self, memory: &impl TargetMemory) -> bool {
        self.place.look(memory).is_ok_and(|now| now == *self.mark)
    }

    /// True when this module is still where it was, whatever has changed for others.
    pub fn still_holds(&self, memory: &impl TargetMemory, module: &ModuleCode) -> bool {
        let head_of = |mark: &RangesMark| {
            let heads = &mark.0;
            heads.iter().find(|head| head.start == module.base).cloned()
        };
        let known = head_of(&self.mark);
        known.is_some()
            && self
                .place
                .look(memory)
                .is_ok_and(|now| head_of(&now) == known)
    }
}

/// All modules at one moment, told apart by their heads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct RangesMark(Vec<ModuleHead>);

/// All modules, and a time for which they were these.
#[derive(Debug)]
pub struct ModulesRead {
    /// The modules.
    pub modules: Vec<Arc<ModuleCode>>,
    /// When they were these already.
    pub from_ns: u64,
    /// When they still were.
    pub until_ns: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ModuleHead {
    start: u64,
    end: u64,
    head: Vec<u8>,
}

impl ModuleRanges {
    /// The index at `address`. `active_index` is the address of the number of the copy in use;
    /// without it that is the one with most modules. `atoms` names modules and functions.
    pub fn new(
        address: u64,
        active_index: Option<u64>,
        layout: InterpreterLayout,
        atoms: AtomTable,
    ) -> Self {
        Self {
            place: Place {
                address,
                active_index,
            },
            layout,
            atoms,
            mark: Arc::default(),
            parsed: HashMap::new(),
            unreadable: 0,
        }
    }

    /// Where the index is.
    pub fn address(&self) -> u64 {
        self.place.address
    }

    /// The state that the last [`ModuleRanges::reload`] read.
    pub(crate) fn seen(&self) -> ImagesSeen {
        ImagesSeen {
            place: self.place,
            mark: Arc::clone(&self.mark),
        }
    }

    /// True when modules have come or gone since the last [`ModuleRanges::reload`].
    pub fn changed(&self, memory: &impl TargetMemory) -> Result<bool, TableError> {
        Ok(self.place.look(memory)? != *self.mark)
    }

    /// Reads modules that are new; `None` when they changed during the reading. Fails when one of
    /// them, or its lines, cannot be read; the next call does not read the others again.
    pub fn reload(
        &mut self,
        memory: &impl TargetMemory,
        now_ns: &impl Fn() -> u64,
    ) -> Result<Option<ModulesRead>, TableError> {
        let mark = self.place.look(memory)?;
        let from_ns = now_ns();
        let mut parsed = HashMap::new();
        let (mut unreadable, mut failed) = (0u32, None);
        for head in &mark.0 {
            let known = self.parsed.get(head);
            let known = known.filter(|known| !known.ranges.is_empty()).cloned();
            match known.map_or_else(|| self.read_module(memory, head).map(Arc::new), Ok) {
                Ok(module) => {
                    parsed.insert(head.clone(), module);
                }
                Err(TableError::Read(error)) if error.target_gone() => return Err(error.into()),
                Err(TableError::Read(error)) => failed = Some(error),
                Err(_) => {
                    unreadable += 1;
                    parsed.insert(head.clone(), Arc::new(unknown_module(head)));
                }
            }
        }
        let until_ns = now_ns();
        let now = self.place.look(memory)?;
        if now != mark || failed.is_some() {
            // Modules that are there before and after the reading were there during it: the next
            // try has less to read, and so a chance against a VM that loads modules all the time.
            let still: HashSet<&ModuleHead> = now.0.iter().collect();
            parsed.retain(|head, _| still.contains(head));
            self.parsed = parsed;
            return match failed {
                // In a list without that module, its callers would follow on nothing; without its
                // lines, it would look complete.
                Some(error) if now == mark => Err(error.into()),
                _ => Ok(None),
            };
        }
        let modules = mark.0.iter().filter_map(|head| parsed.get(head)).cloned();
        let modules = modules.collect();
        self.unreadable = unreadable;
        self.parsed = parsed;
        self.mark = Arc::new(mark);
        Ok(Some(ModulesRead {
            modules,
            from_ns,
            until_ns,
        }))
    }

    fn read_module(
        &mut self,
        memory: &impl TargetMemory,
        head: &ModuleHead,
    ) -> Result<ModuleCode, TableError> {
        let len_bytes = (head.end - head.start) as usize;
        let image = memory.read_held("loaded code", head.start, len_bytes)?;
        let module = parse_module(memory, &mut self.atoms, self.layout, head.start, &image)?;
        let spent = |spent| ReadError::spent(head.start, spent).into();
        module.held_within(memory.budget()).map_err(spent)
    }
}

impl Place {
    fn look(self, memory: &impl TargetMemory) -> Result<RangesMark, TableError> {
        let mut copies = [0; COPIES * COPY_WORDS * 8];
        memory.read(self.address, &mut copies)?;
        let words: Vec<u64> = bytes_to_words(&copies).collect();
        let copies: Vec<&[u64]> = words.chunks_exact(COPY_WORDS).collect();
        let count_of = |copy: &[u64]| copy.get(1).copied().unwrap_or(0);
        let active = match self.active_index {
            Some(address) => copies.get(memory.read_u32(address)? as usize).copied(),
            None => copies.iter().copied().max_by_key(|copy| count_of(copy)),
        };
        let active = active
            .filter(|copy| (1..=MAX_MODULES).contains(&count_of(copy)))
            .ok_or_else(|| TableError::malformed(TABLE, "no copy of it is in use"))?;
        let bounds = read_bounds(memory, active[0], count_of(active))?;
        let heads: Vec<Range> = bounds
            .iter()
            .map(|(start, end)| Range {
                address: *start,
                len_bytes: head_bytes(*start, *end),
            })
            .collect();
        let mut bytes = vec![0; heads.iter().map(|head| head.len_bytes).sum()];
        memory.read_many(&heads, &mut bytes)?;
        let mut rest = bytes.as_slice();
        let mut mark = RangesMark::default();
        for ((start, end), head) in bounds.into_iter().zip(heads) {
            let (head, tail) = rest.split_at(head.len_bytes);
            rest = tail;
            let head = head.to_vec();
            mark.0.push(ModuleHead { start, end, head });
        }
        Ok(mark)
    }
}

/// Code of which nothing is known but where it is.
fn unknown_module(head: &ModuleHead) -> ModuleCode {
    let code_bytes = u32::try_from(head.end - head.start).unwrap_or(u32::MAX);
    ModuleCode::without_functions(head.start, code_bytes)
}

fn head_bytes(start: u64, end: u64) -> usize {
    (end - start).min(HEAD_BYTES as u64) as usize
}

/// Bounds of the modules at `modules` that are not purged: ascending, apart, not too big.
fn read_bounds(
    memory: &impl TargetMemory,
    modules: u64,
    count: u64,
) -> Result<Vec<(u64, u64)>, TableError> {
    let len_bytes = count.min(MAX_MODULES) as usize * 16;
    let bytes = memory.read_vec(modules, len_bytes, len_bytes)?;
    let words: Vec<u64> = bytes_to_words(&bytes).collect();
    let malformed = || TableError::malformed(TABLE, "its ranges are none");
    let (mut bounds, mut last_end, mut total) = (Vec::new(), 0, 0u64);
    for pair in words.chunks_exact(2) {
        let (start, end) = (pair[0], pair[1]);
        if start < last_end || end < start || end > USER_END || !start.is_multiple_of(8) {
            return Err(malformed());
        }
        last_end = end;
        total = total.saturating_add(end - start);
        if end - start > MAX_MODULE_BYTES || total > MAX_TOTAL_BYTES {
            return Err(malformed());
        }
        if start < end {
            bounds.push((start, end));
        }
    }
    Ok(bounds)
}

#[cfg(test)]
mod tests;
