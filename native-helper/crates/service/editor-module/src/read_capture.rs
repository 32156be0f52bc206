//! Reading the file of a capture, which is most of the work of comparing it: each file by a call of its own, so that
//! several are read at once.

use capture::reader::Capture;

/// First byte of the answer for a file that could be read.
const READ: u8 = 1;
/// The same where it could not; why follows, in English.
const FAILED: u8 = 0;

/// Reads a capture; see the crate for the bytes.
pub fn read_capture(file: &[u8]) -> Vec<u8> {
    match of_file(file) {
        Ok(capture) => [&[READ], &capture.to_decoded()[..]].concat(),
        Err(why) => [&[FAILED], why.as_bytes()].concat(),
    }
}

/// A capture, or why there is none, in English.
pub(crate) type ReadCapture = Result<Capture, String>;

/// Reads captures, as many at once as there are processors.
pub(crate) fn read_at_once(files: &[&[u8]]) -> Vec<ReadCapture> {
    compare::at_once(files, |file| of_file(file))
}

fn of_file(file: &[u8]) -> ReadCapture {
    Capture::from_bytes(file).map_err(|error| error.to_string())
}

/// The capture that was read.
pub(crate) fn capture_of(read: &[u8]) -> ReadCapture {
    match read {
        [READ, decoded @ ..] => Capture::from_decoded(decoded).map_err(|error| error.to_string()),
        [FAILED, why @ ..] => Err(String::from_utf8_lossy(why).into_owned()),
        _ => Err("it was not read".to_owned()),
    }
}
