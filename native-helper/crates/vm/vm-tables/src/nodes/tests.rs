use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use target_memory::SnapshotMemory;

const TABLE_AT: u64 = 0x1_0000;
const ATOMS_AT: u64 = 0x50_0000;
const NIL: u64 = 0x3b;
const PORT: u64 = 0x6b7;

/// One entry of a table that is made: name, state, flags.
type Made<'a> = (&'a str, u32, u64);

const OWN: Made = ("shop@one", STATE_IDLE, 0);

/// Words of a memory, by where they begin: any of them may be made another.
#[derive(Default)]
struct Words(BTreeMap<u64, Vec<u64>>);

impl Words {
    fn map_words(&mut self, at: u64, words: &[u64]) -> &mut Self {
        self.0.insert(at, words.to_vec());
        self
    }

    fn set(&mut self, at: u64, value: u64) {
        let (start, words) = self.0.range_mut(..=at).next_back().unwrap();
        words[((at - start) / 8) as usize] = value;
    }

    fn memory(&self) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        for (at, words) in &self.0 {
            memory.map_words(*at, words);
        }
        memory
    }
}

fn entry_at(index: usize) -> u64 {
    0x20_0000 + index as u64 * 0x1000
}

/// A table of two chains with these entries, which are in the lists of their kinds in this order, and the
/// atoms of their names.
fn vm(entries: &[Made]) -> Words {
    let mut memory = Words::default();
    let mut table = [0_u64; 13];
    (table[9], table[11], table[12]) = (63, entries.len() as u64, 0x1_1000);
    memory.map_words(TABLE_AT, &table);
    let second = if entries.len() > 1 { entry_at(1) } else { 0 };
    memory.map_words(0x1_1000, &[entry_at(0), second]);
    let kind = |index: usize| {
        let (_, state, flags) = entries[index];
        (state == STATE_IDLE, state == STATE_PENDING, flags)
    };
    for (index, (_, state, flags)) in entries.iter().enumerate() {
        let alike = |other: &usize| kind(*other) == kind(index);
        let after = (index + 1..entries.len()).find(alike).map_or(0, entry_at);
        let before = (0..index).rev().find(alike).map_or(0, entry_at);
        let in_chain = if index + 2 < entries.len() {
            entry_at(index + 2)
        } else {
            0
        };
        let mut words = [0x7000_u64; DISTRIBUTION.read_bytes / 8];
        (words[0], words[2], words[3]) = (in_chain, after, before);
        words[14] = (index as u64) << 6 | 0xb;
        words[17] = if *state >= STATE_CONNECTED { PORT } else { NIL };
        words[18] = u64::from(*state) << 32 | 5;
        words[21] = *flags;
        memory.map_words(entry_at(index), &words);
    }
    let names: Vec<&str> = entries.iter().map(|entry| entry.0).collect();
    map_atoms(&mut memory, &names);
    memory
}

fn map_atoms(memory: &mut Words, names: &[&str]) {
    let mut head = [0_u64; 16];
    head[14] = (names.len() as u64) << 32 | 1_048_576;
    head[15] = ATOMS_AT + 0x1000;
    memory
        .map_words(ATOMS_AT, &head)
        .map_words(ATOMS_AT + 0x1000, &[ATOMS_AT + 0x2000]);
    let at = |index: usize| ATOMS_AT + 0x1_0000 + index as u64 * 0x1000;
    let pointers: Vec<u64> = (0..names.len()).map(at).collect();
    memory.map_words(ATOMS_AT + 0x2000, &pointers);
    for (index, name) in names.iter().enumerate() {
        let words = [0, 0, index as u64, name.len() as u64, at(index) + 0x100];
        memory.map_words(at(index), &words);
        let mut text = name.as_bytes().to_vec();
        text.resize(64, 0);
        let text: Vec<u64> = bytes_to_words(&text).collect();
        memory.map_words(at(index) + 0x100, &text);
    }
}

fn read(words: &Words) -> Result<KnownNodes, TableError> {
    let last = |idle: &[IdleEntry]| idle.iter().map(|entry| entry.address).max();
    known_nodes(
        &words.memory(),
        TABLE_AT,
        &mut AtomTable::new(ATOMS_AT),
        last,
    )
}

fn refused(memory: &Words) -> String {
    read(memory).unwrap_err().to_string()
}

/// The VM itself comes last.
fn cluster() -> Words {
    vm(&[
        ("seen@two", STATE_CONNECTED, 0x1f | FLAG_PUBLISHED),
        ("probe@two", STATE_CONNECTED, 0x1e),
        ("soon@three", STATE_PENDING, 0),
        ("other@two", STATE_CONNECTED, FLAG_PUBLISHED | 0x1f),
        ("left@three", STATE_IDLE, 0),
        OWN,
    ])
}

