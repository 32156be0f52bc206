//! Where the JIT's list of loaded code is.
//!
//! `__jit_debug_descriptor` is {u32 1, u32 action, entry *relevant, entry *first}. Three words of
//! variables look like it now and then; only the real one leads to a chain of descriptions with
//! the emulator's own record among them.

use retry::Retry;
use shared_sort::SharedSort;
use target_memory::{TargetMemory, u64_at};

use vm_code::blob::{Blob, parse_blob};
use vm_code::descriptor::Descriptor;
use vm_layout::emulator_image::{EmulatorImage, is_pointer};

use crate::same_length::read_all;

/// No action, registering, unregistering.
const LAST_ACTION: u64 = 2;
/// 32 bytes on every release known; modules take far more.
const MAX_EMULATOR_RECORD_BYTES: u64 = 64;
const BLOB_BYTES: std::ops::RangeInclusive<u64> = 32..=64 << 20;

/// Places that are looked at together.
const READ_AT_ONCE: usize = 512;
/// How often a place is looked at again that was just being changed.
const WHILE_IT_CHANGES: Retry = Retry::attempts(3);

/// Addresses that hold a complete list of code.
pub(crate) fn candidates(memory: &impl TargetMemory, image: &EmulatorImage) -> Vec<u64> {
    let places: Vec<u64> = image
        .words()
        .filter(|(_, word)| word & 0xffff_ffff == 1 && word >> 32 <= LAST_ACTION)
        .filter(|(address, _)| {
            let word = |offset| image.word_at(address.wrapping_add(offset));
            word(8).is_some_and(|relevant| relevant == 0 || is_pointer(relevant, 8))
                && word(16).is_some_and(|first| is_pointer(first, 8))
        })
        .map(|(address, _)| address)
        .collect();
    let mut found: Vec<u64> = places
        .chunks(READ_AT_ONCE)
        .flat_map(|places| that_lead_to_entry(memory, places))
        .collect();
    found.shared_sort();
    found.retain(|address| {
        let descriptor = Descriptor { address: *address };
        WHILE_IT_CHANGES.until(|| has_emulator_record(memory, descriptor))
    });
    found
}

/// Those of `places` that lead to an entry. The one that was first when the variables were read may be gone by
/// now: while modules are loaded there is another every few milliseconds.
fn that_lead_to_entry(memory: &impl TargetMemory, places: &[u64]) -> Vec<u64> {
    let mut left = places.to_vec();
    let mut found = Vec::new();
    WHILE_IT_CHANGES.until(|| {
        let firsts = words_at(memory, left.iter().map(|place| place.wrapping_add(16)));
        let firsts = firsts.into_iter().map(Option::unwrap_or_default);
        let is_led = are_entries(memory, firsts);
        let mut is_led = is_led.into_iter();
        left.retain(|place| {
            let is_found = is_led.next().unwrap_or(false);
            found.extend(is_found.then_some(*place));
            !is_found
        });
        left.is_empty()
    });
    found
}

/// Which of some addresses hold an entry of the list.
fn are_entries(memory: &impl TargetMemory, addresses: impl Iterator<Item = u64>) -> Vec<bool> {
    const ENTRY_BYTES: usize = 32;
    let blobs = read_all(memory, addresses, ENTRY_BYTES).into_iter();
    let blobs: Vec<u64> = blobs
        .map(|entry| {
            let entry = entry.as_deref().unwrap_or_default();
            let (blob, bytes) = (u64_at(entry, 16), u64_at(entry, 24));
            // Nothing is at 0.
            let bytes = bytes.filter(|bytes| BLOB_BYTES.contains(bytes));
            bytes.and(blob).unwrap_or(0)
        })
        .collect();
    let kinds = words_at(memory, blobs.into_iter());
    kinds
        .into_iter()
        .map(|head| head.is_some_and(|head| head & 0xffff_ffff <= 1))
        .collect()
}

fn words_at(memory: &impl TargetMemory, addresses: impl Iterator<Item = u64>) -> Vec<Option<u64>> {
    let words = read_all(memory, addresses, 8).into_iter();
    words.map(|word| u64_at(&word?, 0)).collect()
}

fn has_emulator_record(memory: &impl TargetMemory, descriptor: Descriptor) -> bool {
    let Ok(mut entries) = descriptor.entries(memory, &[]) else {
        return false;
    };
    entries.retain(|entry| entry.blob_bytes <= MAX_EMULATOR_RECORD_BYTES);
    let mut is_there = false;
    let read = descriptor.each_blob(memory, &entries, |_, blob| {
        is_there |=
            matches!(parse_blob(blob), Ok(Blob::Emulator { normal_exit, .. }) if normal_exit != 0);
        Ok(())
    });
    is_there && read.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted_memory::CountedMemory;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;
    use vm_layout::emulator_image::ImageRanges;

    fn vm(variables: &[u64]) -> (SnapshotMemory, EmulatorImage) {
        let mut memory = SnapshotMemory::new();
        memory
            .map_words(0x100_0000, variables)
            // A list of one: the emulator's record.
            .map_words(0x20_0000, &[0, 0, 0x21_0000, 32])
            .map_words(0x21_0000, &[0, 0, 0xe417, 0])
            // A list without one.
            .map_words(0x22_0000, &[0, 0, 0x23_0000, 32])
            .map_words(0x23_0000, &[1, 0, 0, 0]);
        let ranges = ImageRanges {
            variables: vec![(0x100_0000, 0x100_0000 + variables.len() as u64 * 8)],
            ..ImageRanges::default()
        };
        let image = EmulatorImage::read(&memory, &ranges).unwrap();
        (memory, image)
    }

    #[test]
    fn only_the_list_with_the_emulators_record_is_it() {
        let (memory, image) = vm(&[
            1,
            0,
            0x22_0000,
            9,
            1 | 1 << 32,
            0,
            0x20_0000,
            1,
            0,
            0x66_0000,
        ]);
        assert_eq!(candidates(&memory, &image), [0x100_0020]);
    }

    #[test]
    fn places_that_only_look_like_it_take_a_few_calls_together() {
        let like_it = |index: u64| [1, 0, 0x30_0000 + index * 64];
        let mut variables: Vec<u64> = (0..300).flat_map(like_it).collect();
        variables.extend([1, 0, 0x20_0000]);
        let (mut memory, image) = vm(&variables);
        // The memory they lead to is there, and no entry.
        memory.map(0x30_0000, vec![0; 300 * 64]);
        let memory = CountedMemory::new(memory);
        assert_eq!(candidates(&memory, &image), [0x100_0000 + 900 * 8]);
        let calls = memory.take_calls();
        assert!(calls < 40, "{calls}");
    }

    #[test]
    fn two_lists_are_two_candidates() {
        let (memory, image) = vm(&[1, 0, 0x20_0000, 1, 0, 0x20_0000]);
        assert_eq!(candidates(&memory, &image).len(), 2);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(
            words in prop::collection::vec(prop_oneof![0u64..3, 0x100_0000u64..0x100_0200, any::<u64>()], 0..64),
        ) {
            let (memory, image) = vm(&words);
            let _ = candidates(&memory, &image);
        }
    }
}
