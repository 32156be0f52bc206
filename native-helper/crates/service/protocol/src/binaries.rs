//! Binaries outside the heaps of processes: their holders and their allocating processes (`extrospect
//! binaries`).
//!
//! Names are those that `--json` prints, so they have underscores. All sizes are bytes.

use serde::{Deserialize, Serialize};

use crate::processes::RejectedEntries;

/// The requested part of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BinariesWanted {
    /// Rows of each list at most; no list has more than 1,000.
    pub rows: u32,
    /// How many processes, those that hold most, have their heaps looked through; at most 200.
    pub look_into: u32,
}

/// What there is of binaries outside of heaps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct BinariesResult {
    /// Bytes of all binaries of the VM, as `erlang:memory(binary)` has them; null when it does not count them, since their
    /// allocator is switched off.
    #[serde(default)]
    pub vm_bytes: Option<u64>,
    /// Of these, bytes that no process holds, at most: in ETS, of NIFs, ports and the VM itself, those of processes that
    /// could not be read, and what the allocator adds to each block. Null when `vm_bytes` is.
    #[serde(default)]
    pub unheld_bytes: Option<u64>,
    /// Those that processes hold, each once.
    pub held: HeldBinaries,
    /// Processes that hold some, the most bytes first.
    pub processes: Vec<BinaryProcess>,
    /// How many further ones, which hold less, there are.
    pub processes_left_out: u64,
    /// Binaries, the longest first.
    pub binaries: Vec<BinaryRow>,
    /// How many further ones, shorter than those, there are.
    pub binaries_left_out: u64,
    /// Binaries kept for less than half of their bytes, by processes whose heaps were read; those that waste the
    /// most bytes first.
    pub kept: Vec<KeptBinaryRow>,
    /// How many further ones, which keep less, there are.
    pub kept_left_out: u64,
    /// The result of reading heaps.
    pub looked_into: LookedIntoHeaps,
    /// Memory in use by allocating process.
    pub allocated: AllocatedBinaries,
    /// The parts missing from all of this.
    pub rejected: RejectedBinaries,
    /// The first 20 of the excluded processes: with any, the held bytes are at least the sums.
    #[serde(default)]
    pub left_out_holders: Vec<LeftOutHolder>,
    /// What this look took.
    pub look: BinariesLook,
}

/// Sums over what processes hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct HeldBinaries {
    /// Processes that hold some.
    pub processes: u64,
    /// References of all of them.
    pub references: u64,
    /// Binaries, each once.
    pub binaries: u64,
    /// Their bytes, each once.
    pub bytes: u64,
}

/// A process that holds binaries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct BinaryProcess {
    /// `<0.83.0>`.
    pub pid: String,
    /// Its registered name, else its label, else the function it was started with; null when none
    /// is known.
    pub name: Option<String>,
    /// How often it refers to any; the messages that wait for it count.
    pub references: u64,
    /// To how many.
    pub binaries: u64,
    /// Their bytes, each once.
    pub bytes: u64,
    /// Bytes of those that nothing else refers to.
    pub own_bytes: u64,
    /// Its heap was looked through.
    pub looked_into: bool,
}

/// A binary.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct BinaryRow {
    /// Where it is, `0x7f12345678`: names it as long as it is there.
    pub id: String,
    /// How long it is.
    pub bytes: u64,
    /// The number of references to it, by its own counter.
    pub refc: u64,
    /// References of processes and of the messages that wait for them.
    pub references: u64,
    /// References of no process and no message: in ETS, of NIFs and of the VM itself. Null when it changed during the
    /// reading.
    pub other_references: Option<u64>,
    /// A process is appending to it, or was.
    pub appended: bool,
    /// Processes that hold it, at most five.
    pub holders: Vec<BinaryHolder>,
    /// How many further ones do.
    pub holders_left_out: u64,
}

/// A process that holds a binary.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct BinaryHolder {
    /// `<0.83.0>`.
    pub pid: String,
    /// As of [`BinaryProcess`].
    pub name: Option<String>,
}

