//! Captures that continue without a client: started under a name, listed, stopped, read and removed
//! (`extrospect/detached/...`).

use capture::facts::OriginFacts;
use serde::{Deserialize, Serialize};

use crate::error::ErrorData;
use crate::pstack::HaltedTime;
use crate::recording::{EngineName, WorkCounter};
use crate::sampling::SamplingParams;

/// Parameters of `extrospect/detached/start`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DetachedStartParams {
    /// Its name: letters, digits and `. _ - + @`, the first one a letter or a digit, at most 64.
    pub name: String,
    /// The process.
    pub pid: u32,
    /// How long, seconds; 0 until it is stopped, and a day at most.
    pub duration_seconds: f64,
    /// The sources that the target was built from, for the capture from its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub origin: Option<OriginFacts>,
    /// What counts the work of the target; none is counted when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub work: Option<WorkCounter>,
    /// How to sample.
    #[serde(flatten)]
    pub sampling: SamplingParams,
}

/// Parameters of `extrospect/detached/stop` and `extrospect/detached/remove`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct DetachedParams {
    /// Its name.
    pub name: String,
}

/// Result of `extrospect/detached/list`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct DetachedListResult {
    /// Those of the user who runs the helper, by name.
    pub captures: Vec<DetachedCapture>,
}

/// A capture that continues without a client, or did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DetachedCapture {
    /// Its name.
    pub name: String,
    /// Whether it goes on.
    pub state: DetachedState,
    /// Length of its file now, bytes; 0 when there is none.
    pub file_bytes: u64,
    /// Its own record of itself; null while it starts, and when it cannot be read.
    pub facts: Option<DetachedFacts>,
}

/// Whether a detached capture goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum DetachedState {
    /// It attaches.
    Starting,
    /// It samples.
    Recording,
    /// It has ended; `facts.end` has the reason.
    Ended,
    /// The recording process was killed, or the machine went down. The samples captured until then
    /// are kept.
    EndedUnexpectedly,
}

/// The record that a detached capture has of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DetachedFacts {
    /// The VM's process id.
    pub target_pid: u32,
    /// The VM's node; empty when it is none.
    pub node: String,
    /// Process id of what records.
    pub recorder_pid: u32,
    /// When it began, milliseconds since 1970 by the clock of that machine.
    pub begun_unix_ms: u64,
    /// When it ended; null while it runs.
    pub ended_unix_ms: Option<u64>,
    /// Samples per second and thread.
    pub frequency_hz: u32,
    /// When it ends by itself, seconds after its start.
    pub duration_seconds: f64,
    /// How large its file becomes before it ends by itself, bytes.
    pub max_file_bytes: u64,
    /// How the Erlang stack under C code is obtained.
    pub engine: EngineName,
    /// Samples of processor time: while it runs, and after an unexpected end, as of the last few seconds; null when not
    /// known yet, and where that is not recorded.
    pub samples: Option<u64>,
    /// The same of blocks, the times without a processor: each recorded one as often as it stands for.
    pub blocks: Option<u64>,
    /// The same of page faults: samples of them.
    pub fault_samples: Option<u64>,
    /// Why it ended; null while it runs.
    pub end: Option<DetachedEnd>,
    /// The fault; null when there was none.
    pub problem: Option<ErrorData>,
    /// For how long nothing of the VM ran, and why; absent while it records, and where the VM ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub halted: Option<HaltedTime>,
}

/// Why a detached capture ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum DetachedEnd {
    /// Its time is over.
    Duration,
    /// A user stopped it, or the machine goes down.
    Stopped,
    /// Its file is as large as it may be.
    SizeLimit,
    /// The VM ended.
    TargetGone,
    /// Its file could not be written.
    WriteFailed,
    /// Another reason, given in `problem`.
    Failed,
}

/// Parameters of `extrospect/detached/read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DetachedReadParams {
    /// Its name.
    pub name: String,
    /// First byte of the file that is wanted.
    pub from: u64,
    /// How many bytes at most; the helper may give fewer.
    pub max_bytes: u32,
}

/// Result of `extrospect/detached/read`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DetachedReadResult {
    /// Bytes from `from` on, in base64; none beyond the end of the file.
    pub base64: String,
    /// Length of the file as it is now, bytes.
    pub file_bytes: u64,
    /// Another text when the file is another: a clean end rewrites it, and it has to be read from 0 then.
    pub file_id: String,
}
