//! Where the VM's allocators keep their data.
//!
//! The figures are data like those of [`super::rows`]. Whether they hold for a VM is not looked up by release:
//! an allocator names itself, and its carriers, counted one by one, add up to its own sums.

/// Allocators that there may be, and kinds of blocks in a carrier: the length of all arrays by kind.
pub const KINDS: usize = 12;

/// The prefix of an allocator's name, by its number; followed by `alloc` it is the familiar name.
pub const NAME_PREFIXES: [&str; KINDS] = [
    "system_", "temp_", "sl_", "std_", "ll_", "eheap_", "ets_", "fix_", "literal_", "binary_",
    "driver_", "test_",
];

/// Offsets in `ErtsAllocatorInfo_t`, `ErtsAllocatorThrSpec_t`, `Allctr_t` and `Carrier_t`, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllocatorLayout {
    /// Where the figures come from.
    pub provenance: &'static str,
    /// `Allctr_t`.
    pub allocator: AllocatorFields,
    /// `Carrier_t`.
    pub carrier: CarrierFields,
}

/// Offsets in `Allctr_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllocatorFields {
    /// Bytes to read to have every field below.
    pub read_bytes: usize,
    /// Its name, a C string: `binary_`.
    pub name_prefix: usize,
    /// Its number, 32 bits; index 0 of arrays by kind is for number 1.
    pub number: usize,
    /// Which of the instances of that number it is, 32 bits.
    pub instance: usize,
    /// Bytes before the first block of a carrier.
    pub carrier_header_bytes: usize,
    /// The first carrier with many blocks.
    pub many_block_carriers: usize,
    /// The first carrier with one block.
    pub one_block_carriers: usize,
    /// The root of the tree of carriers that are lent to others.
    pub pooled_carriers: usize,
    /// The first carrier that waits to be given back.
    pub carriers_to_free: usize,
    /// Of lent carriers: bytes in blocks by kind.
    pub pooled_blocks_bytes: usize,
    /// Of lent carriers: how long they are.
    pub pooled_bytes: usize,
    /// How many are lent.
    pub pooled_count: usize,
    /// The function that knows the largest free block of a carrier; null where none does.
    pub knows_largest_free: usize,
    /// Sums over carriers with one block.
    pub one_block: usize,
    /// Sums over carriers with many blocks.
    pub many_blocks: usize,
    /// In such sums: number and bytes by how they were allocated, two pairs of words.
    pub sums_carriers: usize,
    /// In such sums: by kind of block six words, of which the second is bytes.
    pub sums_blocks: usize,
}

/// Offsets in `Carrier_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CarrierFields {
    /// Bytes to read to have every field below.
    pub read_bytes: usize,
    /// Its length, with flags in the lowest bits.
    pub length: usize,
    /// The next in its list.
    pub next: usize,
    /// The one before it.
    pub previous: usize,
    /// Whose it is, with flags in the lowest bits.
    pub allocator: usize,
    /// Bytes in blocks by kind.
    pub blocks_bytes: usize,
    /// Its node in the tree of lent carriers.
    pub tree_node: usize,
    /// In that node: the one to the left.
    pub left: usize,
    /// In that node: the one to the right.
    pub right: usize,
    /// Length of its largest free block, with flags in the lowest bits, where that is known.
    pub largest_free: usize,
    /// The block of a carrier with one.
    pub one_block: usize,
}

/// The words at the end of a block that identify its allocating process: atom of the library or `system`, above the
/// number of the block's use, eight bits; where there is a second word, behind that one: a pid, a port, a code
/// address or 0.
pub const TAG_WORDS: [usize; 2] = [1, 2];
/// Bits of the number of a block's use.
pub const TAG_TYPE_BITS: u32 = 8;

/// All that are known.
pub const ALLOCATORS: [AllocatorLayout; 2] = [FROM_25, OTP_23];

/// An allocator's identity is at the same place in all of them: name, number, instance.
pub const IDENTITY: AllocatorFields = FROM_25.allocator;

/// OTP 25 to 29, where none of these structs moved.
const FROM_25: AllocatorLayout = AllocatorLayout {
    provenance: "debug information of OTP 25.2.3, 27.3.4 and 29.1.1 headers; read live on Debian's 25, 27 and 29",
    allocator: AllocatorFields {
        read_bytes: 2400,
        name_prefix: 120,
        number: 128,
        instance: 136,
        carrier_header_bytes: 296,
        many_block_carriers: 336,
        one_block_carriers: 352,
        pooled_carriers: 368,
        carriers_to_free: 376,
        pooled_blocks_bytes: 456,
        pooled_bytes: 648,
        pooled_count: 656,
        knows_largest_free: 832,
        one_block: 1088,
        many_blocks: 1744,
        sums_carriers: 0,
        sums_blocks: 80,
    },
    carrier: CarrierFields {
        read_bytes: 376,
        length: 0,
        next: 8,
        previous: 16,
        allocator: 24,
        blocks_bytes: 200,
        tree_node: 312,
        left: 24,
        right: 32,
        largest_free: 368,
        one_block: 32,
    },
};

/// One field more before the lists of carriers, one less behind them and in a carrier.
const OTP_23: AllocatorLayout = AllocatorLayout {
    provenance: "read live on Debian 11's erts-11.1.8, where carriers add up to what their allocators say",
    allocator: AllocatorFields {
        many_block_carriers: 344,
        one_block_carriers: 360,
        pooled_carriers: 376,
        carriers_to_free: 384,
        ..FROM_25.allocator
    },
    carrier: CarrierFields {
        blocks_bytes: 192,
        tree_node: 304,
        largest_free: 360,
        ..FROM_25.carrier
    },
};
