//! The table of allocators: each of its entries leads to allocators that contain their own number.

use shared_sort::SharedSort;
use target_memory::TargetMemory;
use vm_layout::emulator_image::EmulatorImage;
use vm_memory::{AllocatorTable, info_of_entry};

/// An allocator with carriers that is on: two numbers of 32 bits.
const IS_ON: u64 = 1 << 32 | 1;

/// Places whose entries all lead to such allocators.
pub(crate) fn candidates(memory: &impl TargetMemory, image: &EmulatorImage) -> Vec<u64> {
    let mut tables: Vec<u64> = image
        .words()
        .filter(|(_, word)| *word == IS_ON)
        .filter_map(|(entry, _)| info_of_entry(memory, entry))
        .filter(|table| image.is_variable(*table))
        .collect();
    tables.shared_sort();
    tables.dedup();
    tables.retain(|table| AllocatorTable::read(memory, *table).is_ok());
    tables
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;
    use vm_layout::allocators::{IDENTITY, NAME_PREFIXES};
    use vm_layout::emulator_image::ImageRanges;

    const TABLE: u64 = 0x10_018;

    /// A table with one instance for every number but the first and the last, and words beside it.
    fn vm(beside: &[u64]) -> (SnapshotMemory, EmulatorImage) {
        let mut memory = SnapshotMemory::new();
        let mut words = vec![7, IS_ON, 9];
        words.extend([0; 3]);
        for (number, prefix) in (1..).zip(NAME_PREFIXES) {
            let (is_on, instance) = (number != 1 && number != 12, 0x100_0000 * number);
            words.extend([
                if is_on { IS_ON } else { 0 },
                0,
                if is_on { instance } else { 0 },
            ]);
            let fields = &IDENTITY;
            let mut allocator = vec![0_u64; fields.read_bytes / 8];
            allocator[fields.name_prefix / 8] = instance + 0x1000;
            allocator[fields.number / 8] = number;
            memory.map_words(instance, &allocator);
            let mut name = prefix.as_bytes().to_vec();
            name.resize(16, 0);
            memory.map(instance + 0x1000, name);
        }
        words.extend(beside);
        memory.map_words(0x10_000, &words);
        let ranges = ImageRanges {
            variables: vec![(0x10_000, 0x10_000 + words.len() as u64 * 8)],
            ..ImageRanges::default()
        };
        let image = EmulatorImage::read(&memory, &ranges).unwrap();
        (memory, image)
    }

    #[test]
    fn the_table_is_the_place_whose_entries_lead_to_their_own_number() {
        let (memory, image) = vm(&[]);
        assert_eq!(candidates(&memory, &image), [TABLE]);
        // Something else leads to an allocator, but it is not where that one's entry would be.
        let (memory, image) = vm(&[IS_ON, 0, 0x300_0000]);
        assert_eq!(candidates(&memory, &image), [TABLE]);
    }

    #[test]
    fn a_table_with_one_wrong_entry_is_none() {
        let (mut memory, image) = vm(&[]);
        memory.map(0x500_1000, b"other_\0\0\0\0\0\0\0\0\0\0".to_vec());
        assert!(candidates(&memory, &image).is_empty());
    }

    proptest! {
        #[test]
        fn garbage_never_panics(
            words in prop::collection::vec(prop_oneof![Just(IS_ON), 0x10_000u64..0x10_200, any::<u64>()], 0..64),
        ) {
            let mut memory = SnapshotMemory::new();
            memory.map_words(0x10_000, &words);
            let ranges = ImageRanges {
                variables: vec![(0x10_000, 0x10_000 + words.len() as u64 * 8)],
                ..ImageRanges::default()
            };
            let image = EmulatorImage::read(&memory, &ranges).unwrap();
            let _ = candidates(&memory, &image);
        }
    }
}
