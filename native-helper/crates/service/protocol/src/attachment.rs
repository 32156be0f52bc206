//! Attaching to one BEAM: reading its layout and tables, and checking that they make sense.

use serde::{Deserialize, Serialize};

use crate::discovery::DoctorRow;

/// Parameters of `extrospect/attach`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct AttachParams {
    /// The process.
    pub pid: u32,
}

/// Result of `extrospect/attach`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AttachResult {
    /// Names this attachment until it is detached; never used again.
    pub attachment_id: u32,
    /// What the target is.
    pub target: TargetFacts,
    /// The evidence for the helper's readings.
    pub self_check: SelfCheck,
}

/// What the target is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TargetFacts {
    /// Process id, as the helper sees it.
    pub pid: u32,
    /// OTP release (`25`).
    pub otp: String,
    /// Version of the runtime system (`13.1.5`).
    pub erts: String,
    /// `jit` or `emu`.
    pub flavor: String,
    /// Node name; null when the VM is not distributed.
    pub node: Option<String>,
    /// GNU build id of the emulator, hex; null when it has none.
    pub build_id: Option<String>,
    /// Host name.
    pub host: String,
    /// The command line.
    pub command: String,
    /// Normal schedulers.
    pub schedulers: u32,
    /// Dirty CPU schedulers.
    pub dirty_cpu_schedulers: u32,
    /// Dirty I/O schedulers.
    pub dirty_io_schedulers: u32,
}

/// The evidence for what the helper reads in the target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SelfCheck {
    /// How the layout of the VM's structures was found.
    pub layout: String,
    /// Atoms decoded, each valid UTF-8; null where they could not be read: the row `atoms` has the reason.
    pub atoms: Option<u64>,
    /// Modules found.
    pub modules: u64,
    /// Each check.
    pub rows: Vec<DoctorRow>,
    /// How long attaching took, milliseconds.
    pub took_ms: f64,
}

/// Parameters of `extrospect/detach`. Captures of that attachment end first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DetachParams {
    /// From `extrospect/attach`.
    pub attachment_id: u32,
}
