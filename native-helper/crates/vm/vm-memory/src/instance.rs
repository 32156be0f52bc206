//! One instance of an allocator, of which most have one for each scheduler, and the values that it states.
//!
//! `erts_allctrs_info` has 24 bytes for each number: whether it is an allocator with carriers, whether it is
//! on, whether there is one for each thread (32 bits each), and a pointer at 16: to the only instance, or to
//! `{enabled, dd, aix, count (32 bits each), instances}`.

use target_memory::{TargetMemory, bytes_to_words, u32_at, u64_at};
use vm_layout::TableError;
use vm_layout::allocators::{AllocatorLayout, IDENTITY, KINDS, NAME_PREFIXES};
use vm_layout::emulator_image::is_pointer;

const TABLE: &str = "allocators";
/// From one number to the next.
const ENTRY_BYTES: u64 = 24;
/// One for each of the most schedulers that there may be, and one for other threads.
const MAX_INSTANCES: u32 = 1025;
/// How often sums that contradict each other are read again.
const TRIES: usize = 5;
/// The allocators without carriers in a VM as it comes: malloc itself, and the allocator for tests.
const HAVE_NO_CARRIERS: [&str; 2] = ["system_", "test_"];
/// In the first word of an entry: it has carriers, and is on.
const IS_ON: u64 = 1 << 32 | 1;
/// `binary_` and its like.
const MAX_PREFIX_BYTES: usize = 16;

/// What carriers of one sort add up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sums {
    /// How many there are.
    pub carriers: u64,
    /// How long they are.
    pub bytes: u64,
    /// Bytes in blocks, by kind.
    pub blocks_bytes: [u64; KINDS],
}

impl Sums {
    pub fn all_blocks_bytes(&self) -> u64 {
        let add = |sum: u64, bytes: &u64| sum.saturating_add(*bytes);
        self.blocks_bytes.iter().fold(0, add)
    }

    fn is_possible(&self) -> bool {
        self.all_blocks_bytes() <= self.bytes
    }
}

/// One instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Instance {
    /// Where it and its carriers have their fields.
    pub layout: &'static AllocatorLayout,
    /// Where it is.
    pub address: u64,
    /// Its allocator's number less one.
    pub kind: usize,
    /// Carriers with many blocks.
    pub many_blocks: Sums,
    /// Carriers with one block.
    pub one_block: Sums,
    /// Its carriers with many blocks that are lent to others, or may be.
    pub pooled: Sums,
    /// Heads of its lists of carriers with many blocks.
    pub many_block_lists: [u64; 2],
    /// Head of the list of those with one.
    pub one_block_list: u64,
    /// Root of the tree of lent ones.
    pub pooled_tree: u64,
    /// Bytes before the first block of a carrier with many.
    pub carrier_header_bytes: u64,
    /// Each of those carriers states the size of its largest free block.
    pub knows_largest_free: bool,
}

/// Where the VM has its allocators. That never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllocatorTable {
    /// Kind, number of the instance, address.
    instances: Vec<(usize, u32, u64)>,
    /// Kinds that are switched off: malloc has their blocks, and the VM counts none of them.
    switched_off: Vec<usize>,
}

impl AllocatorTable {
    /// Reads `erts_allctrs_info` at `address`. Each instance states which one it is.
    ///
    /// # Errors
    /// It cannot be read, or an allocator states another identity, or there are hardly any.
    pub fn read(memory: &impl TargetMemory, address: u64) -> Result<Self, TableError> {
        let (mut instances, mut switched_off) = (Vec::new(), Vec::new());
        let mut kinds = 0;
        for (kind, prefix) in NAME_PREFIXES.iter().enumerate() {
            let entry = address.wrapping_add(ENTRY_BYTES.wrapping_mul(kind as u64 + 1));
            let of_kind = entry_instances(memory, entry)?;
            kinds += usize::from(!of_kind.is_empty());
            if of_kind.is_empty()
                && !HAVE_NO_CARRIERS.contains(prefix)
                && memory.read_u64(entry)? != IS_ON
            {
                switched_off.push(kind);
            }
            for (index, instance) in of_kind {
                let is_it = Identity::read(memory, instance)
                    .is_ok_and(|it| it.kind == kind && it.index == index && it.prefix == *prefix);
                if !is_it {
                    return Err(TableError::malformed(
                        TABLE,
                        format!("what should be number {index} of {prefix}alloc is not"),
                    ));
                }
                instances.push((kind, index, instance));
            }
        }
        // A VM that has switched all of them off has none worth being shown; a place that is no table has none.
        match kinds {
            0 => Err(TableError::malformed(TABLE, "there is none")),
            _ => Ok(Self {
                instances,
                switched_off,
            }),
        }
    }

    /// The allocators that are switched off, by their kinds.
    pub(crate) fn switched_off(&self) -> &[usize] {
        &self.switched_off
    }

    /// The current values of all instances; those that contradict themselves, also when they are read
    /// again, are counted separately.
    ///
    /// # Errors
    /// Memory cannot be read.
    pub(crate) fn sums(
        &self,
        memory: &impl TargetMemory,
        layout: &'static AllocatorLayout,
    ) -> Result<(Vec<Instance>, u64), TableError> {
        let (mut read, mut rejected) = (Vec::with_capacity(self.instances.len()), 0);
        for (kind, _, address) in &self.instances {
            match Instance::read(memory, layout, *kind, *address)? {
                Some(instance) => read.push(instance),
                None => rejected += 1,
            }
        }
        Ok((read, rejected))
    }
}

