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

/// A relation with the process of this term.
fn with(other: u64) -> Relation {
    Relation {
        other,
        ..Relation::default()
    }
}

fn details() -> &'static ProcessDetails {
    &PROCESS_DETAILS[0]
}

/// Nodes, each given by those below it; node `n` is about process `n`, which is its key, too.
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
fn a_tree_is_read_whole_and_trees_do_not_mix() {
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
    let known: Vec<bool> = found.iter().map(Option::is_some).collect();
    assert_eq!(known, [false, true, false, false, false]);
}

#[test]
fn a_monitor_on_a_name_of_another_node_has_that_name_behind_its_key() {
    const KEY: u16 = 48;
    let atom = |index: u64| index << 6 | 0xb;
    let relation = |other: u64| {
        let mut bytes = vec![0; 96];
        let mut put = |offset: usize, of: &[u8]| {
            bytes[offset..offset + of.len()].copy_from_slice(of);
        };
        put(details().relation_other, &other.to_le_bytes());
        put(
            details().relation_other + RELATION_KEY_BEHIND,
            &KEY.to_le_bytes(),
        );
        put(KEY.into(), &0x77_u64.to_le_bytes());
        put(64, &atom(7).to_le_bytes());
        let mut memory = SnapshotMemory::new();
        memory.map(AT, bytes);
        trees(&memory, details(), &[AT]).pop().flatten()
    };
    let named = |other: u64, name: u64| {
        Some(vec![Relation {
            other,
            key: 0x77,
            name,
        }])
    };
    assert_eq!(relation(atom(5)), named(atom(5), atom(7)));
    assert_eq!(
        relation(pid(5)),
        named(pid(5), 0),
        "of a pid it is something else"
    );
}

#[test]
fn only_references_have_numbers() {
    const MARKED: u64 = 7 << 32 | 0xffff_ffff;
    let header = |words: u64, subtag: u64| words << 6 | subtag << 2;
    let mut memory = SnapshotMemory::new();
    memory.map_words(
        AT,
        &[
            header(2, REFERENCE_SUBTAG),
            MARKED,
            8,
            header(1, REFERENCE_SUBTAG),
            MARKED,
            8,
            header(2, 0),
            MARKED,
            8,
            // A table's: it has an address there.
            header(2, REFERENCE_SUBTAG),
            0x7f5a_2403_c200,
            8,
            header(3, REFERENCE_SUBTAG),
            MARKED,
            8,
            9,
        ],
    );
    let boxed = |word: u64| AT + word * 8 + 2;
    let terms = [
        boxed(0),
        boxed(3),
        boxed(6),
        boxed(9),
        boxed(12),
        pid(1),
        0x66_0002,
        u64::MAX - 5,
    ];
    let found = references(&memory, &terms);
    let numbers = [MARKED, 8];
    let expected = HashMap::from([(boxed(0), numbers), (boxed(12), numbers)]);
    assert_eq!(found, expected, "one of them can be sent to");
}

#[test]
fn a_tree_has_at_most_as_many_relations_as_are_read() {
    // Each node has those two below it that a heap would have there.
    let full = |count: usize| -> Vec<[u64; 2]> {
        let below = |node: usize| if node < count { at(node) } else { 0 };
        (0..count)
            .map(|node| [below(2 * node + 1), below(2 * node + 2)])
            .collect()
    };
    let relations = |count: usize| tree(&memory(&full(count)), at(0)).map(|it| it.len());
    assert_eq!(relations(MAX_RELATIONS), Some(MAX_RELATIONS));
    assert_eq!(relations(MAX_RELATIONS + 1), None);
}

