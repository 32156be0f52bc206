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
    /// A record that goes on at the start of the ring, in one piece.
    wrapped: Vec<u8>,
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
            wrapped: Vec::new(),
        })
    }

    /// The descriptor, readable when the program has seen the ring fill up.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.map.as_fd()
    }

    /// The oldest record, as long as it is not [released](Self::release). `None` when there is
    /// none that is complete. Allocates nothing, except for the longest record so far that goes on at
    /// the start of the ring; where the system has no memory for that, the record is skipped.
    pub fn peek(&mut self) -> Option<&[u8]> {
        loop {
            let word = self.current_word()?;
            let len = u64::from(word & !(BUSY | DISCARDED));
            if word & DISCARDED == 0 && self.is_in_one_piece(len) {
                break;
            }
            self.advance(len);
        }
        let len = self.current_word()? & !(BUSY | DISCARDED);
        let start = self.position + RECORD_HEADER_BYTES;
        let (first, rest) = self.mapping.data(start, usize::try_from(len).ok()?);
        Some(match rest {
            [] => first,
            _ => &self.wrapped,
        })
    }

    /// Puts a record of `len` bytes at our position together where it goes on at the start of the ring.
    /// False when there is no memory for that.
    fn is_in_one_piece(&mut self, len: u64) -> bool {
        let start = self.position + RECORD_HEADER_BYTES;
        let (first, rest) = self.mapping.data(start, len as usize);
        if rest.is_empty() {
            return true;
        }
        self.wrapped.clear();
        if self.wrapped.try_reserve(first.len() + rest.len()).is_err() {
            return false;
        }
        self.wrapped.extend_from_slice(first);
        self.wrapped.extend_from_slice(rest);
        true
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;
    use crate::sys::page_bytes;

    const DATA_BYTES: usize = 4096;

    /// A ring in a file, which the test writes to as the kernel does.
    struct Written {
        file: std::fs::File,
        ring: BpfRing,
        position: u64,
    }

    impl Written {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
            let file = std::fs::File::options()
                .read(true)
                .write(true)
                .create_new(true)
                .open(&path)
                .unwrap();
            std::fs::remove_file(path).unwrap();
            file.set_len((2 * page_bytes() + DATA_BYTES) as u64)
                .unwrap();
            let map = OwnedFd::from(file.try_clone().unwrap());
            let mapping = RingMapping::new(map.as_fd(), DATA_BYTES).unwrap();
            let ring = BpfRing {
                map,
                mapping,
                position: 0,
                wrapped: Vec::new(),
            };
            Self {
                file,
                ring,
                position: 0,
            }
        }

        fn put(&mut self, flags: u32, bytes: &[u8]) {
            let word = bytes.len() as u32 | flags;
            let mut record = [&word.to_le_bytes()[..], &[0; 4], bytes].concat();
            record.resize(record.len().next_multiple_of(8), 0);
            let data = 2 * page_bytes() as u64;
            for (index, byte) in (self.position..).zip(&record) {
                let at = data + index % DATA_BYTES as u64;
                self.file.write_all_at(&[*byte], at).unwrap();
            }
            self.position += record.len() as u64;
            let producer = page_bytes() as u64;
            self.file
                .write_all_at(&self.position.to_le_bytes(), producer)
                .unwrap();
        }
    }

    #[test]
    fn a_record_that_goes_on_at_the_start_of_the_ring_comes_in_one_piece() {
        let mut written = Written::new("bpf-ring");
        for round in 0..40u32 {
            let bytes: Vec<u8> = (0..600 + round).map(|byte| byte as u8).collect();
            written.put(DISCARDED, &[7; 300]);
            written.put(0, &bytes);
            written.put(0, &[round as u8]);
            assert_eq!(written.ring.peek(), Some(&bytes[..]));
            assert_eq!(
                written.ring.peek(),
                Some(&bytes[..]),
                "until it is released"
            );
            written.ring.release();
            assert_eq!(written.ring.peek(), Some(&[round as u8][..]));
            written.ring.release();
            assert_eq!(written.ring.peek(), None);
        }
    }

    #[test]
    fn a_record_that_is_being_written_is_not_there_yet() {
        let mut written = Written::new("bpf-ring-busy");
        written.put(BUSY, &[1; 16]);
        written.put(0, &[2; 16]);
        assert_eq!(written.ring.peek(), None);
    }
}
