//! The JIT descriptor: the VM's own list of the code it has loaded.
//!
//! `__jit_debug_descriptor` is {u32 version = 1; u32 action; entry *relevant; entry *first} and
//! each entry is {next, prev, blob, u64 size}, newest first. The VM changes the list under our
//! hands; a walk that saw it change is done again.

use std::hash::{DefaultHasher, Hash, Hasher};

use retry::{AfterFailure, GaveUp, Retry};
use shared_map::HashMap;
use target_memory::{Range, ReadError, TargetMemory, u32_at, u64_at};

use super::blob::{BlobHead, ModuleCode};
use vm_layout::TableError;

/// More entries than any node has: two generations of 50,000 modules.
const MAX_ENTRIES: usize = 100_000;
/// Largest accepted description of one module.
const MAX_BLOB_BYTES: u64 = 64 << 20;
/// Largest sum of all descriptions.
const MAX_TOTAL_BYTES: u64 = 1 << 30;
/// Descriptions are read together up to this many bytes; a larger one is read alone.
const PORTION_BYTES: usize = 512 << 10;
const ENTRY_BYTES: usize = 32;
/// Where the descriptor points at the first entry.
const FIRST_OFFSET: u64 = 16;
/// Length of the blob's own header, enough to distinguish two generations.
pub(super) const BLOB_HEAD_BYTES: usize = 32;
/// Of a longer newest blob, only the beginning is compared: thousands of lines.
const MAX_HASHED_BYTES: usize = 256 << 10;
const WALKS: Retry = Retry::attempts(4);
/// Most entries in front of the known ones that are read one by one.
const MAX_IN_FRONT: usize = 64;

/// One entry of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DescriptorEntry {
    /// Address of the entry itself.
    pub address: u64,
    next: u64,
    /// Address of the blob.
    pub blob: u64,
    /// Length of the blob.
    pub blob_bytes: u64,
}

/// Where a description is. It stays there for as long as it is in the list; its entry's pointers to
/// its neighbours change when one of them is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct BlobPlace {
    /// Address of the entry.
    pub entry: u64,
    blob: u64,
    blob_bytes: u64,
}

impl BlobPlace {
    fn head_range(&self) -> Range {
        Range {
            address: self.blob,
            len_bytes: self.blob_bytes.min(BlobHead::MOST_BYTES as u64) as usize,
        }
    }
}

impl DescriptorEntry {
    /// Where its description is.
    pub(super) fn place(&self) -> BlobPlace {
        BlobPlace {
            entry: self.address,
            blob: self.blob,
            blob_bytes: self.blob_bytes,
        }
    }
}

/// The entries in front of those that were known before.
#[derive(Debug)]
pub(super) struct InFront {
    /// The modules there.
    pub heads: Vec<BlobHead>,
    /// The first known entry.
    pub first_known: BlobPlace,
}

/// The start of the list, cheap to read and different after every load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DescriptorMark {
    first: u64,
    entry: [u8; ENTRY_BYTES],
    /// Hash of the newest blob: freed memory is used again, so another generation of a module may
    /// have the place of a purged one, and begin like it.
    blob_hash: u64,
}

/// Memory around entries that were read. The VM allocates entries side by side with others, so a page has several.
#[derive(Default)]
struct Pages(HashMap<u64, Box<[u8]>>);

impl Pages {
    const BYTES: u64 = 4096;
    /// Most pages that are kept: entries of a list that leads through more than that are read one by one.
    const MOST: usize = 1024;

    /// The entry at an address.
    fn entry(
        &mut self,
        memory: &impl TargetMemory,
        address: u64,
    ) -> Result<[u8; ENTRY_BYTES], ReadError> {
        let within = (address % Self::BYTES) as usize;
        let page = address - within as u64;
        if within + ENTRY_BYTES <= Self::BYTES as usize
            && (self.0.contains_key(&page) || self.read(memory, page))
        {
            let bytes = self.0.get(&page).and_then(|page| page.get(within..));
            if let Some(entry) = bytes.and_then(<[u8]>::first_chunk) {
                return Ok(*entry);
            }
        }
        let mut bytes = [0; ENTRY_BYTES];
        memory.read(address, &mut bytes)?;
        Ok(bytes)
    }

