//! Fetching debug files by build id, before a VM is attached to (`extrospect/debugFiles/fetch`).

use serde::{Deserialize, Serialize};

use crate::message::Messages;

/// Who is asked for debug files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum DebugFileWish {
    /// The servers of `DEBUGINFOD_URLS`, in the environment that the helper was started in; nobody
    /// when it is not set.
    #[default]
    Environment,
    /// The servers that are named, else those of the environment, of the distribution, or elfutils'.
    Always,
}

/// Parameters of `extrospect/debugFiles/fetch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct DebugFilesParams {
    /// The process.
    pub pid: u32,
    /// Who is asked.
    pub wish: DebugFileWish,
    /// Addresses of servers, for `always`: `http://` or `https://`. Others are refused each by
    /// itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<String>>"))]
    pub servers: Vec<String>,
}

/// Result of `extrospect/debugFiles/fetch`. Whatever it is, the process can be attached to as before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DebugFilesResult {
    /// Objects that have their names now.
    pub fetched: Vec<FetchedDebugFile>,
    /// Objects whose debug files no server has.
    pub nobody_has: Vec<String>,
    /// Objects whose debug files nobody had some minutes ago; nobody was asked again.
    pub nobody_had: Vec<String>,
    /// What went wrong, once for each server and kind of mistake.
    pub refused: Vec<RefusedDebugFiles>,
}

/// A debug file that is here now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct FetchedDebugFile {
    /// The object: `beam.smp`.
    pub object: String,
    /// Absolute path of its debug file.
    pub file: String,
    /// Length of that.
    pub bytes: u64,
    /// Who had it.
    pub server: String,
}

/// Objects that have no debug file for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct RefusedDebugFiles {
    /// Who was asked; null when nobody could be.
    pub server: Option<String>,
    /// Why not, in English: what a server or a program said is among it.
    pub reason: String,
    /// Code and arguments of `reason`, unless it is no more than what others said.
    #[serde(default, skip_serializing_if = "Messages::is_empty")]
    #[cfg_attr(feature = "ts-rs", ts(as = "Option<Messages>", optional))]
    pub messages: Messages,
    /// The objects; none when it is about all.
    pub objects: Vec<String>,
}
