//! The objects in an ETS table that is one tree: an `ordered_set` without `write_concurrency`.
//!
//! A process that may write to the table may change the tree while it is read. So this is for private tables, of which
//! the owner is looked at before and after: while it rests, nothing changes.

use erlang_terms::TermBlock;
use target_memory::{Range, TargetMemory, address_at, bytes_to_words, read_each, u64_at};
use vm_layout::emulator_image::is_pointer;
use vm_layout::ets::{TREE_NODE, TREE_TOPS};

use crate::ets::{EtsTable, TableType};

/// A balanced tree of so many levels has more objects than are read.
const MAX_LEVELS: usize = 40;
/// Words of one object.
const MAX_WORDS: u64 = 1 << 13;
/// Bytes of all of them.
const MAX_BYTES: usize = 32 << 20;

/// The objects of a table with at most `most` of them, in no order; `None` where they cannot be read, or are not as
/// many as the table counts.
pub fn objects(
    memory: &impl TargetMemory,
    table: &EtsTable,
    most: usize,
) -> Option<Vec<TermBlock>> {
    let count = usize::try_from(table.items).ok()?;
    if table.kind != TableType::OrderedSet || count > most {
        return None;
    }
    if count == 0 {
        return Some(Vec::new());
    }
    let mut trees = TREE_TOPS.iter().filter_map(|(_, offset)| {
        let top = memory.read_u64(address_at(table.address, *offset as u64).ok()?);
        tree(memory, top.ok()?, count)
    });
    trees.next().filter(|_| trees.next().is_none())
}

/// The objects of the tree with that top, if it has `count`.
fn tree(memory: &impl TargetMemory, top: u64, count: usize) -> Option<Vec<TermBlock>> {
    let (mut objects, mut left_bytes) = (Vec::new(), MAX_BYTES);
    let mut level = vec![top];
    for _ in 0..MAX_LEVELS {
        if level.is_empty() {
            break;
        }
        // A tree that leads to itself has too many.
        if objects.len() + level.len() > count || !level.iter().all(|node| is_pointer(*node, 8)) {
            return None;
        }
        let heads = read_all(memory, level.iter().map(|node| (*node, TREE_NODE.term)))?;
        let mut terms = Vec::with_capacity(level.len());
        let mut below = Vec::new();
        for (node, head) in level.iter().zip(&heads) {
            let words = u64_at(head, TREE_NODE.words).filter(|words| *words <= MAX_WORDS)?;
            let len_bytes = words as usize * 8;
            left_bytes = left_bytes.checked_sub(len_bytes)?;
            terms.push((address_at(*node, TREE_NODE.term as u64).ok()?, len_bytes));
            for offset in TREE_NODE.below {
                below.push(u64_at(head, offset)?);
            }
        }
        let read = read_all(memory, terms.iter().copied())?;
        for ((address, _), bytes) in terms.iter().zip(&read) {
            let block = TermBlock {
                address: *address,
                words: bytes_to_words(bytes).collect(),
            };
            block.first_tuple()?;
            objects.push(block);
        }
        below.retain(|node| *node != 0);
        level = below;
    }
    (level.is_empty() && objects.len() == count).then_some(objects)
}

fn read_all(
    memory: &impl TargetMemory,
    places: impl Iterator<Item = (u64, usize)>,
) -> Option<Vec<Vec<u8>>> {
    let range = |(address, len_bytes)| Range { address, len_bytes };
    let ranges: Vec<Range> = places.map(range).collect();
    read_each(memory, &ranges, MAX_BYTES).into_iter().collect()
}

#[cfg(test)]
mod tests;
