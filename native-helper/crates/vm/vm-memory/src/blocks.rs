//! The blocks of a carrier, for allocators that do not know which free one is the largest.
//!
//! A block begins with a word: bit 0 marks a free block, bit 2 the last one. Its length is in bits 3 to 39 when it is
//! in use, as above them is where its carrier begins, and in bits 3 to 62 when it is free.

use target_memory::{TargetMemory, u64_at};

use crate::limits::WalkLimits;

const IS_FREE: u64 = 1;
const IS_LAST: u64 = 4;
const LENGTH_IN_USE: u64 = (1 << 40) - 8;
const LENGTH_FREE: u64 = (1 << 63) - 8;
/// A header and a word at the least.
const MIN_BLOCK_BYTES: u64 = 16;

/// The largest free block of the carrier at `address`; `None` when its blocks do not add up, or when it is
/// too long to be read for that.
pub(crate) fn largest_free_of_blocks(
    memory: &impl TargetMemory,
    address: u64,
    length: u64,
    header_bytes: u64,
    limits: &mut WalkLimits,
) -> Option<u64> {
    limits.whole_bytes = limits.whole_bytes.checked_sub(length)?;
    let len_bytes = usize::try_from(length).ok()?;
    let bytes = memory.read_vec(address, len_bytes, len_bytes).ok()?;
    largest_free(&bytes, header_bytes)
}

fn largest_free(bytes: &[u8], header_bytes: u64) -> Option<u64> {
    let (mut offset, mut largest) = (header_bytes, 0);
    loop {
        let header = u64_at(bytes, usize::try_from(offset).ok()?)?;
        let is_free = header & IS_FREE != 0;
        let length = header & if is_free { LENGTH_FREE } else { LENGTH_IN_USE };
        if length < MIN_BLOCK_BYTES {
            return None;
        }
        if is_free {
            largest = largest.max(length);
        }
        offset = offset.checked_add(length)?;
        if offset > bytes.len() as u64 {
            return None;
        }
        if header & IS_LAST != 0 {
            return Some(largest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carrier(headers: &[(usize, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; 256];
        for (offset, header) in headers {
            bytes[*offset..*offset + 8].copy_from_slice(&header.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn the_largest_of_the_free_blocks_is_found() {
        // In use, with the place of its carrier in the upper bits; free; in use; free and last.
        let in_use = 0x25_0000_0000_0000 | 32;
        let blocks = carrier(&[(32, in_use), (64, 48 | 1), (112, 64), (176, 40 | 1 | 4)]);
        assert_eq!(largest_free(&blocks, 32), Some(48));
        let full = carrier(&[(32, 32), (64, 128 | 4)]);
        assert_eq!(largest_free(&full, 32), Some(0));
    }

    #[test]
    fn blocks_that_do_not_add_up_are_refused() {
        let beyond = carrier(&[(32, 512 | 1 | 4)]);
        let without_length = carrier(&[(32, 0)]);
        let without_end = carrier(&[(32, 128), (160, 88)]);
        for blocks in [beyond, without_length, without_end] {
            assert_eq!(largest_free(&blocks, 32), None);
        }
        assert_eq!(largest_free(&[0; 256], u64::MAX), None);
    }
}
