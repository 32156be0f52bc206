//! A copy of the blocks that a process's heap is made of.

use target_memory::{
    BudgetSpent, Held, HeldBytes, ReadError, ReadErrorKind, TargetMemory, address_at, u64_at,
};
use thiserror::Error;
use vm_layout::messages::{FRAGMENT_NEXT, FRAGMENT_USED, FRAGMENT_WORDS};
use vm_processes::Entry;

const WHAT: &str = "heap";
/// Fragments of one heap.
const MAX_FRAGMENTS: usize = 10_000;
/// The longest stack that is looked at.
const MAX_STACK_BYTES: u64 = 64 << 20;

/// Why there is no copy.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CopyError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is larger than what is held of one VM.
    #[error("its heap is too large to be copied: {0}")]
    TooLarge(BudgetSpent),
    /// Its fragments are more than any heap has.
    #[error("its heap has more than {MAX_FRAGMENTS} fragments")]
    TooManyFragments,
    /// Its stack is longer than what is looked at: what only the rest of it refers to would be taken for garbage.
    #[error("its stack is longer than {} MiB", MAX_STACK_BYTES >> 20)]
    StackTooLong,
    /// So is its dictionary; or one of its lists of keys that share a slot has no end.
    #[error("its dictionary is longer than what is looked through")]
    DictionaryTooLong,
    /// So is its mailbox.
    #[error("more messages wait for it than are looked through")]
    MailboxTooLong,
}

/// Consecutive words of a heap.
#[derive(Debug)]
pub(crate) struct Block {
    pub start: u64,
    pub bytes: HeldBytes,
}

/// The heap of a process, its stack, and what else a collection begins with. It is whole when the process
/// rested from before it was taken until after.
#[derive(Debug)]
pub struct HeapCopy {
    pub(crate) blocks: Vec<Block>,
    pub(crate) stack: HeldBytes,
    /// What following terms in it may take.
    _room: Held,
}

/// A word of a copy: which block, and which word of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At {
    pub block: usize,
    pub index: usize,
}

impl HeapCopy {
    /// Copies what `entry` says is the heap of a process.
    ///
    /// # Errors
    /// It cannot be read, or is larger than may be held.
    pub fn take(memory: &impl TargetMemory, entry: &Entry) -> Result<Self, CopyError> {
        let mut blocks = Vec::new();
        for (start, end) in [(entry.heap, entry.htop), (entry.old_heap, entry.old_htop)] {
            blocks.extend(block(memory, start, end.saturating_sub(start))?);
        }
        let mut fragment = entry.fragments;
        for count in 0.. {
            if fragment == 0 {
                break;
            }
            if count >= MAX_FRAGMENTS {
                return Err(CopyError::TooManyFragments);
            }
            let used = memory.read_u64_at(fragment, FRAGMENT_USED as u64)?;
            let first = address_at(fragment, FRAGMENT_WORDS as u64)?;
            blocks.extend(block(memory, first, used.saturating_mul(8))?);
            fragment = memory.read_u64_at(fragment, FRAGMENT_NEXT as u64)?;
        }
        let stack_bytes = entry.hend.saturating_sub(entry.stop);
        if stack_bytes > MAX_STACK_BYTES {
            return Err(CopyError::StackTooLong);
        }
        let stack = read(memory, entry.stop, stack_bytes)?;
        let all: usize = blocks.iter().map(|block| block.bytes.len()).sum();
        // For each word whether it was seen, and what is still to be followed, which is little but for terms that are
        // nested very deep.
        let room = memory.budget().hold(WHAT, all / 4 + all / 8);
        blocks.sort_unstable_by_key(|block| block.start);
        Ok(Self {
            blocks,
            stack,
            _room: room.map_err(CopyError::TooLarge)?,
        })
    }

    /// Where an address is in the copy; `None` when it is not of this heap.
    pub(crate) fn find(&self, address: u64) -> Option<At> {
        let after = self.blocks.partition_point(|block| block.start <= address);
        let block = after.checked_sub(1)?;
        let offset = address.checked_sub(self.blocks.get(block)?.start)?;
        let index = usize::try_from(offset / 8).ok()?;
        let is_inside = offset.is_multiple_of(8) && index < self.words(block);
        is_inside.then_some(At { block, index })
    }

    /// The word there.
    pub(crate) fn word(&self, at: At) -> Option<u64> {
        u64_at(&self.blocks.get(at.block)?.bytes, at.index.checked_mul(8)?)
    }

    /// Words of a block.
    pub(crate) fn words(&self, block: usize) -> usize {
        self.blocks
            .get(block)
            .map_or(0, |block| block.bytes.len() / 8)
    }
}

fn block(
    memory: &impl TargetMemory,
    start: u64,
    len_bytes: u64,
) -> Result<Option<Block>, CopyError> {
    if start == 0 || len_bytes < 8 {
        return Ok(None);
    }
    let bytes = read(memory, start, len_bytes / 8 * 8)?;
    Ok(Some(Block { start, bytes }))
}

fn read(memory: &impl TargetMemory, start: u64, len_bytes: u64) -> Result<HeldBytes, CopyError> {
    let len_bytes = usize::try_from(len_bytes).unwrap_or(usize::MAX);
    // An empty one may begin anywhere.
    let read = match len_bytes {
        0 => memory
            .budget()
            .zeros(WHAT, 0)
            .map_err(|spent| ReadError::spent(start, spent)),
        _ => memory.read_held(WHAT, start, len_bytes),
    };
    read.map_err(|error| match error.kind {
        ReadErrorKind::BudgetSpent(spent) => CopyError::TooLarge(spent),
        _ => CopyError::Read(error),
    })
}

#[cfg(test)]
mod tests;
