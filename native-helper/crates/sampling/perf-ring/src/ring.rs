//! The memory ring of one CPU: the kernel writes records, we copy them out.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use thiserror::Error;

use crate::attr::PerfEventAttr;
use crate::sys::{self, Mapping};

/// A perf record is at most this long: its size field has 16 bits.
const MAX_RECORD_BYTES: usize = 1 << 16;
const HEADER_BYTES: usize = 8;

/// Why a ring could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RingError {
    /// The owner event was refused.
    #[error("the kernel does not allow a perf ring: {0}")]
    Open(#[source] io::Error),
    /// The memory was refused: `perf_event_mlock_kb` and RLIMIT_MEMLOCK bound it.
    #[error("no memory for a perf ring of {len_bytes} bytes: {source}")]
    Map {
        /// Requested length.
        len_bytes: usize,
        /// Reason.
        source: io::Error,
    },
}

/// See [`Ring::anchor`].
#[derive(Debug)]
pub struct RingAnchor {
    owner: OwnedFd,
}

impl RingAnchor {
    pub(crate) fn owner(&self) -> BorrowedFd<'_> {
        self.owner.as_fd()
    }
}

/// The ring of one CPU.
#[derive(Debug)]
pub struct Ring {
    owner: OwnedFd,
    mapping: Mapping,
    page_bytes: usize,
    data_bytes: usize,
    tail: u64,
    record: Vec<u8>,
}

impl Ring {
    /// A ring of `pages` data pages (a power of two) for events on `cpu`.
    pub fn new(cpu: u32, pages: usize) -> Result<Self, RingError> {
        let cpu = i32::try_from(cpu).unwrap_or(-1);
        let owner = sys::perf_event_open(&PerfEventAttr::ring_owner(), 0, cpu, None)
            .map_err(RingError::Open)?;
        let page_bytes = sys::page_bytes();
        let data_bytes = pages.next_power_of_two() * page_bytes;
        let len_bytes = data_bytes + page_bytes;
        let mapping = Mapping::new(owner.as_fd(), len_bytes)
            .map_err(|source| RingError::Map { len_bytes, source })?;
        let record = vec![0; MAX_RECORD_BYTES];
        Ok(Self {
            owner,
            mapping,
            page_bytes,
            data_bytes,
            tail: 0,
            record,
        })
    }

    /// A handle to send events into this ring with, usable after the ring has moved to its
    /// reader.
    pub fn anchor(&self) -> io::Result<RingAnchor> {
        Ok(RingAnchor {
            owner: self.owner.try_clone()?,
        })
    }

    /// The descriptor that becomes readable when the kernel wakes readers.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.owner.as_fd()
    }

    /// Waits for a record or for `stop` to become readable, at most `timeout_ms`.
    pub fn wait(&self, stop: BorrowedFd<'_>, timeout_ms: i32) -> io::Result<bool> {
        sys::poll_readable(&[self.owner.as_fd(), stop], timeout_ms)
    }

    /// The next record, header included, or `None` when the ring is empty. The bytes are a copy:
    /// the place in the ring is free again. Allocates nothing.
    pub fn next_record(&mut self) -> Option<&[u8]> {
        let head = self.mapping.head();
        let available = usize::try_from(head.wrapping_sub(self.tail)).unwrap_or(0);
        if available < HEADER_BYTES || available > self.data_bytes {
            // More than the ring can hold is not ours to read: start again at the head.
            if available > self.data_bytes {
                self.skip_to(head);
            }
            return None;
        }
        let mut header = [0; HEADER_BYTES];
        self.copy(self.tail, &mut header);
        let size = usize::from(u16::from_le_bytes([header[6], header[7]]));
        if size < HEADER_BYTES || size > available {
            self.skip_to(head);
            return None;
        }
        let mut record = std::mem::take(&mut self.record);
        self.copy(self.tail, &mut record[..size]);
        self.record = record;
        self.skip_to(self.tail + size as u64);
        Some(&self.record[..size])
    }

    fn skip_to(&mut self, position: u64) {
        self.tail = position;
        self.mapping.set_tail(position);
    }

    fn copy(&self, position: u64, out: &mut [u8]) {
        let offset = (position % self.data_bytes as u64) as usize;
        let first = out.len().min(self.data_bytes - offset);
        let (before, after) = out.split_at_mut(first);
        self.mapping.copy_data(self.page_bytes, offset, before);
        self.mapping.copy_data(self.page_bytes, 0, after);
    }
}
