//! The flight recorder: a VM is watched, and the samples before and after a condition came to hold are kept
//! (`extrospect/flight/...`).

use capture::facts::OriginFacts;
use capture::trigger::Expected;
use serde::{Deserialize, Serialize};

use crate::error::ErrorData;
use crate::recording::EngineInUse;
use crate::sampling::SamplingParams;

/// Parameters of `extrospect/flight/check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct FlightCheckParams {
    /// A possible condition: `mailbox>10000 or runqueue>20 or memory>8GB`.
    pub condition: String,
}

/// Result of `extrospect/flight/check`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct FlightCheckResult {
    /// Why it is none; null when it is one.
    pub fault: Option<FlightFault>,
}

/// Why a text is no condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct FlightFault {
    /// Where, in characters; the first one is 1.
    pub at: u32,
    /// The kind of input that is allowed there.
    pub expected: Expected,
    /// The words that may be there, where there are such.
    pub options: Vec<String>,
}

/// Parameters of `extrospect/flight/start`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FlightStartParams {
    /// From `extrospect/attach`.
    pub attachment_id: u32,
    /// The condition that must come to hold.
    pub condition: String,
    /// The time to keep from before it held, seconds, 1 to 3,600.
    pub before_seconds: f64,
    /// The time to record after it held, seconds, 1 to 3,600.
    pub after_seconds: f64,
    /// Files, 1 to 1,000; after the last one it ends.
    pub max_files: u32,
    /// How long it watches, seconds, more than 0 and a day at most.
    pub duration_seconds: f64,
    /// What its files are named after: `/captures/shop.pb.gz` makes `/captures/shop.00001-TIME.pb.gz`; the helper
    /// chooses when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub file: Option<String>,
    /// The sources that the target was built from, for each file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub origin: Option<OriginFacts>,
    /// How to sample.
    #[serde(flatten)]
    pub sampling: SamplingParams,
}

/// Result of `extrospect/flight/start`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FlightStartResult {
    /// Names it; never used again.
    pub flight_id: u32,
    /// How the Erlang stack under C code is obtained.
    pub engine: EngineInUse,
}

/// Parameters of `extrospect/flight/stop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FlightStopParams {
    /// From `extrospect/flight/start`.
    pub flight_id: u32,
}

/// A reading of one quantity of a condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FlightValue {
    /// As the condition has it: `mailbox`.
    pub quantity: String,
    /// The value read; null when unknown.
    pub value: Option<f64>,
    /// Whether it counts bytes.
    pub is_bytes: bool,
    /// Whose it is: of a mailbox the pid, as the node prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub process: Option<String>,
}

/// Parameters of `extrospect/flight/looked`, about once a second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FlightLookedParams {
    /// Which.
    pub flight_id: u32,
    /// For how long it has watched, seconds.
    pub elapsed_seconds: f64,
    /// The condition came to hold: a file is being written.
    pub is_writing: bool,
    /// The quantities of the condition, as they were last read.
    pub values: Vec<FlightValue>,
    /// Those that this VM does not report, once that is certain: no condition on them ever holds.
    pub unknown: Vec<String>,
    /// Files that are complete.
    pub files: u32,
    /// Files that could not be written, or not to their end.
    pub failed: u32,
}

/// Parameters of `extrospect/flight/written`: a file is complete. It can be read and removed as that of a capture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FlightWrittenParams {
    /// Which.
    pub flight_id: u32,
    /// Names the file for `extrospect/capture/read` and `extrospect/capture/remove`.
    pub capture_id: u32,
    /// Where it is, absolute.
    pub file: String,
    /// Its length.
    pub file_bytes: u64,
    /// What held.
    pub found: Vec<FlightValue>,
    /// When it begins, seconds after the flight recorder began.
    pub from_seconds: f64,
    /// When the condition came to hold.
    pub triggered_seconds: f64,
    /// When it ends.
    pub until_seconds: f64,
}

/// Parameters of `extrospect/flight/ended`, sent once; also the result of `extrospect/flight/stop`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FlightEndedParams {
    /// Which.
    pub flight_id: u32,
    /// Why it ended.
    pub reason: FlightEndReason,
    /// The fault; null when there was none.
    pub problem: Option<ErrorData>,
    /// Files that are complete.
    pub files: u32,
    /// Files that could not be written, or not to their end.
    pub failed: u32,
}

/// Why it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum FlightEndReason {
    /// The requested time is over.
    Duration,
    /// The requested number of files was written.
    Files,
    /// Stopped or detached on request.
    Stopped,
    /// The target exited; the file being written is kept.
    TargetGone,
    /// The helper was stopped, or its client disconnected.
    Shutdown,
    /// Another reason, given in `problem`.
    Failed,
}
