//! Reading another process's memory while it runs.
//!
//! [`TargetMemory`] is what every parser of VM memory takes; [`LiveMemory`] is the real thing
//! (`process_vm_readv`), [`SnapshotMemory`] is a set of pages for tests and replay. Nothing here
//! stops, traces or writes to the target: the kernel copies the pages, nothing more.

mod address;
mod each;
mod error;
mod live;
mod pace;
mod snapshot;
mod typed;

pub use byte_budget::{BudgetSpent, ByteBudget, Held, HeldBytes};

pub use address::{address_at, element_at};
pub use each::{read_each, read_each_not_null};
pub use error::{ReadError, ReadErrorKind};
pub use live::{LiveMemory, ReadPermit};
pub use snapshot::SnapshotMemory;
pub use typed::{bytes_to_words, u16_at, u32_at, u64_at};

/// One range of target memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// First address.
    pub address: u64,
    /// Length in bytes.
    pub len_bytes: usize,
}

impl Range {
    /// As many bytes from each address on.
    pub fn at_each(addresses: impl IntoIterator<Item = u64>, len_bytes: usize) -> Vec<Self> {
        let at = |address| Self { address, len_bytes };
        addresses.into_iter().map(at).collect()
    }
}

/// Memory of the target. Every word that comes out of it may be garbage.
pub trait TargetMemory {
    /// Fills `buffer` from `address`, or fails without a promise about `buffer`.
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError>;

    /// From now on read in portions, with a pause whenever reading has gone on for some milliseconds; or as before.
    /// For long reads. Memory of no live process needs no pauses.
    fn set_pauses(&mut self, _are_wanted: bool) {}

    /// How much of the target may be held. The data kept of it is held within this, and data read
    /// for a moment only has to fit into the rest.
    fn budget(&self) -> &ByteBudget {
        ByteBudget::of_no_target()
    }

    /// Reads many ranges, one after the other, into `buffer` (whose length is their sum) with as
    /// few system calls as possible. Fails when any range is unreadable.
    fn read_many(&self, ranges: &[Range], buffer: &mut [u8]) -> Result<(), ReadError> {
        let mut rest = buffer;
        for range in ranges {
            if range.len_bytes > rest.len() {
                return Err(ReadError::new(
                    range.address,
                    range.len_bytes,
                    ReadErrorKind::Short,
                ));
            }
            let (part, tail) = rest.split_at_mut(range.len_bytes);
            self.read(range.address, part)?;
            rest = tail;
        }
        Ok(())
    }

    /// Reads ranges, one after the other, into `buffer` (whose length is at least their sum), up to the first
    /// that is unreadable. Returns how many were read. For ranges of which some may not be there: each that is
    /// not costs one call.
    fn read_leading(&self, ranges: &[Range], buffer: &mut [u8]) -> usize {
        let mut rest = buffer;
        let is_read = |range: &&Range| {
            let Some((part, tail)) =
                std::mem::take(&mut rest).split_at_mut_checked(range.len_bytes)
            else {
                return false;
            };
            rest = tail;
            self.read(range.address, part).is_ok()
        };
        ranges.iter().take_while(is_read).count()
    }

    /// Reads one little-endian word.
    fn read_u64(&self, address: u64) -> Result<u64, ReadError> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads the word at an offset of a structure.
    fn read_u64_at(&self, base: u64, offset: u64) -> Result<u64, ReadError> {
        self.read_u64(address_at(base, offset)?)
    }

    /// Reads the 32-bit word at an offset of a structure.
    fn read_u32_at(&self, base: u64, offset: u64) -> Result<u32, ReadError> {
        self.read_u32(address_at(base, offset)?)
    }

    /// Reads one little-endian 32-bit word.
    fn read_u32(&self, address: u64) -> Result<u32, ReadError> {
        let mut bytes = [0; 4];
        self.read(address, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Reads `len_bytes` into a new vector. `limit_bytes` is the most the caller accepts: lengths
    /// come from the target and may be garbage.
    fn read_vec(
        &self,
        address: u64,
        len_bytes: usize,
        limit_bytes: usize,
    ) -> Result<Vec<u8>, ReadError> {
        if len_bytes > limit_bytes {
            return Err(ReadError::new(
                address,
                len_bytes,
                ReadErrorKind::TooLong { limit_bytes },
            ));
        }
        let held = self.budget().hold("memory", len_bytes);
        let _held = held.map_err(|spent| ReadError::spent(address, spent))?;
        let mut bytes = vec![0; len_bytes];
        self.read(address, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads `len_bytes` that are kept: within the budget until they are dropped. The error names
    /// them as `what` when there is no room for them.
    fn read_held(
        &self,
        what: &'static str,
        address: u64,
        len_bytes: usize,
    ) -> Result<HeldBytes, ReadError> {
        let zeros = self.budget().zeros(what, len_bytes);
        let mut bytes = zeros.map_err(|spent| ReadError::spent(address, spent))?;
        self.read(address, &mut bytes)?;
        Ok(bytes)
    }
}

impl<M: TargetMemory + ?Sized> TargetMemory for &M {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        (**self).read(address, buffer)
    }

    fn budget(&self) -> &ByteBudget {
        (**self).budget()
    }

    fn read_many(&self, ranges: &[Range], buffer: &mut [u8]) -> Result<(), ReadError> {
        (**self).read_many(ranges, buffer)
    }

    fn read_leading(&self, ranges: &[Range], buffer: &mut [u8]) -> usize {
        (**self).read_leading(ranges, buffer)
    }
}
