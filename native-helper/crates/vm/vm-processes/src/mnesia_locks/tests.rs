use proptest::prelude::*;
use target_memory::SnapshotMemory;
use vm_layout::process_details::PROCESS_DETAILS;
use vm_tables::atoms::AtomTable;
use vm_tables::pids::PidFormat;

use super::*;

const ATOMS: u64 = 0x1000;
const NAMES: [&str; 9] = [
    "tid",
    "queued",
    "read",
    "write",
    "read_write",
    "ix_read",
    WHOLE_TABLE,
    "shop",
    "cart",
];

fn atom(name: &str) -> u64 {
    let index = NAMES.iter().position(|it| *it == name).unwrap();
    (index as u64) << 6 | 0xb
}

fn atoms() -> SnapshotMemory {
    let mut memory = SnapshotMemory::new();
    let mut table = [0u64; 16];
    (table[14], table[15]) = ((NAMES.len() as u64) << 32 | 1024, 0x2000);
    memory.map_words(ATOMS, &table);
    memory.map_words(0x2000, &[0x3000]);
    let mut segment = [0u64; 1024];
    for (index, name) in (0_u64..).zip(NAMES) {
        let (atom, text) = (0x5000 + index * 0x40, 0x6000 + index * 0x40);
        segment[index as usize] = atom;
        memory.map_words(atom, &[0, 0, index, name.len() as u64, text]);
        memory.map(text, name.as_bytes().to_vec());
    }
    memory.map_words(0x3000, &segment);
    memory
}

fn pid(number: u64) -> u64 {
    number << 4 | 3
}

fn small(value: u64) -> u64 {
    value << 4 | 0xf
}

/// `{{{tid, Number, Pid}, {Table, Key}, Operation}}` of the transaction and process with that number.
fn object(number: u64, table: &str, key: u64, operation: &str) -> TermBlock {
    const AT: u64 = 0x9000;
    let boxed = |word: u64| (AT + word * 8) | 2;
    let (is_queued, name) = match operation.strip_prefix("queued ") {
        Some(name) => (true, name),
        None => (false, operation),
    };
    let word = match name {
        "ix_read" => boxed(16),
        name => atom(name),
    };
    let operation = if is_queued { boxed(13) } else { word };
    let mut words = vec![1 << 6, boxed(2)];
    words.extend([3 << 6, boxed(6), boxed(10), operation]);
    words.extend([3 << 6, atom("tid"), small(number), pid(number)]);
    words.extend([2 << 6, atom(table), key]);
    words.extend([2 << 6, atom("queued"), word]);
    words.extend([3 << 6, atom("ix_read"), small(1), small(2)]);
    TermBlock { address: AT, words }
}

/// The locks that these wait for, by the numbers of the processes.
fn awaited_by(objects: &[TermBlock], waiters: &[u64]) -> Vec<Awaited<Lock>> {
    let mut text = TermText {
        memory: &atoms(),
        atoms: &mut AtomTable::new(ATOMS),
        pids: PidFormat::SlotAbove,
        binary: PROCESS_DETAILS[0].binary,
        heap: PROCESS_DETAILS[0].heap,
    };
    let waiters: Vec<u64> = waiters.iter().map(|it| pid(*it)).collect();
    locks_awaited(&mut text, objects, &waiters)
}

/// The process that each of these waits for: `5`, `5 of 2` with another one, `after 5` in the
/// queue.
fn awaited_texts(objects: &[TermBlock], waiters: &[u64]) -> Vec<String> {
    let awaited = awaited_by(objects, waiters).into_iter();
    let awaited = awaited.map(|it| match it {
        Awaited::One(Lock {
            by: Other::Here(id),
            is_ahead,
            holders,
            ..
        }) => match (is_ahead, holders) {
            (true, 1) => format!("after {}", id >> 4),
            (false, 1) => format!("{}", id >> 4),
            (_, holders) => format!("{} of {holders}", id >> 4),
        },
        Awaited::Unproven => "?".to_owned(),
        other => panic!("{other:?}"),
    });
    awaited.collect()
}

