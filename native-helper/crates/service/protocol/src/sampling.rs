//! How a VM is sampled: the same for a capture, a flight recorder and a detached capture.

use serde::{Deserialize, Serialize};

/// How the Erlang stack under C code shall be obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum EngineChoice {
    /// `bpf` where the kernel allows it, else `readv`.
    #[default]
    Auto,
    /// Copied in the kernel at the sample; refused where the kernel does not allow it.
    Bpf,
    /// Read right after the sample.
    Readv,
}

/// The largest `minBlockUs`: longer times without a processor are of interest in any case.
pub const MAX_MIN_BLOCK_US: u32 = 60_000_000;

/// How to sample. These are members of the parameters that start something, beside its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SamplingParams {
    /// Samples per second and thread, 1 to `maxFrequencyHz`.
    pub frequency_hz: u32,
    /// Whether kernel frames are wanted.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<bool>"))]
    pub include_kernel: bool,
    /// How the Erlang stack under C code shall be obtained; `auto` when absent.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<EngineChoice>"))]
    pub engine: EngineChoice,
    /// The types of samples to record, each one of `sampleTypes`; `cpu` when absent or empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<String>>"))]
    pub types: Vec<String>,
    /// How often the target is read as a whole (run queues, memory, mailboxes), and the condition of a flight recorder
    /// looked at, milliseconds, 100 to 3,600,000; 1,000 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub node_every_ms: Option<u32>,
    /// Blocks of `off-cpu` that are shorter are counted without their stacks, microseconds, at most 60,000,000; all have
    /// stacks when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub min_block_us: Option<u32>,
}
