//! Why a program that we ran gave no result.

use std::io;

use unprivileged_child::RunError;

/// Why a program that we ran gave no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The child was not started.
    #[error("it cannot be started: {0}")]
    NotStarted(io::Error),
    /// It sent more than one file may have, or than was left of what all may have.
    #[error("it sends more than {limit} bytes")]
    TooLarge {
        /// How much would have been taken.
        limit: u64,
    },
    /// Too slow, or nothing at all.
    #[error("it does not answer, or too slowly ({0})")]
    Slow(String),
    /// It is not there, or no connection comes about.
    #[error("it cannot be reached ({0})")]
    Unreachable(String),
    /// Its answer is something else than the requested file.
    #[error("{0}")]
    Failed(String),
    /// A server does not accept the data, by its status of HTTP, and its explanation.
    #[error("it answers {status}{answer}")]
    NotTaken {
        /// The status.
        status: u16,
        /// Empty, or begins with a colon.
        answer: String,
    },
    /// The received data cannot be kept.
    #[error("cannot write the file: {0}")]
    Io(io::Error),
    /// All transfers together took too long.
    #[error("there was no time left for it")]
    NoTimeLeft,
    /// The user cancelled.
    #[error("it was cancelled")]
    Cancelled,
}

impl From<RunError> for ProgramError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::NotStarted(error) => Self::NotStarted(error),
            RunError::TooMuch { bytes } => Self::TooLarge { limit: bytes },
            RunError::NoTimeLeft => Self::NoTimeLeft,
            RunError::Cancelled => Self::Cancelled,
            // It is ended then, whatever else there will be.
            _ => Self::Slow("and it did not end by itself".to_owned()),
        }
    }
}
