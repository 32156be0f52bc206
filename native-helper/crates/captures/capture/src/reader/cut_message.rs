//! The usable part of a message whose end is missing.

use super::ReadError;

/// In a cut message a record may refer to one that is missing: it is left out.
pub(super) fn keep_going(result: Result<(), ReadError>, cut: bool) -> Result<(), ReadError> {
    match result {
        Err(ReadError::BadIndex { .. }) if cut => Ok(()),
        other => other,
    }
}
