//! What a capture says about the program it was taken from and about how it was taken.

use serde::{Deserialize, Serialize};

/// The VM that was sampled. Text fields are empty when the fact is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TargetFacts {
    /// Process id, as seen by the helper.
    pub pid: u32,
    /// OTP release: `25`.
    pub otp_release: String,
    /// Runtime system version: `13.1.5`.
    pub erts_version: String,
    /// `jit` or `emu`.
    pub flavor: String,
    /// Node name: `rabbit@host`.
    pub node: String,
    /// Build id of the emulator binary, lower-case hex.
    pub build_id: String,
    /// Name of the host.
    pub host: String,
    /// Command line, arguments separated by blanks.
    pub command: String,
}

/// How a capture was taken.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaptureSettings {
    /// Samples per second of CPU time and thread.
    pub frequency_hz: u32,
    /// What was sampled: `cycles` or `cpu-clock`.
    pub event: String,
    /// How Erlang stacks under C code are obtained: `readv`.
    pub engine: String,
    /// Whether kernel frames were asked for.
    pub include_kernel: bool,
    /// Version of the helper.
    pub helper_version: String,
    /// Wall-clock time of the start, nanoseconds since 1970.
    pub started_unix_ns: u64,
}

/// Prefix of the profile comment that carries [`TargetFacts`] as JSON.
pub const TARGET_COMMENT: &str = "extrospect/target ";
/// Prefix of the profile comment that carries [`CaptureSettings`] as JSON.
pub const SETTINGS_COMMENT: &str = "extrospect/settings ";
/// Prefix of the profile comments that carry a [`QualityRecord`](crate::quality::QualityRecord)
/// as JSON. There is one in every increment and the last one counts.
pub const QUALITY_COMMENT: &str = "extrospect/quality ";
