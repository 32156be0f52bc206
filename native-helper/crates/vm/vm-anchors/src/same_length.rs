//! Structures of one kind, read together.

use target_memory::{Range, TargetMemory, read_each_not_null};

/// Reads the same of each address; `None` where it is not there. Of address 0 nothing is read.
pub(crate) fn read_all(
    memory: &impl TargetMemory,
    addresses: impl IntoIterator<Item = u64>,
    len_bytes: usize,
) -> Vec<Option<Vec<u8>>> {
    let ranges = Range::at_each(addresses, len_bytes);
    read_each_not_null(memory, &ranges, ranges.len().saturating_mul(len_bytes))
}
