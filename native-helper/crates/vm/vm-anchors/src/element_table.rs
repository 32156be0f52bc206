//! Where the tables of processes and of ports are.
//!
//! Both are an `ErtsPTab`, aligned to a cache line: count at 136, array of elements at 192, number
//! of slots (a power of two) at 208, the same from OTP 23 to 29. Each element starts with its own
//! identifier, whose tag shows which of the two tables it is in.

use retry::{AfterFailure, Retry};
use shared_map::{HashMap, HashSet};
use target_memory::{TargetMemory, u64_at};

use vm_layout::emulator_image::{EmulatorImage, is_pointer};
use vm_tables::processes::ProcessTable;

const COUNT_OFFSET: u64 = 136;
const ELEMENTS_OFFSET: u64 = 192;
const SLOTS_OFFSET: u64 = 208;
const CACHE_LINE: u64 = 64;
/// Elements whose identifiers are looked at.
const LOOKED_AT: usize = 64;
/// Further looks at elements that were not valid: processes that live for microseconds may end, and
/// others begin where they were, more than once.
const LOOKS_AGAIN: Retry = Retry::attempts(4);
/// Words of the read-only part of a table, among them the size of an element.
const READ_ONLY_WORDS: usize = 16;
/// Sizes a process struct can have.
const PROCESS_BYTES: std::ops::RangeInclusive<u64> = 512..=1024;

/// What a table holds, by the tag of its elements' identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementKind {
    Process,
    Port,
}

impl ElementKind {
    fn tag(self) -> u64 {
        match self {
            Self::Process => 0x3,
            Self::Port => 0x7,
        }
    }
}

/// Addresses of tables of that kind: every element looked at has the tag, no two the same number.
pub(crate) fn candidates(
    memory: &impl TargetMemory,
    image: &EmulatorImage,
    kind: ElementKind,
) -> Vec<u64> {
    image
        .words()
        .map(|(address, _)| address)
        .filter(|address| address.is_multiple_of(CACHE_LINE) && has_shape(image, *address))
        .filter(|address| holds(memory, *address, kind))
        .collect()
}

fn has_shape(image: &EmulatorImage, table: u64) -> bool {
    let half = |offset: u64| {
        let word = image.word_at((table + offset) & !7)?;
        Some((word >> (8 * (offset % 8))) as u32)
    };
    let elements = image.word_at(table + ELEMENTS_OFFSET);
    let (slots, count) = (half(SLOTS_OFFSET), half(COUNT_OFFSET));
    elements.is_some_and(|elements| is_pointer(elements, 8))
        && slots.is_some_and(|slots| slots >= 1024 && slots.is_power_of_two())
        && count
            .zip(slots)
            .is_some_and(|(count, slots)| count > 0 && count <= slots)
}

fn holds(memory: &impl TargetMemory, table: u64, kind: ElementKind) -> bool {
    let table = ProcessTable { address: table };
    let elements = || {
        let elements = table.addresses(memory, LOOKED_AT).ok()?;
        Some(elements.into_iter().collect::<HashSet<u64>>())
    };
    let mut owners = HashMap::new();
    let mut is_one = |element: u64| {
        let id = memory.read_u64(element).ok();
        id.is_some_and(|id| {
            id & 0xf == kind.tag() && *owners.entry(id).or_insert(element) == element
        })
    };
    let Some(mut looked_at) = elements() else {
        return false;
    };
    let all = looked_at.len();
    looked_at.retain(|element| !is_one(*element));
    if looked_at.len() == all {
        return false;
    }
    // One that ended just then may be unmapped or hold something else; but it is gone from the
    // table by now, or another one is in its place.
    let look_again = || {
        if looked_at.is_empty() {
            return Ok(());
        }
        let listed = elements().ok_or(Doubt::Unreadable)?;
        looked_at.retain(|element| listed.contains(element) && !is_one(*element));
        match looked_at.is_empty() {
            true => Ok(()),
            false => Err(Doubt::NotAnElement),
        }
    };
    LOOKS_AGAIN
        .run(look_again, |doubt| {
            AfterFailure::again_if(*doubt == Doubt::NotAnElement)
        })
        .is_ok()
}

/// Why something may be no table of elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doubt {
    /// Its elements cannot be read.
    Unreadable,
    /// It lists something that is no element, or was none when it was looked at.
    NotAnElement,
}

