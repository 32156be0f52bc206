use proptest::prelude::*;
use target_memory::SnapshotMemory;
use vm_layout::process_details::PROCESS_DETAILS;

use super::*;

const AT: u64 = 0x10_0000;
/// Words from one node to the next.
const EACH: usize = 12;

const fn at(node: usize) -> u64 {
    AT + (node * EACH * 8) as u64
}

const fn pid(number: u64) -> u64 {
    number << 4 | 3
}

fn details() -> &'static ProcessDetails {
    &PROCESS_DETAILS[0]
}

/// Nodes by what is below each; node `n` is about process `n`, which is its key, too.
fn memory(below: &[[u64; 2]]) -> SnapshotMemory {
    let mut bytes = vec![0; below.len() * EACH * 8];
    let other = details().relation_other;
    for (node, below) in below.iter().enumerate() {
        let start = node * EACH * 8;
        let mut put = |offset: usize, of: &[u8]| {
            bytes[start + offset..start + offset + of.len()].copy_from_slice(of);
        };
        for (place, next) in RELATION_BELOW.iter().zip(below) {
            put(*place, &next.to_le_bytes());
        }
        put(other, &pid(node as u64).to_le_bytes());
        let key = u16::try_from(other).unwrap();
        put(other + RELATION_KEY_BEHIND, &key.to_le_bytes());
    }
    let mut memory = SnapshotMemory::new();
    memory.map(AT, bytes);
    memory
}

fn tree(memory: &SnapshotMemory, top: u64) -> Option<Vec<u64>> {
    let mut found = trees(memory, details(), &[top]);
    let relations = found.pop().unwrap()?;
    assert!(found.is_empty());
    Some(relations.iter().map(|it| it.other >> 4).collect())
}

#[test]
fn a_tree_is_told_whole_and_trees_do_not_mix() {
    let memory = memory(&[[at(1), at(2)], [0, at(3)], [0, 0], [0, 0], [0, 0]]);
    assert_eq!(tree(&memory, at(0)).unwrap(), [0, 1, 2, 3]);
    assert_eq!(tree(&memory, 0).unwrap(), [0; 0]);
    let found = trees(&memory, details(), &[at(4), 0, at(1)]);
    let keys = |tree: &Option<Vec<Relation>>| -> Vec<u64> {
        let relations = tree.as_ref().unwrap();
        relations.iter().map(|it| it.key & 0xffff).collect()
    };
    let found: Vec<_> = found.iter().map(keys).collect();
    assert_eq!(found, [vec![pid(4)], vec![], vec![pid(1), pid(3)]]);
}

#[test]
fn a_tree_that_bites_its_tail_is_none() {
    for below in [
        vec![[at(0), 0]],
        vec![[at(0), at(0)]],
        vec![[at(1), 0], [0, at(0)]],
        vec![[at(1), at(1)], [at(0), at(0)]],
        vec![[at(1), at(2)], [0, 0], [at(2), 0]],
    ] {
        assert_eq!(tree(&memory(&below), at(0)), None, "{below:x?}");
    }
}

#[test]
fn a_tree_deeper_than_any_that_is_balanced_is_none() {
    let chain = |levels: usize| -> Vec<[u64; 2]> {
        let next = |node: usize| if node + 1 < levels { at(node + 1) } else { 0 };
        (0..levels).map(|node| [next(node), 0]).collect()
    };
    let longest = MAX_LEVELS;
    assert_eq!(
        tree(&memory(&chain(longest)), at(0)).map(|it| it.len()),
        Some(longest)
    );
    assert_eq!(tree(&memory(&chain(longest + 1)), at(0)), None);
}

#[test]
fn what_cannot_be_read_spoils_its_own_tree_only() {
    let memory = memory(&[[at(1), 0x66_0000], [0, 0], [0, 0], [u64::MAX - 8, 0]]);
    let found = trees(&memory, details(), &[at(0), at(2), at(3), 0x5, u64::MAX]);
    let told: Vec<bool> = found.iter().map(Option::is_some).collect();
    assert_eq!(told, [false, true, false, false, false]);
}

#[test]
fn only_references_have_numbers() {
    let header = |words: u64, subtag: u64| words << 6 | subtag << 2;
    let mut memory = SnapshotMemory::new();
    memory.map_words(
        AT,
        &[
            header(2, REFERENCE_SUBTAG),
            7,
            8,
            header(1, REFERENCE_SUBTAG),
            7,
            8,
            header(2, 0),
            7,
            8,
        ],
    );
    let boxed = |word: u64| AT + word * 8 + 2;
    let terms = [
        boxed(0),
        boxed(3),
        boxed(6),
        pid(1),
        0x66_0002,
        u64::MAX - 5,
    ];
    let found = references(&memory, &terms);
    assert_eq!(found, HashMap::from([(boxed(0), [7, 8])]));
}

proptest! {
    /// Nodes anywhere, below each other in any way.
    #[test]
    fn garbage_has_an_end(below in prop::collection::vec((0usize..24, 0usize..24), 1..20), tops in prop::collection::vec(0usize..24, 1..8)) {
        let below: Vec<[u64; 2]> = below.iter().map(|(a, b)| [at(*a), at(*b)]).collect();
        let memory = memory(&below);
        let tops: Vec<u64> = tops.iter().map(|node| at(*node)).collect();
        for tree in trees(&memory, details(), &tops).into_iter().flatten() {
            prop_assert!(tree.len() <= MAX_RELATIONS);
        }
    }

    /// Any bytes as nodes, references and pids of other nodes.
    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), tops in prop::collection::vec(0u64..400, 1..8)) {
        let mut memory = SnapshotMemory::new();
        memory.map(AT, bytes);
        let tops: Vec<u64> = tops.iter().map(|offset| AT + offset).collect();
        trees(&memory, details(), &tops);
        references(&memory, &tops);
    }
}
