//! Fetching debug files by build id, before a VM is attached to (`extrospect/debugFiles/fetch`).

use serde::{Deserialize, Serialize};

use crate::message::Messages;

/// The servers to query for debug files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum DebugFileWish {
    /// The servers of `DEBUGINFOD_URLS`, in the environment that the helper was started in; none
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
    /// The servers to query.
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
    /// Objects whose debug files no server had some minutes ago; no server was queried again.
    pub nobody_had: Vec<String>,
    /// The faults, once for each server and kind.
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
    /// The server that was queried; null when there was none.
    pub server: Option<String>,
    /// The reason, in English; it can contain texts of a server or a program.
    pub reason: String,
    /// Code and arguments of `reason`, unless it consists of such texts alone.
    #[serde(default, skip_serializing_if = "Messages::is_empty")]
    #[cfg_attr(feature = "ts-rs", ts(as = "Option<Messages>", optional))]
    pub messages: Messages,
    /// The objects; none when it is about all.
    pub objects: Vec<String>,
}
