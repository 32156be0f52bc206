//! Thread control blocks: how each C library begins them.

use std::collections::BTreeSet;

use target_memory::{TargetMemory, u64_at};
use vm_layout::emulator_image::is_pointer;

use crate::same_length::read_all;

/// glibc aligns them to more, musl to a word.
const THREAD_ALIGN: u64 = 8;
/// What of a thread control block is looked at.
const THREAD_BYTES: usize = 32;
/// Blocks that are read together.
const READ_AT_ONCE: usize = 512;

/// Those of `words` that lead to a thread control block.
pub(super) fn threads_among(
    memory: &impl TargetMemory,
    words: impl Iterator<Item = u64>,
) -> BTreeSet<u64> {
    let pointers: BTreeSet<u64> = words
        .filter(|word| is_pointer(*word, THREAD_ALIGN))
        .collect();
    let pointers: Vec<u64> = pointers.into_iter().collect();
    let mut threads = BTreeSet::new();
    for pointers in pointers.chunks(READ_AT_ONCE) {
        let blocks = read_all(memory, pointers.iter().copied(), THREAD_BYTES);
        let found = pointers.iter().zip(blocks).filter(|(address, block)| {
            let block = block.as_deref();
            block.is_some_and(|block| is_thread_block(memory, **address, block))
        });
        threads.extend(found.map(|(address, _)| *address));
    }
    threads
}

fn is_thread(memory: &impl TargetMemory, address: u64) -> bool {
    threads_among(memory, std::iter::once(address)).contains(&address)
}

/// A thread control block starts with a pointer to itself. glibc has another one at 16; musl has a
/// ring of all threads there, the one before at 16 and the one after at 24.
fn is_thread_block(memory: &impl TargetMemory, address: u64, block: &[u8]) -> bool {
    let word = |offset| u64_at(block, offset).unwrap_or(0);
    let is_in_ring = || {
        let leads_back = |neighbour: u64, offset| {
            is_pointer(neighbour, THREAD_ALIGN)
                && memory.read_u64(neighbour.wrapping_add(offset)) == Ok(address)
        };
        leads_back(word(16), 24) && leads_back(word(24), 16)
    };
    word(0) == address && (word(16) == address || is_in_ring())
}

/// Whether a struct has a thread at that offset.
pub(super) fn thread_of(memory: &impl TargetMemory, element: u64, thread: usize) -> bool {
    memory
        .read_u64(element.wrapping_add(thread as u64))
        .is_ok_and(|word| is_thread(memory, word))
}
