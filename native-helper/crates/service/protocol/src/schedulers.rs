//! Which schedulers of a VM may run, and who keeps the others from it.

use serde::{Deserialize, Serialize};

/// Whether a scheduler may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SchedulerState {
    /// It may: it works, or has nothing to run.
    Online,
    /// It is offline, as `erlang:system_flag(schedulers_online, _)` has it: it runs nothing.
    Offline,
    /// A process blocks multi-scheduling: it runs nothing until then.
    Blocked,
}

/// What multi-scheduling is blocked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SchedulersBlocked {
    /// All schedulers: one of any kind runs at a time.
    All,
    /// Normal schedulers: one of them runs.
    Normal,
}

/// Which schedulers may run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SchedulersOnline {
    /// Normal schedulers.
    pub normal: OnlineCount,
    /// Dirty CPU schedulers.
    pub dirty_cpu: OnlineCount,
    /// What multi-scheduling is blocked for; null when it is not blocked.
    pub blocked: Option<SchedulersBlocked>,
    /// The processes that block it, at most 16.
    pub blockers: Vec<SchedulerBlocker>,
}

/// How many of a kind are online.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct OnlineCount {
    /// How many are online, as `erlang:system_info(schedulers_online)` has it.
    pub online: u32,
    /// How many there are.
    pub all: u32,
}

/// A process that blocks multi-scheduling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct SchedulerBlocker {
    /// `<0.79.0>`.
    pub pid: String,
    /// Registered name, label or initial call; null when unknown.
    pub name: Option<String>,
}
