use proptest::prelude::*;
use target_memory::SnapshotMemory;
use vm_layout::process_details::{PROCESS_DETAILS, ProcessDetails};
use vm_layout::rows::ROWS;
use vm_processes::Entry;

use super::*;
use crate::Owner;

const HEAP: u64 = 0x10_000;
const BINARY: u64 = 0x90_000;
const NIL: u64 = 0x3b;
/// OTP 27 and OTP 25.
const ROWS_TESTED: [usize; 2] = [0, 2];

const fn boxed_at(word: u64) -> u64 {
    HEAP + word * 8 + 2
}

fn details(row: usize) -> &'static ProcessDetails {
    &PROCESS_DETAILS[row]
}

fn uses(row: usize, words: &[u64], roots: &[u64]) -> Option<HashMap<u64, BinaryUse>> {
    let mut memory = SnapshotMemory::new();
    memory.map_words(HEAP, words);
    let details = details(row);
    let layout = ROWS
        .iter()
        .map(|row| &row.process)
        .find(|process| vm_layout::process_details::details_for(process) == Some(details))
        .unwrap();
    let mut entry =
        Entry::from_bytes(layout, details, (0, 0), &vec![0; layout.read_bytes]).unwrap();
    entry.heap = HEAP;
    entry.htop = HEAP + words.len() as u64 * 8;
    let copy = HeapCopy::take(&memory, &entry, &|_, _| true).unwrap();
    let root = |term: &u64| Root {
        owner: Owner::Mailbox,
        term: *term,
    };
    let roots: Vec<Root> = roots.iter().map(root).collect();
    binary_uses(&copy, &details.heap, details.binary, &roots)
}

fn of_one(row: usize, words: &[u64], roots: &[u64]) -> BinaryUse {
    uses(row, words, roots).unwrap().remove(&BINARY).unwrap()
}

/// OTP 27: a reference of three words at 0, a part of five at 3.
fn part_of_27(flags: u64, start: u64, end: u64) -> [u64; 8] {
    let content = BINARY + 32;
    let (reference, part) = (2 << 6 | 10 << 2, 4 << 6 | 9 << 2);
    [
        reference,
        BINARY,
        0,
        part,
        content | flags,
        start,
        end,
        boxed_at(0),
    ]
}

/// OTP 25: a reference of six words at 0, a part of five at 6.
fn part_of_25(bytes: u64, from: u64, bits: u64) -> [u64; 11] {
    let (reference, part) = (5 << 6 | 8 << 2, 3 << 6 | 10 << 2);
    let content = BINARY + 24;
    [
        reference,
        1000,
        0,
        BINARY,
        content,
        0,
        part,
        bytes,
        from,
        bits,
        boxed_at(0),
    ]
}

fn one(range: Range<u64>) -> BinaryUse {
    BinaryUse {
        references: 1,
        live_references: 1,
        used: Some(vec![range]),
    }
}

#[test]
fn a_part_that_lives_is_shown_with_its_bytes() {
    assert_eq!(
        of_one(0, &part_of_27(0, 80, 160), &[boxed_at(3)]),
        one(10..20)
    );
    assert_eq!(
        of_one(2, &part_of_25(10, 90, 0), &[boxed_at(6)]),
        one(90..100)
    );
    // Bits at either end take their bytes along.
    assert_eq!(
        of_one(0, &part_of_27(0, 81, 161), &[boxed_at(3)]),
        one(10..21)
    );
    let three_bits_from_the_seventh_on = 3 | 7 << 8;
    let bits = part_of_25(1, 4, three_bits_from_the_seventh_on);
    assert_eq!(of_one(2, &bits, &[boxed_at(6)]), one(4..7));
}

#[test]
fn what_is_being_matched_may_go_back_to_its_start() {
    let matched = part_of_27(PART_IS_MATCHED, 80, 160);
    assert_eq!(of_one(0, &matched, &[boxed_at(3)]), one(0..20));
    let mut words = part_of_25(0, 0, 0).to_vec();
    // Term, base, bit where it is, bit where it ends, a saved one.
    words.splice(6.., [5 << 6 | 1 << 2, boxed_at(0), 0, 400, 808, 0]);
    assert_eq!(of_one(2, &words, &[boxed_at(6)]), one(0..101));
}

#[test]
fn garbage_uses_nothing() {
    let garbage = BinaryUse {
        references: 1,
        live_references: 0,
        used: Some(Vec::new()),
    };
    assert_eq!(of_one(0, &part_of_27(0, 0, 8), &[]), garbage);
    assert_eq!(of_one(2, &part_of_25(1, 0, 0), &[]), garbage);
}

#[test]
fn a_term_that_is_the_binary_itself_uses_all_of_it() {
    let words = part_of_25(10, 0, 0);
    assert_eq!(of_one(2, &words, &[boxed_at(6), boxed_at(0)]).used, None);
    let mut in_a_cell = words.to_vec();
    in_a_cell.extend([boxed_at(0), NIL]);
    assert_eq!(of_one(2, &in_a_cell, &[HEAP + 11 * 8 + 1]).used, None);
}

#[test]
fn what_contradicts_itself_uses_all_of_it() {
    let mut elsewhere = part_of_27(0, 0, 8);
    elsewhere[4] = 0x5000;
    assert_eq!(of_one(0, &elsewhere, &[boxed_at(3)]).used, None);
    assert_eq!(of_one(0, &part_of_27(0, 80, 16), &[boxed_at(3)]).used, None);
    // One whose bytes may move is where its binary is.
    let mut moved = part_of_27(0, 0, 16);
    moved[4] = 0x5000 | PART_FLAGS;
    assert_eq!(of_one(0, &moved, &[boxed_at(3)]), one(0..2));
    assert_eq!(
        of_one(2, &part_of_25(u64::MAX, 9, 0), &[boxed_at(6)]).used,
        None
    );
    assert_eq!(uses(0, &part_of_27(0, 0, 8)[..7], &[]), None, "cut off");
}

proptest! {
    #[test]
    fn garbage_is_looked_through_to_an_end(words in prop::collection::vec(any::<u64>(), 1..64), picks in prop::collection::vec((0usize..64, 0u64..64, 0u64..8), 0..64)) {
        let mut words = words;
        for (at, to, tag) in picks {
            let index = at % words.len();
            words[index] = HEAP + to * 8 + tag;
        }
        for row in ROWS_TESTED {
            if let Some(found) = uses(row, &words, &[boxed_at(0), boxed_at(1), words[0]]) {
                for used in found.values() {
                    prop_assert!(used.live_references <= used.references);
                }
            }
        }
    }
}
