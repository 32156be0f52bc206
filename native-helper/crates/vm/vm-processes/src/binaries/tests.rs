use target_memory::SnapshotMemory;
use vm_layout::messages::{FRAGMENT_SIZE, MESSAGE_WITH_FRAGMENT};
use vm_layout::process_details::PROCESS_DETAILS;
use vm_layout::rows::ROWS;

use super::*;

const MESSAGES: u64 = 0x10_0000;
const EACH: u64 = 96;
const REFERENCES: u64 = 0x4000_0000;
const BINARIES: u64 = 0x8000_0000;
const BINARY_BYTES: u64 = 48;
const ATOM: u64 = 0x4b;

fn entry(mailbox: u64, first: u64) -> Entry {
    let layout = &ROWS[1].process;
    let bytes = vec![0; layout.read_bytes];
    let mut entry = Entry::from_bytes(layout, &PROCESS_DETAILS[0], (0, 0), &bytes).unwrap();
    (entry.id, entry.mailbox) = (0x83, mailbox);
    entry.mailbox_lists = [0, first, 0];
    entry
}

/// This many messages, each with a fragment of its own that refers to a binary of 1,000 bytes: one of this many
/// binaries.
fn mailbox(messages: u64, binaries: u64) -> SnapshotMemory {
    let format = PROCESS_DETAILS[0].binary;
    let message = |number: u64| {
        let mut words = [0; EACH as usize / 8];
        words[0] = match number + 1 {
            last if last == messages => 0,
            next => MESSAGES + next * EACH,
        };
        (words[1], words[2]) = (MESSAGE_WITH_FRAGMENT, ATOM);
        // The fragment within it begins at its sixth word.
        words[5 + FRAGMENT_SIZE / 8] = 1;
        words[5 + FRAGMENT_OFF_HEAP / 8] = REFERENCES + number * ELEMENT.len_bytes as u64;
        words
    };
    let reference = |number: u64| {
        let mut words = [0; ELEMENT.len_bytes / 8];
        words[0] = 2 << 6 | format.reference_subtag << 2;
        words[format.binary / 8] = BINARIES + number % binaries * BINARY_BYTES;
        words
    };
    let binary = |_| {
        let mut words = [0; BINARY_BYTES as usize / 8];
        words[format.size / 8] = 1000;
        words[format.reference_count / 8] = messages / binaries;
        words
    };
    let mut memory = SnapshotMemory::new();
    let words: Vec<_> = (0..messages).map(message).collect();
    memory.map_words(MESSAGES, words.as_flattened());
    let words: Vec<_> = (0..messages).map(reference).collect();
    memory.map_words(REFERENCES, words.as_flattened());
    let words: Vec<_> = (0..binaries).map(binary).collect();
    memory.map_words(BINARIES, words.as_flattened());
    memory
}

fn held(memory: &SnapshotMemory, entry: Entry, limits: Option<&mut MessageLimits>) -> Option<Held> {
    let format = PROCESS_DETAILS[0].binary;
    let look = |entries: &[Entry]| entries.iter().copied().map(Some).collect();
    held_binaries(memory, format, &[entry], limits, look)
        .pop()
        .unwrap()
}

#[test]
fn a_mailbox_of_a_hundred_thousand_messages_holds_what_these_refer_to() {
    let memory = mailbox(100_000, 50_000);
    let found = held(
        &memory,
        entry(100_000, MESSAGES),
        Some(&mut MessageLimits::default()),
    );
    let found = found.unwrap();
    assert_eq!(found.unread_messages, 0);
    assert_eq!(found.binaries.len(), 50_000);
    assert_eq!(binary_bytes(&found.binaries), 50_000_000);
    assert!(
        found
            .binaries
            .iter()
            .all(|it| (it.references, it.reference_count) == (2, 2))
    );
    let without = held(&memory, entry(100_000, MESSAGES), None).unwrap();
    assert_eq!(without.binaries, [], "the process itself holds none");
}

#[test]
fn binaries_of_the_heap_and_of_messages_are_one_sum() {
    let memory = mailbox(4, 2);
    let mut both = entry(4, MESSAGES);
    both.off_heap = REFERENCES;
    let found = held(&memory, both, Some(&mut MessageLimits::default())).unwrap();
    let mut references: Vec<u64> = found.binaries.iter().map(|it| it.references).collect();
    references.sort_unstable();
    assert_eq!(references, [2, 3]);
}

#[test]
fn messages_that_cannot_be_read_or_are_too_many_are_counted() {
    let memory = mailbox(1000, 1000);
    let of = |entry, limits: &mut MessageLimits| {
        let found = held(&memory, entry, Some(limits)).unwrap();
        (found.binaries.len(), found.unread_messages)
    };
    // The VM counts more than there are in the lists.
    let all = &mut MessageLimits::default();
    assert_eq!(of(entry(1007, MESSAGES), all), (1000, 7));
    assert_eq!(of(entry(1, 0x66_0000), all), (0, 1));
    let mut buffers = entry(0, 0);
    buffers.is_mailbox_whole = false;
    assert_eq!(of(buffers, all), (0, 1));
    let few = &mut MessageLimits {
        walks: ChainLimits {
            elements: 400,
            rounds: 100,
        },
        ..MessageLimits::default()
    };
    let (binaries, unread) = of(entry(1000, MESSAGES), few);
    assert!(
        binaries == 0 && unread >= 600,
        "{binaries} binaries, {unread} unread"
    );
    let few = &mut MessageLimits {
        references: 10,
        ..MessageLimits::default()
    };
    assert_eq!(of(entry(1000, MESSAGES), few), (10, 990));
}

#[test]
fn messages_of_a_process_that_worked_meanwhile_are_in_no_sum() {
    let memory = mailbox(10, 10);
    let look = |entries: &[Entry]| {
        let worked = entries.iter().map(|before| {
            let mut after = *before;
            after.reductions += 1;
            Some(after)
        });
        worked.collect()
    };
    let format = PROCESS_DETAILS[0].binary;
    let entries = [entry(10, MESSAGES)];
    let mut limits = MessageLimits::default();
    let found = held_binaries(&memory, format, &entries, Some(&mut limits), look);
    assert_eq!(found, [None]);
}
