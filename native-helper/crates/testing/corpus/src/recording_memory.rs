//! Memory that records the bytes read of it, and memory with words exchanged.

use std::cell::RefCell;
use std::collections::BTreeMap;

use target_memory::{ByteBudget, Range, ReadError, TargetMemory};

const PAGE_BYTES: u64 = 4096;

/// One page: its bytes, and which of them were read.
type Page = (Vec<u8>, Vec<bool>);

/// Remembers every byte that was read, as last seen.
#[derive(Debug)]
pub struct RecordingMemory<M> {
    inner: M,
    pages: RefCell<BTreeMap<u64, Page>>,
}

impl<M> RecordingMemory<M> {
    /// Nothing read yet.
    pub fn new(inner: M) -> Self {
        Self {
            inner,
            pages: RefCell::default(),
        }
    }

    /// The bytes read, as pieces with a gap between any two.
    pub fn pieces(&self) -> Vec<(u64, Vec<u8>)> {
        let mut pieces: Vec<(u64, Vec<u8>)> = Vec::new();
        for (page, (bytes, read)) in self.pages.borrow().iter() {
            for (offset, _) in read.iter().enumerate().filter(|(_, read)| **read) {
                let address = page + offset as u64;
                match pieces.last_mut() {
                    Some((start, piece)) if *start + piece.len() as u64 == address => {
                        piece.push(bytes[offset]);
                    }
                    _ => pieces.push((address, vec![bytes[offset]])),
                }
            }
        }
        pieces
    }

    fn note(&self, address: u64, seen: &[u8]) {
        let mut pages = self.pages.borrow_mut();
        for (address, byte) in (address..).zip(seen) {
            let page = address & !(PAGE_BYTES - 1);
            let (bytes, read) = pages.entry(page).or_insert_with(|| {
                let len = PAGE_BYTES as usize;
                (vec![0; len], vec![false; len])
            });
            let offset = (address - page) as usize;
            (bytes[offset], read[offset]) = (*byte, true);
        }
    }
}

impl<M: TargetMemory> TargetMemory for RecordingMemory<M> {
    fn budget(&self) -> &ByteBudget {
        self.inner.budget()
    }

    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.inner.read(address, buffer)?;
        self.note(address, buffer);
        Ok(())
    }

    fn read_many(&self, ranges: &[Range], buffer: &mut [u8]) -> Result<(), ReadError> {
        self.inner.read_many(ranges, buffer)?;
        let mut rest = &*buffer;
        for range in ranges {
            let (part, tail) = rest.split_at(range.len_bytes.min(rest.len()));
            self.note(range.address, part);
            rest = tail;
        }
        Ok(())
    }
}

/// Memory in which some words are others than in the VM.
#[derive(Debug)]
pub struct PatchedMemory<M> {
    inner: M,
    words: Vec<(u64, u64)>,
}

impl<M> PatchedMemory<M> {
    /// `words` are addresses and the values that a read there returns.
    pub fn new(inner: M, words: Vec<(u64, u64)>) -> Self {
        Self { inner, words }
    }

    fn patch(&self, start: u64, buffer: &mut [u8]) {
        for (address, word) in &self.words {
            for (place, byte) in (*address..).zip(word.to_le_bytes()) {
                let index = place.checked_sub(start).map(|index| index as usize);
                if let Some(there) = index.and_then(|index| buffer.get_mut(index)) {
                    *there = byte;
                }
            }
        }
    }
}

impl<M: TargetMemory> TargetMemory for PatchedMemory<M> {
    fn budget(&self) -> &ByteBudget {
        self.inner.budget()
    }

    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.inner.read(address, buffer)?;
        self.patch(address, buffer);
        Ok(())
    }

    fn read_many(&self, ranges: &[Range], buffer: &mut [u8]) -> Result<(), ReadError> {
        self.inner.read_many(ranges, buffer)?;
        let mut rest = buffer;
        for range in ranges {
            let (part, tail) = rest.split_at_mut(range.len_bytes.min(rest.len()));
            self.patch(range.address, part);
            rest = tail;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_memory::SnapshotMemory;

    #[test]
    fn what_was_read_can_be_read_again_and_nothing_else() {
        let mut memory = SnapshotMemory::new();
        memory.map_words(0x1ff0, &[1, 2, 3, 4]);
        let recording = RecordingMemory::new(PatchedMemory::new(&memory, vec![(0x2000, 9)]));
        assert_eq!(recording.read_u64(0x1ff8).unwrap(), 2);
        let ranges = [0x2000, 0x2008].map(|address| Range {
            address,
            len_bytes: 8,
        });
        let mut both = [0; 16];
        recording.read_many(&ranges, &mut both).unwrap();
        assert_eq!(both[0], 9, "patched");
        let pieces = recording.pieces();
        assert_eq!(
            pieces.len(),
            1,
            "adjacent reads are one piece, across pages"
        );
        assert_eq!((pieces[0].0, pieces[0].1.len()), (0x1ff8, 24));
        assert!(recording.read_u64(0x9000).is_err());
    }
}
