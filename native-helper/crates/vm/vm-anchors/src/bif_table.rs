//! Where the table of built-in functions is: the longest run of entries {atom, atom, small arity,
//! code, code, kind} among the emulator's variables.

use shared_sort::SharedSort;
use target_memory::TargetMemory;

use vm_layout::emulator_image::EmulatorImage;
use vm_tables::atoms::AtomTable;

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
    runs.shared_sort_by_key(|(_, length)| std::cmp::Reverse(*length));
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;
    use vm_layout::AtomName;
    use vm_layout::emulator_image::ImageRanges;

    const CODE: u64 = 0x50_0000;

    fn entry(arity: u64) -> [u64; 6] {
        [0xb, 0x4b, arity, CODE + 8, CODE + 16, 0]
    }

    /// Variables from 0x100000 on, an atom table with two atoms at 0x10000.
    fn vm(variables: &[u64]) -> (SnapshotMemory, EmulatorImage, AtomTable) {
        let mut memory = SnapshotMemory::new();
        let mut table = vec![0u64; 16];
        table[14] = 2 << 32 | 1_048_576;
        table[15] = 0x20_000;
        memory
            .map_words(0x10_000, &table)
            .map_words(0x20_000, &[0x30_000])
            .map_words(0x30_000, &[0x40_000, 0x41_000])
            .map_words(0x40_000, &[0, 0, 0, 5, 0x42_000])
            .map_words(0x41_000, &[0, 0, 1, 4, 0x43_000])
            .map(0x42_000, b"false".to_vec())
            .map(0x43_000, b"true".to_vec())
            .map_words(0x10_0000, variables);
        let ranges = ImageRanges {
            variables: vec![(0x10_0000, 0x10_0000 + variables.len() as u64 * 8)],
            code: vec![(CODE, CODE + 0x1000)],
            ..ImageRanges::default()
        };
        let image = EmulatorImage::read(&memory, &ranges).unwrap();
        let atoms = AtomTable::with_names(0x10_000, AtomName::Pointer);
        (memory, image, atoms)
    }

    #[test]
    fn the_long_run_is_the_table_and_the_short_one_is_not() {
        let mut variables: Vec<u64> = vec![7];
        variables.extend((0..20).flat_map(|_| entry(1)));
        variables.push(0);
        variables.extend((0..400).flat_map(|index| entry(index % 4)));
        let (memory, image, mut atoms) = vm(&variables);
        assert_eq!(
            candidates(&memory, &image, &mut atoms),
            [0x10_0000 + 8 * (1 + 20 * 6 + 1)]
        );
    }

    #[test]
    fn a_run_of_atoms_that_do_not_exist_is_none() {
        let variables: Vec<u64> = (0..400)
            .flat_map(|_| [99 << 6 | 0xb, 0xb, 1, CODE, CODE, 0])
            .collect();
        let (memory, image, mut atoms) = vm(&variables);
        assert!(candidates(&memory, &image, &mut atoms).is_empty());
    }

    proptest! {
        #[test]
        fn garbage_never_panics(words: Vec<u64>) {
            let (memory, image, mut atoms) = vm(&words);
            let _ = candidates(&memory, &image, &mut atoms);
        }
    }
}