/// A binary that is kept for less than half of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct KeptBinaryRow {
    /// As of [`BinaryRow`].
    pub id: String,
    /// How long it is.
    pub bytes: u64,
    /// What of it live terms of these processes are, each byte once.
    pub used_bytes: u64,
    /// The number of references to it, by its own counter.
    pub refc: u64,
    /// References on the heaps of these processes, garbage among them.
    pub references: u64,
    /// Those of them that live; 0: a collection gives it back, as far as it is theirs.
    pub live_references: u64,
    /// Processes that keep it, at most five.
    pub holders: Vec<BinaryHolder>,
    /// How many further ones do.
    pub holders_left_out: u64,
}

/// The result of reading heaps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct LookedIntoHeaps {
    /// Processes whose heaps were looked through.
    pub processes: u64,
    /// What of all that processes hold is theirs, bytes, each binary once.
    pub bytes: u64,
    /// Processes that were to be, and were not: they never rested, are too large, or it took too long.
    pub given_up: u64,
}

/// Memory in use by allocating process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct AllocatedBinaries {
    /// What the VM notes of that.
    pub tags: AllocationTags,
    /// Its allocators, the most bytes first.
    pub by: Vec<AllocatedRow>,
    /// How many further ones, with less, there are.
    pub left_out: u64,
    /// Carriers that are not in it: they changed whenever they were read, or there are too many.
    pub unread_carriers: u64,
    /// Allocators that are switched off, `binary_alloc`: malloc has their blocks, which are not in it.
    #[serde(default)]
    pub not_managed: Vec<String>,
}

/// What blocks record of their allocating process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AllocationTags {
    /// The process or port, and the driver or NIF library.
    Process,
    /// The driver or NIF library only, as up to OTP 25.
    Library,
    /// Nothing: the VM was started with this record off.
    None,
    /// It could not be found out.
    #[default]
    Unknown,
}

/// Blocks of one allocator that one has allocated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct AllocatedRow {
    /// `binary_alloc`, or `driver_alloc`: memory of drivers and NIFs.
    pub allocator: String,
    /// Who.
    pub by: AllocatedByWhom,
    /// The process, `<0.83.0>`; null when it was none.
    pub pid: Option<String>,
    /// As of [`BinaryProcess`]; null also for one that has ended.
    pub name: Option<String>,
    /// Whether the process has ended; null when the owner is no process, and when unknown.
    pub ended: Option<bool>,
    /// The driver or NIF library that requested it; null when it was the VM itself.
    pub library: Option<String>,
    /// How many blocks.
    pub blocks: u64,
    /// Their bytes, with what the allocator adds to each.
    pub bytes: u64,
}

/// The owner of an allocation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AllocatedByWhom {
    /// A process.
    Process,
    /// A port.
    Port,
    /// No particular owner.
    System,
    /// The block does not say.
    #[default]
    Unknown,
}

/// A process that may hold binaries and is in no sum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct LeftOutHolder {
    /// As the node prints it.
    pub pid: String,
    /// Registered name, else label, else the function it was started with; null when unknown.
    pub name: Option<String>,
    /// Its activity at the last reading: `running`, `garbage_collecting`; anything else when it holds more
    /// references than are read, or there was no room for them.
    pub status: String,
}

/// The missing parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct RejectedBinaries {
    /// Processes that worked whenever they were looked at, or hold more than 262,144 references.
    pub restless: u64,
    /// Messages that wait and could not be read, at least: their process worked whenever it was looked at, they came from
    /// another node and are not decoded yet, or there are too many. The binaries of these are only in the sums of blocks, so
    /// with any of them the sums are "at least".
    #[serde(default)]
    pub messages: u64,
    /// Entries of the table of processes that are none.
    pub entries: RejectedEntries,
}

/// What a look took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct BinariesLook {
    /// How long, milliseconds.
    pub took_ms: f64,
    /// Of a processor, milliseconds.
    pub cpu_ms: f64,
}
