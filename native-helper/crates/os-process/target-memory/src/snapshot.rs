//! Memory made of pieces, for tests and for replaying earlier reads.

use std::collections::BTreeMap;

use byte_budget::ByteBudget;

use crate::{ReadError, ReadErrorKind, TargetMemory};

/// Non-overlapping pieces of memory by their first address.
#[derive(Debug, Clone, Default)]
pub struct SnapshotMemory {
    pieces: BTreeMap<u64, Vec<u8>>,
    budget: Option<ByteBudget>,
}

impl SnapshotMemory {
    /// Nothing mapped.
    pub fn new() -> Self {
        Self::default()
    }

    /// Has a budget, as that of a target has.
    pub fn within(&mut self, budget: ByteBudget) -> &mut Self {
        self.budget = Some(budget);
        self
    }

    /// Maps `bytes` at `address`; a later piece at the same address replaces the earlier one.
    pub fn map(&mut self, address: u64, bytes: Vec<u8>) -> &mut Self {
        self.pieces.insert(address, bytes);
        self
    }

    /// Maps words at `address`.
    pub fn map_words(&mut self, address: u64, words: &[u64]) -> &mut Self {
        self.map(
            address,
            words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        )
    }
}

impl TargetMemory for SnapshotMemory {
    fn budget(&self) -> &ByteBudget {
        self.budget.as_ref().unwrap_or(ByteBudget::of_no_target())
    }

    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let unmapped = || ReadError::new(address, buffer.len(), ReadErrorKind::Unmapped);
        let (start, piece) = self
            .pieces
            .range(..=address)
            .next_back()
            .ok_or_else(unmapped)?;
        let offset = usize::try_from(address - start).map_err(|_| unmapped())?;
        let bytes = offset
            .checked_add(buffer.len())
            .and_then(|end| piece.get(offset..end))
            .ok_or_else(unmapped)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_inside_a_piece_only() {
        let mut memory = SnapshotMemory::new();
        memory.map_words(0x1000, &[1, 2, 3]);
        assert_eq!(memory.read_u64(0x1008).unwrap(), 2);
        assert_eq!(
            memory.read_u64(0x1014).unwrap_err().kind,
            ReadErrorKind::Unmapped
        );
        assert_eq!(
            memory.read_u64(0xff8).unwrap_err().kind,
            ReadErrorKind::Unmapped
        );
        assert!(memory.read_u64(u64::MAX).is_err());
    }

    #[test]
    fn a_length_from_the_target_is_bounded_before_memory_is_taken() {
        let error = SnapshotMemory::new()
            .read_vec(0, usize::MAX, 64)
            .unwrap_err();
        assert_eq!(error.kind, ReadErrorKind::TooLong { limit_bytes: 64 });
    }
}
