//! Error codes and what an error carries.

use serde::{Deserialize, Serialize};

use crate::explanation::Explanation;

/// What every error response of the helper carries in `data`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ErrorData {
    /// What did not work, why, and what to do.
    #[serde(flatten)]
    pub explanation: Explanation,
    /// The exit code that the same error has on the command line.
    pub exit_code: u8,
}

/// Declares the codes once, for Rust and for the TypeScript object `ErrorCodes`.
macro_rules! error_codes {
    ($($(#[doc = $doc:literal])+ $constant:ident, $name:literal = $code:literal;)+) => {
        $($(#[doc = $doc])+ pub const $constant: i32 = $code;)+

        /// Every code: its name in TypeScript, its number, its meaning.
        pub const ERROR_CODES: &[(&str, i32, &str)] =
            &[$(($name, $code, concat!($($doc),+))),+];
    };
}

error_codes! {
    /// The body is no JSON, or the framing is broken.
    PARSE_ERROR, "parseError" = -32700;
    /// JSON, but no request; or a request that may not come now.
    INVALID_REQUEST, "invalidRequest" = -32600;
    /// No such method.
    METHOD_NOT_FOUND, "methodNotFound" = -32601;
    /// The parameters do not fit the method; `why` names the member.
    INVALID_PARAMS, "invalidParams" = -32602;
    /// A mistake in the helper.
    INTERNAL_ERROR, "internalError" = -32603;
    /// A request came before `initialize`.
    SERVER_NOT_INITIALIZED, "serverNotInitialized" = -32002;
    /// The client cancelled the request.
    REQUEST_CANCELLED, "requestCancelled" = -32800;
    /// Another reason, given in `data`.
    FAILED, "failed" = 1001;
    /// No such process, or it is no BEAM.
    NO_SUCH_TARGET, "noSuchTarget" = 1003;
    /// The system does not permit it.
    NOT_PERMITTED, "notPermitted" = 1004;
    /// The target exited.
    TARGET_GONE, "targetGone" = 1005;
    /// Client and helper speak different versions of the protocol.
    VERSION_MISMATCH, "versionMismatch" = 1006;
    /// Too many requests wait for their answers.
    TOO_MANY_REQUESTS, "tooManyRequests" = 1007;
}
