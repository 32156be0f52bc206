//! Where the atom table is: the index table whose name is the constant `atom_tab`.

use target_memory::TargetMemory;

use vm_layout::AtomName;
use vm_layout::emulator_image::EmulatorImage;
use vm_tables::atoms::AtomTable;

/// Where an index table keeps its name.
pub(crate) const INDEX_NAME: u64 = 64;
/// Atoms that are compiled into every emulator.
const LEAST_ATOMS: u32 = 500;

/// Tables of that name whose first atoms are those of every VM, and how they hold names.
pub(crate) fn candidates(
    memory: &impl TargetMemory,
    image: &EmulatorImage,
) -> Vec<(u64, AtomName)> {
    let names = image.addresses_of_string("atom_tab");
    image
        .words()
        .filter(|(_, word)| names.contains(word))
        .filter_map(|(address, _)| {
            let address = address.checked_sub(INDEX_NAME)?;
            let count = AtomTable::new(address).count(memory).ok()?;
            let form = AtomTable::detect_names(memory, address)?;
            (count >= LEAST_ATOMS).then_some((address, form))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;
    use vm_layout::emulator_image::ImageRanges;

    /// An index table at 0x10000 called `atom_tab` of `count` atoms, the first two with the given
    /// names, and another variable that points to the same constant.
    fn vm(count: u64, names: [&str; 2]) -> (SnapshotMemory, EmulatorImage) {
        let mut memory = SnapshotMemory::new();
        let mut table = vec![0u64; 40];
        table[8] = 0x9_0001;
        table[14] = count << 32 | 1_048_576;
        table[15] = 0x20_000;
        table[30] = 0x9_0001;
        memory
            .map_words(0x10_000, &table)
            .map(0x9_0000, b"\0atom_tab\0".to_vec())
            .map_words(0x20_000, &[0x30_000])
            .map_words(0x30_000, &[0x40_000, 0x41_000]);
        for (index, name) in names.iter().enumerate() {
            let at = 0x40_000 + index as u64 * 0x1000;
            memory
                .map_words(at, &[0, 0, index as u64, name.len() as u64, at + 0x800])
                .map(at + 0x800, name.as_bytes().to_vec());
        }
        let ranges = ImageRanges {
            variables: vec![(0x10_000, 0x10_000 + 40 * 8)],
            constants: vec![(0x9_0000, 0x9_000a)],
            ..ImageRanges::default()
        };
        let image = EmulatorImage::read(&memory, &ranges).unwrap();
        (memory, image)
    }

    #[test]
    fn name_size_and_first_atoms_have_to_be_right() {
        let (memory, image) = vm(9000, ["false", "true"]);
        assert_eq!(candidates(&memory, &image), [(0x10_000, AtomName::Pointer)]);
        for (count, names) in [(9, ["false", "true"]), (9000, ["true", "false"])] {
            let (memory, image) = vm(count, names);
            assert!(candidates(&memory, &image).is_empty());
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(words in prop::collection::vec(0x10_000u64..0x10_400, 0..64)) {
            let mut memory = SnapshotMemory::new();
            memory.map_words(0x10_000, &words).map(0x10_100, b"\0atom_tab\0".to_vec());
            let ranges = ImageRanges {
                variables: vec![(0x10_000, 0x10_000 + words.len().min(32) as u64 * 8)],
                constants: vec![(0x10_100, 0x10_10a)],
                ..ImageRanges::default()
            };
            if let Ok(image) = EmulatorImage::read(&memory, &ranges) {
                let _ = candidates(&memory, &image);
            }
        }
    }
}
