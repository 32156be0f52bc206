//! The memory of processes outside of their structs and heaps: waiting messages, links, monitors.
//!
//! The VM counts these in `process_info(P, memory)`.

use target_memory::{Range, TargetMemory, read_each, u32_at, u64_at};
use vm_layout::messages::{FRAGMENT_USED, MESSAGE_BYTES};
use vm_layout::process_details::{
    ProcessDetails, RELATION_BELOW, RELATION_FLAGS_BEHIND, RELATION_NEXT,
};

use crate::chains::{Chain, ChainLimits, Element, walk};
use crate::entry::Entry;
use crate::messages::walk_messages;

/// Messages and fragments, or monitors, of a page of processes that are followed. More messages are counted without
/// their fragments.
const LIMITS: ChainLimits = ChainLimits {
    elements: 1 << 22,
    rounds: 1 << 18,
};
/// Links and monitors of a page.
const MAX_NODES: usize = 1 << 21;
/// Levels of a tree: a balanced one has fewer.
const MAX_LEVELS: usize = 64;
/// Nodes that are read at once.
const NODES_AT_ONCE: usize = 1 << 16;
/// A node of a tree up to the other process.
const NODE_BYTES: usize = 48;
const WORD_BYTES: u64 = 8;

/// The memory of one process outside of its heap, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outside {
    /// Waiting messages, with their contents.
    pub message_bytes: u64,
    /// Links and monitors, set by it or by others.
    pub relation_bytes: u64,
    /// All of it was read. Else there may be more.
    pub is_whole: bool,
}

/// The memory of each process outside of its heap.
pub(crate) fn outside(
    memory: &impl TargetMemory,
    details: &ProcessDetails,
    entries: &[Entry],
) -> Vec<Outside> {
    let nothing = Outside {
        message_bytes: 0,
        relation_bytes: 0,
        is_whole: true,
    };
    let mut found = vec![nothing; entries.len()];
    add_messages(memory, entries, &mut found);
    add_trees(memory, details, entries, &mut found);
    add_rings(memory, details, entries, &mut found);
    found
}

fn add_messages(memory: &impl TargetMemory, entries: &[Entry], found: &mut [Outside]) {
    let waiting = walk_messages(memory, entries, &mut { LIMITS }, |process, _, fragment| {
        let words = u64_at(fragment, FRAGMENT_USED).unwrap_or(0);
        let bytes = words.saturating_mul(WORD_BYTES);
        add(&mut found[process].message_bytes, bytes);
    });
    for ((found, entry), waiting) in found.iter_mut().zip(entries).zip(waiting) {
        let structs = entry.mailbox.max(waiting.messages);
        add(
            &mut found.message_bytes,
            structs.saturating_mul(MESSAGE_BYTES),
        );
        found.is_whole &= waiting.is_whole;
    }
}

/// Links, and monitors that processes have set.
fn add_trees(
    memory: &impl TargetMemory,
    details: &ProcessDetails,
    entries: &[Entry],
    found: &mut [Outside],
) {
    let bytes = details.relation_bytes;
    let trees = entries.iter().enumerate().flat_map(|(process, entry)| {
        [
            (process, entry.links, bytes.link),
            (process, entry.monitors, bytes.monitor),
        ]
    });
    let mut level: Vec<(usize, u64, u64)> = trees.filter(|(_, node, _)| *node != 0).collect();
    let mut left = MAX_NODES;
    for _ in 0..MAX_LEVELS {
        if level.is_empty() || level.len() > left {
            break;
        }
        left -= level.len();
        let mut below = Vec::new();
        for nodes in level.chunks(NODES_AT_ONCE) {
            let ranges = Range::at_each(nodes.iter().map(|(_, address, _)| *address), NODE_BYTES);
            let read = read_each(memory, &ranges, NODES_AT_ONCE * NODE_BYTES);
            for ((process, _, each), node) in nodes.iter().zip(read) {
                let Some(node) = node else {
                    found[*process].is_whole = false;
                    continue;
                };
                let is_alias = u64_at(&node, details.relation_other) == Some(entries[*process].id);
                let counted = match is_alias {
                    true => bytes.alias,
                    false => *each + named_bytes(details, &node),
                };
                add(&mut found[*process].relation_bytes, counted);
                let next = RELATION_BELOW
                    .into_iter()
                    .filter_map(|at| u64_at(&node, at));
                below.extend(next.filter(|it| *it != 0).map(|it| (*process, it, *each)));
            }
        }
        level = below;
    }
    for (process, ..) in level {
        found[process].is_whole = false;
    }
}

/// Monitors that others have set on them. The last one of a ring leads back to the first.
fn add_rings(
    memory: &impl TargetMemory,
    details: &ProcessDetails,
    entries: &[Entry],
    found: &mut [Outside],
) {
    let rings = entries.iter().enumerate();
    let rings = rings.map(|(process, entry)| Chain::new(process, entry.monitored_by));
    let unfinished = walk(
        memory,
        rings.collect(),
        Element::of(NODE_BYTES),
        &mut { LIMITS },
        |process, _, node| {
            let bytes = details.relation_bytes.monitor + named_bytes(details, node);
            add(&mut found[process].relation_bytes, bytes);
            u64_at(node, RELATION_NEXT).filter(|next| *next != entries[process].monitored_by)
        },
    );
    for process in unfinished {
        found[process].is_whole = false;
    }
}

/// The further bytes of a monitor by name.
fn named_bytes(details: &ProcessDetails, node: &[u8]) -> u64 {
    let flags = u32_at(node, details.relation_other + RELATION_FLAGS_BEHIND).unwrap_or(0);
    match flags & details.relation_bytes.named_flag {
        0 => 0,
        _ => details.relation_bytes.named,
    }
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

#[cfg(test)]
mod tests;
