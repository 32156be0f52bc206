//! The blocks that a process's heap is made of, read a page at a time.

mod pages;

use std::cell::{Cell, RefCell};

use shared_sort::SharedSort;
use target_memory::{
    BudgetSpent, HeldBytes, ReadError, ReadErrorKind, TargetMemory, address_at, u64_at,
};
use thiserror::Error;
use vm_layout::messages::{FRAGMENT_NEXT, FRAGMENT_USED, FRAGMENT_WORDS};
use vm_processes::Entry;

use pages::{PAGE_WORDS, Pages};

/// Fragments of one heap.
const MAX_FRAGMENTS: usize = 10_000;
/// The longest stack that is looked at.
const MAX_STACK_BYTES: u64 = 64 << 20;
/// The largest heap that is looked at: each of its words has a number of 32 bits.
const MAX_HEAP_BYTES: u64 = 4 << 30;
/// Bytes held of a heap at a time. A larger one has pages that are read more than once.
const HELD_BYTES: usize = 384 << 20;

/// Why a heap cannot be looked through.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CopyError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is larger than any that is looked through.
    #[error(
        "{} MiB of it are in use, and heaps of up to {} MiB are looked through",
        .0.div_ceil(1 << 20), MAX_HEAP_BYTES >> 20
    )]
    TooLarge(u64),
    /// There is no room for its stack.
    #[error("there is no room for its stack: {0}")]
    NoRoom(BudgetSpent),
    /// Its fragments are more than any heap has.
    #[error("its heap has more than {MAX_FRAGMENTS} fragments")]
    TooManyFragments,
    /// Its stack is longer than the part that is read: terms with references only from the rest would be taken for
    /// garbage.
    #[error("its stack is longer than {} MiB", MAX_STACK_BYTES >> 20)]
    StackTooLong,
    /// So is its dictionary; or one of its lists of keys that share a slot has no end.
    #[error("its dictionary is longer than the part that is read")]
    DictionaryTooLong,
    /// Its terms are nested so deep that there is no room to follow them.
    #[error("its terms are nested deeper than is followed")]
    TooDeep,
    /// [`Watch`] ended it.
    #[error("it was ended")]
    Ended,
}

/// Gets, each time a page of a heap is read, how many words were looked at and of how many: each word twice. The look
/// ends with `false`.
pub type Watch<'w> = dyn Fn(u64, u64) -> bool + 'w;

/// Consecutive words of a heap.
#[derive(Debug)]
pub(crate) struct Block {
    pub start: u64,
    pub words: usize,
    /// Words of the blocks before it.
    first: usize,
    /// Pages of the blocks before it.
    first_page: usize,
}

/// The heap of a process, its stack, and the other roots of a collection. It is whole when the process rested from
/// before it was taken until it was looked through, and [`Self::fault`] has none. The stack is copied, the heap read on
/// request, and the most recently requested pages are held.
pub struct HeapCopy<'m> {
    memory: &'m dyn TargetMemory,
    watch: &'m Watch<'m>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) stack: HeldBytes,
    pages: RefCell<Pages>,
    fault: RefCell<Option<CopyError>>,
    looked_at: Cell<u64>,
}

/// A word of a heap: which block, and which word of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At {
    pub block: usize,
    pub index: usize,
}

impl<'m> HeapCopy<'m> {
    /// The heap of a process, as `entry` describes it.
    ///
    /// # Errors
    /// Where its parts are cannot be read, its stack cannot, or it is larger than any that is looked through.
    pub fn take(
        memory: &'m dyn TargetMemory,
        entry: &Entry,
        watch: &'m Watch<'m>,
    ) -> Result<Self, CopyError> {
        Self::holding(memory, entry, watch, HELD_BYTES)
    }

    fn holding(
        memory: &'m dyn TargetMemory,
        entry: &Entry,
        watch: &'m Watch<'m>,
        held_bytes: usize,
    ) -> Result<Self, CopyError> {
        let stack_bytes = entry.hend.saturating_sub(entry.stop);
        if stack_bytes > MAX_STACK_BYTES {
            return Err(CopyError::StackTooLong);
        }
        let stack = read(memory, entry.stop, stack_bytes)?;
        let blocks = blocks_of(memory, entry)?;
        let pages = blocks.last().map_or(0, |block| {
            block.first_page + block.words.div_ceil(PAGE_WORDS)
        });
        Ok(Self {
            memory,
            watch,
            blocks,
            stack,
            pages: RefCell::new(Pages::of(pages, held_bytes)),
            fault: RefCell::new(None),
            looked_at: Cell::new(0),
        })
    }

    /// Why it was not looked through to its end; words are missing from then on.
    pub fn fault(&self) -> Option<CopyError> {
        self.fault.borrow().clone()
    }

    /// Gives it up; the first reason counts.
    pub(crate) fn give_up(&self, why: CopyError) {
        self.fault.borrow_mut().get_or_insert(why);
    }

