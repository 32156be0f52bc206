//! The inside of a VM, looked at again and again (`extrospect/inside/…`): its processes as a list that is
//! sorted, filtered and grouped where they are read, so that a window of it travels and not all of them.

use serde::{Deserialize, Serialize};

use crate::attachment::TargetFacts;
use crate::binaries::BinariesWanted;
use crate::memory::MemoryResult;
use crate::processes::{ProcessRow, RejectedEntries};

/// Parameters of `extrospect/inside/open`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct InsideOpenParams {
    /// The process.
    pub pid: u32,
}

/// Result of `extrospect/inside/open`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InsideOpenResult {
    /// Names this until it is closed; never used again.
    pub inside_id: u32,
    /// What the target is.
    pub target: TargetFacts,
    /// When its OS process started: clock ticks of 10 ms after the boot of its machine. With the process
    /// id, it identifies the OS process among all others since.
    pub start_ticks: u64,
}

/// Parameters of `extrospect/inside/close` and `extrospect/inside/memory`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InsideParams {
    /// From `extrospect/inside/open`.
    pub inside_id: u32,
}

/// Parameters of `extrospect/inside/node`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InsideNodeParams {
    /// From `extrospect/inside/open`.
    pub inside_id: u32,
    /// How long to observe the schedulers, milliseconds, at most 1,000; 0: not at all, and none are
    /// returned.
    pub look_ms: u32,
}

/// Parameters of `extrospect/inside/heap`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InsideHeapParams {
    /// From `extrospect/inside/open`.
    pub inside_id: u32,
    /// The process of the heap: its pid, as `<0.83.0>`, `0.83.0` or `#PID<0.83.0>`, or its registered name, as
    /// either language writes it: `shop`, `Shop.Cart`. Anything else is an error of the parameters.
    pub process: String,
}

/// Parameters of `extrospect/inside/binaries`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InsideBinariesParams {
    /// From `extrospect/inside/open`.
    pub inside_id: u32,
    /// The requested part.
    pub wanted: BinariesWanted,
}

/// Result of `extrospect/inside/memory`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InsideMemoryResult {
    /// What memory is for.
    pub memory: MemoryResult,
    /// Carriers by address, at most 10,000, the largest.
    pub carriers: Vec<CarrierPlace>,
    /// How many further ones, smaller than those, there are.
    pub carriers_left_out: u64,
    /// What this look took.
    pub look: MemoryLook,
}

/// A look at what memory is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MemoryLook {
    /// How long it took, milliseconds.
    pub took_ms: f64,
    /// Processor time it took, milliseconds.
    pub cpu_ms: f64,
    /// After how long the next one would come, milliseconds: two seconds, and longer where looks would take
    /// more than one part of a hundred of a processor.
    pub next_ms: u64,
}

/// A carrier: what an allocator has of the operating system in one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CarrierPlace {
    /// Whose it is, as a place in `memory.allocators`.
    pub allocator: u32,
    /// Where it is, 4,096 bytes each.
    pub page: u64,
    /// How long it is, bytes.
    pub bytes: u64,
    /// What of it is in blocks, bytes; null when that could not be found out.
    pub used_bytes: Option<u64>,
    /// The largest block that is free, bytes; null when that could not be found out.
    pub largest_free_bytes: Option<u64>,
    /// It has one block.
    pub one_block: bool,
}

/// Parameters of `extrospect/inside/processes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InsideProcessesParams {
    /// From `extrospect/inside/open`.
    pub inside_id: u32,
    /// Whether to look at the VM once more; else the answer is of the last look. The first time it looks in
    /// any case.
    pub look: bool,
    /// Which processes, in which order.
    pub query: ProcessQuery,
    /// The first line that is wanted, from 0 on.
    pub first: u64,
    /// How many lines are wanted, at most 1,000.
    pub limit: u32,
}

/// Which processes, in which order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProcessQuery {
    /// Their sort order; groups by the sum of their processes, or by the largest.
    pub sort: ProcessColumn,
    /// The most first. Unknown values come last in either order.
    pub descending: bool,
    /// Those that have this in their pid, name, label, initial call or function, in whatever case; empty: all.
    pub filter: String,
    /// The grouping.
    pub grouping: ProcessGrouping,
    /// Keys of groups, or of processes of the tree, that are open.
    pub open: Vec<String>,
    /// From what on a process is alarming.
    pub alarms: ProcessAlarms,
    /// Those that are alarming, and no others.
    pub only_alarming: bool,
}

