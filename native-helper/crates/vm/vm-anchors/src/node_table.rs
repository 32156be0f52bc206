//! The table of nodes: the hash table whose name is the constant `dist_table`.

use shared_map::HashMap;
use target_memory::TargetMemory;
use vm_layout::emulator_image::EmulatorImage;
use vm_tables::nodes::{IdleEntry, can_be_node_table};

const NAME_OFFSET: u64 = 64;

/// Tables of that name whose head can be that of the table of nodes.
pub(crate) fn candidates(memory: &impl TargetMemory, image: &EmulatorImage) -> Vec<u64> {
    let names = image.addresses_of_string("dist_table");
    image
        .words()
        .filter(|(_, word)| names.contains(word))
        .filter_map(|(address, _)| address.checked_sub(NAME_OFFSET))
        .filter(|address| can_be_node_table(memory, *address))
        .collect()
}

/// The only one that more variables point to than the one for the list of those not connected.
pub(crate) fn own_entry(image: &EmulatorImage, idle: &[IdleEntry]) -> Option<u64> {
    let mut pointers: HashMap<u64, usize> = idle.iter().map(|entry| (entry.address, 0)).collect();
    for (_, word) in image.words() {
        if let Some(count) = pointers.get_mut(&word) {
            *count += 1;
        }
    }
    let has_more = |entry: &&IdleEntry| {
        let count = pointers.get(&entry.address).copied().unwrap_or(0);
        count > usize::from(entry.is_first)
    };
    let mut own = idle.iter().filter(has_more);
    match (own.next(), own.next()) {
        (Some(only), None) => Some(only.address),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_memory::SnapshotMemory;
    use vm_layout::emulator_image::ImageRanges;

    #[test]
    fn the_own_entry_is_the_one_with_a_variable_of_its_own() {
        let image = |words: &[u64]| {
            let mut memory = SnapshotMemory::new();
            memory.map_words(0x10_000, words);
            let ranges = ImageRanges {
                variables: vec![(0x10_000, 0x10_000 + words.len() as u64 * 8)],
                ..ImageRanges::default()
            };
            EmulatorImage::read(&memory, &ranges).unwrap()
        };
        let entry = |address, is_first| IdleEntry { address, is_first };
        let idle = [entry(0x5000, true), entry(0x6000, false)];
        assert_eq!(own_entry(&image(&[7, 0x5000, 0x6000]), &idle), Some(0x6000));
        assert_eq!(own_entry(&image(&[0x5000, 0x5000]), &idle), Some(0x5000));
        assert_eq!(own_entry(&image(&[0x5000, 7]), &idle), None);
        let both = image(&[0x5000, 0x5000, 0x6000]);
        assert_eq!(own_entry(&both, &idle), None);
    }

    #[test]
    fn the_name_and_its_own_facts_have_to_be_right() {
        let mut memory = SnapshotMemory::new();
        let mut variables = [0_u64; 48];
        // A table, its name once more in a variable, and a table of that name that is none.
        (variables[8], variables[9], variables[11], variables[12]) = (0x9_0001, 62, 3, 0x8_0000);
        variables[20] = 0x9_0001;
        (variables[38], variables[39], variables[41], variables[42]) = (0x9_0001, 62, 0, 0x8_0000);
        memory
            .map_words(0x10_000, &variables)
            .map(0x9_0000, b"\0dist_table\0".to_vec());
        let ranges = ImageRanges {
            variables: vec![(0x10_000, 0x10_000 + 48 * 8)],
            constants: vec![(0x9_0000, 0x9_000c)],
            ..ImageRanges::default()
        };
        let image = EmulatorImage::read(&memory, &ranges).unwrap();
        assert_eq!(candidates(&memory, &image), [0x10_000]);
    }
}
