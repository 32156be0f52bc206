//! Through the blocks of a carrier, from header to header.
//!
//! The bytes between headers are not read: a block longer than one read is stepped over. Blocks that change during the
//! walk do not add up; then the carrier does not count as walked.

use target_memory::{TargetMemory, address_at, u64_at};

const IS_FREE: u64 = 1;
const IS_LAST: u64 = 4;
/// All of these: the only block of its carrier.
const IS_ONLY: u64 = 7;
const HAS_TAG: u64 = 1 << 63;
const LENGTH_IN_USE: u64 = (1 << 40) - 8;
const LENGTH_FREE: u64 = (1 << 63) - 8;
/// A header and a word at the least.
const MIN_BLOCK_BYTES: u64 = 16;
/// Read at once.
const WINDOW_BYTES: u64 = 32 << 10;
/// What a block ends with that is read along with the header of the next one.
const END_BYTES: u64 = 16;

/// How much a walk may read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockLimits {
    /// Blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
}

/// A block that is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    /// With its header.
    pub bytes: u64,
    /// Its last two words, where its header shows a tag.
    pub end: Option<[u64; 2]>,
}

/// The blocks in use of the carrier with many at `address`, when all of it adds up.
pub(crate) fn blocks_of_many(
    memory: &impl TargetMemory,
    address: u64,
    length: u64,
    header_bytes: u64,
    limits: &mut BlockLimits,
) -> Option<Vec<Block>> {
    let mut window = Window::of(memory, address, length);
    let mut blocks = Vec::new();
    let mut offset = header_bytes;
    loop {
        limits.blocks = limits.blocks.checked_sub(1)?;
        let header = window.word(offset, limits)?;
        let is_free = header & IS_FREE != 0;
        let bytes = header & if is_free { LENGTH_FREE } else { LENGTH_IN_USE };
        let end = offset.checked_add(bytes)?;
        if bytes < MIN_BLOCK_BYTES || end > length {
            return None;
        }
        if !is_free {
            let words = [
                window.word(end - END_BYTES, limits)?,
                window.word(end - 8, limits)?,
            ];
            blocks.push(Block {
                bytes,
                end: (header & HAS_TAG != 0).then_some(words),
            });
        }
        if header & IS_LAST != 0 {
            return Some(blocks);
        }
        offset = end;
    }
}

/// The block of a carrier with one.
pub(crate) fn only_block(
    memory: &impl TargetMemory,
    address: u64,
    length: u64,
    header_bytes: u64,
    limits: &mut BlockLimits,
) -> Option<Block> {
    limits.blocks = limits.blocks.checked_sub(1)?;
    let mut window = Window::of(memory, address, length);
    let header = window.word(header_bytes, limits)?;
    let bytes = header & LENGTH_FREE;
    let end = header_bytes.checked_add(bytes)?;
    if header & IS_ONLY != IS_ONLY || bytes < MIN_BLOCK_BYTES || end > length {
        return None;
    }
    let words = [
        window.word(end - END_BYTES, limits)?,
        window.word(end - 8, limits)?,
    ];
    Some(Block {
        bytes,
        end: (header & HAS_TAG != 0).then_some(words),
    })
}

/// The part of a carrier that was read last.
struct Window<'m, M> {
    memory: &'m M,
    address: u64,
    length: u64,
    start: u64,
    bytes: Vec<u8>,
}

impl<'m, M: TargetMemory> Window<'m, M> {
    fn of(memory: &'m M, address: u64, length: u64) -> Self {
        Self {
            memory,
            address,
            length,
            start: 0,
            bytes: Vec::new(),
        }
    }

    /// The word so far behind the start of the carrier.
    fn word(&mut self, offset: u64, limits: &mut BlockLimits) -> Option<u64> {
        if let Some(word) = self.read_word(offset) {
            return Some(word);
        }
        let len_bytes = self.length.checked_sub(offset)?.min(WINDOW_BYTES);
        limits.bytes = limits.bytes.checked_sub(len_bytes)?;
        let wanted = usize::try_from(len_bytes).ok()?;
        let address = address_at(self.address, offset).ok()?;
        self.bytes = self.memory.read_vec(address, wanted, wanted).ok()?;
        self.start = offset;
        self.read_word(offset)
    }

    fn read_word(&self, offset: u64) -> Option<u64> {
        let within = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        u64_at(&self.bytes, within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_memory::SnapshotMemory;

    const AT: u64 = 0x10_0000;
    const ALL: BlockLimits = BlockLimits {
        blocks: 100,
        bytes: 1 << 30,
    };

    fn carrier(length: usize, words: &[(usize, u64)]) -> SnapshotMemory {
        let mut bytes = vec![0; length];
        for (offset, word) in words {
            bytes[*offset..*offset + 8].copy_from_slice(&word.to_le_bytes());
        }
        let mut memory = SnapshotMemory::new();
        memory.map(AT, bytes);
        memory
    }

    fn walked(memory: &SnapshotMemory, length: u64, mut limits: BlockLimits) -> Option<Vec<Block>> {
        blocks_of_many(memory, AT, length, 32, &mut limits)
    }

    #[test]
    fn blocks_in_use_are_found_with_their_tags_however_far_apart() {
        // In use with a tag and the place of its carrier in the upper bits; free; long and in use; last.
        let long = 300_000;
        let length = 32 + 48 + 64 + long + 32;
        let memory = carrier(
            length,
            &[
                (32, HAS_TAG | 5 << 40 | 48),
                (64, 11),
                (72, 12),
                (80, 64 | 1),
                (144, HAS_TAG | long as u64),
                (144 + long - 16, 21),
                (144 + long - 8, 22),
                (144 + long, 32 | 4),
            ],
        );
        let block = |bytes, end| Block { bytes, end };
        assert_eq!(
            walked(&memory, length as u64, ALL).unwrap(),
            [
                block(48, Some([11, 12])),
                block(long as u64, Some([21, 22])),
                block(32, None)
            ]
        );
        let few = BlockLimits { blocks: 3, ..ALL };
        assert_eq!(walked(&memory, length as u64, few), None);
        let short = BlockLimits {
            bytes: 32 << 10,
            ..ALL
        };
        assert_eq!(walked(&memory, length as u64, short), None);
    }

    #[test]
    fn blocks_that_do_not_add_up_are_none() {
        for words in [
            [(32, 512 | 4)],
            [(32, 0)],
            [(32, 128)],
            [(32, LENGTH_IN_USE | 4)],
            [(32, LENGTH_FREE | 5)],
        ] {
            assert_eq!(walked(&carrier(256, &words), 256, ALL), None);
        }
        assert_eq!(walked(&carrier(256, &[]), 8, ALL), None);
        assert_eq!(walked(&SnapshotMemory::new(), 256, ALL), None);
    }

    #[test]
    fn the_only_block_is_marked_as_such() {
        let memory = carrier(4096, &[(32, HAS_TAG | 4000 | 7), (4016, 1), (4024, 2)]);
        let found = only_block(&memory, AT, 4096, 32, &mut { ALL });
        assert_eq!(
            found,
            Some(Block {
                bytes: 4000,
                end: Some([1, 2])
            })
        );
        for header in [4000 | 3, 5000 | 7, 7] {
            let memory = carrier(4096, &[(32, header)]);
            assert_eq!(only_block(&memory, AT, 4096, 32, &mut { ALL }), None);
        }
    }
}
