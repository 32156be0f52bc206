//! The computations that the editor needs where there may be no helper: on macOS, Windows and
//! aarch64, too.
//!
//! It is the helper's own code as WebAssembly, so that command line and editor do not differ. The
//! module has no imports: it reads no file, no clock and no network. A call gets bytes and answers
//! bytes; a fresh instance is made for each, so that a fault costs one call.
//!
//! Where the editor has a helper, comparisons are made by it ([`compare_files`]), in a third of the time.
//!
//! | function | gets | answers |
//! |---|---|---|
//! | `read_capture` | the file of a capture | the capture, or why there is none, for `compare` |
//! | `compare` | [`CompareRequest`] as JSON, then what `read_capture` answered for each capture, the length before each of them | [`Answer`] as JSON |
//! | `count` | [`CountRequest`] as JSON, its length before it, the captures' bytes after it | [`CountAnswer`] as JSON |
//! | `history` | [`HistoryRequest`] as JSON, its length before it | [`HistoryAnswer`] as JSON |
//! | `history_page` | a history as JSON, its length before it | [`PageAnswer`] as JSON, its length before it, the page after it |
//! | `convert` | [`ConvertRequest`] as JSON, its length before it, a profile of another tool after it | [`Converted`] as JSON, its length before it, a pprof message after it |
//! | `page` | [`PageRequest`] as JSON, its length before it, the file of a capture after it | [`PageAnswer`] as JSON, its length before it, the page after it |
//! | `builds` | [`BuildsRequest`] as JSON, its length before it, the files' bytes after it | [`BuildsAnswer`] as JSON |

#[cfg(any(target_family = "wasm", test))]
mod boundary;
mod builds_request;
mod compare_request;
mod convert;
mod history_request;
mod judged_conditions;
mod page_request;
mod read_capture;
mod unread_capture;

pub use builds_request::{BuildsAnswer, BuildsRequest, FileRequest, builds};
pub use compare_request::{
    Answer, CaptureRequest, CompareRequest, Compared, SideRequest, WrittenFormat, WrittenRequest,
    compare, compare_files,
};
pub use convert::{ConvertRequest, Converted, EventOfFile, UnreadReason, convert};
pub use history_request::{
    CaptureToCount, CountAnswer, CountRequest, CountedCaptures, HistoryAnswer, HistoryRequest,
    count, history,
};
pub use judged_conditions::JudgedCondition;
pub use page_request::{PageAnswer, PageRequest, history_page, page};
pub use read_capture::read_capture;
pub use unread_capture::{ReadProblem, UnreadCapture};

/// Lengths have four bytes, the least significant first.
pub(crate) const LENGTH_BYTES: usize = 4;

/// A part of a message with its length before it.
pub(crate) fn with_length(part: &[u8]) -> Vec<u8> {
    let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
    [&length.to_le_bytes(), part].concat()
}

/// The part at the start of a message, and the rest.
pub(crate) fn split(message: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = message.split_first_chunk::<LENGTH_BYTES>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// The request at the start of a message, and the rest.
pub(crate) fn requested<T: serde::de::DeserializeOwned>(
    message: &[u8],
) -> Result<(T, &[u8]), String> {
    let (json, rest) = split(message).ok_or("the request is cut")?;
    let request = named_members::from_slice(json).map_err(|error| error.to_string())?;
    Ok((request, rest))
}
