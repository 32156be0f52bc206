//! A VM as a whole: how busy its schedulers are, what waits, how full its tables are.

use capture::sample::SchedulerId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a VM is like right now.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NodeResult {
    /// Its schedulers: normal ones by number, then dirty ones.
    pub schedulers: Vec<SchedulerShare>,
    /// How long the schedulers were looked at, milliseconds.
    pub looked_ms: u64,
    /// Processes and ports that wait to be run; null when that is not known.
    pub run_queues: Option<RunQueues>,
    /// Processes.
    pub processes: TableFill,
    /// Ports; null when their table was not found.
    pub ports: Option<TableFill>,
    /// Atoms.
    pub atoms: TableFill,
}

/// How much of the time a scheduler ran something.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, TS)]
pub struct SchedulerShare {
    /// Which.
    pub scheduler: SchedulerId,
    /// 0 to 1, from looking many times: it is no count, and spread by a few hundredths.
    pub busy: f64,
}

/// Processes and ports that wait to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunQueues {
    /// For normal schedulers.
    pub normal: u64,
    /// For dirty CPU schedulers.
    pub dirty_cpu: u64,
    /// For dirty I/O schedulers.
    pub dirty_io: u64,
}

/// How full a table is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TableFill {
    /// How many there are.
    pub count: u32,
    /// How many there may be.
    pub limit: u32,
}
