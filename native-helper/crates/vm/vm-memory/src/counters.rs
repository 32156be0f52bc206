//! How much is in an ETS table that counts on many cache lines, for many writers.
//!
//! Its pointer leads into a block of the VM's allocators, whose header word contains the block's length (bits 3 to 39);
//! behind a pointer to the block and a word of state each line has two counts. The number of lines depends on how the
//! VM was started, so it is derived from the block's length.

use target_memory::{TargetMemory, address_at, u64_at};
use vm_layout::emulator_image::is_pointer;
use vm_layout::ets::{COUNTERS_HEAD_BYTES, COUNTERS_LINE_BYTES};

/// Bits of a block's header that are its length.
const LENGTH: u64 = (1 << 40) - 8;
const HEADER_BYTES: u64 = 8;
/// Lines are aligned inside of their block.
const MAX_ALIGNMENT_BYTES: u64 = COUNTERS_LINE_BYTES as u64;
/// One for each scheduler and one more.
const MAX_LINES: u64 = 1026;

/// Objects and bytes, by the counters at `counters`; `None` when there are none.
pub(crate) fn counts(memory: &impl TargetMemory, counters: u64) -> Option<(u64, u64)> {
    if !is_pointer(counters, 8) {
        return None;
    }
    let block = memory.read_u64(counters).ok()?;
    let before = counters.checked_sub(block)?;
    if before > MAX_ALIGNMENT_BYTES {
        return None;
    }
    let header = memory.read_u64(block.checked_sub(HEADER_BYTES)?).ok()?;
    let usable = (header & LENGTH)
        .checked_sub(HEADER_BYTES + COUNTERS_HEAD_BYTES as u64 + MAX_ALIGNMENT_BYTES)?;
    let lines = usable / COUNTERS_LINE_BYTES as u64;
    if !(1..=MAX_LINES).contains(&lines) {
        return None;
    }
    let first = address_at(counters, COUNTERS_HEAD_BYTES as u64).ok()?;
    let most_bytes = MAX_LINES as usize * COUNTERS_LINE_BYTES;
    let bytes = memory
        .read_vec(first, lines as usize * COUNTERS_LINE_BYTES, most_bytes)
        .ok()?;
    let sum = |offset| {
        let of_lines = bytes.chunks_exact(COUNTERS_LINE_BYTES);
        // What one writer has added another may take away: single lines can be below zero.
        of_lines.fold(0_i64, |sum, line| {
            sum.wrapping_add(u64_at(line, offset).unwrap_or(0).cast_signed())
        })
    };
    let count = |offset| u64::try_from(sum(offset)).ok();
    Some((count(0)?, count(8)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_memory::SnapshotMemory;

    /// Counters of `lines` at 0x10040, in a block at 0x10008 of the length that these take.
    fn counters(lines: &[(i64, i64)]) -> SnapshotMemory {
        let length = 8 + 16 + 64 + 64 * lines.len() as u64;
        let mut words = vec![length | 5 << 40, 0, 0, 0, 0, 0, 0, 0, 0x10_008, 7];
        for (items, bytes) in lines {
            words.extend([
                items.cast_unsigned(),
                bytes.cast_unsigned(),
                9,
                9,
                9,
                9,
                9,
                9,
            ]);
        }
        let mut memory = SnapshotMemory::new();
        memory.map_words(0x10_000, &words);
        memory
    }

    #[test]
    fn all_lines_are_added_up_whatever_is_in_one() {
        let memory = counters(&[(5, 500), (-2, -100), (0, 40)]);
        assert_eq!(counts(&memory, 0x10_040), Some((3, 440)));
    }

    #[test]
    fn what_is_not_such_a_block_is_refused() {
        assert_eq!(counts(&counters(&[(-1, 0)]), 0x10_040), None, "below zero");
        assert_eq!(counts(&counters(&[(1, 1)]), 0x10_044), None, "not aligned");
        assert_eq!(counts(&counters(&[]), 0x10_040), None, "no line");
        assert_eq!(counts(&SnapshotMemory::new(), 0x10_040), None);
        let mut elsewhere = counters(&[(1, 1)]);
        elsewhere.map_words(0x10_000, &[152, 0, 0, 0, 0, 0, 0, 0, 0x20_000, 7, 1, 1]);
        assert_eq!(counts(&elsewhere, 0x10_040), None, "another block");
    }
}
