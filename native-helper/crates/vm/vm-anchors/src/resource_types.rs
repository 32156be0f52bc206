//! Where the circle of the types of resources begins: at a variable that has the form of a type, without an owner and a
//! destructor.

use target_memory::TargetMemory;
use vm_layout::emulator_image::{EmulatorImage, is_pointer};
use vm_layout::resource_types::{CALLED, NEXT, OWNER, PREVIOUS, RESOURCE_TYPES};
use vm_tables::atoms::AtomTable;
use vm_tables::resource_types::ResourceTypes;

/// Places whose neighbours are looked at; an emulator has some hundred.
const MAX_LOOKS: usize = 1 << 16;
/// Circles that are followed.
const MAX_CIRCLES: usize = 64;

/// Places among the variables that can be it, with the layout that their types have.
pub(crate) fn candidates(
    memory: &impl TargetMemory,
    image: &EmulatorImage,
    atoms: &mut AtomTable,
    is_code: impl Fn(u64) -> bool,
) -> Vec<ResourceTypes> {
    let is_head = |(head, next): &(u64, u64)| {
        let word = |offset: usize| image.word_at(head.wrapping_add(offset as u64));
        is_pointer(*next, 8)
            && word(OWNER) == Some(0)
            && word(CALLED) == Some(0)
            && word(PREVIOUS).is_some_and(|last| last != *head && is_pointer(last, 8))
    };
    let is_closed = |(head, next): &(u64, u64)| {
        let before_next = memory.read_u64_at(*next, PREVIOUS as u64);
        let last = memory.read_u64_at(*head, PREVIOUS as u64);
        let behind_last = last.and_then(|last| memory.read_u64_at(last, NEXT as u64));
        before_next.is_ok_and(|word| word == *head) && behind_last.is_ok_and(|word| word == *head)
    };
    let heads = image.words().filter(is_head).take(MAX_LOOKS);
    let mut found = Vec::new();
    for (head, _) in heads.filter(is_closed).take(MAX_CIRCLES) {
        for layout in &RESOURCE_TYPES {
            let types = ResourceTypes { head, layout };
            let read = types.read(memory, atoms, &is_code);
            // The emulator's own libraries have some: without any it is another circle.
            if read.is_some_and(|types| !types.is_empty()) {
                found.push(types);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;
    use vm_layout::AtomName;
    use vm_layout::emulator_image::ImageRanges;
    use vm_layout::resource_types::{BYTES, ResourceTypeLayout};

    const VARIABLES: u64 = 0x10_0000;
    const TYPES: u64 = 0x20_0000;
    const OWNER_AT: u64 = 0x30_0000;
    const CODE: u64 = 0x50_0000;

    /// Variables, a circle of types at each place that is given, and an atom table at 0x10000 with two atoms.
    fn found(
        layout: &ResourceTypeLayout,
        heads: &[u64],
        is_code: impl Fn(u64) -> bool,
    ) -> Vec<ResourceTypes> {
        let mut memory = SnapshotMemory::new();
        let mut table = vec![0u64; 16];
        table[14] = 2 << 32 | 1_048_576;
        table[15] = 0x11_000;
        memory
            .map_words(0x10_000, &table)
            .map_words(0x11_000, &[0x12_000])
            .map_words(0x12_000, &[0x13_000, 0x14_000])
            .map_words(0x13_000, &[0, 0, 0, 5, 0x15_000])
            .map_words(0x14_000, &[0, 0, 1, 4, 0x16_000])
            .map(0x15_000, b"false".to_vec())
            .map(0x16_000, b"true".to_vec());
        // A variable that is a circle of its own, and one of places that are no types.
        let mut variables = vec![VARIABLES, VARIABLES, 0, 0, OWNER_AT, OWNER_AT, 0, 0];
        memory.map_words(OWNER_AT, &[VARIABLES + 32, VARIABLES + 32, 0, 0]);
        memory.map(OWNER_AT + 32, vec![0; BYTES]);
        variables.resize(64, 0);
        for (types, head) in (TYPES..).step_by(0x1_0000).zip(heads) {
            let at = ((head - VARIABLES) / 8) as usize;
            let (first, last) = (types, types + 0x1000);
            (variables[at], variables[at + 1]) = (first, last);
            for (here, next, before, destructor) in
                [(first, last, *head, CODE), (last, *head, first, 0)]
            {
                let mut words = [0; BYTES / 8];
                (words[0], words[1], words[2]) = (next, before, OWNER_AT);
                words[layout.destructor / 8] = destructor;
                words[layout.module / 8] = 0xb;
                words[layout.name / 8] = 0x4b;
                memory.map_words(here, &words[..layout.name / 8 + 1]);
            }
        }
        memory.map_words(VARIABLES, &variables);
        let ranges = ImageRanges {
            variables: vec![(VARIABLES, VARIABLES + variables.len() as u64 * 8)],
            ..ImageRanges::default()
        };
        let image = EmulatorImage::read(&memory, &ranges).unwrap();
        let mut atoms = AtomTable::with_names(0x10_000, AtomName::Pointer);
        candidates(&memory, &image, &mut atoms, is_code)
    }

    #[test]
    fn the_circle_is_found_and_each_release_shows_its_layout() {
        for layout in &RESOURCE_TYPES {
            let head = VARIABLES + 80;
            let is_it = |types: &[ResourceTypes]| types == [ResourceTypes { head, layout }];
            assert!(is_it(&found(layout, &[head], |at| at == CODE)));
            assert!(found(layout, &[head], |_| false).is_empty());
            // At the very end of the variables there is no room for an owner.
            assert!(found(layout, &[VARIABLES + 62 * 8], |at| at == CODE).is_empty());
            assert!(found(layout, &[], |at| at == CODE).is_empty());
            let both = found(layout, &[head, head + 80], |at| at == CODE);
            assert_eq!(both.len(), 2);
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(words: Vec<u64>) {
            let mut memory = SnapshotMemory::new();
            memory.map_words(0x1_0000, &words);
            let ranges = ImageRanges {
                variables: vec![(0x1_0000, 0x1_0000 + words.len() as u64 * 8)],
                ..ImageRanges::default()
            };
            let image = EmulatorImage::read(&memory, &ranges).unwrap();
            let mut atoms = AtomTable::with_names(0x1_0000, AtomName::Pointer);
            let _ = candidates(&memory, &image, &mut atoms, |_| true);
        }
    }
}
