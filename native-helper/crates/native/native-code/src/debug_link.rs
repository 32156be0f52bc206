//! `.gnu_debuglink`: the name and checksum of the file that a stripped object's symbols went to.

use std::io;

use flate2::Crc;

use crate::source::{ImageSource, u32_at};

/// A debug file larger than this is not read to compare checksums.
const MAX_CHECKED_BYTES: u64 = 2 << 30;
const CHUNK_BYTES: usize = 1 << 16;

/// A stripped object's reference to its debug file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugLink {
    /// A plain file name: never a path.
    pub file_name: String,
    /// CRC-32 of the whole debug file.
    pub crc32: u32,
}

impl DebugLink {
    /// Reads the section: a name with its NUL, padding to four bytes, the checksum. A name that is
    /// not that of a file in some folder (`../x`) is refused.
    #[must_use]
    pub fn parse(section: &[u8]) -> Option<Self> {
        const MAX_NAME_BYTES: usize = 255;
        let end = section.iter().position(|&byte| byte == 0)?;
        let name = str::from_utf8(section.get(..end)?).ok()?;
        let is_plain = !matches!(name, "" | "." | "..") && !name.contains('/');
        if !is_plain || name.len() > MAX_NAME_BYTES {
            return None;
        }
        Some(Self {
            file_name: name.to_owned(),
            crc32: u32_at(section, (end + 1).next_multiple_of(4))?,
        })
    }
}

/// The checksum of everything a source has.
pub(crate) fn crc32_of(source: &(impl ImageSource + ?Sized)) -> io::Result<u32> {
    let length_bytes = source.length_bytes()?;
    if length_bytes > MAX_CHECKED_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut crc = Crc::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut offset = 0;
    while offset < length_bytes {
        let bytes = (length_bytes - offset).min(CHUNK_BYTES as u64);
        let part = chunk.get_mut(..bytes as usize).unwrap_or_default();
        source.read_at(offset, part)?;
        crc.update(part);
        offset += bytes;
    }
    Ok(crc.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn name_padding_and_checksum() {
        let link = |bytes: &[u8]| DebugLink::parse(bytes);
        let found = link(b"beam.debug\0\0\x78\x56\x34\x12").unwrap();
        assert_eq!(
            (found.file_name.as_str(), found.crc32),
            ("beam.debug", 0x1234_5678)
        );
        assert_eq!(link(b"abc\0\x01\0\0\0").unwrap().crc32, 1);
        assert_eq!(link(b"abc\0\x01\0\0"), None, "cut off");
        assert_eq!(link(b"../abc\0\0\x01\0\0\0"), None, "leads elsewhere");
        assert_eq!(link(b"..\0\0\x01\0\0\0"), None);
        assert_eq!(link(b"\0\0\0\0\x01\0\0\0"), None);
        assert_eq!(link(b"no end"), None);
    }

    #[test]
    fn the_checksum_is_that_of_every_byte() {
        // The value every CRC-32 catalogue gives for these nine digits.
        assert_eq!(crc32_of(b"123456789".as_slice()).unwrap(), 0xcbf4_3926);
        let long = vec![7; CHUNK_BYTES + 1];
        let mut whole = Crc::new();
        whole.update(&long);
        assert_eq!(crc32_of(long.as_slice()).unwrap(), whole.sum());
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            if let Some(link) = DebugLink::parse(&bytes) {
                prop_assert!(!link.file_name.contains('/'));
            }
        }
    }
}
