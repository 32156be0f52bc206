//! Why machine code does not answer a question.

use thiserror::Error;

/// A function whose code does not clearly show the requested fact.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{function} does not look right: {detail}")]
pub struct UnclearCode {
    /// The function.
    pub function: &'static str,
    /// The unclear part.
    pub detail: String,
}

impl UnclearCode {
    pub(crate) fn new(function: &'static str, detail: impl Into<String>) -> Self {
        Self {
            function,
            detail: detail.into(),
        }
    }
}
