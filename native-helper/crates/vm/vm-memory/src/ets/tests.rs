use super::*;
use proptest::prelude::*;
use target_memory::SnapshotMemory;

const SCHEDULERS: u64 = 0x100_0000;
const STRIDE: usize = 0x1000;
const PLACE: usize = 0x808;
const ATOMS: u64 = 0x10_000;
const TABLES: u64 = 0x20_000;
const COUNTERS: u64 = 0x30_040;
const OWNER: u64 = 0x2a3;

/// The atom of that index, of which there are two.
fn atom(index: u64) -> u64 {
    index << 6 | 0xb
}

#[derive(Clone)]
struct Vm {
    tables: Vec<Vec<u64>>,
    schedulers: Vec<Vec<u64>>,
}

impl Vm {
    /// Two schedulers, the first with three tables, the second with none; a dirty one with nonsense.
    fn new() -> Self {
        let mut vm = Self {
            tables: Vec::new(),
            schedulers: vec![vec![9; STRIDE / 8]; 3],
        };
        let kinds = [
            (TYPE_SET | TYPE_NAMED, STATUS_PROTECTED, 0, [5, 800]),
            (
                TYPE_SHARED_ORDERED_SET,
                STATUS_PUBLIC,
                0xcccc_cc00,
                [7, 900],
            ),
            (TYPE_DUPLICATE_BAG, STATUS_PRIVATE, 1, [COUNTERS, 0]),
        ];
        for (index, (kind, status, is_decentralised, counts)) in (0..).zip(kinds) {
            let mut words = vec![0_u64; TABLE.read_bytes / 8];
            words[TABLE.next / 8] = TABLES + (index + 1) % 3 * 0x1000;
            words[TABLE.previous / 8] = TABLES + (index + 2) % 3 * 0x1000;
            words[TABLE.kind / 8] = u64::from(kind) << 32;
            words[TABLE.owner / 8] = OWNER;
            words[TABLE.name / 8] = atom(index % 2);
            words[(TABLE.is_decentralised - 4) / 8] = is_decentralised << 32 | 1;
            words[TABLE.items / 8] = counts[0];
            words[TABLE.bytes / 8] = counts[1];
            words[TABLE.status / 8] = u64::from(status);
            vm.tables.push(words);
        }
        vm.head(0, 3, TABLES);
        vm.head(1, 0, 0);
        vm
    }

    fn head(&mut self, scheduler: usize, count: u64, first: u64) {
        self.schedulers[scheduler][PLACE / 8 - 1] = count;
        self.schedulers[scheduler][PLACE / 8] = first;
    }

    fn memory(&self) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        for (index, words) in (0..).zip(&self.schedulers) {
            memory.map_words(SCHEDULERS + index * STRIDE as u64, words);
        }
        for (index, words) in (0..).zip(&self.tables) {
            memory.map_words(TABLES + index * 0x1000, words);
        }
        // Two lines of counters, as an allocator's block has them.
        let mut counters = vec![8 + 16 + 64 + 2 * 64];
        counters.extend([0; 8]);
        counters[8] = 0x30_008;
        counters.extend([0, 3, 300, 0, 0, 0, 0, 0, 0, 4, 500, 0, 0, 0, 0, 0, 0]);
        memory.map_words(0x30_000, &counters);
        let mut table = [0_u64; 16];
        (table[14], table[15]) = (2 << 32 | 100, ATOMS + 0x100);
        memory.map_words(ATOMS, &table);
        memory.map_words(ATOMS + 0x100, &[ATOMS + 0x200]);
        memory.map_words(ATOMS + 0x200, &[ATOMS + 0x300, ATOMS + 0x400]);
        for (index, name) in [(0, b"shop\0\0\0\0"), (1, b"cart\0\0\0\0")] {
            let at = ATOMS + 0x300 + index * 0x100;
            memory.map_words(at, &[0, 0, index, 4, at + 64]);
            memory.map(at + 64, name.to_vec());
        }
        memory
    }

    fn read(&self) -> Result<EtsTables, TableError> {
        let memory = self.memory();
        let lists = EtsLists::derive(&memory, &schedulers(), STRIDE)?;
        lists.tables(&memory, &mut AtomTable::new(ATOMS))
    }
}

