//! Who has allocated what is in use: blocks end with a tag, where the VM was not started without.
//!
//! How many words a tag has is not looked up by release: of the two ways there are, the only one by which the
//! tags of this VM make sense.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use target_memory::TargetMemory;
use vm_layout::TableError;
use vm_layout::allocators::{NAME_PREFIXES, TAG_TYPE_BITS, TAG_WORDS};
use vm_tables::atoms::AtomTable;

use crate::allocators::settled;
use crate::block_walk::{Block, BlockLimits, blocks_of_many, only_block};
use crate::carriers::Carrier;
use crate::fitting_layout::fitting_layout;
use crate::instance::{AllocatorTable, Instance};
use crate::limits::WalkLimits;

/// Allocators of what is tagged unless a VM was told otherwise: binaries, and memory of drivers and NIFs.
const TAGGED: [&str; 2] = ["binary_", "driver_"];
/// Blocks and bytes that are read of one VM.
const LIMITS: BlockLimits = BlockLimits {
    blocks: 4_000_000,
    bytes: 1 << 30,
};
/// Tags by which it is found out how tags are made.
const MOST_COMPARED: usize = 4096;
/// How often a carrier that changes is walked.
const TRIES: usize = 3;
/// Kinds of blocks that two allocators have.
const MOST_TYPES: usize = 16;
const ATOM_TAG: u64 = 0xb;
const ATOM_SHIFT: u32 = 6;
const SYSTEM: &str = "system";
/// Tag bits of a pid and of a port.
const TAG_BITS: u64 = 0xf;
const PID: u64 = 3;
const PORT: u64 = 7;

/// For whom a block was allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Allocator {
    /// The process with that pid, a term.
    Process(u64),
    /// The port, a term.
    Port(u64),
    /// Nobody in particular, or it is not said.
    Nobody,
}

/// Who has allocated a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Allocated {
    /// For whom.
    pub by: Allocator,
    /// The driver or the library of NIFs that asked for it, an atom; `None`: the VM itself.
    pub library: Option<u64>,
}

/// Blocks of one allocator that one has allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllocatedSum {
    /// `binary_alloc` is 9: an index into the names of allocators.
    pub kind: usize,
    /// By whom; `None` where a block does not say.
    pub allocated: Option<Allocated>,
    /// How many.
    pub blocks: u64,
    /// Bytes, with what the allocator adds to each.
    pub bytes: u64,
}

/// What blocks say of who has allocated them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagFormat {
    /// None has a tag, or there are no blocks.
    Untagged,
    /// The library only.
    Library,
    /// The process or port, too.
    Process,
}

/// What is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllocatedBlocks {
    /// By whom, in no order.
    pub sums: Vec<AllocatedSum>,
    /// What tags say.
    pub format: TagFormat,
    /// Carriers that could not be looked through: they changed all the time, or were too many.
    pub unread_carriers: u64,
}

/// Who has allocated what is in use of binaries, and of memory of drivers and NIFs.
///
/// # Errors
/// Memory cannot be read, or tags are not made as they are known here.
pub fn allocated_blocks(
    memory: &impl TargetMemory,
    table: &AllocatorTable,
    atoms: &mut AtomTable,
) -> Result<AllocatedBlocks, TableError> {
    let layout = fitting_layout(memory, table)?;
    let (instances, rejected) = table.sums(memory, layout)?;
    let mut raw = Raw {
        unread_carriers: rejected,
        ..Raw::default()
    };
    let (mut walks, mut limits) = (WalkLimits::OF_A_VM, LIMITS);
    let is_tagged = |kind: usize| {
        NAME_PREFIXES
            .get(kind)
            .is_some_and(|it| TAGGED.contains(it))
    };
    for instance in instances.into_iter().filter(|it| is_tagged(it.kind)) {
        let (instance, walked) = settled(memory, instance, &mut walks)?;
        raw.unread_carriers += u64::from(!walked.is_whole(&instance));
        for carrier in walked.many_blocks.iter().chain(&walked.one_block) {
            match blocks(memory, &instance, carrier, &mut limits) {
                Some(blocks) => raw.add(instance.kind, &blocks),
                None => raw.unread_carriers += 1,
            }
        }
    }
    raw.told(memory, atoms)
}

fn blocks(
    memory: &impl TargetMemory,
    instance: &Instance,
    carrier: &Carrier,
    limits: &mut BlockLimits,
) -> Option<Vec<Block>> {
    let (address, length) = (carrier.address, carrier.bytes);
    if carrier.has_one_block {
        let header_bytes = instance.layout.carrier.one_block as u64;
        return only_block(memory, address, length, header_bytes, limits).map(|block| vec![block]);
    }
    let header_bytes = instance.carrier_header_bytes;
    (0..TRIES).find_map(|_| blocks_of_many(memory, address, length, header_bytes, limits))
}

/// Blocks by their last words, before it is known how tags are made.
#[derive(Default)]
struct Raw {
    tagged: HashMap<(usize, [u64; 2]), (u64, u64)>,
    untagged: HashMap<usize, (u64, u64)>,
    unread_carriers: u64,
}

