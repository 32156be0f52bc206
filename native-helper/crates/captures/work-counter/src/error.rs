//! Why work cannot be counted.

use outside_programs::transfer::ProgramError;
use unprivileged_child::RunError;

use crate::page::PageError;

/// Characters of a program's output that an error contains.
const MAX_PRINTED_CHARS: usize = 200;

/// Why a counter cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// The command was not run to its end.
    #[error("{program}: {error}")]
    NotRun {
        /// Its program.
        program: String,
        /// Why.
        error: RunError,
    },
    /// The command failed.
    #[error("{program} ended with {status}{printed}")]
    Failed {
        /// Its program.
        program: String,
        /// How it ended.
        status: std::process::ExitStatus,
        /// Its error messages.
        printed: Printed,
    },
    /// The command printed something else.
    #[error("{program} printed no single number{printed}")]
    NotANumber {
        /// Its program.
        program: String,
        /// Its output.
        printed: Printed,
    },
    /// We have rights that our caller does not have, root's among them.
    #[error("no command is started by a program with its set-user-id bit set")]
    NotOurs,
    /// There is no curl.
    #[error("curl, which fetches the page, is not installed (apt install curl)")]
    NoCurl,
    /// The page was not fetched.
    #[error("{address}: {error}")]
    NoPage {
        /// Its address, without name and password.
        address: String,
        /// Why.
        error: ProgramError,
    },
    /// The server has no such page.
    #[error("{address}: there is no such page")]
    Missing {
        /// Its address.
        address: String,
    },
    /// The page does not contain the counter.
    #[error("{address}: {error}")]
    NotOnPage {
        /// Its address.
        address: String,
        /// Why.
        error: PageError,
    },
    /// The user cancelled.
    #[error("it was cancelled")]
    Cancelled,
}

impl CountError {
    /// Whether it was a command that did not count.
    pub fn is_of_command(&self) -> bool {
        matches!(
            self,
            Self::NotRun { .. } | Self::Failed { .. } | Self::NotANumber { .. } | Self::NotOurs
        )
    }
}

/// The start of a program's output, empty or behind a colon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed(String);

impl Printed {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim();
        let mut shown: String = text.chars().take(MAX_PRINTED_CHARS).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        Self(shown)
    }
}

impl std::fmt::Display for Printed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.is_empty() {
            true => Ok(()),
            false => write!(f, ": {}", self.0),
        }
    }
}