/// By what processes are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum ProcessColumn {
    /// Pid, in the order they were made.
    Pid,
    /// Name, label or initial call: what the process is called.
    Name,
    /// The function it is in.
    Current,
    /// Status.
    Status,
    /// Messages that wait.
    Mailbox,
    /// Memory.
    #[default]
    Memory,
    /// Words of heap in use.
    HeapUsed,
    /// Bytes of binaries.
    Binaries,
    /// Reductions since the look before, for each second.
    Reductions,
    /// Collections since the look before, for each second.
    Collections,
    /// Who started it.
    Parent,
}

/// The groupings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum ProcessGrouping {
    /// Nothing: a list.
    #[default]
    None,
    /// Their name.
    Name,
    /// The function they were started with.
    InitialCall,
    /// The function they are in.
    Current,
    /// The first of their ancestors, as `proc_lib` notes them: who supervises them.
    Supervisor,
    /// The last of their ancestors that has a name: the supervisor that is named after an application.
    Application,
    /// Below the process that started them.
    Tree,
}

/// From what on a process is alarming; null: never.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProcessAlarms {
    /// Messages that wait.
    pub mailbox: Option<u64>,
    /// Bytes of memory.
    pub memory: Option<u64>,
}

/// Result of `extrospect/inside/processes`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InsideProcessesResult {
    /// The lines that were wanted.
    pub lines: Vec<ProcessLine>,
    /// How many lines there are: processes that fit, or groups with those of open ones.
    pub length: u64,
    /// How many processes are known of.
    pub processes: u64,
    /// How many more the VM has: of those beyond 500,000 nothing is known.
    pub left_out: u64,
    /// How many of them fit.
    pub matching: u64,
    /// How many lines have no known value in the sorted column: they come last in either order.
    #[serde(default)]
    pub without_value: u64,
    /// How many of all are alarming.
    pub alarming: u64,
    /// Of how many others that is not known: not all of a value below its limit was read.
    #[serde(default)]
    pub may_alarm: u64,
    /// Entries of the VM's table that are none.
    pub rejected: RejectedEntries,
    /// The look that this is of.
    pub look: ProcessLook,
}

/// A look at all processes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProcessLook {
    /// The first is 1.
    pub number: u64,
    /// How long ago it ended, milliseconds.
    pub age_ms: u64,
    /// How long it took, milliseconds.
    pub took_ms: f64,
    /// Processor time it took, milliseconds.
    pub cpu_ms: f64,
    /// After how long the next one would come, milliseconds: a second, and longer where looks would take more
    /// than one part of a hundred of a processor.
    pub next_ms: u64,
}

/// Where a process is that is in C code in which the thread that runs it sleeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProcessInC {
    /// The function that it called, `prim_file:open_nif/2`, or the innermost that called C code; null where neither
    /// is proven.
    pub function: Option<String>,
    /// The thread, as the kernel counts.
    pub thread_id: u32,
    /// What the kernel calls that thread.
    pub thread_name: String,
    /// For how long at least, seconds: since the first look that found it so.
    pub seconds: f64,
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProcessLine {
    /// The same as long as it is the same process or group.
    pub key: String,
    /// 1 for rows in no group; in the tree, the depth.
    pub level: u32,
    /// Which of those beside it, from 1 on.
    pub position: u64,
    /// How many are beside it, itself among them.
    pub siblings: u64,
    /// Whether it is expanded; null for a row without rows below it.
    pub open: Option<bool>,
    /// What the group is called; null for a process. Empty: those of which it is not known.
    pub group: Option<String>,
    /// Processes in it; of the tree, it and all below it. 1 for a process of no tree.
    pub count: u64,
    /// Of them, or of the process: messages that wait.
    pub mailbox: u64,
    /// There may be more messages than these.
    pub mailbox_at_least: bool,
    /// Bytes of memory.
    pub memory: u64,
    /// It may be more than that.
    pub memory_at_least: bool,
    /// Of that, bytes of the messages that wait.
    pub message_bytes: u64,
    /// Words of heap.
    pub heap_words: u64,
    /// Words of heap in use.
    pub heap_used_words: u64,
    /// Bytes of binaries, of those of which it is known, each process for itself; null when of none.
    pub binary_bytes: Option<u64>,
    /// Reductions for each second since the look before; null after the first.
    pub reductions_per_second: Option<f64>,
    /// Collections for each second since the look before, as far as they show; null after the first.
    pub collections_per_second: Option<f64>,
    /// It is alarming, or one of the group is.
    pub alarming: bool,
    /// The process; null for a group. Of a tree `mailbox` and what follows it are the process's own.
    pub process: Option<ProcessRow>,
    /// Where the process is when the thread that runs it sleeps in C code; null for all others and for a group.
    #[serde(default)]
    pub in_c: Option<ProcessInC>,
    /// The first of its ancestors, by name or pid; null for a group and when none is recorded.
    pub supervisor: Option<String>,
    /// The last of its ancestors that has a name; null for a group and where there is none.
    pub application: Option<String>,
}
