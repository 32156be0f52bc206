//! Registered names: the hash table whose name is the constant `process_reg`.
//!
//! Hash: name at 64, shift at 72, number of objects at 88, buckets at 96. A bucket holds a chain
//! of RegProc {next, hash value, Process *, Port *, name}, the same from OTP 23 to 29.

use target_memory::{TargetMemory, u64_at};

use vm_layout::derive::processes::RegisteredProcess;
use vm_layout::emulator_image::{EmulatorImage, is_pointer};

const NAME_OFFSET: u64 = 64;
const MAX_SLOTS_SHIFT: u32 = 20;
/// Longest chain that is followed.
const MAX_CHAIN: usize = 1000;
/// Entries that are looked at, ports and damaged ones included.
const MAX_LOOKS: usize = 100_000;
/// Entries that are read; a VM has some dozen.
const MAX_ENTRIES: usize = 10_000;

/// Tables of that name that hold a process.
pub(crate) fn candidates(memory: &impl TargetMemory, image: &EmulatorImage) -> Vec<u64> {
    let names = image.addresses_of_string("process_reg");
    image
        .words()
        .filter(|(_, word)| names.contains(word))
        .filter_map(|(address, _)| address.checked_sub(NAME_OFFSET))
        .filter(|address| !registered(memory, *address).is_empty())
        .collect()
}

/// The registered processes of the table at `address`; those that can be read.
pub fn registered(memory: &impl TargetMemory, address: u64) -> Vec<RegisteredProcess> {
    let (Ok(shift), Ok(buckets)) = (
        memory.read_u32(address.wrapping_add(72)),
        memory.read_u64(address.wrapping_add(96)),
    ) else {
        return Vec::new();
    };
    // The hash value is 64 bits, of which the table uses the highest.
    let Some(slots_shift) = 64u32
        .checked_sub(shift)
        .filter(|slots_shift| *slots_shift <= MAX_SLOTS_SHIFT)
    else {
        return Vec::new();
    };
    let slots_bytes = 8usize << slots_shift;
    let Ok(heads) = memory.read_vec(buckets, slots_bytes, 8 << MAX_SLOTS_SHIFT) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut looks = 0;
    for head in target_memory::bytes_to_words(&heads) {
        let mut entry = head;
        for _ in 0..MAX_CHAIN {
            let mut bytes = [0; 40];
            looks += 1;
            if looks > MAX_LOOKS {
                return found;
            }
            if !is_pointer(entry, 8) || memory.read(entry, &mut bytes).is_err() {
                break;
            }
            let word = |offset| u64_at(&bytes, offset).unwrap_or(0);
            if is_pointer(word(16), 8) && word(32) & 0x3f == 0xb {
                found.push(RegisteredProcess {
                    entry,
                    process: word(16),
                    name: word(32),
                });
            }
            if found.len() >= MAX_ENTRIES {
                return found;
            }
            entry = word(0);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;

    #[test]
    fn chains_are_followed_and_ports_left_out() {
        let mut memory = SnapshotMemory::new();
        let mut table = vec![0u64; 13];
        table[9] = 63; // two slots
        table[12] = 0x10_000;
        memory
            .map_words(0x1_0000_0000, &table)
            .map_words(0x10_000, &[0x20_000, 0])
            .map_words(0x20_000, &[0x21_000, 9, 0x30_000, 0, 0x4b])
            .map_words(0x21_000, &[0, 9, 0, 0x40_000, 0x8b]);
        assert_eq!(
            registered(&memory, 0x1_0000_0000),
            [RegisteredProcess {
                entry: 0x20_000,
                process: 0x30_000,
                name: 0x4b
            }]
        );
    }

    #[test]
    fn a_chain_that_bites_its_tail_ends() {
        let mut memory = SnapshotMemory::new();
        let mut table = vec![0u64; 13];
        table[9] = 64;
        table[12] = 0x10_000;
        memory
            .map_words(0x1_0000_0000, &table)
            .map_words(0x10_000, &[0x20_000])
            .map_words(0x20_000, &[0x20_000, 9, 0x30_000, 0, 0x4b]);
        assert_eq!(registered(&memory, 0x1_0000_0000).len(), MAX_CHAIN);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(words in prop::collection::vec(any::<u64>(), 13..40)) {
            let mut memory = SnapshotMemory::new();
            memory.map_words(0x1_0000, &words);
            let _ = registered(&memory, 0x1_0000);
        }
    }
}
