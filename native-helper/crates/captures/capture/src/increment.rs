//! One increment of a capture as a message.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use prost::Message;

use crate::limits::MAX_MEMBER_BYTES;
use crate::pprof::Profile;
use crate::reader::ReadError;

/// The message in whole gzip members.
pub(crate) fn message_of(member: &[u8]) -> Result<Profile, ReadError> {
    let mut message = Vec::new();
    MultiGzDecoder::new(member)
        .take(MAX_MEMBER_BYTES as u64)
        .read_to_end(&mut message)?;
    Profile::decode(&message[..]).map_err(|error| ReadError::Corrupt(error.to_string()))
}