#[test]
fn each_node_has_its_state_and_the_vm_itself_is_none_of_them() {
    let nodes = read(&cluster()).unwrap();
    assert_eq!(nodes.own.as_deref(), Some("shop@one"));
    let others: Vec<(&str, NodeState)> = nodes
        .others
        .iter()
        .map(|node| (&*node.name, node.state))
        .collect();
    assert_eq!(
        others,
        [
            ("left@three", NodeState::NotConnected),
            ("other@two", NodeState::Visible),
            ("probe@two", NodeState::Hidden),
            ("seen@two", NodeState::Visible),
            ("soon@three", NodeState::Pending),
        ]
    );
}

#[test]
fn the_name_before_it_had_one_is_no_other_node() {
    let nodes = read(&vm(&[("nonode@nohost", STATE_IDLE, 0), OWN])).unwrap();
    assert_eq!(nodes.own.as_deref(), Some("shop@one"));
    assert_eq!(nodes.others, []);
}

#[test]
fn a_vm_without_a_name_knows_no_node() {
    let nodes = read(&vm(&[("nonode@nohost", STATE_IDLE, 0)])).unwrap();
    assert_eq!(nodes, KnownNodes::default());
}

#[test]
fn what_is_called_as_no_node_is_is_left_out_or_refused() {
    let idle = |name| vm(&[(name, STATE_IDLE, 0), OWN]);
    for name in ["plain", "@two", "a@", "a@b@c", "a\u{1b}[2J@two"] {
        assert!(!is_node_name(name), "{name}");
        assert_eq!(read(&idle(name)).unwrap().others, [], "{name}");
    }
    let connected = vm(&[("a@b@c", STATE_CONNECTED, 1), OWN]);
    assert!(refused(&connected).contains("has a name that no node has"));
    let nameless = vm(&[("shop", STATE_IDLE, 0)]);
    assert!(refused(&nameless).contains("has no name"));
}

#[test]
fn chains_that_bite_their_tails_end_and_are_refused() {
    let mut memory = cluster();
    memory.set(entry_at(0), entry_at(0));
    assert!(refused(&memory).contains("more entries"));
    let mut memory = cluster();
    memory.set(entry_at(2), 0);
    assert!(refused(&memory).contains("fewer entries"));
    let mut memory = cluster();
    memory.set(entry_at(0), 7);
    assert!(refused(&memory).contains("leads nowhere"));
}

#[test]
fn lists_that_do_not_join_are_refused() {
    for (entry, word, value) in [
        (0, 2, entry_at(0)),
        (0, 2, entry_at(1)),
        (0, 2, 0),
        (3, 3, 0x9_0000),
        (5, 3, 0),
    ] {
        let mut memory = cluster();
        memory.set(entry_at(entry) + word * 8, value);
        let refusal = refused(&memory);
        assert!(refusal.contains("do not join"), "{entry} {word}: {refusal}");
    }
}

#[test]
fn the_vm_itself_is_the_entry_that_its_variable_has_and_no_other() {
    let memory = cluster().memory();
    let read = |own: &dyn Fn(&[IdleEntry]) -> Option<u64>| {
        known_nodes(&memory, TABLE_AT, &mut AtomTable::new(ATOMS_AT), own)
    };
    let first = |idle: &[IdleEntry]| Some(idle.iter().find(|entry| entry.is_first)?.address);
    assert_eq!(read(&first).unwrap().own.as_deref(), Some("left@three"));
    // One that is connected is not itself, and without one the own node is unknown.
    assert!(read(&|_| Some(entry_at(0))).is_err());
    assert!(read(&|_| None).is_err());
}

#[test]
fn impossible_heads_are_refused() {
    for (word, value) in [
        (9, 0),
        (9, 65),
        (11, 0),
        (11, 100_000),
        (12, 0),
        (12, 0x1_1001),
    ] {
        let mut memory = cluster();
        memory.set(TABLE_AT + word * 8, value);
        assert!(!can_be_node_table(&memory.memory(), TABLE_AT));
        assert!(read(&memory).is_err(), "{word} {value}");
    }
}

#[test]
fn states_that_contradict_their_connection_are_refused() {
    for state in [STATE_CONNECTED, 4, u32::MAX] {
        let mut memory = cluster();
        memory.set(entry_at(5) + 144, u64::from(state) << 32);
        assert!(refused(&memory).contains("the state should be at"));
    }
}

proptest! {
    /// Any word of a table and its entries may be any other.
    #[test]
    fn damage_never_panics(
        damages in prop::collection::vec((0_usize..8, 0_u64..23, 0_u64..0x60_0000), 1..6)
    ) {
        let mut memory = cluster();
        for (which, word, value) in damages {
            let (at, words) = match which {
                6 => (TABLE_AT, 13),
                7 => (0x1_1000, 2),
                index => (entry_at(index), 22),
            };
            memory.set(at + word % words * 8, value);
        }
        if let Ok(nodes) = read(&memory) {
            prop_assert!(nodes.others.iter().all(|node| is_node_name(&node.name)));
        }
    }

    #[test]
    fn garbage_never_panics(words in prop::collection::vec(any::<u64>(), 0..64)) {
        let mut memory = SnapshotMemory::new();
        memory.map_words(0, &words);
        let _ = known_nodes(&memory, 0, &mut AtomTable::new(0), |_| None);
    }
}
