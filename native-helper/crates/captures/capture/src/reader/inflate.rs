//! Gzip members to protobuf messages, within bounds: bytes beyond them are cut off.

use std::io::Read;

use flate2::bufread::GzDecoder;

use super::{ReadError, ReadLimits};

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The gzip members of a file, one after the other. Input that does not start like gzip is one
/// message as it is.
pub(super) struct Members<'f> {
    /// Not yet decompressed.
    rest: &'f [u8],
    is_first: bool,
    limits: ReadLimits,
    total_bytes: u64,
}

impl<'f> Members<'f> {
    pub(super) fn of(file: &'f [u8], limits: ReadLimits) -> Self {
        Self {
            rest: file,
            is_first: true,
            limits,
            total_bytes: 0,
        }
    }

    /// Appends the next member to `message`. Whether the file ends there without its end: the member was
    /// cut, or is longer than allowed, or something that is no gzip member follows. `None` after the
    /// last member.
    pub(super) fn append_next(&mut self, message: &mut Vec<u8>) -> Result<Option<bool>, ReadError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let allowed = self.limits.max_bytes.saturating_sub(message.len());
        let left = self.limits.max_total_bytes.saturating_sub(self.total_bytes);
        let room = allowed.min(usize::try_from(left).unwrap_or(usize::MAX));
        if std::mem::take(&mut self.is_first) && !looks_like_gzip(self.rest) {
            let taken = self.rest.get(..room).unwrap_or(self.rest);
            message.extend_from_slice(taken);
            let is_cut = taken.len() < self.rest.len();
            self.rest = &[];
            return Ok(Some(is_cut));
        }
        let mut decoder = GzDecoder::new(self.rest);
        // One byte more than there is room for distinguishes "exactly full" from "too much".
        let before = message.len();
        let outcome = (&mut decoder).take(room as u64 + 1).read_to_end(message);
        let is_too_long = message.len() - before > room;
        message.truncate(before + room);
        self.total_bytes += (message.len() - before) as u64;
        let is_cut = match outcome {
            _ if is_too_long => true,
            Ok(_) => {
                self.rest = decoder.into_inner();
                !self.rest.is_empty() && !looks_like_gzip(self.rest)
            }
            // Deflate returns exactly the bytes before the cut, so those are good.
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => true,
            Err(error) => return Err(ReadError::Corrupt(format!("gzip member: {error}"))),
        };
        if is_cut {
            self.rest = &[];
        }
        Ok(Some(is_cut))
    }
}

/// A lone first byte counts: it is all that is left of a member cut after it.
fn looks_like_gzip(bytes: &[u8]) -> bool {
    !bytes.is_empty()
        && GZIP_MAGIC
            .iter()
            .zip(bytes)
            .all(|(magic, byte)| magic == byte)
}
