//! The JIT descriptor: the VM's own list of the code it has loaded.
//!
//! `__jit_debug_descriptor` is {u32 version = 1; u32 action; entry *relevant; entry *first} and
//! each entry is {next, prev, blob, u64 size}, newest first. The VM changes the list under our
//! hands; a walk that saw it change is done again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use retry::{AfterFailure, GaveUp, Retry};
use target_memory::{HeldBytes, Range, ReadError, TargetMemory, u32_at, u64_at};

use super::blob::{BlobHead, ModuleCode};
use vm_layout::TableError;

/// More entries than any node has: two generations of 50,000 modules.
const MAX_ENTRIES: usize = 100_000;
/// Largest description of one module we accept.
const MAX_BLOB_BYTES: u64 = 64 << 20;
/// Largest sum of all descriptions.
const MAX_TOTAL_BYTES: u64 = 1 << 30;
/// As many bytes of descriptions are read together, but for a description that has more.
const PORTION_BYTES: usize = 512 << 10;
const ENTRY_BYTES: usize = 32;
/// Where the descriptor points at the first entry.
const FIRST_OFFSET: u64 = 16;
/// Length of the blob's own header, enough to tell two generations apart.
pub(super) const BLOB_HEAD_BYTES: usize = 32;
/// Of a longer newest blob the beginning is compared: thousands of lines.
const MAX_HASHED_BYTES: usize = 256 << 10;
const WALKS: Retry = Retry::attempts(4);
/// Most entries in front of the known ones that are looked at one by one.
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

/// Where a description is. It stays there for as long as it is in the list; what its entry says of
/// its neighbours changes when one of them goes.
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

