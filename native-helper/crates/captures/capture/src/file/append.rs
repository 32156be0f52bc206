//! Adds facts to a capture file that is complete: one gzip member at its end, with one string and a
//! comment that points at it. The existing bytes are never written again.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use prost::Message;
use rustix::fs::OFlags;
use serde::Serialize;

use super::compact::count_strings;
use crate::facts::{ORIGIN_COMMENT, OriginFacts};
use crate::limits::MAX_CAPTURE_BYTES;
use crate::pprof::Profile;
use crate::writer::file_of;

/// Why nothing could be added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// A member after a cut one could not be found.
    #[error("the end of the file is missing")]
    Cut,
    /// It is no capture of Extrospect, or another program is writing to it.
    #[error("{0}")]
    NotACapture(&'static str),
    /// The error of the system.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The member with a comment of this kind, for a file whose table has so many strings.
pub(super) fn comment_member(
    strings: u64,
    prefix: &str,
    facts: &impl Serialize,
) -> io::Result<Vec<u8>> {
    // Plain structs of strings and numbers always serialize.
    let json = serde_json::to_string(facts).map_err(io::Error::other)?;
    let member = Profile {
        comment: vec![i64::try_from(strings).unwrap_or(i64::MAX)],
        string_table: vec![format!("{prefix}{json}")],
        ..Profile::default()
    };
    Ok(file_of(&member.encode_to_vec()))
}

/// Records in the capture at `path` the commit that it belongs to, in place of an earlier record.
///
/// # Errors
/// See [`AppendError`]; the file is then as it was.
pub fn append_origin(path: &Path, origin: &OriginFacts) -> Result<(), AppendError> {
    // Opening a pipe would wait for its other end.
    if !std::fs::metadata(path)?.is_file() {
        return Err(AppendError::NotACapture("it is no file"));
    }
    let file = File::open(path)?;
    let length = file.metadata()?;
    let inflated = MultiGzDecoder::new(BufReader::new(&file)).take(MAX_CAPTURE_BYTES);
    let message = BufReader::with_capacity(64 << 10, inflated);
    let strings = count_strings(message).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => AppendError::Cut,
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            AppendError::NotACapture("it is no capture, or it is damaged")
        }
        _ => error.into(),
    })?;
    let member = comment_member(strings, ORIGIN_COMMENT, origin)?;
    let mut end = OpenOptions::new()
        .append(true)
        .custom_flags(OFlags::NOFOLLOW.bits() as i32)
        .open(path)?;
    if end.metadata()?.len() != length.len() {
        return Err(AppendError::NotACapture("another program is writing to it"));
    }
    if let Err(error) = end.write_all(&member) {
        // Half a member would cut the file; there is nothing more to be done when that fails.
        let _ = end.set_len(length.len());
        return Err(error.into());
    }
    Ok(())
}
