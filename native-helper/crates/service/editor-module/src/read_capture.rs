//! Reading the file of a capture, which is most of the work of comparing it: each file by a call of its own, so that
//! several are read at once.

use capture::reader::Capture;

use crate::unread_capture::{ReadProblem, UnreadCapture};

/// First byte of the answer for a file that could be read.
const READ: u8 = 1;
/// The same where it could not; an [`UnreadCapture`] follows as JSON.
const FAILED: u8 = 0;

/// Reads a capture; see the crate for the bytes.
pub fn read_capture(file: &[u8]) -> Vec<u8> {
    match of_file(file) {
        Ok(capture) => [&[READ], &capture.to_decoded()[..]].concat(),
        Err(unread) => {
            // Texts can always be written.
            let json = serde_json::to_vec(&unread).unwrap_or_default();
            [&[FAILED], &json[..]].concat()
        }
    }
}

/// A capture, or why there is none.
pub(crate) type ReadCapture = Result<Capture, UnreadCapture>;

/// Reads captures, as many at once as there are processors.
pub(crate) fn read_at_once(files: &[&[u8]]) -> Vec<ReadCapture> {
    compare::at_once(files, |file| of_file(file))
}

fn of_file(file: &[u8]) -> ReadCapture {
    Capture::from_bytes(file).map_err(|error| UnreadCapture::of(&error))
}

/// The capture that was read.
pub(crate) fn capture_of(read: &[u8]) -> ReadCapture {
    match read {
        [READ, decoded @ ..] => {
            Capture::from_decoded(decoded).map_err(|error| UnreadCapture::of(&error))
        }
        [FAILED, unread @ ..] => {
            Err(named_members::from_slice(unread).unwrap_or_else(|_| not_read()))
        }
        _ => Err(not_read()),
    }
}

/// The bytes are no answer of [`read_capture`].
fn not_read() -> UnreadCapture {
    UnreadCapture {
        capture: String::new(),
        problem: ReadProblem::Damaged,
        why: "it was not read".to_owned(),
    }
}
