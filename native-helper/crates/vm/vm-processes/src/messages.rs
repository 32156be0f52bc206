//! The messages that wait for processes, in the lists and the buffers of their mailboxes.
//!
//! The data of a message lies in heap fragments, within the message or beside it, or on the heap of its receiver.

use target_memory::{TargetMemory, u64_at};
use vm_layout::messages::{
    FRAGMENT_NEXT, FRAGMENT_OFF_HEAP, FRAGMENT_SIZE, FRAGMENT_USED, MESSAGE_DATA, MESSAGE_FRAGMENT,
    MESSAGE_NEXT, MESSAGE_TERM, MESSAGE_WITH_FRAGMENT, SIGNAL_TAG,
};

use crate::buffers::buffered;
use crate::chains::{Chain, ChainLimits, Element, walk};
use crate::entry::Entry;

/// Bytes read of a heap fragment: its fields up to the number of its words in use.
pub(crate) const FRAGMENT_BYTES: usize = FRAGMENT_USED + 8;
/// Bytes read of a message: its struct with the fields of the fragment within it. A message without one is shorter,
/// and the next block of the allocator follows.
pub(crate) const MESSAGE: Element = Element {
    len_bytes: MESSAGE_FRAGMENT + FRAGMENT_BYTES,
    least_bytes: MESSAGE_FRAGMENT,
};
/// Of one fragment. In memory that was freed while it was read, a number may be anything.
const MAX_FRAGMENT_WORDS: u64 = 1 << 27;
const WORD_BYTES: u64 = 8;
/// Lists of fragments that are followed at once.
const FRAGMENTS_AT_ONCE: usize = 1 << 16;

/// The waiting messages of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Messages that were read.
    pub messages: u64,
    /// Messages of which nothing is known, at least: in no list that was read, or not decoded yet.
    pub unread: u64,
    /// All messages and all of their fragments were read. Otherwise there may be more.
    pub is_whole: bool,
}

/// Reads the waiting messages of each process. `visit` gets the process (its place in `entries`), and the address and the
/// first [`FRAGMENT_BYTES`] of each heap fragment.
pub(crate) fn walk_messages(
    memory: &impl TargetMemory,
    entries: &[Entry],
    limits: &mut ChainLimits,
    mut visit: impl FnMut(usize, u64, &[u8]),
) -> Vec<Waiting> {
    let nothing = Waiting {
        messages: 0,
        unread: 0,
        is_whole: true,
    };
    let mut found = vec![nothing; entries.len()];
    let mut fragments: Vec<(usize, u64)> = Vec::new();
    let mut unclear = Vec::new();
    let unfinished = walk(
        memory,
        lists(memory, entries),
        MESSAGE,
        limits,
        |process, at, message| {
            let term = u64_at(message, MESSAGE_TERM)?;
            let data = u64_at(message, MESSAGE_DATA)?;
            if term & SIGNAL_TAG == 0 {
                // It is another signal. Without any bits it may be a message of another node that is not decoded yet,
                // which the VM counts as one, so that it is missing below; OTP 23 has other signals without bits.
                if term != 0 {
                    unclear.push(process);
                }
                return u64_at(message, MESSAGE_NEXT);
            }
            found[process].messages += 1;
            match data {
                0 => {}
                MESSAGE_WITH_FRAGMENT => {
                    let fragment = message.get(MESSAGE_FRAGMENT..)?;
                    let Some(next) = next_fragment(fragment) else {
                        unclear.push(process);
                        return None;
                    };
                    visit(process, fragment_within(at), fragment);
                    fragments.extend((next != 0).then_some((process, next)));
                }
                _ => fragments.push((process, data)),
            }
            u64_at(message, MESSAGE_NEXT)
        },
    );
    for process in unfinished.into_iter().chain(unclear) {
        found[process].is_whole = false;
    }
    walk_fragments(memory, &fragments, limits, &mut found, visit);
    for (found, entry) in found.iter_mut().zip(entries) {
        // Buffers that cannot be read may have one.
        let missing =
            entry.mailbox.saturating_sub(found.messages) + u64::from(!entry.is_mailbox_whole);
        found.unread = found.unread.saturating_add(missing);
        found.is_whole &= found.unread == 0;
    }
    found
}

/// Reads the further heap fragments of messages, each list with its process.
fn walk_fragments(
    memory: &impl TargetMemory,
    lists: &[(usize, u64)],
    limits: &mut ChainLimits,
    found: &mut [Waiting],
    mut visit: impl FnMut(usize, u64, &[u8]),
) {
    for lists in lists.chunks(FRAGMENTS_AT_ONCE) {
        let chains = lists.iter();
        let chains = chains.map(|(process, first)| Chain::new(*process, *first));
        let mut freed = Vec::new();
        let cut = walk(
            memory,
            chains.collect(),
            Element::of(FRAGMENT_BYTES),
            limits,
            |process, at, fragment| {
                let next = next_fragment(fragment);
                match next {
                    Some(_) => visit(process, at, fragment),
                    None => freed.push(process),
                }
                next
            },
        );
        for process in cut.into_iter().chain(freed) {
            // Each of these lists is the contents of one message.
            found[process].unread += 1;
            found[process].is_whole = false;
        }
    }
}

/// The address of the fragment within the message there.
pub(crate) fn fragment_within(message: u64) -> u64 {
    message.wrapping_add(MESSAGE_FRAGMENT as u64)
}

/// The fragment that follows one, or 0; `None` if this one cannot be a fragment: it was freed, and its memory is in
/// other use by now.
pub(crate) fn next_fragment(fragment: &[u8]) -> Option<u64> {
    let (size, used) = (
        u64_at(fragment, FRAGMENT_SIZE)?,
        u64_at(fragment, FRAGMENT_USED)?,
    );
    let (next, off_heap) = (
        u64_at(fragment, FRAGMENT_NEXT)?,
        u64_at(fragment, FRAGMENT_OFF_HEAP)?,
    );
    let is_address = |word: u64| word.is_multiple_of(WORD_BYTES);
    let is_one = used <= size
        && (1..=MAX_FRAGMENT_WORDS).contains(&size)
        && is_address(next)
        && is_address(off_heap);
    is_one.then_some(next)
}

/// The lists that messages of each process wait in.
pub(crate) fn lists(memory: &impl TargetMemory, entries: &[Entry]) -> Vec<Chain> {
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
