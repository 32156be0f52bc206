//! What each allocator holds, all its instances together.
//!
//! A carrier that is lent to another instance counts with its owner, as the VM's own `allocator_sizes` has it.

use target_memory::TargetMemory;
use vm_layout::TableError;
use vm_layout::allocators::{KINDS, NAME_PREFIXES};

use crate::carriers::{Carrier, Walked, walk};
use crate::fitting_layout::fitting_layout;
use crate::instance::{AllocatorTable, Instance, Sums};
use crate::limits::WalkLimits;

/// The name of their allocator begins with this.
const BINARIES: &str = "binary_";

/// How often an instance whose carriers do not add up is looked at again.
const TRIES: usize = 4;

/// What one allocator holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allocator {
    /// `binary_alloc`.
    pub name: String,
    /// How many carriers it has.
    pub carriers: u64,
    /// How long they are, bytes.
    pub carriers_bytes: u64,
    /// Bytes in blocks of them.
    pub blocks_bytes: u64,
    /// Of its carriers, how long those with one block are, bytes.
    pub one_block_carriers_bytes: u64,
    /// How many of its carriers with many blocks are lent to others, or may be.
    pub pooled_carriers: u64,
    /// The largest free block in any of its carriers with many blocks, bytes; `None` when no carrier shows it.
    pub largest_free_bytes: Option<u64>,
    /// Its carriers, as far as they were found.
    pub found: Vec<Carrier>,
}

impl Allocator {
    /// Bytes of its carriers that are in no block.
    pub fn free_bytes(&self) -> u64 {
        self.carriers_bytes.saturating_sub(self.blocks_bytes)
    }

    /// The share of the free bytes outside the largest free block: 0 when nothing is free or all in one piece, towards
    /// 1 when they are in small pieces. `None` when the largest is not known.
    pub fn fragmentation(&self) -> Option<f64> {
        let free = self.free_bytes();
        let largest = self.largest_free_bytes?;
        Some(match free {
            0 => 0.0,
            free => free.saturating_sub(largest) as f64 / free as f64,
        })
    }
}

/// What all allocators hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allocators {
    /// By the VM's own order.
    pub allocators: Vec<Allocator>,
    /// Bytes in blocks by their use, whichever allocator's carrier they are in; in the VM's order.
    pub blocks_bytes: [u64; KINDS],
    /// What contradicted itself whenever it was looked at.
    pub rejected: Rejected,
    /// Allocators that are switched off, with the kinds of their blocks: malloc has these blocks, and they are in no
    /// sum.
    pub switched_off: Vec<(String, usize)>,
}

/// What contradicted itself whenever it was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rejected {
    /// Instances of allocators; their blocks are in no sum.
    pub instances: u64,
    /// Instances whose carriers, counted one by one, do not match the sum. They are in the sums, and the largest free
    /// block may be one that was not found.
    pub walks: u64,
}

/// What the VM's allocators hold now.
///
/// # Errors
/// Memory cannot be read.
pub fn allocators(
    memory: &impl TargetMemory,
    table: &AllocatorTable,
) -> Result<Allocators, TableError> {
    let layout = fitting_layout(memory, table)?;
    let (instances, rejected) = table.sums(memory, layout)?;
    let mut limits = WalkLimits::OF_A_VM;
    let mut kinds: [Option<Allocator>; KINDS] = Default::default();
    let mut all = Allocators::default();
    all.rejected.instances = rejected;
    let switched_off = table.switched_off().iter();
    all.switched_off = switched_off
        .map(|kind| (named(*kind).name, *kind))
        .collect();
    for instance in instances {
        let (instance, walked) = settled(memory, instance, &mut limits)?;
        all.rejected.walks += u64::from(!walked.is_whole(&instance));
        for sums in [&instance.many_blocks, &instance.one_block, &instance.pooled] {
            for (sum, bytes) in all.blocks_bytes.iter_mut().zip(sums.blocks_bytes) {
                *sum = sum.saturating_add(bytes);
            }
        }
        if let Some(kind) = kinds.get_mut(instance.kind) {
            let allocator = kind.get_or_insert_with(|| named(instance.kind));
            add(allocator, &instance, &walked);
        }
    }
    all.allocators = kinds.into_iter().flatten().collect();
    Ok(all)
}

/// Bytes of all blocks that are binaries, as `erlang:memory(binary)` has them; `None` where the VM does not count them all:
/// their allocator is switched off, or an instance of one contradicts itself.
///
/// # Errors
/// Memory cannot be read.
pub fn bytes_of_binaries(
    memory: &impl TargetMemory,
    table: &AllocatorTable,
) -> Result<Option<u64>, TableError> {
    let layout = fitting_layout(memory, table)?;
    let (instances, rejected) = table.sums(memory, layout)?;
    let kind = NAME_PREFIXES.iter().position(|name| *name == BINARIES);
    let kind = kind.filter(|kind| rejected == 0 && !table.switched_off().contains(kind));
    // Carriers of any allocator may have some.
    let sums = || {
        let all = instances.iter();
        all.flat_map(|it| [&it.many_blocks, &it.one_block, &it.pooled])
    };
    let bytes = |kind: usize| {
        let each = sums().filter_map(|sums| sums.blocks_bytes.get(kind));
        each.fold(0, |sum: u64, bytes| sum.saturating_add(*bytes))
    };
    Ok(kind.map(bytes))
}

/// The instance and its carriers, looked at until the two agree or that is given up.
pub(crate) fn settled(
    memory: &impl TargetMemory,
    first: Instance,
    limits: &mut WalkLimits,
) -> Result<(Instance, Walked), TableError> {
    let mut instance = first;
    let mut walked = walk(memory, &instance, limits);
    for _ in 1..TRIES {
        if walked.is_whole(&instance) {
            break;
        }
        let Some(again) = Instance::read(memory, instance.layout, instance.kind, instance.address)?
        else {
            continue;
        };
        instance = again;
        walked = walk(memory, &instance, limits);
    }
    Ok((instance, walked))
}

fn named(kind: usize) -> Allocator {
    let prefix = NAME_PREFIXES.get(kind).copied().unwrap_or_default();
    Allocator {
        name: format!("{prefix}alloc"),
        largest_free_bytes: Some(0),
        ..Allocator::default()
    }
}

fn add(allocator: &mut Allocator, instance: &Instance, walked: &Walked) {
    let mut add_sums = |sums: &Sums| {
        let sum = |into: &mut u64, more: u64| *into = into.saturating_add(more);
        sum(&mut allocator.carriers, sums.carriers);
        sum(&mut allocator.carriers_bytes, sums.bytes);
        sum(&mut allocator.blocks_bytes, sums.all_blocks_bytes());
    };
    add_sums(&instance.many_blocks);
    add_sums(&instance.one_block);
    add_sums(&instance.pooled);
    let sum = |into: u64, more: u64| into.saturating_add(more);
    allocator.one_block_carriers_bytes =
        sum(allocator.one_block_carriers_bytes, instance.one_block.bytes);
    allocator.pooled_carriers = sum(allocator.pooled_carriers, instance.pooled.carriers);
    for carrier in &walked.many_blocks {
        let largest = allocator.largest_free_bytes.zip(carrier.largest_free_bytes);
        allocator.largest_free_bytes = largest.map(|(most, here)| most.max(here));
        allocator.found.push(*carrier);
    }
    allocator.found.extend(&walked.one_block);
}

#[cfg(test)]
mod tests;
