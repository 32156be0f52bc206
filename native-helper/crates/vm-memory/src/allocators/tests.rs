use super::*;
use proptest::prelude::*;
use target_memory::SnapshotMemory;
use vm_layout::allocators::{ALLOCATORS, AllocatorLayout, IDENTITY};

const TABLE: u64 = 0x10_000;
const SPEC: u64 = 0x11_000;
const ARRAY: u64 = 0x12_000;
const NAMES: u64 = 0x13_000;
/// Two instances of binary_alloc, one of temp_alloc.
const BINARY: [u64; 2] = [0x20_000, 0x21_000];
const TEMP: u64 = 0x22_000;
const BINARY_KIND: usize = 9;
const TEMP_KIND: usize = 1;

/// A carrier: where, how long, in blocks, largest free.
type Parts = (u64, u64, u64, u64);
const LISTED: [Parts; 2] = [(0x100_000, 1000, 600, 300), (0x101_000, 2000, 100, 900)];
const POOLED: Parts = (0x102_000, 4000, 500, 2500);
const ONE_BLOCK: (u64, u64, u64) = (0x103_000, 800, 700);
const OF_SECOND: Parts = (0x104_000, 1000, 900, 96);
const OF_TEMP: Parts = (0x105_000, 1024, 64, 512);

#[derive(Clone)]
struct Vm {
    layout: &'static AllocatorLayout,
    pieces: Vec<(u64, Vec<u64>)>,
}

impl Vm {
    fn new(layout: &'static AllocatorLayout) -> Self {
        let mut vm = Self {
            layout,
            pieces: Vec::new(),
        };
        let mut table = vec![0; 64];
        let on = 1 << 32 | 1;
        table[3 * (TEMP_KIND + 1)..][..3].copy_from_slice(&[on, 0, TEMP]);
        table[3 * (BINARY_KIND + 1)..][..3].copy_from_slice(&[on, 3, SPEC]);
        vm.put(TABLE, table);
        // The first of three instances is not there.
        vm.put(SPEC, vec![1, 3 << 32, ARRAY]);
        vm.put(ARRAY, vec![0, BINARY[0], BINARY[1]]);
        let name = |text: &[u8; 16]| u128::from_le_bytes(*text);
        for (place, text) in [
            (NAMES, b"binary_\0........"),
            (NAMES + 64, b"temp_\0.........."),
        ] {
            vm.put(place, vec![name(text) as u64, (name(text) >> 64) as u64]);
        }
        vm.instance(BINARY[0], (BINARY_KIND, 1), &LISTED, true);
        vm.instance(BINARY[1], (BINARY_KIND, 2), &[OF_SECOND], true);
        vm.instance(TEMP, (TEMP_KIND, 0), &[OF_TEMP], false);
        vm.pool();
        vm.one_block();
        // In use, free, free and last.
        let header = layout.carrier.read_bytes as u64 / 8 * 8;
        vm.set(TEMP, layout.allocator.carrier_header_bytes, header);
        let blocks = [(0, 64), (64, 512 | 1), (576, (1024 - header - 576) | 1 | 4)];
        for (offset, word) in blocks {
            vm.set(OF_TEMP.0, header as usize + offset, word);
        }
        vm
    }

    fn put(&mut self, at: u64, words: Vec<u64>) {
        self.pieces.push((at, words));
    }

    fn set(&mut self, piece: u64, offset: usize, word: u64) {
        let (_, words) = self.pieces.iter_mut().find(|(at, _)| *at == piece).unwrap();
        words[offset / 8] = word;
    }

    fn instance(&mut self, at: u64, (kind, index): (usize, u64), carriers: &[Parts], knows: bool) {
        let fields = &self.layout.allocator;
        self.put(at, vec![0; fields.read_bytes / 8]);
        let name = if kind == BINARY_KIND {
            NAMES
        } else {
            NAMES + 64
        };
        self.set(at, IDENTITY.name_prefix, name);
        self.set(at, IDENTITY.number, kind as u64 + 1);
        self.set(at, IDENTITY.instance, index);
        self.set(at, fields.knows_largest_free, u64::from(knows) * 0x5555);
        self.set(at, fields.many_block_carriers, carriers[0].0);
        let sum = |part: fn(&Parts) -> u64| carriers.iter().map(part).sum();
        let sums = fields.many_blocks;
        self.set(at, sums + fields.sums_carriers, carriers.len() as u64);
        self.set(at, sums + fields.sums_carriers + 8, sum(|it| it.1));
        self.set(
            at,
            sums + fields.sums_blocks + kind * 48 + 8,
            sum(|it| it.2),
        );
        let places: Vec<u64> = [0]
            .into_iter()
            .chain(carriers.iter().map(|it| it.0))
            .chain([0])
            .collect();
        for (carrier, around) in carriers.iter().zip(places.windows(3)) {
            self.carrier(carrier, at, kind);
            self.set(carrier.0, self.layout.carrier.previous, around[0]);
            self.set(carrier.0, self.layout.carrier.next, around[2]);
        }
    }