impl Raw {
    fn add(&mut self, kind: usize, blocks: &[Block]) {
        for block in blocks {
            let (count, bytes) = match block.end {
                Some(end) => self.tagged.entry((kind, end)).or_default(),
                None => self.untagged.entry(kind).or_default(),
            };
            *count += 1;
            *bytes = bytes.saturating_add(block.bytes);
        }
    }

    fn told(
        self,
        memory: &impl TargetMemory,
        atoms: &mut AtomTable,
    ) -> Result<AllocatedBlocks, TableError> {
        let mut all = AllocatedBlocks {
            sums: Vec::new(),
            format: TagFormat::Untagged,
            unread_carriers: self.unread_carriers,
        };
        let mut sums: HashMap<(usize, Option<Allocated>), (u64, u64)> = HashMap::new();
        let mut add = |key, (blocks, bytes): (u64, u64)| {
            let sum = sums.entry(key).or_default();
            sum.0 += blocks;
            sum.1 = sum.1.saturating_add(bytes);
        };
        for (kind, sum) in self.untagged {
            add((kind, None), sum);
        }
        if !self.tagged.is_empty() {
            let mut reading = Reading {
                memory,
                atoms,
                systems: HashMap::new(),
            };
            let ends = self.tagged.iter().map(|((_, end), sum)| (*end, sum.0));
            let words = reading.words_of_tags(ends)?;
            all.format = match words {
                1 => TagFormat::Library,
                _ => TagFormat::Process,
            };
            for ((kind, end), sum) in self.tagged {
                let allocated = reading.tag(words, end).map(|tag| tag.allocated);
                add((kind, allocated), sum);
            }
        }
        let sum = |((kind, allocated), (blocks, bytes))| AllocatedSum {
            kind,
            allocated,
            blocks,
            bytes,
        };
        all.sums = sums.into_iter().map(sum).collect();
        Ok(all)
    }
}

/// A tag that makes sense.
struct Tag {
    allocated: Allocated,
    block_type: u64,
    is_system: bool,
}

/// Makes sense of tags.
struct Reading<'a, M> {
    memory: &'a M,
    atoms: &'a mut AtomTable,
    /// By atom, whether it is the system's; `None`: there is no such atom.
    systems: HashMap<u64, Option<bool>>,
}

impl<M: TargetMemory> Reading<'_, M> {
    /// How many words tags have: of the ways by which they make sense the one by which more of them are the system's.
    fn words_of_tags(
        &mut self,
        ends: impl Iterator<Item = ([u64; 2], u64)>,
    ) -> Result<usize, TableError> {
        let ends: Vec<([u64; 2], u64)> = ends.take(MOST_COMPARED).collect();
        let [one, two] = TAG_WORDS.map(|words| self.fit(words, &ends));
        let unknown = || TableError::malformed("blocks", "their tags are made in no known way");
        match one.cmp(&two) {
            Ordering::Greater => Ok(1),
            Ordering::Less => Ok(2),
            Ordering::Equal => Err(unknown()),
        }
    }

    /// Of blocks whose tags nearly all make sense, how many are the system's; 0 when they make none.
    fn fit(&mut self, words: usize, ends: &[([u64; 2], u64)]) -> u64 {
        let (mut all, mut sensible, mut systems) = (0, 0, 0);
        let mut types = HashSet::new();
        for (end, blocks) in ends {
            all += blocks;
            if let Some(tag) = self.tag(words, *end) {
                sensible += blocks;
                systems += if tag.is_system { *blocks } else { 0 };
                types.insert(tag.block_type);
            }
        }
        // Some blocks are just being allocated, and their tags not yet written.
        let nearly_all = sensible * 10 >= all * 9;
        match nearly_all && types.len() <= MOST_TYPES {
            true => systems,
            false => 0,
        }
    }

    fn tag(&mut self, words: usize, end: [u64; 2]) -> Option<Tag> {
        let [before, last] = end;
        let (word, who) = match words {
            1 => (last, 0),
            _ => (before, last),
        };
        let block_type = word & ((1 << TAG_TYPE_BITS) - 1);
        let atom = (word >> TAG_TYPE_BITS).checked_mul(1 << ATOM_SHIFT)? | ATOM_TAG;
        let is_system = self.is_system(atom)?;
        let by = match who & TAG_BITS {
            PID => Allocator::Process(who),
            PORT => Allocator::Port(who),
            // Or where the code is that did it.
            _ if who & 3 == 0 => Allocator::Nobody,
            _ => return None,
        };
        (block_type != 0).then_some(Tag {
            allocated: Allocated {
                by,
                library: (!is_system).then_some(atom),
            },
            block_type,
            is_system,
        })
    }

    fn is_system(&mut self, atom: u64) -> Option<bool> {
        if let Some(known) = self.systems.get(&atom) {
            return *known;
        }
        let is_system = self
            .atoms
            .name(self.memory, atom)
            .ok()
            .map(|name| name == SYSTEM);
        // So many different ones are no atoms, and not worth being kept.
        if self.systems.len() < MOST_COMPARED * TAG_WORDS.len() {
            self.systems.insert(atom, is_system);
        }
        is_system
    }
}

#[cfg(test)]
mod tests;
