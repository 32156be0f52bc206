//! The variable that counts the schedulers online: the only one with such contents.

use vm_layout::emulator_image::EmulatorImage;
use vm_layout::scheduling::BYTES;
use vm_tables::scheduling::{SchedulerNumbers, is_scheduling};

/// Places among the variables that can be it.
pub(crate) fn candidates(image: &EmulatorImage, all: &SchedulerNumbers) -> Vec<u64> {
    let counters = u64::from(all.dirty_io);
    let mut found = Vec::new();
    for (address, word) in image.words() {
        // The third counter, in the lower half of the second word.
        if word & 0xffff_ffff != counters {
            continue;
        }
        let Some(first) = address.checked_sub(8) else {
            continue;
        };
        let mut bytes = [0; BYTES];
        let is_whole = bytes.chunks_exact_mut(8).zip(0_u64..).all(|(to, index)| {
            let word = image.word_at(first.wrapping_add(index * 8));
            word.map(|word| to.copy_from_slice(&word.to_le_bytes()))
                .is_some()
        });
        if is_whole && is_scheduling(&bytes, all) {
            found.push(first);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_memory::SnapshotMemory;
    use vm_layout::emulator_image::ImageRanges;
    use vm_layout::scheduling::ATOM_FALSE;

    #[test]
    fn the_only_place_with_such_contents_is_it() {
        // As Debian 12's `erl +S 4 +SDcpu 4:4` has it with one scheduler online.
        let pair = |low: u64, high: u64| low | high << 32;
        let variable = [
            pair(1, 1),
            pair(10, 1),
            pair(1, 10),
            pair(1, 1),
            pair(10, 0),
            0,
            ATOM_FALSE,
            0,
            0,
            0,
            0,
            0,
            0,
            2,
        ];
        let all = SchedulerNumbers {
            normal: 4,
            dirty_cpu: 4,
            dirty_io: 10,
        };
        let found = |words: &[u64], all: &SchedulerNumbers| {
            let mut memory = SnapshotMemory::new();
            memory.map_words(0x10_000, words);
            let ranges = ImageRanges {
                variables: vec![(0x10_000, 0x10_000 + words.len() as u64 * 8)],
                ..ImageRanges::default()
            };
            candidates(&EmulatorImage::read(&memory, &ranges).unwrap(), all)
        };
        let mutex = [0; 5];
        let once = [&mutex[..], &variable, &[10, 10, 10]].concat();
        assert_eq!(found(&once, &all), [0x10_028]);
        let twice = [&variable[..], &variable].concat();
        assert_eq!(found(&twice, &all).len(), 2);
        let other = SchedulerNumbers { dirty_io: 9, ..all };
        assert!(found(&once, &other).is_empty());
        // At the very end, and a counter at the very beginning.
        assert!(found(&once[..15], &all).is_empty());
        assert!(found(&[10], &all).is_empty());
    }
}
