//! Why a program has not said all it had to.

use std::io;

/// Why a program has not said all it had to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// It was not started, or cannot be heard.
    #[error("it cannot be started: {0}")]
    NotStarted(#[from] io::Error),
    /// It said nothing for too long, or did not end, and was ended.
    #[error("it took too long")]
    TooLong,
    /// No program goes on after a time that several share, and this one was ended.
    #[error("there was no time left for it")]
    NoTimeLeft,
    /// It was ended.
    #[error("it says more than {bytes} bytes")]
    TooMuch {
        /// The bound.
        bytes: u64,
    },
    /// The user wants no more, and it was ended.
    #[error("it was cancelled")]
    Cancelled,
}
