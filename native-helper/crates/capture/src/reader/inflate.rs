//! Gzip members to one protobuf message, with a bound on the result.

use std::io::Read;

use flate2::bufread::GzDecoder;

use super::ReadError;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A decompressed profile message.
pub(super) struct Inflated {
    pub(super) message: Vec<u8>,
    /// The last member was cut, or something that is no gzip member follows the last one.
    pub(super) truncated: bool,
}

/// Decompresses all members. Input that does not start like gzip is taken as it is.
pub(super) fn inflate(bytes: &[u8], max_bytes: usize) -> Result<Inflated, ReadError> {
    if !looks_like_gzip(bytes) {
        if bytes.len() > max_bytes {
            return Err(ReadError::TooLarge { max_bytes });
        }
        return Ok(Inflated {
            message: bytes.to_vec(),
            truncated: false,
        });
    }
    let mut message = Vec::new();
    let mut rest = bytes;
    let mut members = 0usize;
    while !rest.is_empty() {
        if members > 0 && !looks_like_gzip(rest) {
            return Ok(Inflated {
                message,
                truncated: true,
            });
        }
        let room = max_bytes - message.len();
        let mut decoder = GzDecoder::new(rest);
        // One byte more than there is room for tells "exactly full" from "too much".
        let outcome = (&mut decoder)
            .take(room as u64 + 1)
            .read_to_end(&mut message);
        if message.len() > max_bytes {
            return Err(ReadError::TooLarge { max_bytes });
        }
        match outcome {
            Ok(_) => rest = decoder.into_inner(),
            // Deflate gives back exactly what went in up to the cut, so what is there is good.
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Ok(Inflated {
                    message,
                    truncated: true,
                });
            }
            Err(error) => return Err(ReadError::Corrupt(format!("gzip member: {error}"))),
        }
        members += 1;
    }
    Ok(Inflated {
        message,
        truncated: false,
    })
}

/// A lone first byte counts: it is all that is left of a member cut after it.
fn looks_like_gzip(bytes: &[u8]) -> bool {
    !bytes.is_empty()
        && GZIP_MAGIC
            .iter()
            .zip(bytes)
            .all(|(magic, byte)| magic == byte)
}