    fn carrier(&mut self, carrier: &Parts, owner: u64, kind: usize) {
        let fields = &self.layout.carrier;
        self.put(carrier.0, vec![0; 128]);
        self.set(carrier.0, fields.length, carrier.1 | 1);
        self.set(carrier.0, fields.allocator, owner | 4);
        self.set(carrier.0, fields.blocks_bytes + kind * 8, carrier.2);
        self.set(carrier.0, fields.largest_free, carrier.3 | 1);
    }

    fn pool(&mut self) {
        let (fields, at) = (&self.layout.allocator, BINARY[0]);
        self.carrier(&POOLED, at, BINARY_KIND);
        self.set(POOLED.0, self.layout.carrier.allocator, at | 1);
        self.set(
            at,
            fields.pooled_carriers,
            POOLED.0 + self.layout.carrier.tree_node as u64,
        );
        self.set(at, fields.pooled_count, 1);
        self.set(at, fields.pooled_bytes, POOLED.1);
        self.set(at, fields.pooled_blocks_bytes + BINARY_KIND * 8, POOLED.2);
    }

    fn one_block(&mut self) {
        let (fields, at) = (&self.layout.allocator, BINARY[0]);
        self.put(ONE_BLOCK.0, vec![ONE_BLOCK.1 | 3, 0, 0, at]);
        self.set(at, fields.one_block_carriers, ONE_BLOCK.0);
        self.set(at, fields.one_block + fields.sums_carriers + 16, 1);
        self.set(
            at,
            fields.one_block + fields.sums_carriers + 24,
            ONE_BLOCK.1,
        );
        self.set(
            at,
            fields.one_block + fields.sums_blocks + BINARY_KIND * 48 + 8,
            ONE_BLOCK.2,
        );
    }

    fn read(&self) -> Result<Allocators, TableError> {
        let mut memory = SnapshotMemory::new();
        for (at, words) in &self.pieces {
            memory.map_words(*at, words);
        }
        let table = AllocatorTable::read(&memory, TABLE)?;
        allocators(&memory, &table)
    }
}

fn binary(all: &Allocators) -> &Allocator {
    all.allocators
        .iter()
        .find(|it| it.name == "binary_alloc")
        .unwrap()
}

#[test]
fn instances_are_added_up_and_what_is_lent_counts_with_its_owner() {
    for layout in &ALLOCATORS {
        let all = Vm::new(layout).read().unwrap();
        let binary = binary(&all);
        assert_eq!(binary.carriers, 5);
        assert_eq!(binary.carriers_bytes, 1000 + 2000 + 4000 + 800 + 1000);
        assert_eq!(binary.blocks_bytes, 600 + 100 + 500 + 700 + 900);
        assert_eq!(
            (binary.pooled_carriers, binary.one_block_carriers_bytes),
            (1, 800)
        );
        assert_eq!(binary.largest_free_bytes, Some(2496), "without its flags");
        let free = (8800 - 2800) as f64;
        assert_eq!(binary.fragmentation(), Some((free - 2496.0) / free));
        assert_eq!(binary.found.len(), 5);
        assert_eq!(all.blocks_bytes[BINARY_KIND], 2800);
        assert_eq!(all.rejected, Rejected::default());
    }
}

#[test]
fn where_no_carrier_knows_its_blocks_are_looked_at() {
    for layout in &ALLOCATORS {
        let all = Vm::new(layout).read().unwrap();
        assert_eq!(
            (
                all.allocators[0].name.as_str(),
                all.allocators[0].largest_free_bytes
            ),
            ("temp_alloc", Some(512))
        );
        let mut torn = Vm::new(layout);
        torn.set(OF_TEMP.0, layout.carrier.read_bytes / 8 * 8, 8);
        let all = torn.read().unwrap();
        assert_eq!(
            (
                all.allocators[0].largest_free_bytes,
                all.allocators[0].fragmentation()
            ),
            (None, None)
        );
        assert_eq!(all.allocators[0].carriers_bytes, OF_TEMP.1);
    }
}

#[test]
fn one_that_another_instance_has_taken_is_not_in_the_pool_any_more() {
    for layout in &ALLOCATORS {
        let mut vm = Vm::new(layout);
        vm.set(POOLED.0, layout.carrier.allocator, BINARY[1]);
        vm.set(BINARY[0], layout.allocator.pooled_count, 0);
        vm.set(BINARY[0], layout.allocator.pooled_bytes, 0);
        vm.set(
            BINARY[0],
            layout.allocator.pooled_blocks_bytes + BINARY_KIND * 8,
            0,
        );
        let all = vm.read().unwrap();
        assert_eq!(
            (binary(&all).carriers, binary(&all).largest_free_bytes),
            (4, Some(896))
        );
        assert_eq!(all.rejected, Rejected::default());
    }
}

