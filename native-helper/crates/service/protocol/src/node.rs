//! A VM as a whole: the load of its schedulers, its queues, the fill of its tables.

use capture::processors::ProcessorLimits;
use capture::sample::SchedulerId;
use capture::schedulers::SchedulersOnline;
use capture::tracing::{TracedFunctions, TracedProcesses};
use serde::{Deserialize, Serialize};

use crate::explanation::Explanation;
use crate::nodes::NodeState;
use crate::schedulers::SchedulerState;

/// The unknown fact of a VM of which it is not known how it makes pids: the owners of its ports.
pub const OWNERS_OF_PORTS: &str = "owner";

/// What a VM is like right now.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct NodeResult {
    /// How long ago its process started, whole seconds; null when that is not known.
    pub uptime_s: Option<u64>,
    /// Its schedulers: normal ones by number, then dirty ones. Empty when nothing of it runs.
    pub schedulers: Vec<SchedulerShare>,
    /// Which of them may run; null when that is not known.
    #[serde(default)]
    pub schedulers_online: Option<SchedulersOnline>,
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
    /// Its counts since it started.
    pub counters: NodeCounters,
    /// Memory that it has given out in blocks, and code of the JIT: about `erlang:memory(total)`, bytes;
    /// null when unknown.
    pub memory_bytes: Option<u64>,
    /// What of the process is in memory, bytes.
    pub rss_bytes: Option<u64>,
    /// Data that waits in ports; null when unknown.
    pub port_queues: Option<PortQueues>,
    /// Its ports by name and owner, the most first, at most 100; null when they are not known.
    #[serde(default)]
    pub port_kinds: Option<Vec<PortKind>>,
    /// Programs that it runs below ports; null when they are not known.
    #[serde(default)]
    pub children: Option<PortChildren>,
    /// Timers that are set, of processes, ports and the VM itself; those that are due in more than 37 hours are one
    /// for each scheduler. Null when that is not known.
    #[serde(default)]
    pub timers: Option<u64>,
    /// Functions that are traced; null when that is not known.
    #[serde(default)]
    pub traced_functions: Option<TracedFunctions>,
    /// Processes whose messages or events are traced; null when that is not known, and in answers of older helpers.
    #[serde(default)]
    pub traced_processes: Option<TracedProcesses>,
    /// Nodes it is connected to, or about to be; null when that is not known.
    pub connections: Option<Vec<NodeConnection>>,
    /// The limits of its processor time now, and counts of the time in which the schedulers were looked at; null in answers of
    /// older helpers.
    #[serde(default)]
    pub processors: Option<ProcessorLimits>,
    /// Why something above is null.
    pub unknown: Vec<Unknown>,
    /// Why nothing of it runs and what resumes it; absent when it runs, and where `unknown` has `standstill`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub standstill: Option<Explanation>,
}

/// What a VM has counted since it started; null: that is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct NodeCounters {
    /// Collections, except those on dirty schedulers.
    pub collections: Option<u64>,
    /// Words that these gave back.
    pub reclaimed_words: Option<u64>,
    /// Reductions of its processes, as of when each was last scheduled.
    pub reductions: Option<u64>,
    /// How often a scheduler went from one process to another.
    pub context_switches: Option<u64>,
    /// Bytes that ports have read.
    pub io_in_bytes: Option<u64>,
    /// Bytes that ports have written.
    pub io_out_bytes: Option<u64>,
}

/// Data that waits in ports to be written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PortQueues {
    /// Ports with bytes that wait, or that are busy.
    pub ports: u64,
    /// Bytes that wait in all of them.
    pub bytes: u64,
    /// Those with the longest queues, the longest first; at most 20.
    pub longest: Vec<PortQueue>,
    /// Entries of the table that ended while it was read, or contradicted themselves.
    pub rejected: u64,
}

/// Ports that are called the same and are one process's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PortKind {
    /// The first word of their name: `tcp_inet`; of programs it is the program.
    pub name: String,
    /// Whose they are; null when they are no process's, and when that is not known.
    pub owner: Option<String>,
    /// How many there are.
    pub ports: u64,
}