/// Where the table begins when `entry` is one of an allocator that is on, by the number that the allocator
/// has of itself.
pub fn info_of_entry(memory: &impl TargetMemory, entry: u64) -> Option<u64> {
    let instances = entry_instances(memory, entry).ok()?;
    let (_, first) = instances.first()?;
    let identity = Identity::read(memory, *first).ok()?;
    let number = identity.kind as u64 + 1;
    let is_known = NAME_PREFIXES.get(identity.kind) == Some(&identity.prefix.as_str());
    is_known.then(|| entry.wrapping_sub(ENTRY_BYTES.wrapping_mul(number)))
}

/// The instances of one number: none when it is off, or no allocator with carriers.
fn entry_instances(memory: &impl TargetMemory, entry: u64) -> Result<Vec<(u32, u64)>, TableError> {
    let mut bytes = [0; ENTRY_BYTES as usize];
    memory.read(entry, &mut bytes)?;
    let number = |offset| u32_at(&bytes, offset).unwrap_or(0);
    let (has_carriers, is_on, by_thread) = (number(0), number(4), number(8));
    let extra = u64_at(&bytes, 16).unwrap_or(0);
    if has_carriers > 1 || is_on > 1 {
        return Err(TableError::malformed(TABLE, "it is neither on nor off"));
    }
    if has_carriers == 0 || is_on == 0 {
        return Ok(Vec::new());
    }
    let nowhere = || TableError::malformed(TABLE, "one leads nowhere");
    if !is_pointer(extra, 8) {
        return Err(nowhere());
    }
    if by_thread == 0 {
        return Ok(vec![(0, extra)]);
    }
    let count = memory.read_u32_at(extra, 12)?;
    let array = memory.read_u64_at(extra, 16)?;
    if !(1..=MAX_INSTANCES).contains(&count) || !is_pointer(array, 8) {
        return Err(nowhere());
    }
    let bytes = memory.read_vec(array, count as usize * 8, MAX_INSTANCES as usize * 8)?;
    let instances = (0..).zip(bytes_to_words(&bytes));
    Ok(instances
        .filter(|(_, address)| is_pointer(*address, 8))
        .collect())
}

/// The values of an instance that never change.
struct Identity {
    kind: usize,
    index: u32,
    prefix: String,
}

impl Identity {
    fn read(memory: &impl TargetMemory, address: u64) -> Result<Self, TableError> {
        let fields = &IDENTITY;
        let number = memory.read_u32_at(address, fields.number as u64)?;
        let name = memory.read_u64_at(address, fields.name_prefix as u64)?;
        let bytes = memory.read_vec(name, MAX_PREFIX_BYTES, MAX_PREFIX_BYTES)?;
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(0);
        let prefix = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default());
        Ok(Self {
            kind: (number as usize).wrapping_sub(1),
            index: memory.read_u32_at(address, fields.instance as u64)?,
            prefix: prefix.into_owned(),
        })
    }
}

impl Instance {
    /// Its current values; `None` when they are impossible.
    pub(crate) fn read(
        memory: &impl TargetMemory,
        layout: &'static AllocatorLayout,
        kind: usize,
        address: u64,
    ) -> Result<Option<Self>, TableError> {
        let read_bytes = layout.allocator.read_bytes;
        for _ in 0..TRIES {
            let bytes = memory.read_vec(address, read_bytes, read_bytes)?;
            let instance = Self::from_bytes(layout, kind, address, &bytes);
            let sums = [&instance.many_blocks, &instance.one_block, &instance.pooled];
            if sums.iter().all(|sums| sums.is_possible()) {
                return Ok(Some(instance));
            }
        }
        Ok(None)
    }

    fn from_bytes(
        layout: &'static AllocatorLayout,
        kind: usize,
        address: u64,
        bytes: &[u8],
    ) -> Self {
        let fields = &layout.allocator;
        let word = |offset| u64_at(bytes, offset).unwrap_or(0);
        let sums_at = |start: usize| {
            let carriers = start + fields.sums_carriers;
            let (mapped, allocated) = (carriers, carriers + 16);
            let block = |kind: usize| word(start + fields.sums_blocks + kind * 48 + 8);
            Sums {
                carriers: word(mapped).saturating_add(word(allocated)),
                bytes: word(mapped + 8).saturating_add(word(allocated + 8)),
                blocks_bytes: std::array::from_fn(block),
            }
        };
        Self {
            layout,
            address,
            kind,
            many_blocks: sums_at(fields.many_blocks),
            one_block: sums_at(fields.one_block),
            pooled: Sums {
                carriers: word(fields.pooled_count),
                bytes: word(fields.pooled_bytes),
                blocks_bytes: std::array::from_fn(|kind| {
                    word(fields.pooled_blocks_bytes + kind * 8)
                }),
            },
            many_block_lists: [
                word(fields.many_block_carriers),
                word(fields.carriers_to_free),
            ],
            one_block_list: word(fields.one_block_carriers),
            pooled_tree: word(fields.pooled_carriers),
            carrier_header_bytes: word(fields.carrier_header_bytes),
            knows_largest_free: word(fields.knows_largest_free) != 0,
        }
    }
}
