//! The carriers of an instance, one by one.
//!
//! They are in lists that the VM changes at any time: a step is believed when the next one points back, a carrier when
//! it belongs to the instance and its blocks fit into it. At the first contradiction the walk is given up, and the rest
//! is counted as rejected.

use target_memory::{TargetMemory, u64_at};
use vm_layout::allocators::KINDS;
use vm_layout::emulator_image::is_pointer;

use crate::blocks::largest_free_of_blocks;
use crate::instance::Instance;
use crate::limits::WalkLimits;

/// Flags in the lowest bits of lengths and of pointers to instances.
const FLAGS: u64 = 7;
/// Of a pointer to an instance: the carrier may be taken by others.
const IN_POOL: u64 = 1;
/// Of a carrier with one block, whose header is short: length, next, previous, instance.
const ONE_BLOCK_HEADER_BYTES: usize = 32;

/// How many more an instance may have than it states: some come while they are counted, some are on their way.
const COMING: u64 = 1000;

/// A carrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carrier {
    /// Where it is.
    pub address: u64,
    /// How long it is.
    pub bytes: u64,
    /// The bytes in blocks; `None` where it has one block, which does not show it here.
    pub used_bytes: Option<u64>,
    /// The largest block that is free; `None` where it could not be found out.
    pub largest_free_bytes: Option<u64>,
    /// It has one block and never has more.
    pub has_one_block: bool,
}

/// What a walk has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Walked {
    /// Carriers with many blocks.
    pub many_blocks: Vec<Carrier>,
    /// Bytes in blocks of these, by kind.
    pub blocks_bytes: [u64; KINDS],
    /// Carriers with one.
    pub one_block: Vec<Carrier>,
    /// Lists and trees that were given up at a contradiction.
    pub given_up: u64,
}

impl Walked {
    /// All carriers that the instance counts were found, and no others.
    pub fn is_whole(&self, instance: &Instance) -> bool {
        let (many, pooled) = (&instance.many_blocks, &instance.pooled);
        let lengths = self.many_blocks.iter().map(|carrier| carrier.bytes);
        let counted_of_kinds = many.blocks_bytes.iter().zip(&pooled.blocks_bytes);
        let mut of_kinds = self.blocks_bytes.iter().zip(counted_of_kinds);
        self.given_up == 0
            && self.many_blocks.len() as u64 == many.carriers.saturating_add(pooled.carriers)
            && self.one_block.len() as u64 == instance.one_block.carriers
            && lengths.fold(0, u64::saturating_add) == many.bytes.saturating_add(pooled.bytes)
            && of_kinds.all(|(found, (many, pooled))| *found == many.saturating_add(*pooled))
    }

    fn add(&mut self, read: &Read) {
        self.many_blocks.push(read.carrier);
        for (sum, bytes) in self.blocks_bytes.iter_mut().zip(read.blocks_bytes) {
            *sum = sum.saturating_add(bytes);
        }
    }
}

/// Walks through all carriers of an instance.
pub(crate) fn walk(
    memory: &impl TargetMemory,
    instance: &Instance,
    limits: &mut WalkLimits,
) -> Walked {
    let sums = [&instance.many_blocks, &instance.one_block, &instance.pooled];
    let counted = sums
        .iter()
        .fold(0, |sum: u64, sums| sum.saturating_add(sums.carriers));
    // One whose tree bites its tail takes nothing from the others.
    let most = usize::try_from(counted.saturating_add(COMING)).unwrap_or(usize::MAX);
    let own = WalkLimits {
        carriers: limits.carriers.min(most),
        ..*limits
    };
    let mut left = own;
    let walked = walk_within(memory, instance, &mut left);
    limits.carriers -= own.carriers - left.carriers;
    limits.whole_bytes = left.whole_bytes;
    walked
}

fn walk_within(memory: &impl TargetMemory, instance: &Instance, limits: &mut WalkLimits) -> Walked {
    let mut walked = Walked::default();
    for first in instance.many_block_lists {
        list(memory, instance, first, limits, &mut walked);
    }
    tree(memory, instance, limits, &mut walked);
    one_block_list(memory, instance, limits, &mut walked);
    walked
}