/// The programs below the ports of a VM, and all that these have started, as far as it is still below them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct PortChildren {
    /// Processor time of the VM's own process since it started, milliseconds; null when that is not known.
    pub vm_cpu_ms: Option<u64>,
    /// Processor time of all programs, milliseconds.
    pub cpu_ms: u64,
    /// Resident memory of all, bytes; shared memory counts in each.
    pub rss_bytes: u64,
    /// Processes.
    pub processes: u64,
    /// Processor time of those that have ended, milliseconds, at least; null when that is not known.
    pub ended_cpu_ms: Option<u64>,
    /// The programs, the most processor time first, at most 100.
    pub programs: Vec<PortProgram>,
    /// Further programs.
    pub more: u64,
    /// Programs beyond 1,000, or beyond 10,000 processes, of which nothing is in the sums.
    pub uncounted: u64,
    /// Children of the VM that are below none of its ports, in no sum above; null when they are not known.
    #[serde(default)]
    pub beside_ports: Option<BesidePorts>,
}

/// Children of a VM that are below none of its ports, and all that these have started: a NIF or a driver has started them,
/// or their parents have ended and the VM is the first process of its container.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct BesidePorts {
    /// Processor time, also of those that have ended, milliseconds; at least.
    pub cpu_ms: u64,
    /// Resident memory of those that run, bytes; shared memory counts in each.
    pub rss_bytes: u64,
    /// Processes that run.
    pub processes: u64,
}

/// A program that a VM started, with all processes below it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct PortProgram {
    /// Its pid.
    pub pid: u32,
    /// Its port as the node prints it; null when that is not certain, or when the port is closed.
    pub port: Option<String>,
    /// The first word of the port's name.
    pub name: Option<String>,
    /// The port's owner.
    pub owner: Option<String>,
    /// Processor time, milliseconds.
    pub cpu_ms: u64,
    /// Resident memory, bytes.
    pub rss_bytes: u64,
    /// Processes.
    pub processes: u64,
}

/// A port with a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PortQueue {
    /// As the node prints it: `#Port<0.4>`.
    pub port: String,
    /// The first word of its name: of a program it is the program.
    pub name: String,
    /// Its owner; null when it has none, and when that is not known.
    pub owner: Option<String>,
    /// Bytes that wait.
    pub queue_bytes: u64,
    /// Bytes it has read.
    pub in_bytes: u64,
    /// Bytes it was given to write.
    pub out_bytes: u64,
    /// Who sends to it is suspended.
    pub busy: bool,
}

/// A node that the VM is connected to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct NodeConnection {
    /// As it is called: `shop@host`.
    pub node: String,
    /// How it is connected.
    pub state: NodeState,
    /// Bytes that wait to be sent to it; null when that is not known.
    pub queue_bytes: Option<u64>,
    /// So much waits that who sends is suspended; null when that is not known.
    pub busy: Option<bool>,
}

/// Why something is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Unknown {
    /// What: the name of its member in the JSON of the command line, as `schedulers_online`.
    pub what: String,
    /// Why, one clause for people.
    pub why: String,
}

/// How much of the time a scheduler ran something.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct SchedulerShare {
    /// Which.
    pub scheduler: SchedulerId,
    /// 0 to 1, from looking many times: it is no count, and spread by a few hundredths.
    pub busy: f64,
    /// Whether it may run; null when that is not known.
    #[serde(default)]
    pub state: Option<SchedulerState>,
}

/// Processes and ports that wait to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RunQueues {
    /// For normal schedulers.
    pub normal: u64,
    /// For dirty CPU schedulers.
    pub dirty_cpu: u64,
    /// For dirty I/O schedulers.
    pub dirty_io: u64,
}

impl RunQueues {
    /// All of them.
    pub fn total(self) -> u64 {
        self.normal
            .saturating_add(self.dirty_cpu)
            .saturating_add(self.dirty_io)
    }
}

/// How full a table is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct TableFill {
    /// How many there are.
    pub count: u32,
    /// How many there may be.
    pub limit: u32,
}
