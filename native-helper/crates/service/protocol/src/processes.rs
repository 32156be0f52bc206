//! The processes of a VM, a page at a time.

use serde::{Deserialize, Serialize};

/// Which page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct ProcessesPage {
    /// The place in the VM's table where it begins: 0, then the one that the page before returned.
    pub first: u64,
    /// Processes at most; a page has no more than 1,000.
    pub limit: u32,
}

/// A page of the processes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct ProcessesResult {
    /// The processes, in the order of the VM's table.
    pub processes: Vec<ProcessRow>,
    /// Entries of the table that are none.
    pub rejected: RejectedEntries,
    /// Where the next page begins; null after the last one.
    pub next: Option<u64>,
}

/// Entries of a table that were left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct RejectedEntries {
    /// They ended while the table was read.
    pub freed: u64,
    /// They contradicted themselves each time they were looked at.
    pub torn: u64,
}

/// A process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProcessRow {
    /// `<0.83.0>`.
    pub pid: String,
    /// Registered name; null when it has none.
    pub name: Option<String>,
    /// Label, as `proc_lib:set_label/1` sets it; null when it has none, or when that is not known.
    pub label: Option<String>,
    /// False when its label could not be read: it moved its data at each look, as a process that collects garbage all
    /// the time does, or its dictionary is too long. The function it was started with is then the one of its first call,
    /// `proc_lib:init_p/5`.
    #[serde(default)]
    pub label_known: bool,
    /// The function it was started with, as `proc_lib` has it if that started it.
    pub initial_call: Option<String>,
    /// The function it is in; null while it runs, and when unknown.
    pub current: Option<String>,
    /// Source file of that, as the VM has it; null when unknown.
    pub file: Option<String>,
    /// Line there; null when unknown.
    pub line: Option<u32>,
    /// As `process_info(Pid, status)` has it.
    pub status: String,
    /// As `process_info(Pid, priority)` has it.
    pub priority: String,
    /// Messages that wait.
    pub mailbox: u64,
    /// There may be more messages: some wait in buffers that could not be read.
    pub mailbox_at_least: bool,
    /// Bytes as `process_info(Pid, memory)` counts them: struct, heaps, stack, dictionary, links and monitors, and
    /// the messages that wait, with the data they carry outside the heap.
    pub memory: u64,
    /// It may be more: not all of that was read, as of a process that runs, or of one with millions of messages.
    pub memory_at_least: bool,
    /// Bytes of the messages that wait, with the data they carry outside the heap. They are part of
    /// `memory`.
    pub message_bytes: u64,
    /// Words of heap, old heap and fragments.
    pub heap_words: u64,
    /// Words of these in use, garbage among them; without the stack.
    pub heap_used_words: u64,
    /// Reductions of its life, as of when it was last scheduled.
    pub reductions: u64,
    /// Minor collections since the last one of all.
    pub minor_gcs: u32,
    /// Bytes of the binaries outside its heap that it holds, each once; null when it ran during the
    /// reading or holds too many to read.
    pub binary_bytes: Option<u64>,
    /// The process that started it; null when none did.
    pub parent: Option<String>,
}
