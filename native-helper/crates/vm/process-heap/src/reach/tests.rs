use proptest::prelude::*;
use target_memory::SnapshotMemory;
use vm_layout::process_details::PROCESS_DETAILS;
use vm_layout::rows::ROWS;
use vm_processes::Entry;

use super::*;
use crate::{Kind, Owner, kinds};

const HEAP: u64 = 0x10_000;
const NIL: u64 = 0x3b;
const ATOM: u64 = 1 << 6 | 0xb;

/// OTP 27.
const ROW: usize = 0;

/// Its memory stays for as long as the test runs.
fn copy_of(words: &[u64]) -> HeapCopy<'static> {
    let memory: &'static mut SnapshotMemory = Box::leak(Box::default());
    memory.map_words(HEAP, words);
    let details = &PROCESS_DETAILS[ROW];
    let layout = &ROWS[1].process;
    let mut entry =
        Entry::from_bytes(layout, details, (0, 0), &vec![0; layout.read_bytes]).unwrap();
    entry.heap = HEAP;
    entry.htop = HEAP + words.len() as u64 * 8;
    HeapCopy::take(memory, &entry, &|_, _| true).unwrap()
}

fn reached(words: &[u64], terms: &[u64]) -> Reached {
    try_reach(words, terms).unwrap()
}

fn try_reach(words: &[u64], terms: &[u64]) -> Option<Reached> {
    let copy = copy_of(words);
    let root = |term: &u64| Root {
        owner: Owner::Mailbox,
        term: *term,
    };
    let roots: Vec<Root> = terms.iter().map(root).collect();
    reach(&copy, &PROCESS_DETAILS[ROW].heap, &roots)
}

const fn list_at(word: u64) -> u64 {
    HEAP + word * 8 + 1
}

const fn boxed_at(word: u64) -> u64 {
    HEAP + word * 8 + 2
}

#[test]
fn each_root_has_what_no_root_before_it_leads_to() {
    // A list of two cells at 0, a tuple of that list and an atom at 4, garbage at 7.
    let words = [
        ATOM,
        list_at(2),
        ATOM,
        NIL,
        2 << 6,
        list_at(0),
        ATOM,
        ATOM,
        NIL,
    ];
    let found = reached(&words, &[boxed_at(4), list_at(0), list_at(2)]);
    assert_eq!(found.words, [7, 0, 0]);
    assert_eq!(found.live_words, 7);
    let found = reached(&words, &[list_at(2), boxed_at(4)]);
    assert_eq!(found.words, [2, 5]);
}

#[test]
fn parts_of_a_tuple_are_distinguished() {
    let words = [
        3 << 6,
        ATOM,
        list_at(4),
        boxed_at(6),
        ATOM,
        NIL,
        1 << 6,
        list_at(8),
        ATOM,
        NIL,
    ];
    let found = reached(&words, &[boxed_at(0)]);
    assert_eq!(found.words, [10]);
    let element = Step::Element;
    let parts: Vec<(Vec<Step>, u64)> = found
        .parts
        .into_iter()
        .map(|part| (part.path, part.words))
        .collect();
    assert_eq!(
        parts,
        [
            (vec![element(1)], 2),
            (vec![element(2), element(0)], 2),
            (vec![element(2)], 4)
        ]
    );
}

#[test]
fn long_lists_and_wide_tuples_take_few_places_among_what_is_pending() {
    // A list of 1,000 lists of one element each: cells first, then their elements.
    let count = 1000_u64;
    let cell = |it: u64| {
        [
            list_at(2 * (count + it)),
            if it + 1 < count {
                list_at(2 * (it + 1))
            } else {
                NIL
            },
        ]
    };
    let mut words: Vec<u64> = (0..count).flat_map(cell).collect();
    words.extend((0..count).flat_map(|_| [ATOM, NIL]));
    let row = &PROCESS_DETAILS[ROW];
    let most_pending = |words: &[u64], root: u64| {
        let copy = copy_of(words);
        let mut walk = Walk::of(&copy, &row.heap);
        assert_eq!(walk.follow(root), words.len() as u64);
        walk.pending.capacity()
    };
    assert!(most_pending(&words, list_at(0)) <= 8);
    let mut wide = vec![count << 6];
    wide.extend((0..count).map(|it| list_at(1 + count + 2 * it)));
    wide.extend((0..count).flat_map(|_| [ATOM, NIL]));
    assert!(most_pending(&wide, boxed_at(0)) <= 8);
}

