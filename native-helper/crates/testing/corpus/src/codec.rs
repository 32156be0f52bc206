//! Numbers and byte strings one after the other, gzipped: gzip's checksum detects damaged files.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use thiserror::Error;

/// No file of the corpus is longer once inflated.
const MAX_BYTES: u64 = 256 << 20;

/// Why a file of the corpus cannot be used.
#[derive(Debug, Error)]
pub enum CorpusError {
    /// Not readable, or not gzip, or damaged.
    #[error("reading the corpus: {0}")]
    Io(#[from] std::io::Error),
    /// Inflated, but not in the expected form.
    #[error("the corpus file is malformed: {0}")]
    Malformed(&'static str),
}

/// Appends numbers and strings.
#[derive(Debug, Default)]
pub(crate) struct Encoder(Vec<u8>);

impl Encoder {
    pub fn number(&mut self, number: u64) -> &mut Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    pub fn finish(&self) -> Result<Vec<u8>, CorpusError> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&self.0)?;
        Ok(encoder.finish()?)
    }
}

/// Takes them off again.
#[derive(Debug)]
pub(crate) struct Decoder {
    bytes: Vec<u8>,
    at: usize,
}

impl Decoder {
    pub fn new(file: &[u8]) -> Result<Self, CorpusError> {
        let mut bytes = Vec::new();
        GzDecoder::new(file)
            .take(MAX_BYTES)
            .read_to_end(&mut bytes)?;
        Ok(Self { bytes, at: 0 })
    }

    pub fn number(&mut self) -> Result<u64, CorpusError> {
        let end = self.at + 8;
        let number = target_memory::u64_at(&self.bytes, self.at);
        self.at = end;
        number.ok_or(CorpusError::Malformed("it ends too early"))
    }

    /// A number of things that follow, each of which takes at least 8 bytes.
    pub fn count(&mut self) -> Result<usize, CorpusError> {
        let count = self.number()?;
        let left = self.bytes.len().saturating_sub(self.at) as u64;
        match count <= left / 8 {
            true => Ok(count as usize),
            false => Err(CorpusError::Malformed("a count beyond its end")),
        }
    }

    pub fn bytes(&mut self) -> Result<Vec<u8>, CorpusError> {
        let len = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        let end = self.at.checked_add(len);
        let bytes = end
            .and_then(|end| self.bytes.get(self.at..end))
            .ok_or(CorpusError::Malformed("a string beyond its end"))?
            .to_vec();
        self.at += len;
        Ok(bytes)
    }

    pub fn text(&mut self) -> Result<String, CorpusError> {
        String::from_utf8(self.bytes()?).map_err(|_| CorpusError::Malformed("a text that is none"))
    }
}
