//! A reading of the counters of a VM and of its OS process, as it goes from process to process.

use capture::sample::SchedulerId;
use protocol::node::{NodeCounters, Unknown};
use serde::{Deserialize, Serialize};

/// What a VM and the kernel have counted by one moment; null: that is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterReading {
    /// When, microseconds since the first reading.
    pub at_us: u64,
    /// Counts of the VM since it started.
    pub vm: NodeCounters,
    /// Counts of the kernel.
    pub os: OsCounters,
    /// Processes and ports that wait to be run.
    pub run_queue: Option<u64>,
    /// Processes.
    pub processes: u64,
    /// As in `node`.
    pub memory_bytes: Option<u64>,
    /// What of the OS process is in memory, bytes.
    pub rss_bytes: Option<u64>,
    /// Nothing of the VM runs.
    pub is_halted: bool,
    /// The parts of the counts above, where they are wanted: always the same ones in the same order.
    pub parts: Vec<CountedPart>,
    /// Why something above is null.
    pub unknown: Vec<Unknown>,
}

/// The counts of one part of a VM. Null ones are not counted there, or are null in the whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedPart {
    /// Which.
    pub of: PartOfVm,
    /// Counts of the VM since it started.
    pub vm: NodeCounters,
    /// Counts of the kernel for its threads since the first reading.
    pub os: OsCounters,
    /// Processes and ports that wait to be run there.
    pub run_queue: Option<u64>,
}

/// A part of a VM that counts for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartOfVm {
    /// A scheduler and its thread. A normal one has a run queue of its own.
    Scheduler(SchedulerId),
    /// The run queue of all dirty CPU schedulers.
    DirtyCpuQueue,
    /// The run queue of all dirty I/O schedulers.
    DirtyIoQueue,
    /// All threads that are not known to be schedulers.
    OtherThreads,
}

/// What the kernel has counted for an OS process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OsCounters {
    /// Processor time since it started, milliseconds.
    pub cpu_ms: Option<u64>,
    /// Page faults since it started, without reading.
    pub minor_faults: Option<u64>,
    /// Page faults since it started, with reading.
    pub major_faults: Option<u64>,
    /// How often its threads gave up a processor, since the first reading.
    pub voluntary_switches: Option<u64>,
    /// How often they lost it to another thread, since the first reading.
    pub involuntary_switches: Option<u64>,
    /// How long they were ready to run without a processor, milliseconds since the first reading. The sum of all threads.
    pub processor_wait_ms: Option<u64>,
    /// How often its threads came to another processor, since the first reading.
    pub migrations: Option<u64>,
    /// Cycles of processors in its threads, since the first reading, as all below.
    pub cycles: Option<u64>,
    /// Instructions.
    pub instructions: Option<u64>,
    /// Accesses that the last cache did not have.
    pub cache_misses: Option<u64>,
    /// Branches that were predicted wrong.
    pub branch_misses: Option<u64>,
    /// The time of threads with hardware counters on processors, and the part of it in which these counted: the last four
    /// are made up for the rest. Nanoseconds.
    pub hardware_ns: [u64; 2],
    /// Of the last four, the time in the kernel is not in them.
    pub is_user_only: bool,
    /// Threads that were there at one reading and not at the next: their counts in between are in none of those of threads.
    pub ended_threads: u64,
    /// Threads that began after the first reading: their first moments are in none of the last five.
    pub began_threads: u64,
}
