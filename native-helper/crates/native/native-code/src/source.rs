//! Where the bytes of an object come from.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Random access to the bytes of an ELF object.
pub trait ImageSource {
    /// Length in bytes.
    ///
    /// # Errors
    /// The errors of the source.
    fn length_bytes(&self) -> io::Result<u64>;

    /// Fills the buffer with the bytes at `offset`.
    ///
    /// # Errors
    /// `UnexpectedEof` when the source is shorter; otherwise the errors of the source.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

impl ImageSource for File {
    fn length_bytes(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.read_exact_at(buffer, offset)
    }
}

impl ImageSource for [u8] {
    fn length_bytes(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let bytes = usize::try_from(offset)
            .ok()
            .and_then(|start| self.get(start..start.checked_add(buffer.len())?))
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

impl<T: ImageSource + ?Sized> ImageSource for &T {
    fn length_bytes(&self) -> io::Result<u64> {
        (**self).length_bytes()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        (**self).read_at(offset, buffer)
    }
}

/// A little-endian field; `None` beyond the end.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
