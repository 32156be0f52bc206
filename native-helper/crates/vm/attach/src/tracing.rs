//! Tracing in force: functions with breakpoints, and processes whose messages and events are traced.

mod processes;

pub use processes::TracedProcesses;

use retry::{AfterFailure, Retry};
use shared_map::HashMap;
use target_memory::{Range, TargetMemory, address_at, element_at, read_each, u64_at};
use vm_anchors::Finder;
use vm_layout::JIT;
use vm_layout::breakpoints::{
    BREAKPOINT_BYTES, COUNTS, DESCRIPTION_BYTES, EXPORT_BYTES, EXPORT_DESCRIPTIONS, Function,
    MEMORY, REPORTS, TIMES, breakpoint, description,
};

use crate::error::AttachError;
use crate::vm::AttachedVm;

/// Large releases have some 100,000 functions.
const MOST_FUNCTIONS: usize = 1 << 20;
/// Structs that are read together.
const AT_ONCE: usize = 4096;
/// Trace sessions of one function that are looked at.
const MOST_SESSIONS: usize = 64;
/// Entries of one segment of an index.
const SEGMENT: u64 = 1024;
/// Pauses between looks while breakpoints are set or removed.
const WHILE_IT_CHANGES: Retry = Retry::after_pauses_ms(&[1, 7, 30]);

/// How many functions are traced, by what happens at a call of one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TracedFunctions {
    /// Functions that were looked at.
    pub looked_at: u64,
    /// Those with a breakpoint.
    pub traced: u64,
    /// Calls are reported to a tracer.
    pub reported: u64,
    /// Calls are counted.
    pub counted: u64,
    /// The time of calls is added up.
    pub timed: u64,
    /// The memory that calls take is added up.
    pub measured: u64,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// The functions that are traced now: some milliseconds, not for each sample. `None` where not all functions could
    /// be looked at: of the others it is not known, and "none" would be a claim.
    ///
    /// # Errors
    /// The process is not the one that was attached to any more.
    pub fn traced_functions(&mut self) -> Result<Option<TracedFunctions>, AttachError> {
        self.look(|vm| {
            let look = || vm.read_breakpoints().ok_or(());
            Ok(WHILE_IT_CHANGES.run(look, |()| AfterFailure::TryAgain).ok())
        })
    }

    fn read_breakpoints(&self) -> Option<TracedFunctions> {
        let is_compiled = self.flavor.kind() == JIT;
        let described = self.code.current().function_descriptions(is_compiled);
        let mut places: Vec<u64> = described.take(MOST_FUNCTIONS).collect();
        let looked_at = places.len() as u64;
        places.extend(self.exports()?);
        if looked_at == 0 || places.len() >= MOST_FUNCTIONS {
            return None;
        }
        let mut set = Vec::new();
        self.each(&places, DESCRIPTION_BYTES, |_, bytes| {
            let found = description(bytes)?;
            set.extend((found.1 != 0).then_some(found));
            Some(())
        })?;
        traced(looked_at, set, |places, take| {
            self.each(places, BREAKPOINT_BYTES, take)
        })
    }

    /// Where the descriptions of exported functions are.
    fn exports(&self) -> Option<Vec<u64>> {
        let symbols = |name: &str| self.objects.emulator_symbol(name);
        let ranges = self.objects.emulator_ranges();
        let (segments, count) = Finder::new(&self.memory, &symbols, &ranges).exports()?;
        let mut entries = Vec::new();
        for segment in 0..u64::from(count)
            .min(MOST_FUNCTIONS as u64)
            .div_ceil(SEGMENT)
        {
            let segment = element_at(segments, segment, 8).ok()?;
            let bytes = self
                .memory
                .read_vec(self.memory.read_u64(segment).ok()?, 8192, 8192);
            entries.extend(target_memory::bytes_to_words(&bytes.ok()?));
        }
        entries.truncate(count as usize);
        let mut exports = Vec::with_capacity(entries.len());
        self.each(&entries, 32, |_, entry| {
            exports.push(u64_at(entry, 24)?);
            Some(())
        })?;
        let mut fits = EXPORT_DESCRIPTIONS.map(|_| true);
        self.each(exports.get(..64)?, EXPORT_BYTES, |_, export| {
            for (fits, offset) in fits.iter_mut().zip(EXPORT_DESCRIPTIONS) {
                *fits &= description(export.get(offset..)?).is_some();
            }
            Some(())
        })?;
        let offset = fits.iter().position(|fits| *fits)?;
        let offset = EXPORT_DESCRIPTIONS[offset] as u64;
        exports
            .iter()
            .map(|export| address_at(*export, offset).ok())
            .collect()
    }

    /// Gives `take` the bytes of each struct; `None` where one cannot be read or is none.
    fn each(
        &self,
        places: &[u64],
        len_bytes: usize,
        mut take: impl FnMut(usize, &[u8]) -> Option<()>,
    ) -> Option<()> {
        for (part, places) in places.chunks(AT_ONCE).enumerate() {
            let ranges = Range::at_each(places.iter().copied(), len_bytes);
            let read = read_each(&self.memory, &ranges, AT_ONCE * len_bytes);
            for (index, bytes) in read.into_iter().enumerate() {
                take(part * AT_ONCE + index, &bytes?)?;
            }
        }
        Some(())
    }
}

