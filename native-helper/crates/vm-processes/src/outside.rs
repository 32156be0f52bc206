//! What processes have outside of their structs and heaps: messages that wait, links, monitors.
//!
//! The VM counts these where `process_info(P, memory)` is asked. A message has a struct, and what it carries lies in
//! a fragment within it or beside it, but for messages that were put on the heap at once.

use target_memory::{Range, TargetMemory, read_each, u32_at, u64_at};
use vm_layout::messages::{
    FRAGMENT_NEXT, FRAGMENT_USED, MESSAGE_BYTES, MESSAGE_DATA, MESSAGE_FRAGMENT, MESSAGE_NEXT,
    MESSAGE_TERM, MESSAGE_WITH_FRAGMENT, SIGNAL_TAG,
};
use vm_layout::process_details::{
    ProcessDetails, RELATION_BELOW, RELATION_FLAGS_BEHIND, RELATION_NEXT,
};

use crate::buffers::buffered;
use crate::chains::{Chain, ChainLimits, walk};
use crate::entry::Entry;

/// What is read of a message: its struct up to how many words of the fragment within it are in use. A message
/// without one is shorter, and then the allocator's next block is what follows.
const MESSAGE_READ_BYTES: usize = MESSAGE_FRAGMENT + FRAGMENT_USED + 8;
const FRAGMENT_READ_BYTES: usize = FRAGMENT_USED + 8;
/// What is followed of a page of processes. More messages than these are counted without what they carry.
const LIMITS: ChainLimits = ChainLimits {
    elements: 1 << 21,
    rounds: 1 << 17,
};
/// Links and monitors of a page.
const MAX_NODES: usize = 1 << 21;
/// Levels of a tree: a balanced one has fewer.
const MAX_LEVELS: usize = 64;
/// Nodes that are read at once.
const NODES_AT_ONCE: usize = 1 << 16;
/// A node of a tree up to the other process.
const NODE_BYTES: usize = 48;
const MAX_USED_WORDS: u64 = 1 << 40;
const WORD_BYTES: u64 = 8;

/// What one process has outside, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outside {
    /// Messages that wait, with what they carry.
    pub message_bytes: u64,
    /// Links and monitors, set by it or by others.
    pub relation_bytes: u64,
    /// All of it was read. Else there may be more.
    pub is_whole: bool,
}

/// What each process has outside.
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
    let mut walked = vec![0_u64; entries.len()];
    let mut fragments: Vec<(usize, u64)> = Vec::new();
    let mut unclear = Vec::new();
    let unfinished = walk(
        memory,
        lists(memory, entries),
        MESSAGE_READ_BYTES,
        &mut { LIMITS },
        |process, _, message| {
            let term = u64_at(message, MESSAGE_TERM)?;
            let data = u64_at(message, MESSAGE_DATA)?;
            if term & SIGNAL_TAG == 0 {
                // It is another signal. Without any bits it may be a message of another node that is not decoded yet,
                // which the VM counts as one, so that it is missing below; OTP 23 has others that look like that.
                if term != 0 {
                    unclear.push(process);
                }
                return u64_at(message, MESSAGE_NEXT);
            }
            walked[process] += 1;
            match data {
                0 => {}
                MESSAGE_WITH_FRAGMENT => {
                    let of = |offset| u64_at(message, MESSAGE_FRAGMENT + offset);
                    let words = of(FRAGMENT_USED)?.min(MAX_USED_WORDS);
                    add(&mut found[process].message_bytes, words * WORD_BYTES);
                    fragments.extend(
                        of(FRAGMENT_NEXT)
                            .filter(|it| *it != 0)
                            .map(|it| (process, it)),
                    );
                }
                _ => fragments.push((process, data)),
            }
            u64_at(message, MESSAGE_NEXT)
        },
    );
    let chains = fragments
        .into_iter()
        .map(|(process, first)| Chain::new(process, first));
    let cut = walk(
        memory,
        chains.collect(),
        FRAGMENT_READ_BYTES,
        &mut { LIMITS },
        |process, _, fragment| {
            let words = u64_at(fragment, FRAGMENT_USED)?.min(MAX_USED_WORDS);
            add(&mut found[process].message_bytes, words * WORD_BYTES);
            u64_at(fragment, FRAGMENT_NEXT)
        },
    );
    for process in unfinished.into_iter().chain(cut).chain(unclear) {
        found[process].is_whole = false;
    }
    for ((found, entry), walked) in found.iter_mut().zip(entries).zip(walked) {
        let structs = entry.mailbox.max(walked).saturating_mul(MESSAGE_BYTES);
        add(&mut found.message_bytes, structs);
        found.is_whole &= walked >= entry.mailbox && entry.is_mailbox_whole;
    }
}

/// The lists that messages of each process wait in.
fn lists(memory: &impl TargetMemory, entries: &[Entry]) -> Vec<Chain> {
    let mut chains = Vec::new();
    let mut with_buffers = Vec::new();
    for (process, entry) in entries.iter().enumerate() {
        chains.extend(entry.mailbox_lists.map(|first| Chain::new(process, first)));
        if entry.buffers != 0 {
            with_buffers.push((process, entry.buffers));
        }
    }
    let arrays: Vec<u64> = with_buffers.iter().map(|(_, array)| *array).collect();
    // One that contradicts itself has been noted with the entry.
    for ((process, _), buffered) in with_buffers.iter().zip(buffered(memory, &arrays)) {
        let lists = buffered.into_iter().flat_map(|it| it.lists);
        chains.extend(lists.map(|first| Chain::new(*process, first)));
    }
    chains
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
            let ranges: Vec<Range> = nodes
                .iter()
                .map(|(_, address, _)| Range {
                    address: *address,
                    len_bytes: NODE_BYTES,
                })
                .collect();
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
        NODE_BYTES,
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

/// What a monitor by name takes more.
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