    /// Adds to the words that were looked at, which [`Watch`] gets.
    pub(crate) fn note(&self, words: usize) {
        self.looked_at.set(self.looked_at.get() + words as u64);
    }

    /// Where an address is in the heap; `None` when it is not of it.
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
        let block = self.blocks.get(at.block)?;
        if at.index >= block.words {
            return None;
        }
        let page = at.index / PAGE_WORDS;
        let offset = at.index % PAGE_WORDS * 8;
        let mut pages = self.pages.borrow_mut();
        if let Some(bytes) = pages.page(block.first_page + page) {
            return u64_at(bytes, offset);
        }
        if self.fault.borrow().is_some() {
            return None;
        }
        if !(self.watch)(self.looked_at.get(), 2 * self.all_words() as u64) {
            self.give_up(CopyError::Ended);
            return None;
        }
        let first = page * PAGE_WORDS;
        let len_bytes = (block.words - first).min(PAGE_WORDS) * 8;
        let start = block.start.checked_add(first as u64 * 8)?;
        let read = pages.bring(block.first_page + page, len_bytes, |bytes| {
            self.memory.read(start, bytes)
        });
        match read {
            Ok(bytes) => u64_at(bytes, offset),
            Err(error) => {
                self.give_up(CopyError::Read(error));
                None
            }
        }
    }

    /// Words of a block.
    pub(crate) fn words(&self, block: usize) -> usize {
        self.blocks.get(block).map_or(0, |block| block.words)
    }

    /// Words of all blocks.
    pub(crate) fn all_words(&self) -> usize {
        self.blocks
            .last()
            .map_or(0, |block| block.first + block.words)
    }

    /// The number of a word among those of all blocks.
    pub(crate) fn number(&self, at: At) -> usize {
        self.blocks
            .get(at.block)
            .map_or(0, |block| block.first.saturating_add(at.index))
    }

    /// The word with that number.
    pub(crate) fn numbered(&self, number: usize) -> At {
        let after = self.blocks.partition_point(|block| block.first <= number);
        let block = after.saturating_sub(1);
        let first = self.blocks.get(block).map_or(0, |block| block.first);
        At {
            block,
            index: number - first.min(number),
        }
    }
}

/// The blocks by address, without their content.
fn blocks_of(memory: &dyn TargetMemory, entry: &Entry) -> Result<Vec<Block>, CopyError> {
    let mut blocks = Vec::new();
    let mut all_bytes = 0u64;
    let mut add = |start: u64, len_bytes: u64| {
        all_bytes = all_bytes.saturating_add(len_bytes);
        if all_bytes > MAX_HEAP_BYTES {
            return Err(CopyError::TooLarge(all_bytes));
        }
        // As many bytes as fit into 32 bits, and one more.
        let words = (len_bytes / 8) as usize;
        if start != 0 && words > 0 {
            address_at(start, len_bytes / 8 * 8 - 1)?;
            blocks.push(Block {
                start,
                words,
                first: 0,
                first_page: 0,
            });
        }
        Ok(())
    };
    // For a heap that is too large, both parts are reported.
    let of = |start: u64, end: u64| end.saturating_sub(start);
    let (young, old) = (
        of(entry.heap, entry.htop),
        of(entry.old_heap, entry.old_htop),
    );
    let old = if entry.old_heap == 0 { 0 } else { old };
    if young.saturating_add(old) > MAX_HEAP_BYTES {
        return Err(CopyError::TooLarge(young.saturating_add(old)));
    }
    add(entry.heap, young)?;
    add(entry.old_heap, old)?;
    let mut fragment = entry.fragments;
    for count in 0.. {
        if fragment == 0 {
            break;
        }
        if count >= MAX_FRAGMENTS {
            return Err(CopyError::TooManyFragments);
        }
        let used = memory.read_u64_at(fragment, FRAGMENT_USED as u64)?;
        add(
            address_at(fragment, FRAGMENT_WORDS as u64)?,
            used.saturating_mul(8),
        )?;
        fragment = memory.read_u64_at(fragment, FRAGMENT_NEXT as u64)?;
    }
    blocks.shared_sort_by_key(|block| block.start);
    let (mut first, mut first_page) = (0, 0);
    for block in &mut blocks {
        (block.first, block.first_page) = (first, first_page);
        first += block.words;
        first_page += block.words.div_ceil(PAGE_WORDS);
    }
    Ok(blocks)
}

fn read(memory: &dyn TargetMemory, start: u64, len_bytes: u64) -> Result<HeldBytes, CopyError> {
    // It has a limit that fits.
    let len_bytes = len_bytes as usize;
    // An empty one may begin anywhere.
    let read = match len_bytes {
        0 => memory
            .budget()
            .zeros("stack", 0)
            .map_err(|spent| ReadError::spent(start, spent)),
        _ => memory.read_held("stack", start, len_bytes),
    };
    read.map_err(|error| match error.kind {
        ReadErrorKind::BudgetSpent(spent) => CopyError::NoRoom(spent),
        _ => CopyError::Read(error),
    })
}

#[cfg(test)]
mod tests;