    fn read(&mut self, memory: &impl TargetMemory, page: u64) -> bool {
        let mut bytes = vec![0; Self::BYTES as usize];
        let is_read = self.0.len() < Self::MOST && memory.read(page, &mut bytes).is_ok();
        if is_read {
            self.0.insert(page, bytes.into());
        }
        is_read
    }
}

/// The list of code at a known address.
#[derive(Debug, Clone, Copy)]
pub struct Descriptor {
    /// Address of `__jit_debug_descriptor`.
    pub address: u64,
}

impl Descriptor {
    /// Reads the head of the list: its first entry and that one's blob.
    pub fn mark(&self, memory: &impl TargetMemory) -> Result<DescriptorMark, TableError> {
        let mut mark = DescriptorMark {
            first: self.first(memory)?,
            ..Default::default()
        };
        memory.read(mark.first, &mut mark.entry)?;
        let (blob, blob_bytes) = (u64_at(&mark.entry, 16), u64_at(&mark.entry, 24));
        let hashed_bytes = blob_bytes.unwrap_or(0).min(MAX_HASHED_BYTES as u64) as usize;
        let mut hasher = DefaultHasher::new();
        memory
            .read_vec(blob.unwrap_or(0), hashed_bytes, MAX_HASHED_BYTES)?
            .hash(&mut hasher);
        mark.blob_hash = hasher.finish();
        Ok(mark)
    }

    /// True when the list still begins as it did at the time of `mark`. One read.
    pub fn begins_as(&self, memory: &impl TargetMemory, mark: &DescriptorMark) -> bool {
        self.first(memory).is_ok_and(|first| first == mark.first)
    }

    /// True when the list begins with the same entry as at the time of `mark`, and the word at an
    /// address has not changed. One read.
    pub(super) fn begins_with(
        &self,
        memory: &impl TargetMemory,
        mark: &DescriptorMark,
        (address, word): (u64, u32),
    ) -> Result<bool, TableError> {
        let range = |address, len_bytes| Range { address, len_bytes };
        let ranges = [
            range(self.address.wrapping_add(FIRST_OFFSET), 8),
            range(address, 4),
            range(mark.first, ENTRY_BYTES),
        ];
        let mut bytes = [0; 12 + ENTRY_BYTES];
        memory.read_many(&ranges, &mut bytes)?;
        Ok(u64_at(&bytes, 0) == Some(mark.first)
            && u32_at(&bytes, 8) == Some(word)
            && bytes.get(12..) == Some(&mark.entry[..]))
    }

    /// Whether the description of a module is in the list at this moment. The entry before it and
    /// the one behind it, which its own names, point at it: removing an entry changes both first,
    /// and its memory is freed last. So the module's code that was read before was its own: the VM
    /// removes a description from the list before it frees the code.
    pub(super) fn still_lists(
        &self,
        memory: &impl TargetMemory,
        place: &BlobPlace,
        module: &ModuleCode,
    ) -> Result<bool, ReadError> {
        let entry = Range {
            address: place.entry,
            len_bytes: ENTRY_BYTES,
        };
        let head = place.head_range();
        let mut bytes = vec![0; ENTRY_BYTES + head.len_bytes];
        memory.read_many(&[entry, head], &mut bytes)?;
        let (entry, head) = bytes.split_at(ENTRY_BYTES);
        let word = |offset| u64_at(entry, offset).unwrap_or(0);
        let (next, previous) = (word(0), word(8));
        let is_same = (word(16), word(24)) == (place.blob, place.blob_bytes)
            && BlobHead::parse(head).is_some_and(|head| head.is_of(module));
        let points_here = |address: u64| Ok(memory.read_u64(address)? == place.entry);
        // OTP 25 leaves the link back in the first entry as it was.
        let is_led_to = points_here(self.address.wrapping_add(FIRST_OFFSET))?
            || previous != 0 && points_here(previous)?;
        Ok(is_same && is_led_to && (next == 0 || points_here(next.wrapping_add(8))?))
    }

