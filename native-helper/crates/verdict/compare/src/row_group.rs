//! Whose code a row is.

use capture::sample::FrameKind;
use serde::{Deserialize, Serialize};

/// Groups of rows, in the order that readers want them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RowGroup {
    /// The user's own, where that is known.
    Own,
    /// Another function of Erlang, or a NIF.
    Other,
    /// Inside of the runtime: C functions, the kernel, what the JIT emits once.
    Runtime,
}

impl RowGroup {
    pub(crate) fn of(function: &str, kind: FrameKind, is_own: bool) -> Self {
        match kind {
            _ if is_own && !function.starts_with('[') => Self::Own,
            // Profiles of other tools call all of the JIT's code Erlang.
            _ if function.starts_with("global::") => Self::Runtime,
            FrameKind::Erlang | FrameKind::Bif | FrameKind::Nif => Self::Other,
            FrameKind::Fragment | FrameKind::Native | FrameKind::Kernel | FrameKind::Marker => {
                Self::Runtime
            }
        }
    }
}
