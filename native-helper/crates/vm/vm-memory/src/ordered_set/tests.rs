use proptest::prelude::*;
use target_memory::SnapshotMemory;

use super::*;
use crate::ets::Protection;

const TABLE: u64 = 0x10_0000;
const NODES: u64 = 0x20_0000;
/// Bytes from one node to the next.
const EACH: u64 = 0x40;

fn at(node: usize) -> u64 {
    NODES + node as u64 * EACH
}

fn table(items: u64) -> EtsTable {
    EtsTable {
        address: TABLE,
        name: 0xb,
        is_named: true,
        owner: 0x2a3,
        kind: TableType::OrderedSet,
        protection: Protection::Private,
        items,
        bytes: 0,
    }
}

/// The object with the number of its node.
fn node(number: usize, below: [u64; 2]) -> Vec<u64> {
    let object = [1 << 6, (number as u64) << 4 | 0xf];
    [below[0], below[1], 0, 0, 2, object[0], object[1], 0].to_vec()
}

/// A balanced tree of so many.
fn nodes(count: usize) -> Vec<Vec<u64>> {
    let child = |number: usize| if number < count { at(number) } else { 0 };
    let below = |number: usize| [child(2 * number + 1), child(2 * number + 2)];
    (0..count).map(|it| node(it, below(it))).collect()
}

fn read(nodes: &[Vec<u64>], top_at: usize, items: u64, most: usize) -> Option<Vec<u64>> {
    let mut memory = SnapshotMemory::new();
    let mut words = vec![0; 64];
    words[top_at / 8] = if nodes.is_empty() { 0 } else { at(0) };
    memory.map_words(TABLE, &words);
    // One piece: the memory after a node can be read.
    memory.map_words(NODES, &nodes.concat());
    let found = objects(&memory, &table(items), most)?;
    let mut numbers: Vec<u64> = found.iter().map(|it| it.words[1] >> 4).collect();
    numbers.sort_unstable();
    Some(numbers)
}

#[test]
fn all_objects_are_read_at_either_place_of_the_top() {
    for (_, offset) in TREE_TOPS {
        for count in [0, 1, 2, 1000] {
            let found = read(&nodes(count), offset, count as u64, 1000);
            assert_eq!(found, Some((0..count as u64).collect()), "{count}");
        }
    }
    assert_eq!(read(&nodes(3), 312, 3, 1000), None, "at no known place");
}

#[test]
fn a_tree_that_has_another_number_of_objects_is_not_believed() {
    let top = TREE_TOPS[0].1;
    for items in [2, 4, u64::MAX] {
        assert_eq!(read(&nodes(3), top, items, 1000), None);
    }
    assert_eq!(read(&nodes(3), top, 3, 2), None, "more than are wanted");
    let hash = EtsTable {
        kind: TableType::Set,
        ..table(0)
    };
    assert_eq!(objects(&SnapshotMemory::new(), &hash, 9), None);
}

#[test]
fn loops_wild_pointers_and_lengths_that_cannot_be_end_it() {
    let top = TREE_TOPS[0].1;
    for (word, value) in [
        (0, at(0)),
        (1, at(1)),
        (0, 0x7fff_ffff_0000),
        (0, 1),
        (4, u64::MAX),
        (4, MAX_WORDS),
        (4, 0),
        (4, 1),
        (5, 2 << 6),
        (5, 7),
    ] {
        let mut nodes = nodes(3);
        nodes[1][word] = value;
        assert_eq!(read(&nodes, top, 3, 1000), None, "{word} {value:#x}");
    }
    // A list of so many levels is no balanced tree.
    let list: Vec<Vec<u64>> = (0..100)
        .map(|it| node(it, [0, if it < 99 { at(it + 1) } else { 0 }]))
        .collect();
    assert_eq!(read(&list, top, 100, 1000), None);
}

proptest! {
    #[test]
    fn any_words_anywhere_never_panic_and_end(
        changes in prop::collection::vec((0usize..7, 0usize..8, prop_oneof![
            any::<u64>(), 0u64..0x100, (0usize..8).prop_map(at),
        ]), 1..8),
        items in 0u64..40,
    ) {
        let mut nodes = nodes(7);
        for (node, word, value) in changes {
            nodes[node][word] = value;
        }
        if let Some(found) = read(&nodes, TREE_TOPS[0].1, items, 1000) {
            prop_assert_eq!(found.len() as u64, items);
        }
    }
}
