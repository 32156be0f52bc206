//! Why a program did not deliver all of its output.

use std::io;

/// Why a program did not deliver all of its output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// It was not started, or its output cannot be read.
    #[error("it cannot be started: {0}")]
    NotStarted(#[from] io::Error),
    /// It was silent for too long, or did not end, and was ended.
    #[error("it took too long")]
    TooLong,
    /// No program goes on after a time that several share, and this one was ended.
    #[error("there was no time left for it")]
    NoTimeLeft,
    /// It was ended.
    #[error("it prints more than {bytes} bytes")]
    TooMuch {
        /// The bound.
        bytes: u64,
    },
    /// The user cancelled, and it was ended.
    #[error("it was cancelled")]
    Cancelled,
}
