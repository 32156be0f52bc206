//! Files that are compressed as a whole.

use std::borrow::Cow;
use std::io::Read;

use flate2::bufread::MultiGzDecoder;

use crate::error::ImportError;
use crate::limits::Limits;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The first bytes of the content, decompressed when it is compressed; empty when it is damaged.
pub(crate) fn start(bytes: &[u8], max_bytes: usize) -> Cow<'_, [u8]> {
    if !bytes.starts_with(&GZIP_MAGIC) {
        return Cow::Borrowed(bytes.get(..max_bytes).unwrap_or(bytes));
    }
    let mut content = Vec::new();
    // The bytes read before an error are there.
    let _ = MultiGzDecoder::new(bytes)
        .take(max_bytes as u64)
        .read_to_end(&mut content);
    Cow::Owned(content)
}

/// What a file holds.
pub(crate) struct Inflated<'b> {
    pub(crate) content: Cow<'b, [u8]>,
    /// There is more of it that cannot be decompressed.
    pub(crate) is_cut: bool,
}

/// The content, decompressed when it is compressed.
pub(crate) fn inflated<'b>(bytes: &'b [u8], limits: &Limits) -> Result<Inflated<'b>, ImportError> {
    let max_bytes = limits.max_bytes;
    let mut is_cut = false;
    let content = if bytes.starts_with(&GZIP_MAGIC) {
        let mut content = Vec::new();
        let read = MultiGzDecoder::new(bytes)
            .take(max_bytes as u64 + 1)
            .read_to_end(&mut content);
        match read {
            // A capture that was cut is still one, and its own reader reports that.
            Err(error) if content.is_empty() => return Err(ImportError::Gzip(error.to_string())),
            read => {
                is_cut = read.is_err();
                Cow::Owned(content)
            }
        }
    } else {
        Cow::Borrowed(bytes)
    };
    if content.len() > max_bytes {
        return Err(ImportError::TooLarge { max_bytes });
    }
    Ok(Inflated { content, is_cut })
}