#[test]
fn carriers_that_contradict_themselves_are_counted_and_the_sums_stay() {
    for layout in &ALLOCATORS {
        let carrier = &layout.carrier;
        // Lists that bite their tail, that do not join, somebody else's, more in it than it holds, nowhere.
        let changes = [
            (LISTED[1].0, carrier.next, LISTED[0].0),
            (LISTED[1].0, carrier.next, LISTED[1].0),
            (LISTED[1].0, carrier.previous, 0x7000),
            (LISTED[1].0, carrier.allocator, TEMP),
            (LISTED[1].0, carrier.blocks_bytes, 2001),
            (LISTED[1].0, carrier.largest_free, 4096),
            (LISTED[0].0, carrier.next, 0x7f00_0000_0000),
            (
                POOLED.0,
                carrier.tree_node + carrier.left,
                POOLED.0 + carrier.tree_node as u64,
            ),
        ];
        for (piece, offset, word) in changes {
            let mut vm = Vm::new(layout);
            vm.set(piece, offset, word);
            let all = vm.read().unwrap();
            assert_eq!(
                (binary(&all).carriers_bytes, all.rejected.walks),
                (8800, 1),
                "{piece:#x} {offset}"
            );
        }
    }
}

#[test]
fn an_instance_that_has_more_in_blocks_than_in_carriers_is_in_no_sum() {
    for layout in &ALLOCATORS {
        let mut vm = Vm::new(layout);
        let fields = &layout.allocator;
        vm.set(
            BINARY[1],
            fields.many_blocks + fields.sums_blocks + 8,
            u64::MAX,
        );
        let all = vm.read().unwrap();
        assert_eq!(
            (binary(&all).carriers_bytes, all.rejected.instances),
            (7800, 1)
        );
    }
}

#[test]
fn what_says_that_it_is_another_allocator_is_refused() {
    for (field, word) in [
        (IDENTITY.number, 3),
        (IDENTITY.instance, 7),
        (IDENTITY.name_prefix, NAMES + 64),
    ] {
        let mut vm = Vm::new(&ALLOCATORS[0]);
        vm.set(BINARY[1], field, word);
        let error = vm.read().unwrap_err().to_string();
        assert!(error.contains("number 2 of binary_alloc is not"), "{error}");
    }
    let mut off = Vm::new(&ALLOCATORS[0]);
    off.set(TABLE, 24 * (BINARY_KIND + 1), 1);
    off.set(TABLE, 24 * (TEMP_KIND + 1), 1);
    assert!(off.read().is_err(), "there is none");
}

/// As of most instances of a VM with many schedulers: first and last of all lists are the same, or there is none.
#[test]
fn the_layout_is_told_by_a_single_carrier() {
    for layout in &ALLOCATORS {
        let mut vm = Vm::new(layout);
        let fields = &layout.allocator;
        vm.set(TABLE, 24 * (BINARY_KIND + 1), 0);
        for other in &ALLOCATORS {
            vm.set(TEMP, other.allocator.many_block_carriers, OF_TEMP.0);
            for list in [
                other.allocator.one_block_carriers,
                other.allocator.carriers_to_free,
            ] {
                vm.set(TEMP, list, 0);
            }
        }
        vm.set(TEMP, fields.knows_largest_free, 0x5555);
        let all = vm.read().unwrap();
        assert_eq!(all.allocators[0].largest_free_bytes, Some(512));
        assert_eq!(all.rejected, Rejected::default());
    }
}

#[test]
fn carriers_that_no_layout_explains_are_refused() {
    let mut vm = Vm::new(&ALLOCATORS[0]);
    for instance in [BINARY[0], BINARY[1], TEMP] {
        vm.set(instance, ALLOCATORS[0].allocator.many_block_carriers, 0);
    }
    let error = vm.read().unwrap_err().to_string();
    assert!(error.contains("0 layouts fit"), "{error}");
}

proptest! {
    #[test]
    fn any_words_anywhere_never_panic(
        changes in prop::collection::vec((0usize..12, 0usize..300, prop_oneof![
            any::<u64>(), 0u64..64, Just(0x100_000u64), Just(0x102_130), Just(0x101_000), Just(BINARY[0]), Just(u64::MAX),
        ]), 1..40),
    ) {
        let mut vm = Vm::new(&ALLOCATORS[0]);
        for (piece, word, value) in changes {
            let pieces = vm.pieces.len();
            let words = &mut vm.pieces[piece % pieces].1;
            let length = words.len();
            words[word % length] = value;
        }
        if let Ok(all) = vm.read() {
            for allocator in &all.allocators {
                let _ = allocator.fragmentation();
            }
        }
    }
}
