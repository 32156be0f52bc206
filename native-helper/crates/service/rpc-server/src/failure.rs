//! Why a request was not done, in terms that a person can act on.

use protocol::error::{
    ErrorData, FAILED, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND,
    NO_SUCH_TARGET, NOT_PERMITTED, REQUEST_CANCELLED, SERVER_NOT_INITIALIZED, TARGET_GONE,
    TOO_MANY_REQUESTS, VERSION_MISMATCH,
};
use protocol::explanation::Explanation;
use serde::Serialize;

/// What kind of failure; it decides the error code and the reported exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The parameters cannot be used: a wrong value, an unknown attachment or capture.
    InvalidParams,
    /// No such process, or it is no BEAM.
    NoSuchTarget,
    /// The system does not permit it.
    NotPermitted,
    /// The target has exited.
    TargetGone,
    /// The client cancelled the request.
    Cancelled,
    /// Anything else.
    Other,
    /// A request that may not come now; made by the server itself.
    InvalidRequest,
    /// A request before `initialize`; made by the server itself.
    NotInitialized,
    /// No such method; made by the server itself.
    MethodNotFound,
    /// Another protocol version; made by the server itself.
    VersionMismatch,
    /// Too many requests at a time; made by the server itself.
    TooManyRequests,
    /// The handler panicked; made by the server itself.
    Internal,
}

impl FailureKind {
    /// Error code on the wire.
    pub fn code(self) -> i32 {
        match self {
            Self::InvalidParams => INVALID_PARAMS,
            Self::NoSuchTarget => NO_SUCH_TARGET,
            Self::NotPermitted => NOT_PERMITTED,
            Self::TargetGone => TARGET_GONE,
            Self::Cancelled => REQUEST_CANCELLED,
            Self::Other => FAILED,
            Self::InvalidRequest => INVALID_REQUEST,
            Self::NotInitialized => SERVER_NOT_INITIALIZED,
            Self::MethodNotFound => METHOD_NOT_FOUND,
            Self::VersionMismatch => VERSION_MISMATCH,
            Self::TooManyRequests => TOO_MANY_REQUESTS,
            Self::Internal => INTERNAL_ERROR,
        }
    }

    /// Exit code of the same failure on the command line.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::InvalidParams
            | Self::InvalidRequest
            | Self::NotInitialized
            | Self::MethodNotFound => 2,
            Self::NoSuchTarget => 3,
            Self::NotPermitted => 4,
            Self::TargetGone => 5,
            Self::Cancelled
            | Self::Other
            | Self::VersionMismatch
            | Self::TooManyRequests
            | Self::Internal => 1,
        }
    }
}

/// Why a request was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{explanation}")]
pub struct Failure {
    /// What kind.
    pub kind: FailureKind,
    /// What did not work, why, and what to do.
    pub explanation: Box<Explanation>,
}

impl Failure {
    /// A failure of `kind`.
    pub fn new(
        kind: FailureKind,
        what: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        let explanation = Explanation {
            what: what.into(),
            why: why.into(),
            fix: fix.into(),
            ..Explanation::default()
        };
        Self {
            kind,
            explanation: Box::new(explanation),
        }
    }

    /// The client cancelled the request, and the handler gave up because of that.
    pub fn cancelled() -> Self {
        Self::new(
            FailureKind::Cancelled,
            "The request was cancelled",
            "the client requested it, or the helper ends",
            "send it again if it is wanted after all",
        )
    }

    /// The failure as error data of the protocol; also fit for `problem` of an ended capture.
    pub fn data(&self) -> ErrorData {
        ErrorData {
            explanation: Explanation::clone(&self.explanation),
            exit_code: self.kind.exit_code(),
        }
    }

    pub(crate) fn reply_error(&self) -> ReplyError {
        ReplyError {
            code: self.kind.code(),
            message: match self.explanation.why.as_str() {
                "" => self.explanation.what.clone(),
                why => format!("{}: {why}", self.explanation.what),
            },
            data: self.data(),
        }
    }
}

/// The member "error" of an answer.
#[derive(Debug, Serialize)]
pub(crate) struct ReplyError {
    pub code: i32,
    pub message: String,
    pub data: ErrorData,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_reason_the_message_ends_with_what_happened() {
        let message = |why: &str| {
            let failure = Failure::new(FailureKind::Cancelled, "it failed", why, "try again");
            failure.reply_error().message
        };
        assert_eq!(message(""), "it failed");
        assert_eq!(message("it is late"), "it failed: it is late");
    }
}
