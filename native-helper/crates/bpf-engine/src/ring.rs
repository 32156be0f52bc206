//! The ring of one CPU: the program writes records, we read them in place.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::Ordering;

use crate::sys::{MapKind, RingMapping, create_map};

/// Bits of a record's length word (include/uapi/linux/bpf.h).
const BUSY: u32 = 1 << 31;
const DISCARDED: u32 = 1 << 30;
const RECORD_HEADER_BYTES: u64 = 8;

/// The ring of one CPU.
#[derive(Debug)]
pub struct BpfRing {
    map: OwnedFd,
    mapping: RingMapping,
    /// Our own position; the shared one is only ever written.
    position: u64,
}

impl BpfRing {
    /// A ring of `data_bytes`, a power of two and at least a page.
    pub(crate) fn new(data_bytes: usize) -> io::Result<Self> {
        let entries = u32::try_from(data_bytes).map_err(|_| io::ErrorKind::InvalidInput)?;
        let map = create_map(MapKind::Ring, 0, 0, entries)?;
        let mapping = RingMapping::new(map.as_fd(), data_bytes)?;
        Ok(Self {
            map,
            mapping,
            position: 0,
        })
    }

    /// The descriptor, readable when the program has seen the ring fill up.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.map.as_fd()
    }

    pub(crate) fn data_bytes(&self) -> usize {
        self.mapping.data_bytes()
    }

    /// The oldest record, as long as it is not [released](Self::release). `None` when there is
    /// none that is complete. Allocates nothing.
    pub fn peek(&mut self) -> Option<&[u8]> {
        let len = loop {
            let word = self.current_word()?;
            let len = u64::from(word & !(BUSY | DISCARDED));
            if word & DISCARDED == 0 {
                break len;
            }
            self.advance(len);
        };
        let start = self.position + RECORD_HEADER_BYTES;
        Some(self.mapping.data(start, usize::try_from(len).ok()?))
    }

    /// Gives the place of the record last seen back to the program.
    pub fn release(&mut self) {
        if let Some(word) = self.current_word() {
            self.advance(u64::from(word & !(BUSY | DISCARDED)));
        }
    }

    /// The length word of the record at our position, when it is whole and fits in the ring.
    fn current_word(&mut self) -> Option<u32> {
        let available = self
            .mapping
            .producer()
            .load(Ordering::Acquire)
            .wrapping_sub(self.position);
        if available < RECORD_HEADER_BYTES || available > self.mapping.data_bytes() as u64 {
            return None;
        }
        let word = self
            .mapping
            .length_word(self.position)
            .load(Ordering::Acquire);
        let len = u64::from(word & !(BUSY | DISCARDED));
        (word & BUSY == 0 && RECORD_HEADER_BYTES + len <= available).then_some(word)
    }

    fn advance(&mut self, len: u64) {
        let whole = (len + RECORD_HEADER_BYTES).next_multiple_of(8);
        self.position = self.position.wrapping_add(whole);
        self.mapping
            .consumer()
            .store(self.position, Ordering::Release);
    }
}
