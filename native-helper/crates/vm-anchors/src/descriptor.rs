//! Where the JIT's list of loaded code is.
//!
//! `__jit_debug_descriptor` is {u32 1, u32 action, entry *relevant, entry *first}. Three words of
//! variables look like it now and then; only the real one leads to a chain of descriptions with
//! the emulator's own record among them.

use retry::Retry;
use target_memory::{TargetMemory, u32_at, u64_at};

use vm_code::blob::{Blob, parse_blob};
use vm_code::descriptor::Descriptor;
use vm_layout::emulator_image::{EmulatorImage, is_pointer};

/// No action, registering, unregistering.
const LAST_ACTION: u64 = 2;
/// 32 bytes on every release known; modules take far more.
const MAX_EMULATOR_RECORD_BYTES: u64 = 64;
const BLOB_BYTES: std::ops::RangeInclusive<u64> = 32..=64 << 20;

/// How often a place is looked at again that was just being changed.
const WHILE_IT_CHANGES: Retry = Retry::attempts(3);

/// Addresses that hold a complete list of code.
pub(crate) fn candidates(memory: &impl TargetMemory, image: &EmulatorImage) -> Vec<u64> {
    image
        .words()
        .filter(|(_, word)| word & 0xffff_ffff == 1 && word >> 32 <= LAST_ACTION)
        .filter(|(address, _)| {
            let word = |offset| image.word_at(address.wrapping_add(offset));
            word(8).is_some_and(|relevant| relevant == 0 || is_pointer(relevant, 8))
                && word(16).is_some_and(|first| is_pointer(first, 8))
                && leads_to_entry(memory, *address)
        })
        .map(|(address, _)| address)
        .filter(|address| {
            let descriptor = Descriptor { address: *address };
            WHILE_IT_CHANGES.until(|| has_emulator_record(memory, descriptor))
        })
        .collect()
}

/// The entry that was first when the variables were read may be gone by now: while modules are
/// loaded there is another every few milliseconds.
fn leads_to_entry(memory: &impl TargetMemory, descriptor: u64) -> bool {
    WHILE_IT_CHANGES.until(|| {
        memory
            .read_u64(descriptor.wrapping_add(16))
            .is_ok_and(|first| is_entry(memory, first))
    })
}

fn is_entry(memory: &impl TargetMemory, address: u64) -> bool {
    let mut entry = [0; 32];
    if memory.read(address, &mut entry).is_err() {
        return false;
    }
    let (Some(blob), Some(bytes)) = (u64_at(&entry, 16), u64_at(&entry, 24)) else {
        return false;
    };
    let mut head = [0; 8];
    BLOB_BYTES.contains(&bytes)
        && memory.read(blob, &mut head).is_ok()
        && u32_at(&head, 0).is_some_and(|kind| kind <= 1)
}

fn has_emulator_record(memory: &impl TargetMemory, descriptor: Descriptor) -> bool {
    let Ok(mut entries) = descriptor.entries(memory, &[]) else {
        return false;
    };
    entries.retain(|entry| entry.blob_bytes <= MAX_EMULATOR_RECORD_BYTES);
    let Ok(blobs) = descriptor.blobs(memory, &entries) else {
        return false;
    };
    blobs.iter().any(|blob| {
        matches!(parse_blob(blob), Ok(Blob::Emulator { normal_exit, .. }) if normal_exit != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
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
