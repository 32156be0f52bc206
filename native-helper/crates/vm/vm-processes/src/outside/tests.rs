use target_memory::SnapshotMemory;
use vm_layout::messages::MESSAGE_WITH_FRAGMENT;
use vm_layout::process_details::PROCESS_DETAILS;
use vm_layout::rows::ROWS;

use super::*;

const MESSAGES: u64 = 0x10_0000;
const FRAGMENTS: u64 = 0x20_0000;
const NODES: u64 = 0x30_0000;
const RING: u64 = 0x40_0000;
const EACH: u64 = 96;
const ATOM: u64 = 0x4b;

fn details() -> &'static ProcessDetails {
    &PROCESS_DETAILS[0]
}

fn entry(mailbox: u64, lists: [u64; 3]) -> Entry {
    let layout = &ROWS[1].process;
    let bytes = vec![0; layout.read_bytes];
    let mut entry = Entry::from_bytes(layout, details(), (0, 0), &bytes).unwrap();
    entry.id = 0x83;
    entry.mailbox = mailbox;
    entry.mailbox_lists = lists;
    entry
}

const fn message(number: u64) -> u64 {
    MESSAGES + number * EACH
}

/// A message: the next one, its own data, its term, and words in use of the fragment within it.
fn messages(each: &[(u64, u64, u64, u64)]) -> Vec<u64> {
    let words = each.iter().flat_map(|(next, data, term, used)| {
        let mut words = vec![0; EACH as usize / 8];
        (words[0], words[1], words[2], words[9]) = (*next, *data, *term, *used);
        words[8] = words[9].max(1);
        words
    });
    words.collect()
}

fn one(memory: &SnapshotMemory, entry: Entry) -> Outside {
    outside(memory, details(), &[entry]).pop().unwrap()
}

#[test]
fn messages_count_with_what_they_carry_wherever_that_lies() {
    let mut memory = SnapshotMemory::new();
    let with_fragment = MESSAGE_WITH_FRAGMENT;
    let queue = [
        (message(1), 0, ATOM, 77),
        (0, with_fragment, ATOM, 10),
        (message(3), FRAGMENTS, ATOM, 0),
        (0, with_fragment, ATOM, 3),
    ];
    memory.map_words(MESSAGES, &messages(&queue));
    // Two fragments, of 100 and 20 words.
    memory.map_words(
        FRAGMENTS,
        &[FRAGMENTS + 48, 0, 0, 100, 100, 0, 0, 0, 0, 22, 20, 0],
    );
    let found = one(&memory, entry(4, [message(0), 0, message(2)]));
    assert_eq!(found.message_bytes, 4 * 88 + (10 + 100 + 20 + 3) * 8);
    assert!(found.is_whole);
    let none = one(&memory, entry(0, [0; 3]));
    assert_eq!(
        (none.message_bytes, none.relation_bytes, none.is_whole),
        (0, 0, true)
    );
}

#[test]
fn what_is_not_read_makes_it_at_least() {
    let mut memory = SnapshotMemory::new();
    let queue = [(message(1), 0, ATOM, 0), (0x66_0000, 1, ATOM, 5)];
    memory.map_words(MESSAGES, &messages(&queue));
    let found = one(&memory, entry(2000, [message(0), 0, 0]));
    assert_eq!(
        found.message_bytes,
        2000 * 88 + 5 * 8,
        "each is at least a struct"
    );
    assert!(!found.is_whole);
    // A list that is shorter than the VM's count.
    let found = one(&memory, entry(3, [0, 0, 0]));
    assert_eq!((found.message_bytes, found.is_whole), (3 * 88, false));
    // One that is not decoded counts, one that is no message does not, and neither is known to its end.
    for (term, count) in [(0, 1), (0x34, 0)] {
        let mut memory = SnapshotMemory::new();
        memory.map_words(MESSAGES, &messages(&[(0, 0, term, 0)]));
        let found = one(&memory, entry(count, [message(0), 0, 0]));
        assert_eq!((found.message_bytes, found.is_whole), (count * 88, false));
    }
    // An element that the VM does not count as a message, and that has no bits of a signal, is
    // none.
    let mut memory = SnapshotMemory::new();
    memory.map_words(MESSAGES, &messages(&[(0, 0, 0, 0)]));
    let found = one(&memory, entry(0, [message(0), 0, 0]));
    assert_eq!((found.message_bytes, found.is_whole), (0, true));
    // Buffers that cannot be read.
    let mut without = entry(0, [0; 3]);
    (without.buffers, without.is_mailbox_whole) = (0x66_0000, false);
    assert!(!one(&memory, without).is_whole);
}

