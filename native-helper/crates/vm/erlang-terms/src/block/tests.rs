use proptest::prelude::*;
use target_memory::SnapshotMemory;
use vm_layout::process_details::PROCESS_DETAILS;
use vm_tables::atoms::AtomTable;
use vm_tables::pids::PidFormat;

use super::*;

const AT: u64 = 0x8000;
const NIL: u64 = 0x3b;

fn small(value: u64) -> u64 {
    value << 4 | 0xf
}

/// The identity of the term whose header or cell is the first word, with a pointer to it of that tag.
fn identity(words: &[u64], address: u64, tag: u64) -> Option<Vec<u64>> {
    let mut memory = SnapshotMemory::new();
    memory.map_words(address, words);
    let text = TermText {
        memory: &memory,
        atoms: &mut AtomTable::new(0x1000),
        pids: PidFormat::SlotAbove,
        binary: PROCESS_DETAILS[0].binary,
        heap: PROCESS_DETAILS[0].heap,
    };
    let words = words.to_vec();
    text.identity(&TermBlock { address, words }, address | tag)
}

#[test]
fn equal_terms_are_equal_wherever_they_are() {
    let tuple = |at: u64, value| [2 << 6, small(value), at + 0x19, small(3), NIL];
    let one = identity(&tuple(AT, 1), AT, 2).unwrap();
    assert_eq!(identity(&tuple(0x9000, 1), 0x9000, 2).unwrap(), one);
    assert_ne!(identity(&tuple(AT, 2), AT, 2).unwrap(), one);
    let list = identity(&[2 << 6, small(1), AT + 0x19, small(4), NIL], AT, 2);
    assert_ne!(list.unwrap(), one);
    // An integer is none of a float, and no list is the tuple of the same words.
    let (float, integer) = ([1 << 6 | 6 << 2, 5], [1 << 6 | 2 << 2, 5]);
    assert_ne!(identity(&float, AT, 2), identity(&integer, AT, 2));
    assert_ne!(
        identity(&[small(1), NIL], AT, 1),
        identity(&[2 << 6, small(1), NIL], AT, 2)
    );
}

#[test]
fn a_binary_is_its_bytes() {
    let format = PROCESS_DETAILS[0].binary;
    let bits = |bits: u64| bits / format.on_heap_unit_bits;
    let on_heap = |word| [2 << 6 | format.on_heap_subtag << 2, bits(24), word];
    let one = identity(&on_heap(0x4141_4141), AT, 2).unwrap();
    assert_eq!(one, [BINARY, 24, 0x41_4141], "three bytes of it");
    assert_ne!(identity(&on_heap(0x4142), AT, 2).unwrap(), one);
    let long = [2 << 6 | format.on_heap_subtag << 2, bits(1 << 20), 0];
    assert_eq!(identity(&long, AT, 2), None);
}

#[test]
fn what_is_not_known_has_no_identity() {
    let fun = [1 << 6 | 5 << 2, 0];
    assert_eq!(identity(&fun, AT, 2), None);
    // Lists that bite their tail, tuples in themselves, and arities and pointers that lead out of the block.
    assert_eq!(identity(&[small(1), AT | 1], AT, 1), None);
    assert_eq!(identity(&[2 << 6, AT | 2, AT | 2], AT, 2), None);
    assert_eq!(identity(&[1 << 50, 0], AT, 2), None);
    assert_eq!(identity(&[1000 << 6 | 2 << 2, 0], AT, 2), None);
    assert_eq!(identity(&[1 << 6, 0x10_0002], AT, 2), None);
    let mut long = vec![600 << 6 | 2 << 2];
    long.resize(601, 7);
    assert_eq!(identity(&long, AT, 2), None, "a long one");
}

proptest! {
    #[test]
    fn any_words_have_an_end(
        words in prop::collection::vec(prop_oneof![
            any::<u64>(), 0u64..0x200, (AT..AT + 0x100), Just(AT | 1), Just(AT | 2),
        ], 0..24),
    ) {
        for tag in [1, 2, 3] {
            if let Some(identity) = identity(&words, AT, tag) {
                prop_assert!(identity.len() <= MOST_WORDS);
            }
        }
        let block = TermBlock { address: AT, words };
        let _ = (block.first_tuple(), block.boxed(AT | 2));
    }
}