/// The size of a process struct, out of the table itself: the only word of its read-only part
/// that can be one.
pub fn element_bytes(memory: &impl TargetMemory, table: u64) -> Option<usize> {
    let mut bytes = [0; READ_ONLY_WORDS * 8];
    memory
        .read(table.wrapping_add(ELEMENTS_OFFSET), &mut bytes)
        .ok()?;
    // The array, its twin of free identifiers and the number of slots come first.
    let mut sizes = (3..READ_ONLY_WORDS)
        .filter_map(|index| u64_at(&bytes, index * 8))
        .filter(|word| word.is_multiple_of(8) && PROCESS_BYTES.contains(word));
    let size = sizes.next()?;
    sizes.next().is_none().then_some(size as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;
    use target_memory::{ReadError, SnapshotMemory};
    use vm_layout::emulator_image::ImageRanges;

    /// A table of 1024 slots at 0x10000 whose two elements have the given identifiers.
    fn vm(ids: [u64; 2]) -> (SnapshotMemory, EmulatorImage) {
        let mut memory = SnapshotMemory::new();
        let mut table = vec![0u64; 64];
        table[17] = 2;
        table[24] = 0x20_0000;
        table[26] = 1024;
        table[34] = 768;
        let mut slots = vec![0u64; 4096];
        (slots[3], slots[900]) = (0x30_0000, 0x31_0000);
        memory
            .map_words(0x10000, &table)
            .map_words(0x20_0000, &slots)
            .map_words(0x30_0000, &[ids[0]])
            .map_words(0x31_0000, &[ids[1]]);
        let ranges = ImageRanges {
            variables: vec![(0x10000, 0x10000 + 64 * 8)],
            ..ImageRanges::default()
        };
        let image = EmulatorImage::read(&memory, &ranges).unwrap();
        (memory, image)
    }

    #[test]
    fn the_tag_of_its_elements_shows_which_table_it_is() {
        let (memory, image) = vm([0x13, 0x23]);
        assert_eq!(candidates(&memory, &image, ElementKind::Process), [0x10000]);
        assert!(candidates(&memory, &image, ElementKind::Port).is_empty());
        let (memory, image) = vm([0x17, 0x27]);
        assert_eq!(candidates(&memory, &image, ElementKind::Port), [0x10000]);
        assert_eq!(element_bytes(&memory, 0x10000), Some(768));
    }

    /// A memory in which an element has left the table when it is looked at again.
    struct Ending(SnapshotMemory, SnapshotMemory, Cell<bool>);

    impl TargetMemory for Ending {
        fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
            let ended = self.2.replace(self.2.get() || address == 0x31_0000);
            match ended {
                false => self.0.read(address, buffer),
                true => self.1.read(address, buffer),
            }
        }
    }

    #[test]
    fn an_element_that_ends_while_it_is_looked_at_does_not_count() {
        let (before, _) = vm([0x13, 0xdead]);
        let (mut after, _) = vm([0x13, 0xdead]);
        let memory = |after| Ending(before.clone(), after, Cell::new(false));
        assert!(!holds(
            &memory(after.clone()),
            0x10000,
            ElementKind::Process
        ));
        let mut slots = vec![0u64; 4096];
        slots[3] = 0x30_0000;
        after.map_words(0x20_0000, &slots);
        assert!(holds(&memory(after), 0x10000, ElementKind::Process));
    }

    #[test]
    fn an_element_listed_twice_began_anew_while_the_list_was_read() {
        let (mut memory, image) = vm([0x13, 0x23]);
        let mut slots = vec![0u64; 4096];
        (slots[3], slots[900]) = (0x30_0000, 0x30_0000);
        memory.map_words(0x20_0000, &slots);
        assert_eq!(candidates(&memory, &image, ElementKind::Process), [0x10000]);
    }

    #[test]
    fn mixed_or_equal_identifiers_are_no_table() {
        for ids in [[0x13, 0x27], [0x13, 0x13]] {
            let (memory, image) = vm(ids);
            assert!(candidates(&memory, &image, ElementKind::Process).is_empty());
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(
            words in prop::collection::vec(prop_oneof![1u64..2048, 0x10000u64..0x10200, any::<u64>()], 64),
        ) {
            let mut memory = SnapshotMemory::new();
            memory.map_words(0x10000, &words);
            let ranges = ImageRanges {
                variables: vec![(0x10000, 0x10000 + 64 * 8)],
                ..ImageRanges::default()
            };
            let image = EmulatorImage::read(&memory, &ranges).unwrap();
            for kind in [ElementKind::Process, ElementKind::Port] {
                let _ = candidates(&memory, &image, kind);
            }
            let _ = element_bytes(&memory, 0x10000);
        }
    }
}