#[test]
fn who_waits_for_a_record_waits_for_who_has_it() {
    let key = small(17);
    let objects = [
        object(9, "shop", key, "write"),
        object(8, "shop", small(18), "write"),
        object(7, "cart", key, "write"),
        object(1, "shop", key, "queued write"),
        object(2, "shop", key, "queued read"),
        object(3, "shop", key, "queued read_write"),
        object(4, "cart", small(1), "read"),
    ];
    assert_eq!(
        awaited_texts(&objects, &[1, 2, 3, 4, 5]),
        ["9", "9", "9", "?", "?"]
    );
}

#[test]
fn those_that_read_wait_for_those_that_write() {
    let (key, whole) = (small(17), atom(WHOLE_TABLE));
    let mut objects = vec![
        object(9, "shop", key, "read"),
        object(8, "shop", key, "read"),
        object(1, "shop", key, "queued write"),
        object(2, "shop", whole, "queued write"),
    ];
    assert_eq!(awaited_texts(&objects, &[1, 2]), ["8 of 2", "8 of 2"]);
    // Behind the latest one before it: a record behind requests for it and for the table.
    objects.push(object(3, "shop", key, "queued read"));
    objects.push(object(4, "shop", key, "queued write"));
    objects.push(object(5, "shop", small(18), "queued write"));
    assert_eq!(awaited_texts(&objects, &[3, 5]), ["after 4", "?"]);
    objects.push(object(6, "shop", whole, "queued ix_read"));
    assert_eq!(awaited_texts(&objects, &[3, 5]), ["after 6", "after 6"]);
    // For all of a table, any record of it that is written.
    assert_eq!(awaited_texts(&objects, &[6]), ["?"]);
    objects.push(object(7, "shop", small(19), "write"));
    assert_eq!(awaited_texts(&objects, &[6]), ["7"]);
}

#[test]
fn kind_and_object_of_a_request_are_shown() {
    let whole = atom(WHOLE_TABLE);
    let objects = [
        object(9, "cart", small(4711), "write"),
        object(1, "cart", small(4711), "queued read"),
        object(2, "cart", whole, "queued write"),
    ];
    let locks = awaited_by(&objects, &[1, 2]);
    let lock = |key: Option<&str>, mode| {
        Awaited::One(Lock {
            by: Other::Here(pid(9)),
            is_ahead: false,
            holders: 1,
            table: "cart".to_owned(),
            key: key.map(str::to_owned),
            mode,
        })
    };
    let wanted = [lock(Some("_"), LockMode::Read), lock(None, LockMode::Write)];
    assert_eq!(locks, wanted, "a key is a value");
}

#[test]
fn what_is_not_proven_is_not_named() {
    let key = small(17);
    let held = object(9, "shop", key, "write");
    let queued = || object(1, "shop", key, "queued write");
    // Two requests, one that waits for itself, and a key that cannot be compared.
    let twice = [
        held.clone(),
        queued(),
        object(1, "cart", key, "queued read"),
    ];
    assert_eq!(awaited_texts(&twice, &[1]), ["?"]);
    assert_eq!(
        awaited_texts(&[object(1, "shop", key, "write"), queued()], &[1]),
        ["?"]
    );
    let odd = [held.clone(), queued(), object(8, "shop", 0x10_0002, "read")];
    assert_eq!(awaited_texts(&odd, &[1]), ["?"]);
    // An object that is none of these: then nothing is known.
    for change in [2, 3, 6, 9, 11] {
        let mut other = object(8, "cart", key, "read");
        other.words[change] = small(3);
        assert_eq!(
            awaited_texts(&[held.clone(), queued(), other], &[1]),
            ["?"],
            "{change}"
        );
    }
}

proptest! {
    #[test]
    fn any_words_never_panic(
        changes in prop::collection::vec((0usize..3, 0usize..20, prop_oneof![
            any::<u64>(), 0u64..0x240, (0x9000_u64..0x90a0), Just(0x9002_u64), Just(0x9012_u64),
        ]), 1..10),
    ) {
        let mut objects = [
            object(9, "shop", small(1), "write"),
            object(1, "shop", small(1), "queued write"),
            object(2, "shop", atom(WHOLE_TABLE), "queued ix_read"),
        ];
        for (object, word, value) in changes {
            objects[object].words[word] = value;
        }
        awaited_by(&objects, &[1, 2]);
    }
}