    /// The entries in front of the first one that is known from before; `None` when there are too
    /// many, or the list is invalid.
    pub(super) fn in_front(
        &self,
        memory: &impl TargetMemory,
        is_known: impl Fn(&BlobPlace) -> bool,
    ) -> Result<Option<InFront>, TableError> {
        let mut heads = Vec::new();
        let mut address = self.first(memory)?;
        for _ in 0..MAX_IN_FRONT {
            let mut bytes = [0; ENTRY_BYTES];
            memory.read(address, &mut bytes)?;
            let entry = entry_of(address, &bytes);
            let place = entry.place();
            if is_known(&place) {
                return Ok(Some(InFront {
                    heads,
                    first_known: place,
                }));
            }
            let head = place.head_range();
            let bytes = memory.read_vec(head.address, head.len_bytes, BlobHead::MOST_BYTES)?;
            let Some(head) = BlobHead::parse(&bytes) else {
                return Ok(None);
            };
            heads.push(head);
            address = entry.next;
        }
        Ok(None)
    }

    /// All entries, newest first. Those at `known` addresses are read with few calls; with none
    /// known, every entry takes one. A walk that the VM was too fast for leaves its findings to the
    /// next one, which takes so much less time.
    pub fn entries(
        &self,
        memory: &impl TargetMemory,
        known: &[u64],
    ) -> Result<Vec<DescriptorEntry>, TableError> {
        let mut known = known.to_vec();
        let walk = || {
            let mut entries = Vec::new();
            let walked = self.walk(memory, &known, &mut entries);
            let first_after = self.first(memory)?;
            match walked {
                Ok(first) if first_after == first => Ok(entries),
                walked => {
                    known = entries.iter().map(|entry| entry.address).collect();
                    Err(walked.err().unwrap_or(TableError::Unstable {
                        table: "the list of loaded code",
                    }))
                }
            }
        };
        // An entry can be freed between two reads: then the bytes read are not the list.
        let judge = |error: &TableError| AfterFailure::again_if(!error.target_gone());
        WALKS.run(walk, judge).map_err(GaveUp::into_error)
    }

    /// All entries, newest first, of a VM that removes only the newest ones: the entries in front
    /// of the `known` ones are read, and the rest has not changed.
    pub(super) fn entries_since(
        &self,
        memory: &impl TargetMemory,
        known: &[DescriptorEntry],
    ) -> Result<Vec<DescriptorEntry>, TableError> {
        let newest = known.iter().take(MAX_IN_FRONT).enumerate();
        let newest: HashMap<BlobPlace, usize> = newest
            .map(|(index, entry)| (entry.place(), index))
            .collect();
        let walk = || {
            let first = self.first(memory)?;
            let (mut entries, mut address) = (Vec::new(), first);
            let rest = loop {
                let mut bytes = [0; ENTRY_BYTES];
                memory.read(address, &mut bytes)?;
                let entry = entry_of(address, &bytes);
                if let Some(index) = newest.get(&entry.place()) {
                    break known.get(*index..).unwrap_or_default();
                }
                if entries.len() == MAX_ENTRIES {
                    return Err(TableError::malformed("JIT descriptor", "no entry is known"));
                }
                entries.push(entry);
                address = entry.next;
            };
            entries.extend_from_slice(rest);
            match self.first(memory)? == first {
                true => Ok(entries),
                false => Err(TableError::Unstable {
                    table: "the list of loaded code",
                }),
            }
        };
        let judge = |error: &TableError| AfterFailure::again_if(!error.target_gone());
        WALKS.run(walk, judge).map_err(GaveUp::into_error)
    }

    /// Hands out each of `entries` with its blob, in order. They are read with few calls, and in portions: those of all
    /// modules of a node take megabytes.
    ///
    /// # Errors
    /// A blob cannot be read, is impossibly large or has no room in the target's budget; the first error of
    /// `take`.
    pub fn each_blob(
        &self,
        memory: &impl TargetMemory,
        entries: &[DescriptorEntry],
        mut take: impl FnMut(&DescriptorEntry, &[u8]) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let total = entries.iter().try_fold(0u64, |sum, entry| {
            (entry.blob_bytes <= MAX_BLOB_BYTES).then(|| sum.checked_add(entry.blob_bytes))?
        });
        if total.is_none_or(|total| total > MAX_TOTAL_BYTES) {
            let detail = "impossibly large descriptions";
            return Err(TableError::malformed("the list of loaded code", detail));
        }
        let portions = in_portions(entries);
        let most = portions.iter().copied().map(bytes_of).max().unwrap_or(0);
        let room = memory.budget().zeros("descriptions of loaded code", most);
        let mut room = room.map_err(|spent| ReadError::spent(self.address, spent))?;
        for portion in portions {
            let ranges: Vec<Range> = portion
                .iter()
                .map(|entry| Range {
                    address: entry.blob,
                    len_bytes: entry.blob_bytes as usize,
                })
                .collect();
            let mut left = room.get_mut(..bytes_of(portion)).unwrap_or_default();
            memory.read_many(&ranges, left)?;
            for (entry, range) in portion.iter().zip(ranges) {
                let (blob, behind) = left.split_at_mut(range.len_bytes);
                take(entry, blob)?;
                left = behind;
            }
        }
        Ok(())
    }