#[test]
fn nodes_that_are_another_things_meanwhile_spoil_their_own_tree_only() {
    // Its key is behind all that can be read, or behind all addresses.
    let mut elsewhere = memory(&[[0, 0], [0, 0]]);
    let key = details().relation_other + RELATION_KEY_BEHIND;
    let mut bytes = vec![0; 64];
    bytes[key..key + 2].copy_from_slice(&u16::MAX.to_le_bytes());
    elsewhere.map(0x55_0000, bytes.clone());
    elsewhere.map(u64::MAX - 63, bytes);
    let found = trees(
        &elsewhere,
        details(),
        &[0x55_0000, at(0), u64::MAX - 63, at(1)],
    );
    let known: Vec<bool> = found.iter().map(Option::is_some).collect();
    assert_eq!(known, [false, true, false, true]);
}

/// A pid of another node in memory, that node, and its name, the only atom.
struct Elsewhere {
    pid: [u64; 4],
    node: u64,
    name: (u64, &'static str),
}

impl Elsewhere {
    fn new() -> Self {
        Self {
            pid: [3 << 6 | OTHER_PID_SUBTAG << 2, 0x2000, 0, 7 << 32 | 42],
            node: 0x2000,
            name: (0xb, "shop@host"),
        }
    }

    fn other(&self, change: impl FnOnce(&mut SnapshotMemory)) -> Option<Other> {
        let mut memory = SnapshotMemory::new();
        memory.map_words(AT, &self.pid);
        memory.map_words(self.node, &[0, 0, 0, self.name.0]);
        let mut table = [0; 16];
        (table[14], table[15]) = (1 << 32 | 1024, 0x4000);
        memory
            .map_words(0x3000, &table)
            .map_words(0x4000, &[0x5000]);
        memory.map_words(0x5000, &[0x6000]);
        memory.map_words(0x6000, &[0, 0, 0, self.name.1.len() as u64, 0x7000]);
        memory.map(0x7000, self.name.1.as_bytes().to_vec());
        change(&mut memory);
        other(&memory, &mut AtomTable::new(0x3000), with(AT + 2))
    }
}

#[test]
fn a_pid_of_another_node_has_its_name() {
    let found = Elsewhere::new().other(|_| {});
    let (pid, node) = ("<0.42.7>".to_owned(), "shop@host".to_owned());
    assert_eq!(found, Some(Other::Elsewhere { pid, node }));
}

#[test]
fn a_term_that_is_no_process_or_of_no_node_is_none() {
    let of = |change: fn(&mut Elsewhere)| {
        let mut elsewhere = Elsewhere::new();
        change(&mut elsewhere);
        elsewhere.other(|_| {})
    };
    assert_eq!(of(|it| it.pid[0] = 3 << 6 | REFERENCE_SUBTAG << 2), None);
    assert_eq!(of(|it| it.pid[0] |= 1), None, "no header");
    assert_eq!(of(|it| it.pid[1] = 0x66_0000), None, "a node that is freed");
    assert_eq!(of(|it| it.pid[1] = u64::MAX - 8), None, "it would wrap");
    assert_eq!(of(|it| it.name.0 = 0x3b), None, "a name that is no atom");
    assert_eq!(
        of(|it| it.name.0 = 1 << 60 | 0xb),
        None,
        "nor one that is known"
    );
    assert_eq!(of(|it| it.name.1 = "shop"), None, "an atom that is no name");
    let half = Elsewhere::new().other(|memory| {
        memory.map_words(AT, &[3 << 6 | OTHER_PID_SUBTAG << 2, 0x2000]);
    });
    assert_eq!(half, None, "cut off");
}

#[test]
fn of_words_only_pids_are_processes() {
    let nothing = SnapshotMemory::new();
    let other_of = |term: u64| other(&nothing, &mut AtomTable::new(0x3000), with(term));
    assert_eq!(other_of(pid(7)), Some(Other::Here(pid(7))));
    for term in [0, 0x3b, 7 << 4 | 7, 1 << 6 | 0xb, AT + 1, u64::MAX - 5] {
        assert_eq!(other_of(term), None, "{term:#x}");
    }
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
