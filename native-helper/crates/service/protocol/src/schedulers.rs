//! Whether a scheduler of a VM may run.

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
