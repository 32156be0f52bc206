//! Captures: started, streamed in increments, ended.

use capture::facts::OriginFacts;
use capture::quality::QualityRecord;
use serde::{Deserialize, Serialize};

use crate::error::ErrorData;
use crate::sampling::SamplingParams;

/// How it is obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum EngineName {
    /// Copied in the kernel at the sample: exact.
    Bpf,
    /// Read right after the sample; unproven stacks are marked.
    Readv,
}

/// The engine of a capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct EngineInUse {
    /// Which.
    pub name: EngineName,
    /// Why this one: one clause for people.
    pub reason: String,
}

/// A counter of the work that the target does. It is read when the capture begins and when it has
/// ended, by a process that has none of the helper's rights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WorkCounter {
    /// The unit of work: `orders`; when absent, the name of the metric or the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub name: Option<String>,
    /// Where the number comes from.
    pub source: WorkSource,
}

/// Where the number comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum WorkSource {
    /// A program prints it and nothing else.
    Command {
        /// The program and its arguments. No shell runs it.
        command: Vec<String>,
    },
    /// It is the sum of a metric on a page in the Prometheus text format.
    Metric {
        /// `NAME` or `NAME{label="value"}`.
        metric: String,
        /// Address of the page, of http or https, without name and password.
        url: String,
    },
}

/// Parameters of `extrospect/capture/start`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CaptureStartParams {
    /// From `extrospect/attach`.
    pub attachment_id: u32,
    /// How long, seconds; 0 runs until stopped.
    pub duration_seconds: f64,
    /// Where the capture file goes; the helper chooses when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub file: Option<String>,
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

/// Result of `extrospect/capture/start`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CaptureStartResult {
    /// Names this capture; never used again.
    pub capture_id: u32,
    /// Absolute path of the capture file.
    pub file: String,
    /// How the Erlang stack under C code is obtained.
    pub engine: EngineInUse,
}

/// Parameters of `extrospect/capture/increment`: the samples captured since the one before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CaptureIncrementParams {
    /// Which capture.
    pub capture_id: u32,
    /// Counts the increments of this capture from 0. A number is left out only after
    /// `extrospect/capture/resync` announced it.
    pub sequence: u64,
    /// Whole gzip members, as they were appended to the capture file, in base64: one, and in the first increment a second
    /// one with a mark of the file. They continue the ids of the increments before.
    pub gzip_base64: String,
    /// Length of the capture file with this increment, bytes.
    pub file_bytes: u64,
    /// Quality of the capture so far.
    pub quality: QualityRecord,
}

/// Parameters of `extrospect/capture/resync`: the client did not read in time, and increments were
/// left out of the stream. They are in the file.
///
/// Drop the data built from increments, read the first `fileBytes` bytes of `file` (a whole
/// profile), and continue with increment `nextSequence`. A client that got a resync reads the file
/// once more after `extrospect/capture/ended`: a clean end rewrites it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CaptureResyncParams {
    /// Which capture.
    pub capture_id: u32,
    /// The capture file.
    pub file: String,
    /// Length of the file with the last increment left out, bytes.
    pub file_bytes: u64,
    /// How many increments were left out.
    pub dropped_increments: u64,
    /// The increment that comes next, if another one comes.
    pub next_sequence: u64,
}

/// Parameters of `extrospect/capture/ended`, sent once for every capture that was started; also the
/// result of `extrospect/capture/stop`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CaptureEndedParams {
    /// Which capture.
    pub capture_id: u32,
    /// Why it ended.
    pub reason: CaptureEndReason,
    /// The fault; null when there was none.
    pub problem: Option<ErrorData>,
    /// The capture file, complete now.
    pub file: String,
    /// Quality of the whole capture.
    pub quality: QualityRecord,
}

/// Why a capture ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum CaptureEndReason {
    /// The requested time is over.
    Duration,
    /// Stopped or detached on request.
    Stopped,
    /// The target exited; the samples captured until then are kept.
    TargetGone,
    /// The helper was stopped, or its client disconnected.
    Shutdown,
    /// The capture file could not be written.
    WriteFailed,
    /// Another reason, given in `problem`.
    Failed,
}

/// Parameters of `extrospect/capture/read`: for a client that cannot open the file, since the helper
/// runs on another machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CaptureReadParams {
    /// From `extrospect/capture/start`.
    pub capture_id: u32,
    /// First byte of the file that is wanted.
    pub from: u64,
    /// How many bytes at most; the helper may give fewer.
    pub max_bytes: u32,
}

/// Result of `extrospect/capture/read`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CaptureReadResult {
    /// Bytes from `from` on, in base64; none beyond the end of the file.
    pub base64: String,
    /// Length of the file as it is now, bytes.
    pub file_bytes: u64,
}

/// Parameters of `extrospect/capture/remove`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CaptureRemoveParams {
    /// From `extrospect/capture/start`, of a capture without a `file` that has ended.
    pub capture_id: u32,
}

/// Parameters of `extrospect/capture/stop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CaptureStopParams {
    /// From `extrospect/capture/start`.
    pub capture_id: u32,
}
