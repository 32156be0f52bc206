//! Memory that counts the calls that reading it takes.

use std::cell::Cell;

use target_memory::{Range, ReadError, SnapshotMemory, TargetMemory};

/// A snapshot that is read as a live process is: ranges up to the first bad one in one call.
pub(crate) struct CountedMemory {
    snapshot: SnapshotMemory,
    calls: Cell<usize>,
}

impl CountedMemory {
    pub(crate) fn new(snapshot: SnapshotMemory) -> Self {
        let calls = Cell::new(0);
        Self { snapshot, calls }
    }

    /// Calls since the last call of this.
    pub(crate) fn take_calls(&self) -> usize {
        self.calls.take()
    }

    fn count(&self) {
        self.calls.set(self.calls.get() + 1);
    }
}

impl TargetMemory for CountedMemory {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.count();
        self.snapshot.read(address, buffer)
    }

    fn read_leading(&self, ranges: &[Range], buffer: &mut [u8]) -> usize {
        self.count();
        self.snapshot.read_leading(ranges, buffer)
    }
}