/// The words read of a carrier with many blocks, with its neighbours.
struct Read {
    carrier: Carrier,
    blocks_bytes: [u64; KINDS],
    owner: u64,
    next: u64,
    previous: u64,
    left: u64,
    right: u64,
}

fn read_carrier(
    memory: &impl TargetMemory,
    instance: &Instance,
    address: u64,
    limits: &mut WalkLimits,
) -> Option<Read> {
    limits.carriers = limits.carriers.checked_sub(1)?;
    let fields = &instance.layout.carrier;
    if !is_pointer(address, 8) {
        return None;
    }
    let bytes = memory
        .read_vec(address, fields.read_bytes, fields.read_bytes)
        .ok()?;
    let word = |offset| u64_at(&bytes, offset).unwrap_or(0);
    let length = word(fields.length) & !FLAGS;
    let blocks_bytes: [u64; KINDS] =
        std::array::from_fn(|kind| word(fields.blocks_bytes + kind * 8));
    let in_blocks = blocks_bytes.iter().copied().fold(0, u64::saturating_add);
    let free = length.checked_sub(in_blocks)?;
    let largest_free_bytes = match instance.knows_largest_free {
        true => Some(word(fields.largest_free) & !FLAGS),
        false => largest_free_of_blocks(
            memory,
            address,
            length,
            instance.carrier_header_bytes,
            limits,
        ),
    };
    if largest_free_bytes.is_some_and(|largest| largest > free) {
        return None;
    }
    Some(Read {
        carrier: Carrier {
            address,
            bytes: length,
            used_bytes: Some(in_blocks),
            largest_free_bytes,
            has_one_block: false,
        },
        blocks_bytes,
        owner: word(fields.allocator),
        next: word(fields.next),
        previous: word(fields.previous),
        left: word(fields.tree_node + fields.left),
        right: word(fields.tree_node + fields.right),
    })
}

fn list(
    memory: &impl TargetMemory,
    instance: &Instance,
    first: u64,
    limits: &mut WalkLimits,
    walked: &mut Walked,
) {
    let (mut address, mut previous) = (first, 0);
    while address != 0 {
        let read = read_carrier(memory, instance, address, limits)
            .filter(|read| read.previous == previous && read.owner & !FLAGS == instance.address);
        let Some(read) = read else {
            walked.given_up += 1;
            return;
        };
        walked.add(&read);
        (previous, address) = (address, read.next);
    }
}

fn tree(
    memory: &impl TargetMemory,
    instance: &Instance,
    limits: &mut WalkLimits,
    walked: &mut Walked,
) {
    // No tree of that many has more nodes that wait to be looked at.
    let mut waiting = vec![instance.pooled_tree];
    while let Some(node) = waiting.pop() {
        if node == 0 {
            continue;
        }
        let address = node.wrapping_sub(instance.layout.carrier.tree_node as u64);
        let Some(read) = read_carrier(memory, instance, address, limits) else {
            walked.given_up += 1;
            return;
        };
        // Another instance has taken it and has it in a list of its own, but it is not yet out of the tree.
        if read.owner & IN_POOL != 0 {
            walked.add(&read);
        }
        waiting.extend([read.left, read.right]);
    }
}

fn one_block_list(
    memory: &impl TargetMemory,
    instance: &Instance,
    limits: &mut WalkLimits,
    walked: &mut Walked,
) {
    let fields = &instance.layout.carrier;
    let (mut address, mut previous) = (instance.one_block_list, 0);
    while address != 0 {
        let is_allowed = limits.carriers > 0 && is_pointer(address, 8);
        limits.carriers = limits.carriers.saturating_sub(1);
        let mut bytes = [0; ONE_BLOCK_HEADER_BYTES];
        let is_read = is_allowed && memory.read(address, &mut bytes).is_ok();
        let word = |offset| u64_at(&bytes, offset).unwrap_or(0);
        let is_of_list = word(fields.previous) == previous
            && word(fields.allocator) & !FLAGS == instance.address;
        if !is_read || !is_of_list {
            walked.given_up += 1;
            return;
        }
        walked.one_block.push(Carrier {
            address,
            bytes: word(fields.length) & !FLAGS,
            used_bytes: None,
            largest_free_bytes: None,
            has_one_block: true,
        });
        (previous, address) = (address, word(fields.next));
    }
}
