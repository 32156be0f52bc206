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
    let memory = Changing {
        memory,
        first_reads: Cell::new(0),
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
    let memory = Changing {
        memory,
        first_reads: Cell::new(0),
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

/// A list whose first entry changes with every read of it, for this many reads; counts the calls that read something.
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
fn results_of_a_walk_that_was_too_slow_are_not_read_again_one_by_one() {
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