/// What stands in front of the entries that were known before.
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
    /// Of what the newest blob says: freed memory is used again, so another generation of a
    /// module may well lie where one lay that is gone, and begin like it.
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

    /// True when the list begins with the entry it began with at the time of `mark`, and the word at
    /// an address is what it was. One read.
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
    /// the one behind it, which its own names, point at it: taking an entry out changes both first,
    /// and its memory is given back last. So what was read of the module's code before, was its own:
    /// the VM takes a description out of the list before it gives up the code.
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

    /// What stands in front of the first entry that is known from before; `None` when that is too
    /// much, or no list.
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

    /// All entries, newest first. Those at `known` addresses are read with few calls;
    /// with none known every entry takes one. A walk that the VM was too fast for leaves what it
    /// found to the next one, which takes so much less time.
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
        // An entry can be freed between two reads: what we then see is not the list.
        let judge = |error: &TableError| AfterFailure::again_if(!error.target_gone());
        WALKS.run(walk, judge).map_err(GaveUp::into_error)
    }

    /// All entries, newest first, of a VM that takes out none but the newest: what stands in front
    /// of the `known` ones is read, and the rest is what it was.
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
    /// What cannot be read, is impossibly large or has no room in the target's budget; the first error of `take`.
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
        let mut room: Option<HeldBytes> = None;
        let mut rest = entries;
        while !rest.is_empty() {
            let (portion, behind) = rest.split_at(in_a_portion(rest));
            rest = behind;
            let ranges: Vec<Range> = portion
                .iter()
                .map(|entry| Range {
                    address: entry.blob,
                    len_bytes: entry.blob_bytes as usize,
                })
                .collect();
            let bytes = ranges.iter().map(|range| range.len_bytes).sum::<usize>();
            if room.as_ref().is_none_or(|room| room.len() < bytes) {
                // Before another one is taken.
                drop(room.take());
                let most = bytes.max(PORTION_BYTES.min(total.unwrap_or(0) as usize));
                let zeros = memory.budget().zeros("descriptions of loaded code", most);
                room = Some(zeros.map_err(|spent| ReadError::spent(self.address, spent))?);
            }
            let mut left = room.as_deref_mut().unwrap_or_default();
            left = left.get_mut(..bytes).unwrap_or_default();
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

/// How many of these are read together: at least one, however large it is.
fn in_a_portion(entries: &[DescriptorEntry]) -> usize {
    let mut bytes = 0usize;
    let fits = |entry: &&DescriptorEntry| {
        bytes = bytes.saturating_add(entry.blob_bytes as usize);
        bytes <= PORTION_BYTES
    };
    entries.iter().take_while(fits).count().max(1)
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

/// The entries that were at these addresses, as they are now. The list is only what it was all
/// the time when the walk that uses them finds it unchanged.
fn read_entries(memory: &impl TargetMemory, known: &[u64]) -> HashMap<u64, [u8; ENTRY_BYTES]> {
    let ranges: Vec<Range> = known
        .iter()
        .map(|address| Range {
            address: *address,
            len_bytes: ENTRY_BYTES,
        })
        .collect();
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
mod tests {
    use std::cell::Cell;

    use super::*;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;

    #[test]
    fn only_what_stands_in_front_is_read_of_a_list_from_which_nothing_is_taken() {
        let (mut memory, descriptor) = (two_entries(), Descriptor { address: 0x100 });
        let known = descriptor.entries(&memory, &[]).unwrap();
        memory
            .map_words(0x100, &[1, 0, 0x3000])
            .map_words(0x3000, &[0x1000, 0, 0x7000, 32])
            .map_words(0x1000, &[0x2000, 0x3000, 0x5000, 40])
            .map_words(0x2000, &[0; 4]);
        let entries = descriptor.entries_since(&memory, &known).unwrap();
        let addresses: Vec<u64> = entries.iter().map(|entry| entry.address).collect();
        assert_eq!(addresses, [0x3000, 0x1000, 0x2000]);
        // The newest known one may be gone.
        memory.map_words(0x3000, &[0x2000, 0, 0x7000, 32]);
        memory.map_words(0x2000, &[0, 0x3000, 0x6000, 32]);
        let entries = descriptor.entries_since(&memory, &known).unwrap();
        assert_eq!(entries.len(), 2);
        memory.map_words(0x3000, &[0, 0, 0x7000, 32]);
        assert!(descriptor.entries_since(&memory, &known).is_err());
    }

    fn two_entries() -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        memory
            .map_words(0x100, &[1, 0, 0x1000])
            .map_words(0x1000, &[0x2000, 0, 0x5000, 40])
            .map_words(0x2000, &[0, 0x1000, 0x6000, 32])
            .map_words(0x5000, &[1; 5])
            .map_words(0x6000, &[2; 4]);
        memory
    }

    #[test]
    fn entries_come_newest_first_with_their_blobs() {
        let (memory, descriptor) = (two_entries(), Descriptor { address: 0x100 });
        let entries = descriptor.entries(&memory, &[]).unwrap();
        assert_eq!(
            entries.iter().map(|e| e.blob).collect::<Vec<_>>(),
            [0x5000, 0x6000]
        );
        let mut blobs = Vec::new();
        let take = |entry: &DescriptorEntry, blob: &[u8]| {
            blobs.push((entry.blob, blob.len(), blob[0]));
            Ok(())
        };
        descriptor.each_blob(&memory, &entries, take).unwrap();
        assert_eq!(blobs, [(0x5000, 40, 1), (0x6000, 32, 2)]);
    }

    #[test]
    fn descriptions_are_read_in_portions_however_large_one_is() {
        const SIZES: [usize; 5] = [
            PORTION_BYTES / 2,
            PORTION_BYTES / 2,
            8,
            3 * PORTION_BYTES,
            16,
        ];
        let mut memory = SnapshotMemory::new();
        let entries: Vec<DescriptorEntry> = (1u64..)
            .zip(SIZES)
            .map(|(number, bytes)| {
                memory.map_words(number << 32, &vec![number; bytes / 8]);
                DescriptorEntry {
                    address: 0,
                    next: 0,
                    blob: number << 32,
                    blob_bytes: bytes as u64,
                }
            })
            .collect();
        let memory = Counted {
            memory,
            reads: Cell::new(0),
        };
        let mut blobs = Vec::new();
        let take = |_: &DescriptorEntry, blob: &[u8]| {
            blobs.push((blob[0], blob.len()));
            Ok(())
        };
        Descriptor { address: 0 }
            .each_blob(&memory, &entries, take)
            .unwrap();
        assert_eq!(
            blobs,
            [1, 2, 3, 4, 5]
                .into_iter()
                .zip(SIZES)
                .collect::<Vec<(u8, usize)>>()
        );
        assert_eq!(memory.reads.get(), 4);
    }

    #[test]
    fn entries_on_one_page_are_read_together() {
        let mut memory = SnapshotMemory::new();
        memory.map_words(0x100, &[1, 0, 0x10_0000]);
        // From the end of the second page to its beginning, and over the end of the third.
        let places: Vec<u64> = (0..60)
            .map(|index| 0x10_0000 + index * 0x40)
            .chain([0x10_1ff0])
            .collect();
        let mut words = vec![0u64; 3 * 512];
        for (index, place) in places.iter().enumerate() {
            let word = (place - 0x10_0000) as usize / 8;
            let before = index.checked_sub(1).map_or(0, |before| places[before]);
            let next = places.get(index + 1).copied().unwrap_or(0);
            words[word..word + 4].copy_from_slice(&[next, before, 0x5000, 40]);
        }
        memory.map_words(0x10_0000, &words);
        let memory = Counted {
            memory,
            reads: Cell::new(0),
        };
        let entries = Descriptor { address: 0x100 }.entries(&memory, &[]).unwrap();
        assert_eq!(
            entries
                .iter()
                .map(|entry| entry.address)
                .collect::<Vec<_>>(),
            places
        );
        // The first entry before and after, no known ones, a page, and the entry over the end of one.
        assert_eq!(memory.reads.get(), 5);
    }

    /// Counts the calls that read something.
    struct Counted {
        memory: SnapshotMemory,
        reads: Cell<usize>,
    }

    impl TargetMemory for Counted {
        fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
            self.reads.set(self.reads.get() + 1);
            self.memory.read(address, buffer)
        }

        fn read_many(&self, ranges: &[Range], buffer: &mut [u8]) -> Result<(), ReadError> {
            self.reads.set(self.reads.get() + 1);
            self.memory.read_many(ranges, buffer)
        }
    }

    #[test]
    fn a_new_blob_at_the_same_place_changes_the_mark() {
        let (mut memory, descriptor) = (two_entries(), Descriptor { address: 0x100 });
        let before = descriptor.mark(&memory).unwrap();
        assert_eq!(before, descriptor.mark(&memory).unwrap());
        memory.map_words(0x5000, &[1, 9, 9, 9, 9]);
        assert_ne!(before, descriptor.mark(&memory).unwrap());
    }

    #[test]
    fn the_first_entry_may_hold_a_stale_link_back_but_no_other() {
        let descriptor = Descriptor { address: 0x100 };
        let mut memory = two_entries();
        memory.map_words(0x1000, &[0x2000, 0xdead0, 0x5000, 40]);
        assert_eq!(descriptor.entries(&memory, &[]).unwrap().len(), 2);
        memory.map_words(0x2000, &[0, 0xdead0, 0x6000, 32]);
        assert!(descriptor.entries(&memory, &[]).is_err());
    }

    /// A list of which the first entry changes with every read of it, for so many reads.
    struct Changing {
        memory: SnapshotMemory,
        first_reads: Cell<u64>,
        reads: Cell<u64>,
    }

    impl TargetMemory for Changing {
        fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
            self.reads.set(self.reads.get() + 1);
            self.memory.read(address, buffer)?;
            if address == 0x100 && self.first_reads.get() > 0 {
                self.first_reads.set(self.first_reads.get() - 1);
                let first = 0x1000 + 0x1000 * (self.first_reads.get() % 2);
                buffer[16..24].copy_from_slice(&first.to_le_bytes());
            }
            Ok(())
        }

        fn read_many(&self, ranges: &[Range], buffer: &mut [u8]) -> Result<(), ReadError> {
            self.reads.set(self.reads.get() + 1);
            self.memory.read_many(ranges, buffer)
        }
    }

    #[test]
    fn what_a_walk_found_that_was_too_slow_is_not_asked_for_again_one_by_one() {
        let mut memory = SnapshotMemory::new();
        memory.map_words(0x100, &[1, 0, 0x1000]);
        let last = 1000;
        for index in 1..=last {
            let (next, previous) = ((index + 1) % (last + 1) * 0x1000, (index - 1) * 0x1000);
            let mut page = [0; 512];
            page[..4].copy_from_slice(&[next, previous, 0x10, 32]);
            memory.map_words(index * 0x1000, &page);
        }
        let changing = Changing {
            memory,
            first_reads: Cell::new(2),
            reads: Cell::new(0),
        };
        let descriptor = Descriptor { address: 0x100 };
        let entries = descriptor.entries(&changing, &[]).unwrap();
        assert_eq!(entries.len(), 1000);
        let calls = changing.reads.get();
        assert!(calls < 1100, "{calls} system calls");
    }

    #[test]
    fn a_ring_of_entries_ends() {
        let mut memory = two_entries();
        memory.map_words(0x2000, &[0x1000, 0x1000, 0x6000, 32]);
        assert!(Descriptor { address: 0x100 }.entries(&memory, &[]).is_err());
    }

    proptest! {
        #[test]
        fn garbage_never_panics(words in prop::collection::vec(0u64..0x140, 40)) {
            let mut memory = SnapshotMemory::new();
            memory.map_words(0, &words);
            let descriptor = Descriptor { address: 0 };
            let _ = descriptor.mark(&memory);
            if let Ok(entries) = descriptor.entries(&memory, &[]) {
                let _ = descriptor.each_blob(&memory, &entries, |_, _| Ok(()));
            }
        }
    }
}