/// A function counts once, however many breakpoints it has: its own, that of its exported name, of several sessions.
fn traced(
    looked_at: u64,
    mut set: Vec<(Function, u64)>,
    each: impl Fn(&[u64], &mut dyn FnMut(usize, &[u8]) -> Option<()>) -> Option<()>,
) -> Option<TracedFunctions> {
    let mut kinds: HashMap<Function, u64> = HashMap::new();
    for _ in 0..MOST_SESSIONS {
        if set.is_empty() {
            let having =
                |wanted| kinds.values().filter(|flags| **flags & wanted != 0).count() as u64;
            return Some(TracedFunctions {
                looked_at,
                traced: kinds.len() as u64,
                reported: having(REPORTS),
                counted: having(COUNTS),
                timed: having(TIMES),
                measured: having(MEMORY),
            });
        }
        let places: Vec<u64> = set.iter().map(|found| found.1).collect();
        each(&places, &mut |index, bytes| {
            let (flags, next) = breakpoint(bytes)?;
            let (function, place) = set.get_mut(index)?;
            *kinds.entry(*function).or_default() |= flags;
            *place = next;
            Some(())
        })?;
        set.retain(|found| found.1 != 0);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A breakpoint with these flags whose session has another one at `next`.
    fn bytes_of(flags: u64, next: u64) -> Vec<u8> {
        let mut words = [0u64; 17];
        (words[1], words[8], words[15], words[16]) = (flags, flags, 0x7f00_0000_1000, next);
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn traced_of(set: &[(u64, u64)], next: u64) -> Option<TracedFunctions> {
        let set = set
            .iter()
            .map(|(arity, place)| ([0xb, 0xb, *arity], *place));
        traced(9, set.collect(), |places, take| {
            let mut each = places.iter().enumerate();
            each.try_for_each(|(index, place)| take(index, &bytes_of(*place & 0xfff, next & place)))
        })
    }

    #[test]
    fn a_function_with_several_breakpoints_counts_once() {
        // The place is what each breakpoint is for; the last one has another behind it.
        let set = [(1, 0x1), (1, 0x80), (2, 0xc), (3, 0x60), (4, 0x1100)];
        let expected = TracedFunctions {
            looked_at: 9,
            traced: 4,
            reported: 1,
            counted: 1,
            timed: 1,
            measured: 1,
        };
        assert_eq!(traced_of(&set, 0), Some(expected));
        assert_eq!(
            traced_of(&[], 0),
            Some(TracedFunctions {
                looked_at: 9,
                ..Default::default()
            })
        );
        assert_eq!(traced_of(&[(1, 0x400)], 0), None, "no breakpoint");
        assert_eq!(traced_of(&set, 0x1100), None, "one that is behind itself");
    }
}