    fn first(&self, memory: &impl TargetMemory) -> Result<u64, TableError> {
        let mut bytes = [0; 24];
        memory.read(self.address, &mut bytes)?;
        match (u32_at(&bytes, 0), u64_at(&bytes, 16)) {
            (Some(1), Some(first)) if first != 0 => Ok(first),
            _ => Err(TableError::malformed(
                "JIT descriptor",
                "wrong version or empty",
            )),
        }
    }

    /// Appends the entries to `entries`, as far as it comes, and gives the address of the first.
    fn walk(
        &self,
        memory: &impl TargetMemory,
        known: &[u64],
        entries: &mut Vec<DescriptorEntry>,
    ) -> Result<u64, TableError> {
        let first = self.first(memory)?;
        let read_before = read_entries(memory, known);
        let mut pages = Pages::default();
        let (mut address, mut previous) = (first, 0);
        while address != 0 {
            let bytes = match read_before.get(&address) {
                Some(read) => *read,
                None => pages.entry(memory, address)?,
            };
            let entry = entry_of(address, &bytes);
            let link_back = u64_at(&bytes, 8).unwrap_or(0);
            let plausible = (32..=MAX_BLOB_BYTES).contains(&entry.blob_bytes);
            // OTP 25 leaves the link back in the first entry as it was when it unlinks one before it.
            let linked = entries.is_empty() || link_back == previous;
            if !linked || !plausible || entries.len() == MAX_ENTRIES {
                return Err(TableError::malformed(
                    "JIT descriptor",
                    "broken chain of entries",
                ));
            }
            entries.push(entry);
            (previous, address) = (address, entry.next);
        }
        Ok(first)
    }
}

/// Those that are read together: as many as have [`PORTION_BYTES`], or one that has more.
fn in_portions(mut entries: &[DescriptorEntry]) -> Vec<&[DescriptorEntry]> {
    let mut portions = Vec::new();
    while !entries.is_empty() {
        let mut bytes = 0usize;
        let fits = |entry: &&DescriptorEntry| {
            bytes = bytes.saturating_add(entry.blob_bytes as usize);
            bytes <= PORTION_BYTES
        };
        let count = entries.iter().take_while(fits).count().max(1);
        let (portion, behind) = entries.split_at(count);
        portions.push(portion);
        entries = behind;
    }
    portions
}

fn bytes_of(portion: &[DescriptorEntry]) -> usize {
    portion.iter().map(|entry| entry.blob_bytes as usize).sum()
}

fn entry_of(address: u64, bytes: &[u8; ENTRY_BYTES]) -> DescriptorEntry {
    let word = |offset| u64_at(bytes, offset).unwrap_or(0);
    DescriptorEntry {
        address,
        next: word(0),
        blob: word(16),
        blob_bytes: word(24),
    }
}

/// The current contents of the entries at these addresses. They only hold for the whole time if the
/// walk that uses them finds the list unchanged.
fn read_entries(memory: &impl TargetMemory, known: &[u64]) -> HashMap<u64, [u8; ENTRY_BYTES]> {
    let ranges = Range::at_each(known.iter().copied(), ENTRY_BYTES);
    let mut bytes = vec![0; ranges.len() * ENTRY_BYTES];
    if memory.read_many(&ranges, &mut bytes).is_err() {
        return HashMap::new();
    }
    let entries = bytes.chunks_exact(ENTRY_BYTES);
    ranges
        .iter()
        .zip(entries)
        .filter_map(|(range, entry)| Some((range.address, *entry.first_chunk()?)))
        .collect()
}

#[cfg(test)]
mod tests;