#[test]
fn links_and_monitors_of_both_sides_count() {
    let mut memory = SnapshotMemory::new();
    let node = |number: u64| NODES + number * 48;
    // Flags are the upper half of the word behind the other process and its key: one of them is that of a name.
    let named = u64::from(details().relation_bytes.named_flag) << 32;
    let below = |left, right, other| [0, left, right, 0, other, 0];
    let nodes = [
        below(node(1), node(2), 0x93),
        [0, 0, 0, 0, 0xa3, named],
        // An alias: the process itself.
        below(0, 0, 0x83),
        below(0, 0, 0xb3),
    ];
    memory.map_words(NODES, nodes.as_flattened());
    let ring = |number: u64| RING + number * 48;
    let set_on_it = [
        [ring(1), 0, 0, 0, 0, 0],
        [ring(2), 0, 0, 0, 0, named],
        [ring(0), 0, 0, 0, 0, 0],
    ];
    memory.map_words(RING, set_on_it.as_flattened());
    let mut with = entry(0, [0; 3]);
    (with.links, with.monitors, with.monitored_by) = (node(3), node(0), RING);
    let found = one(&memory, with);
    assert_eq!(found.relation_bytes, 48 + 72 + 80 + 112 + 2 * 72 + 80);
    assert!(found.is_whole);
    for (links, ring) in [(0x66_0000, 0), (0, 0x66_0000)] {
        (with.links, with.monitored_by) = (links, ring);
        assert!(!one(&memory, with).is_whole);
    }
}

#[test]
fn what_was_freed_meanwhile_adds_nothing_and_makes_it_at_least() {
    let queue = [
        (message(1), MESSAGE_WITH_FRAGMENT, ATOM, 10),
        (0, MESSAGE_WITH_FRAGMENT, ATOM, 5),
    ];
    // Where a size, the words in use, the next fragment, terms outside of it were.
    for (word, garbage) in [
        (8, 0x7feb_dac7_ff40),
        (8, 4),
        (8, 0),
        (9, 0x7feb_dac7_ff40),
        (5, 3),
        (6, 0x4b),
    ] {
        let mut words = messages(&queue);
        words[EACH as usize / 8 + word] = garbage;
        let mut memory = SnapshotMemory::new();
        memory.map_words(MESSAGES, &words);
        let found = one(&memory, entry(2, [message(0), 0, 0]));
        assert_eq!(found.message_bytes, 2 * 88 + 10 * 8, "{word} {garbage:#x}");
        assert!(!found.is_whole);
    }
}

/// A message without a fragment is shorter than one with it, and may be the last thing that is mapped.
#[test]
fn a_message_at_the_end_of_what_is_mapped_is_read() {
    let mut memory = SnapshotMemory::new();
    let words = messages(&[(message(1), 0, ATOM, 0), (MESSAGES - 0x1000, 0, ATOM, 0)]);
    memory.map_words(MESSAGES, &words[..EACH as usize / 8 + 5]);
    memory.map_words(
        MESSAGES - 0x1000,
        &messages(&[(0, MESSAGE_WITH_FRAGMENT, ATOM, 6)]),
    );
    let found = one(&memory, entry(3, [message(0), 0, 0]));
    assert_eq!(found.message_bytes, 3 * 88 + 6 * 8);
    assert!(found.is_whole);
}
