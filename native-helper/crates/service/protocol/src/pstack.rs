//! One look at what every scheduler does (`extrospect/pstack`).

use capture::processors::ProcessorLimits;
use capture::quality::{SamplingGaps, StandstillReason};
use capture::sample::{FrameKind, SampleClass, SchedulerId, Trust};
use capture::schedulers::SchedulersOnline;
use serde::{Deserialize, Serialize};

use crate::explanation::Explanation;
use crate::schedulers::SchedulerState;

/// Parameters of `extrospect/pstack`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct PstackParams {
    /// The process.
    pub pid: u32,
    /// Dirty schedulers and threads that are no schedulers, too.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<bool>"))]
    pub all: bool,
}

/// Result of `extrospect/pstack`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PstackResult {
    /// Normal schedulers by number; with `all` then dirty ones, then other threads.
    pub threads: Vec<PstackThread>,
    /// Which schedulers may run; null when that is not known.
    #[serde(default)]
    pub schedulers: Option<SchedulersOnline>,
    /// Why nothing of the VM runs and what resumes it; absent when it runs, and with `standstillUnknown`. The frames of each
    /// thread are where it was stopped or frozen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub standstill: Option<Explanation>,
    /// Why it is not known whether anything of it runs; absent where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub standstill_unknown: Option<Explanation>,
    /// For how long nothing of the VM ran during the look; absent when it ran, and with `standstill`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub halted: Option<HaltedTime>,
    /// A thread has called `erlang:halt` or writes a crash dump: the VM is ending, and its other schedulers are kept from
    /// running. Absent where none has.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<_>"))]
    pub ending: bool,
    /// The limits of its processor time now, and counts of the time of the look; null in answers of older helpers.
    #[serde(default)]
    pub processors: Option<ProcessorLimits>,
}

/// A time in which nothing of a VM ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct HaltedTime {
    /// Why.
    pub reason: StandstillReason,
    /// For how long at least, milliseconds.
    pub ms: u64,
}

impl HaltedTime {
    /// That of a recording; `None` where the VM ran.
    pub fn of(gaps: &SamplingGaps) -> Option<Self> {
        let reason = gaps.standstill_reason?;
        Some(Self {
            reason,
            ms: gaps.standstill_ms,
        })
    }

    /// The sentence about it, as above the figures of a capture.
    pub fn clause(self) -> Option<String> {
        let gaps = SamplingGaps {
            standstill_ms: self.ms,
            standstill_reason: Some(self.reason),
            ..SamplingGaps::default()
        };
        gaps.standstill_clause()
    }
}

/// One thread and its stack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PstackThread {
    /// Kernel thread id.
    pub thread_id: u32,
    /// Thread name as the kernel has it.
    pub thread_name: String,
    /// Scheduler; null when the thread is none.
    pub scheduler: Option<SchedulerId>,
    /// Whether it is a scheduler that may run; null when it is none, and where that is not known.
    #[serde(default)]
    pub state: Option<SchedulerState>,
    /// Whether it slept and ran no process: no sample could be taken, so there are no frames. Never while nothing of
    /// the VM runs or while it is ending, and never of a scheduler that may not run.
    pub idle: bool,
    /// Of a thread that slept in C code that a process called: for how long at least, seconds. Its frames are that
    /// process's; null for any other.
    #[serde(default)]
    pub sleeps_in_c_s: Option<f64>,
    /// Erlang pid of the process it ran; null when it ran none.
    pub erlang_pid: Option<String>,
    /// Registered name or initial call of that process; null when unknown.
    pub process_name: Option<String>,
    /// Its activity; null when idle.
    pub class: Option<SampleClass>,
    /// How the Erlang frames are known; null when idle.
    pub trust: Option<Trust>,
    /// Innermost first.
    pub frames: Vec<PstackFrame>,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct PstackFrame {
    /// As shown: `lists:sort/1`.
    pub function: String,
    /// Kind of code.
    pub kind: FrameKind,
    /// Source file as the VM reports it; null when unknown.
    pub file: Option<String>,
    /// Line being run; null when unknown.
    pub line: Option<u32>,
    /// The object it lives in: `beam.smp`, `libc.so.6`, `[kernel]`, `[erlang]`.
    pub object: String,
}