#[test]
fn what_bites_its_tail_is_counted_once() {
    assert_eq!(reached(&[ATOM, list_at(0)], &[list_at(0)]).live_words, 2);
    assert_eq!(
        reached(&[list_at(0), list_at(0)], &[list_at(0)]).live_words,
        2
    );
    assert_eq!(
        reached(&[1 << 6, boxed_at(0)], &[boxed_at(0)]).live_words,
        2
    );
}

#[test]
fn what_leads_outside_or_claims_too_much_is_not_counted() {
    assert_eq!(reached(&[ATOM], &[list_at(0)]).live_words, 0, "half a cell");
    assert_eq!(reached(&[9 << 6, ATOM], &[boxed_at(0)]).live_words, 0);
    assert_eq!(reached(&[1 << 6, 0x9001], &[boxed_at(0)]).live_words, 2);
    assert_eq!(
        reached(&[ATOM, NIL], &[list_at(0) + 4]).live_words,
        2,
        "a tag of literals"
    );
}

#[test]
fn things_that_lie_in_each_other_are_no_heap() {
    let words = [3 << 6, 2 << 6, boxed_at(0), ATOM];
    assert_eq!(try_reach(&words, &[boxed_at(1), boxed_at(0)]), None);
}

#[test]
fn kinds_are_counted_to_the_last_word() {
    let row = &PROCESS_DETAILS[ROW];
    let of = |words: &[u64]| kinds(&copy_of(words), &row.heap, row.binary);
    let found = of(&[ATOM, NIL, 2 << 6, ATOM, ATOM, 1 << 6 | 6 << 2, 7]).unwrap();
    let shown: Vec<(Kind, u64, u64)> = found
        .iter()
        .map(|it| (it.kind, it.count, it.words))
        .collect();
    assert_eq!(
        shown,
        [(Kind::Tuple, 1, 3), (Kind::List, 1, 2), (Kind::Float, 1, 2)]
    );
    assert_eq!(of(&[9 << 6, ATOM]), None, "longer than the heap");
    assert_eq!(of(&[ATOM]), None, "half a cell");
}

proptest! {
    #[test]
    fn garbage_is_followed_to_an_end(words in prop::collection::vec(any::<u64>(), 1..64), picks in prop::collection::vec((0usize..64, 0u64..64, 0u64..8), 0..64)) {
        let mut words = words;
        for (at, to, tag) in picks {
            let index = at % words.len();
            words[index] = HEAP + to * 8 + tag;
        }
        if let Some(found) = try_reach(&words, &[list_at(0), boxed_at(0), boxed_at(1), words[0]]) {
            prop_assert!(found.live_words <= words.len() as u64);
        }
        let row = &PROCESS_DETAILS[ROW];
        kinds(&copy_of(&words), &row.heap, row.binary);
    }
}

#[test]
fn values_of_a_map_are_shown_by_its_keys() {
    // Keys at 0, the map at 3: its second value is a list at 8.
    let words = [
        2 << 6,
        ATOM,
        ATOM + (1 << 6),
        11 << 2,
        2,
        boxed_at(0),
        ATOM,
        list_at(8),
        ATOM,
        NIL,
    ];
    let found = reached(&words, &[boxed_at(3)]);
    assert_eq!(found.live_words, words.len() as u64);
    let value = Step::Value(boxed_at(0), 1);
    let parts: Vec<(Vec<Step>, u64)> = found
        .parts
        .into_iter()
        .map(|part| (part.path, part.words))
        .collect();
    assert_eq!(parts[0].0, [Step::Keys]);
    assert_eq!(parts[1], (vec![value], 2));
    let nowhere = SnapshotMemory::new();
    assert_eq!(value.key(&nowhere, &copy_of(&words)), Some(ATOM + (1 << 6)));
    assert_eq!(Step::Keys.key(&nowhere, &copy_of(&words)), None);
}
