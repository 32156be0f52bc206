//! Where the table of built-in functions is: the longest run of entries {atom, atom, small arity,
//! code, code, kind} among the emulator's variables.

use target_memory::TargetMemory;

use super::image::EmulatorImage;
use crate::atoms::AtomTable;

const ENTRY_BYTES: u64 = 48;
/// Every release known has more than 500; other tables of this shape have a few.
const LEAST_ENTRIES: u64 = 300;
const MAX_ENTRIES: u64 = 4096;

/// Starts of runs that are long enough, the longest first.
pub(crate) fn candidates(
    memory: &impl TargetMemory,
    image: &EmulatorImage,
    atoms: &mut AtomTable,
) -> Vec<u64> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for (address, word) in image.words() {
        if word & 0x3f != 0xb || !is_entry(image, address) {
            continue;
        }
        let before = address.checked_sub(ENTRY_BYTES);
        if before.is_some_and(|before| is_entry(image, before)) {
            continue;
        }
        let length = (0..MAX_ENTRIES)
            .find(|index| !is_entry(image, address + index * ENTRY_BYTES))
            .unwrap_or(MAX_ENTRIES);
        if length >= LEAST_ENTRIES {
            runs.push((address, length));
        }
    }
    runs.retain(|(address, _)| {
        let mut named = |address| {
            image
                .word_at(address)
                .is_some_and(|term| atoms.name(memory, term).is_ok())
        };
        named(*address) && named(*address + 8)
    });
    runs.sort_by_key(|(_, length)| std::cmp::Reverse(*length));
    runs.into_iter().map(|(address, _)| address).collect()
}

fn is_entry(image: &EmulatorImage, address: u64) -> bool {
    let word = |index: u64| image.word_at(address + index * 8).unwrap_or(0);
    let is_atom = |term: u64| term & 0x3f == 0xb;
    is_atom(word(0))
        && is_atom(word(1))
        && word(2) & 0xffff_ffff <= 255
        && image.is_code(word(3))
        && image.is_code(word(4))
}
