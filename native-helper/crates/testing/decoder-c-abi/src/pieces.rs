//! Several byte strings in one: how blobs and snapshots come across the boundary.

use target_memory::{SnapshotMemory, u64_at};

use crate::Status;

/// More than any snapshot of one VM has.
const MAX_PIECES: usize = 1 << 20;

/// Splits `bytes` = (u64 length, that many bytes)*.
pub fn blobs(bytes: &[u8]) -> Result<Vec<&[u8]>, Status> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, tail) = cut(rest, 0)?;
        found.push(piece);
        rest = tail;
        if found.len() > MAX_PIECES {
            return Err(Status::TooLong);
        }
    }
    Ok(found)
}

/// Maps `bytes` = (u64 address, u64 length, that many bytes)*.
pub fn snapshot(bytes: &[u8]) -> Result<SnapshotMemory, Status> {
    let mut memory = SnapshotMemory::new();
    let mut rest = bytes;
    for _ in 0..MAX_PIECES {
        if rest.is_empty() {
            return Ok(memory);
        }
        let address = u64_at(rest, 0).ok_or(Status::Malformed)?;
        let (piece, tail) = cut(rest, 8)?;
        memory.map(address, piece.to_vec());
        rest = tail;
    }
    Err(Status::TooLong)
}

/// The piece whose length is at `length_at`, and the rest.
fn cut(bytes: &[u8], length_at: usize) -> Result<(&[u8], &[u8]), Status> {
    let length = u64_at(bytes, length_at).and_then(|length| usize::try_from(length).ok());
    let start = length_at + 8;
    length
        .and_then(|length| start.checked_add(length))
        .and_then(|end| Some((bytes.get(start..end)?, bytes.get(end..)?)))
        .ok_or(Status::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use target_memory::TargetMemory;

    #[test]
    fn pieces_are_cut_at_their_lengths() {
        let bytes = [&[2u8, 0, 0, 0, 0, 0, 0, 0, 7, 8][..], &[0; 8]].concat();
        assert_eq!(blobs(&bytes).unwrap(), [&[7u8, 8][..], &[]]);
        assert_eq!(blobs(&bytes[..9]), Err(Status::Malformed));
        let mut one = vec![0, 1, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0];
        one.extend(5u64.to_le_bytes());
        assert_eq!(snapshot(&one).unwrap().read_u64(0x100).unwrap(), 5);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes: Vec<u8>) {
            let _ = blobs(&bytes);
            let _ = snapshot(&bytes);
        }
    }
}
