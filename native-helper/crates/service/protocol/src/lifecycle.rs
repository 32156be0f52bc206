//! Handshake, progress, cancellation, tracing and logging: the Language Server Protocol's, as far
//! as the helper uses it.

use serde::{Deserialize, Serialize};

/// Parameters of `initialize`. Other members that a language client sends are ignored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    /// The client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub client_info: Option<PeerInfo>,
    /// How much the helper logs of its own work from the start; off when absent.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<TraceValue>"))]
    pub trace: TraceValue,
    /// The options beyond the Language Server Protocol.
    pub initialization_options: InitializationOptions,
}

/// Name and version of one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PeerInfo {
    /// Name of the program.
    pub name: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub version: Option<String>,
}

/// What a client states about itself beyond the Language Server Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InitializationOptions {
    /// The `PROTOCOL_VERSION` the client was built with; another one than the helper's is refused.
    pub protocol_version: u32,
    /// What the client can do; everything off when absent.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<ClientCapabilities>"))]
    pub capabilities: ClientCapabilities,
}

/// What a client can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", default)]
pub struct ClientCapabilities {
    /// The client wants captures streamed. When off, a capture goes to its file only, and the
    /// client receives only its end.
    pub increments: bool,
}

/// Result of `initialize`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// The helper's name and version.
    pub server_info: PeerInfo,
    /// The `PROTOCOL_VERSION` the helper was built with.
    pub protocol_version: u32,
    /// What the helper can do.
    pub capabilities: ServerCapabilities,
}

/// The Language Server Protocol's place for what a server can do; ours is all `experimental`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ServerCapabilities {
    /// What the helper can do.
    pub experimental: HelperCapabilities,
}

/// Highest sampling frequency, samples per second and thread.
pub const MAX_FREQUENCY_HZ: u32 = 10_000;

/// What the helper can do on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HelperCapabilities {
    /// Highest sampling frequency it takes, samples per second and thread.
    pub max_frequency_hz: u32,
    /// Whether `includeKernel` may be true.
    pub kernel_frames: bool,
    /// The types of samples that `types` may name: `cpu`, `off-cpu`, `faults`. Earlier helpers do not have it, and record
    /// `cpu`.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<String>>"))]
    pub sample_types: Vec<String>,
    /// Whether `extrospect/pstack` works.
    pub pstack: bool,
    /// Longest message body it takes, bytes.
    pub max_message_bytes: u64,
}

/// Parameters of methods that have none: absent, null or an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct NoParams {}

/// How much the helper logs of its own work by `$/logTrace`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum TraceValue {
    /// Nothing.
    #[default]
    Off,
    /// One line for each request answered.
    Messages,
    /// The same, and details.
    Verbose,
}

/// Parameters of `$/setTrace`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct SetTraceParams {
    /// How much from now on.
    pub value: TraceValue,
}

/// Parameters of `$/logTrace`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct LogTraceParams {
    /// One line.
    pub message: String,
}

/// How grave a log message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(into = "u8", try_from = "u8")]
#[cfg_attr(feature = "ts-rs", ts(type = "1 | 2 | 3 | 4"))]
pub enum MessageType {
    /// Something did not work.
    Error = 1,
    /// Something may surprise.
    Warning = 2,
    /// Good to know.
    Info = 3,
    /// Details.
    Log = 4,
}

impl From<MessageType> for u8 {
    fn from(message_type: MessageType) -> u8 {
        message_type as u8
    }
}

impl TryFrom<u8> for MessageType {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            1 => Ok(Self::Error),
            2 => Ok(Self::Warning),
            3 => Ok(Self::Info),
            4 => Ok(Self::Log),
            other => Err(format!("message type {other} is none of 1 to 4")),
        }
    }
}

/// Parameters of `window/logMessage`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct LogMessageParams {
    /// How grave: 1 error, 2 warning, 3 info, 4 log.
    #[serde(rename = "type")]
    pub message_type: MessageType,
    /// The message.
    pub message: String,
}

/// A request's id, or a progress token: a 32-bit integer or a string.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum NumberOrString {
    /// Integer.
    Number(i32),
    /// String.
    String(String),
}

/// Parameters of `$/cancelRequest`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct CancelParams {
    /// The request whose answer is no longer needed.
    pub id: NumberOrString,
}

/// What any request's parameters may carry besides their own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WorkDoneProgressParams {
    /// The client wants `$/progress` under this token until the request is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub work_done_token: Option<NumberOrString>,
}

/// Parameters of `$/progress`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct ProgressParams {
    /// The token from the request.
    pub token: NumberOrString,
    /// What happened.
    pub value: WorkDoneProgress,
}

/// One step of progress. There is one `begin`, then any number of `report`s, then one `end`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum WorkDoneProgress {
    /// Work begins.
    Begin {
        /// The work.
        title: String,
    },
    /// Work goes on.
    Report {
        /// The current step.
        message: String,
        /// The part that is done, 0 to 100; absent when unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts-rs", ts(optional))]
        percentage: Option<u8>,
    },
    /// Work is over; the answer follows.
    End {},
}