fn schedulers() -> Vec<Scheduler> {
    let one = |index: u64, kind| Scheduler {
        kind,
        number: 1,
        data: SCHEDULERS + index * STRIDE as u64,
        registers: 0,
    };
    vec![
        one(0, SchedulerKind::Normal),
        one(1, SchedulerKind::Normal),
        one(2, SchedulerKind::DirtyCpu),
    ]
}

#[test]
fn the_circle_of_each_scheduler_is_found_and_walked() {
    let all = Vm::new().read().unwrap();
    assert_eq!(all.rejected, 0);
    let [set, ordered, bag] = &all.tables[..] else {
        panic!("{all:?}");
    };
    assert_eq!((set.name, set.owner, set.is_named), (atom(0), OWNER, true));
    assert_eq!(
        (set.kind, set.protection),
        (TableType::Set, Protection::Protected)
    );
    assert_eq!((set.items, set.bytes), (5, 800));
    assert_eq!(
        (ordered.kind, ordered.protection),
        (TableType::OrderedSet, Protection::Public)
    );
    assert_eq!((ordered.items, ordered.bytes), (7, 900));
    assert_eq!(
        (bag.kind, bag.protection),
        (TableType::DuplicateBag, Protection::Private)
    );
    assert_eq!(
        (bag.items, bag.bytes, bag.is_named),
        (7, 800, false),
        "sums of its lines"
    );
}

#[test]
fn a_second_place_that_leads_to_tables_is_one_too_many() {
    let mut vm = Vm::new();
    vm.schedulers[0][100..102].copy_from_slice(&[1, TABLES]);
    vm.schedulers[1][100..102].copy_from_slice(&[0, 0]);
    assert!(matches!(
        vm.read(),
        Err(TableError::Ambiguous { candidates: 2, .. })
    ));
    // One that other schedulers contradict is none.
    vm.schedulers[1][101] = 8;
    assert_eq!(vm.read().unwrap().tables.len(), 3);
    vm.head(0, 0, 0);
    vm.schedulers[0][101] = 0;
    assert!(matches!(vm.read(), Err(TableError::NotFound { .. })));
}

#[test]
fn a_table_that_is_being_deleted_is_none_any_more() {
    let mut vm = Vm::new();
    vm.tables[1][TABLE.status / 8] = u64::from(STATUS_PUBLIC | STATUS_DELETED);
    let all = vm.read().unwrap();
    assert_eq!((all.tables.len(), all.rejected), (2, 0));
}

#[test]
fn what_contradicts_itself_is_counted() {
    let changes = [
        (TABLE.previous, 0x7000, 1, 2),
        (TABLE.owner, 0x2a7, 1, 2),
        (TABLE.name, 0x123, 1, 2),
        (TABLE.next, TABLES + 0x1000, 2, 1),
        // Its name is no existing atom; no process may do anything with it. The others are reached.
        (TABLE.name, atom(7), 2, 1),
        (TABLE.status, 0, 2, 1),
    ];
    for (field, word, read, rejected) in changes {
        let mut vm = Vm::new();
        vm.tables[1][field / 8] = word;
        let all = vm.read().unwrap();
        assert_eq!(
            (all.tables.len(), all.rejected),
            (read, rejected),
            "{field} {word:#x}"
        );
    }
    // One that came or went since they were counted is no contradiction.
    for count in [2, 4] {
        let mut vm = Vm::new();
        vm.head(0, count, TABLES);
        let all = vm.read().unwrap();
        assert_eq!((all.tables.len(), all.rejected), (3, 0));
    }
}

#[test]
fn a_count_that_no_vm_has_is_not_believed() {
    let mut vm = Vm::new();
    vm.head(0, u64::MAX, TABLES);
    assert!(vm.read().is_err());
}

proptest! {
    #[test]
    fn any_words_anywhere_never_panic(
        changes in prop::collection::vec((0usize..3, 0usize..36, prop_oneof![
            any::<u64>(), 0u64..64, Just(TABLES), Just(TABLES + 0x1000), Just(COUNTERS), Just(u64::MAX),
        ]), 1..12),
    ) {
        let mut vm = Vm::new();
        for (table, word, value) in changes {
            vm.tables[table][word] = value;
        }
        let _ = vm.read();
    }
}
