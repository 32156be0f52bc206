//! Two allocators of a VM that is made for tests, with carriers that add up to their stated sums.

use target_memory::SnapshotMemory;
use vm_layout::allocators::{AllocatorLayout, IDENTITY, KINDS};

pub(crate) const TABLE: u64 = 0x10_000;
const SPEC: u64 = 0x11_000;
const ARRAY: u64 = 0x12_000;
const EMPTY: u64 = 0x14_000;
pub(crate) const NAMES: u64 = 0x13_000;
/// Two instances of binary_alloc, one of temp_alloc.
pub(crate) const BINARY: [u64; 2] = [0x20_000, 0x21_000];
pub(crate) const TEMP: u64 = 0x22_000;
pub(crate) const BINARY_KIND: usize = 9;
pub(crate) const TEMP_KIND: usize = 1;

/// A carrier: where, how long, in blocks, largest free.
pub(crate) type Parts = (u64, u64, u64, u64);
pub(crate) const LISTED: [Parts; 2] = [(0x100_000, 1000, 600, 300), (0x101_000, 2000, 100, 900)];
pub(crate) const POOLED: Parts = (0x102_000, 4000, 500, 2500);
pub(crate) const ONE_BLOCK: (u64, u64, u64) = (0x103_000, 800, 700);
pub(crate) const OF_SECOND: Parts = (0x104_000, 1000, 900, 96);
pub(crate) const OF_TEMP: Parts = (0x105_000, 1024, 64, 512);

#[derive(Clone)]
pub(crate) struct Vm {
    pub layout: &'static AllocatorLayout,
    pub pieces: Vec<(u64, Vec<u64>)>,
}

impl Vm {
    pub fn new(layout: &'static AllocatorLayout) -> Self {
        let mut vm = Self {
            layout,
            pieces: Vec::new(),
        };
        let mut table = vec![0; 64];
        let on = 1 << 32 | 1;
        // The others are on and have no instance. The first and the last are off in any VM.
        for kind in 1..KINDS - 1 {
            table[3 * (kind + 1)..][..3].copy_from_slice(&[on, 1, EMPTY]);
        }
        vm.put(EMPTY, vec![1, 1 << 32, EMPTY + 24, 0]);
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

    /// Switches an allocator off, as `+MBe false` does: its blocks are malloc's, and its entry is empty.
    pub fn switch_off(&mut self, kind: usize) {
        for word in 0..3 {
            self.set(TABLE, (3 * (kind + 1) + word) * 8, 0);
        }
    }

    fn put(&mut self, at: u64, words: Vec<u64>) {
        self.pieces.push((at, words));
    }

    pub fn set(&mut self, piece: u64, offset: usize, word: u64) {
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

    /// Its memory as it is now.
    pub fn memory(&self) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        for (at, words) in &self.pieces {
            memory.map_words(*at, words);
        }
        memory
    }
}
