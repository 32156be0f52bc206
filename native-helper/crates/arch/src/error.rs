//! Why machine code does not answer a question.

use thiserror::Error;

/// A function whose code does not say clearly what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{function} does not look right: {detail}")]
pub struct UnclearCode {
    /// The function.
    pub function: &'static str,
    /// What is not clear.
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
