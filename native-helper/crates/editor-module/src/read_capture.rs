//! Reading the file of a capture, which is most of the work of comparing it: each file by a call of its own, so that
//! several are read at once.

use capture::reader::Capture;

/// What the bytes of a file that could be read begin with.
const READ: u8 = 1;
/// The same where it could not; why follows, in English.
const FAILED: u8 = 0;

/// Reads a capture; see the crate for the bytes.
pub fn read_capture(file: &[u8]) -> Vec<u8> {
    match Capture::from_bytes(file) {
        Ok(capture) => [&[READ], &capture.to_decoded()[..]].concat(),
        Err(error) => [&[FAILED], error.to_string().as_bytes()].concat(),
    }
}

/// The capture that was read.
pub(crate) fn capture_of(read: &[u8]) -> Result<Capture, String> {
    match read {
        [READ, decoded @ ..] => Capture::from_decoded(decoded).map_err(|error| error.to_string()),
        [FAILED, why @ ..] => Err(String::from_utf8_lossy(why).into_owned()),
        _ => Err("it was not read".to_owned()),
    }
}
