//! The status of a call.

use serde::Serialize;
use vm_layout::TableError;

/// The status of a call; the numbers are part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[repr(i32)]
pub enum Status {
    /// The answer is in the buffer.
    Ok = 0,
    /// A pointer is null where bytes were promised.
    NullPointer = 1,
    /// A length no caller can mean.
    TooLong = 2,
    /// The input does not have the required form.
    Malformed = 3,
    /// The answer is longer than the buffer; its length was written.
    BufferTooSmall = 4,
    /// The snapshot lacks memory that is needed.
    NotInSnapshot = 5,
    /// No layout is known for that release.
    UnknownRelease = 6,
    /// A mistake in the decoder.
    Panicked = 7,
}

impl From<TableError> for Status {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Read(_) => Self::NotInSnapshot,
            TableError::UnknownLayout { .. } => Self::UnknownRelease,
            _ => Self::Malformed,
        }
    }
}
