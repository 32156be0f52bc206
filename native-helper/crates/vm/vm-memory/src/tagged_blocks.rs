//! The processes, ports and libraries that allocated the blocks in use: blocks end with a tag,
//! unless the VM was started without tags.
//!
//! How many words a tag has is not looked up by release: of the two ways there are, the only one by which the
//! tags of this VM make sense.

use std::cmp::Ordering;

use shared_map::{HashMap, HashSet};
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

/// Allocators whose blocks are tagged unless a VM has another setting: binaries, and memory of drivers and NIFs.
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

/// The process or port that a block was allocated for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Allocator {
    /// The process with that pid, a term.
    Process(u64),
    /// The port, a term.
    Port(u64),
    /// Neither of them, or unknown.
    Neither,
}

/// The process or port, and the library, that allocated a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Allocated {
    /// The process or port.
    pub by: Allocator,
    /// The driver or the library of NIFs that requested it, an atom; `None`: the VM itself.
    pub library: Option<u64>,
}

/// Blocks of one allocator that one has allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllocatedSum {
    /// `binary_alloc` is 9: an index into the names of allocators.
    pub kind: usize,
    /// Where they come from; `None` when a block does not show it.
    pub allocated: Option<Allocated>,
    /// How many.
    pub blocks: u64,
    /// Bytes, including those that the allocator adds to each.
    pub bytes: u64,
}

/// The facts in the tags of blocks about their allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagFormat {
    /// None has a tag, or there are no blocks.
    Untagged,
    /// The library only.
    Library,
    /// The process or port, too.
    Process,
}

/// The blocks in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllocatedBlocks {
    /// Blocks with the same allocating process or library, in no order.
    pub sums: Vec<AllocatedSum>,
    /// The facts that the tags contain.
    pub format: TagFormat,
    /// Carriers that could not be looked through: they changed all the time, or were too many.
    pub unread_carriers: u64,
    /// Allocators of such blocks that are switched off: malloc has their blocks, which cannot be identified.
    pub switched_off: Vec<String>,
}

/// The blocks in use of binaries, and of memory of drivers and NIFs, by the process or port and the
/// library that allocated them.
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
    let (mut walks, mut limits) = (WalkLimits::OF_A_VM, LIMITS);
    let tagged = |kind: usize| NAME_PREFIXES.get(kind).filter(|it| TAGGED.contains(it));
    let switched_off = table.switched_off().iter().filter_map(|kind| tagged(*kind));
    let mut raw = Raw {
        unread_carriers: rejected,
        switched_off: switched_off
            .map(|prefix| format!("{prefix}alloc"))
            .collect(),
        ..Raw::default()
    };
    for instance in instances.into_iter().filter(|it| tagged(it.kind).is_some()) {
        let (instance, walked) = settled(memory, instance, &mut walks)?;
        raw.unread_carriers += u64::from(!walked.is_whole(&instance));
        for carrier in walked.many_blocks.iter().chain(&walked.one_block) {
            match blocks(memory, &instance, carrier, &mut limits) {
                Some(blocks) => raw.add(instance.kind, &blocks),
                None => raw.unread_carriers += 1,
            }
        }
    }
    raw.by_owner(memory, atoms)
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
    switched_off: Vec<String>,
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

    fn by_owner(
        self,
        memory: &impl TargetMemory,
        atoms: &mut AtomTable,
    ) -> Result<AllocatedBlocks, TableError> {
        let mut all = AllocatedBlocks {
            sums: Vec::new(),
            format: TagFormat::Untagged,
            unread_carriers: self.unread_carriers,
            switched_off: self.switched_off,
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
            _ if who & 3 == 0 => Allocator::Neither,
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
