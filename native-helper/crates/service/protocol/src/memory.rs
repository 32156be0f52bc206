//! The memory of a VM by purpose (`extrospect memory`).
//!
//! Names are those that `--json` prints, so they have underscores. All sizes are bytes, and unavailable values
//! are null, not zero.

use serde::{Deserialize, Serialize};

/// What the memory of a VM is for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct MemoryResult {
    /// The VM's allocators, in its own order.
    pub allocators: Vec<AllocatorMemory>,
    /// Allocators that are disabled (`+MBe false`, `+Mea min`): `binary_alloc`. The VM does not manage their
    /// memory. The C library's `malloc` has it, and no sum includes it except those of resident memory.
    pub not_managed: Vec<String>,
    /// What of the process is in memory, bytes, as `ps` shows it; null when the kernel does not say.
    pub rss_bytes: Option<u64>,
    /// What that is; null when the kernel does not say.
    pub resident: Option<ResidentMemory>,
    /// The VM's own counts by purpose.
    pub memory: MemorySplit,
    /// ETS tables, the largest first.
    pub ets: Vec<EtsTableMemory>,
    /// How many further ETS tables, smaller than those, were left out.
    pub ets_left_out: u64,
    /// What contradicted itself whenever it was read.
    pub rejected: RejectedMemory,
    /// What the numbers suggest; null when they suggest nothing.
    pub advice: Option<MemoryAdvice>,
    /// Code by module, the most first; null when the list of loaded code could not be read.
    pub code: Option<Vec<ModuleMemory>>,
    /// How many further modules there are: smaller ones, and those of which it is not known which generation of
    /// them is the newest.
    pub code_left_out: u64,
    /// Libraries with NIFs or drivers that the VM has loaded. Their `malloc` is in no allocator of the VM, and no
    /// figure has the part of each.
    #[serde(default)]
    pub native_libraries: Vec<NativeLibrary>,
}

/// A library with NIFs or drivers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct NativeLibrary {
    /// The last part of its path.
    pub file: String,
    /// The modules that it has NIFs of.
    pub modules: Vec<String>,
    /// The drivers that it has.
    pub drivers: Vec<String>,
}

/// Code of one module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct ModuleMemory {
    /// The module.
    pub module: String,
    /// Its code as loaded, bytes, without literals; of the newest generation.
    pub bytes: u64,
    /// Its literals, which are its constants, bytes; null when they could not be read.
    pub literal_bytes: Option<u64>,
}

/// A suggestion from the numbers of one snapshot. One snapshot does not show whether the state
/// persists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct MemoryAdvice {
    /// The fault.
    pub code: MemoryAdviceCode,
    /// The allocator that loses most.
    pub allocator: String,
    /// What of its carriers is in memory and in no block, bytes.
    pub lost_bytes: u64,
    /// Its memory in blocks, bytes.
    pub blocks_bytes: u64,
    /// The emulator's flag to consider, with its value: `+MBlmbcs 512`.
    pub flag: String,
}

/// The fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MemoryAdviceCode {
    /// More of its carriers is free than in use, and that in small pieces. Shorter carriers become empty more
    /// often, and are given back; the trade is more calls of the operating system.
    Fragmented,
}

/// One allocator, all its instances together. A carrier is memory that it takes from the operating system, a
/// block the part that it gives out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct AllocatorMemory {
    /// As the VM calls it: `binary_alloc`.
    pub name: String,
    /// How long its carriers are, bytes: address space, of which `resident_bytes` are in memory.
    pub carriers_bytes: u64,
    /// Memory in blocks, bytes.
    pub blocks_bytes: u64,
    /// The largest free block, bytes; null when no carrier records it.
    pub largest_free_bytes: Option<u64>,
    /// The share of the free memory in carriers that is outside the largest free block: (free - largest) /
    /// free, 0 when nothing is free; null when the largest is.
    pub fragmentation: Option<f64>,
    /// How many carriers it has.
    pub carriers: u64,
    /// Of these, how many of its instances have offered to others.
    pub pooled_carriers: u64,
    /// The part of `carriers_bytes` in carriers with one block each.
    pub one_block_carriers_bytes: u64,
    /// What of its carriers is in memory, bytes; null when the kernel does not say.
    pub resident_bytes: Option<u64>,
}

/// Memory by where it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct ResidentMemory {
    /// Memory in no file, bytes, without the part that was returned: carriers, stacks of threads, memory of no
    /// carrier. The JIT's code is shared memory, so it is not included.
    pub anonymous_bytes: u64,
    /// Memory that was returned but that the kernel has not taken yet, bytes. It is part of
    /// `rss_bytes`.
    pub lazily_freed_bytes: u64,
    /// Memory that is on disk instead, bytes.
    pub swapped_bytes: u64,
    /// Memory in no file and in no carrier, bytes: stacks of threads, and memory of NIFs, drivers and the C
    /// library. Null when the kernel does not report it.
    pub unexplained_bytes: Option<u64>,
    /// Of that, stacks of threads, bytes; null when not each thread has one where the C library puts them.
    pub thread_stacks_bytes: Option<u64>,
    /// Of these, segments that the VM has freed and keeps (the cache of `mseg_alloc`, or the part of its super carrier
    /// in no carrier); null when unknown.
    #[serde(default)]
    pub cached_segments_bytes: Option<u64>,
    /// Of that, heaps of the C library's `malloc`, bytes, without pieces that are so large that it maps them by
    /// themselves; null when the kernel does not say.
    pub malloc_bytes: Option<u64>,
    /// Shared memory with what the JIT has made, bytes. It is mapped twice, and counts in each mapping as in
    /// `rss_bytes`. Null where code is interpreted, and when the kernel does not say.
    pub jit_code_bytes: Option<u64>,
}

/// What `erlang:memory/0` counts, as far as it is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct MemorySplit {
    /// All blocks but temporary ones, and code, bytes.
    pub total: u64,
    /// `total` is more than that: a part of it is not known.
    pub total_at_least: bool,
    /// Heaps, stacks and messages of processes, bytes; `erlang:memory(processes)` counts their structs, too. Null
    /// where the allocator for them is switched off, so that the VM does not count them.
    pub process_heaps: Option<u64>,
    /// Binaries that processes share, bytes; null likewise.
    pub binary: Option<u64>,
    /// ETS tables, bytes, with the table of their names if that was found; null likewise.
    pub ets: Option<u64>,
    /// Of `ets`, the table of names, bytes, which `+e` makes longer; null when it was not found, so that `ets` is more.
    #[serde(default)]
    pub ets_names: Option<u64>,
    /// What the JIT has made of loaded code, bytes; null where code is interpreted, and when it could not be read.
    pub jit_code: Option<u64>,
    /// Literals, bytes: constants of modules and persistent terms; null where the allocator for them is switched off.
    pub literals: Option<u64>,
}

/// One ETS table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct EtsTableMemory {
    /// The name with which it was created; requests use it if `named`.
    pub name: String,
    /// Requests can use its name.
    pub named: bool,
    /// The process that it ends with: `<0.42.0>`.
    pub owner: String,
    /// `set`, `ordered_set`, `bag` or `duplicate_bag`.
    #[serde(rename = "type")]
    pub table_type: String,
    /// How many objects are in it.
    pub items: u64,
    /// Its size, bytes.
    pub bytes: u64,
    /// `public`, `protected` or `private`.
    pub protection: String,
}

/// What contradicted itself whenever it was read, as it does when it changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct RejectedMemory {
    /// Instances of allocators that are in no sum.
    pub allocators: u64,
    /// Instances of allocators that are in the sums, but whose carriers were not all found: a larger free
    /// block may be in another.
    pub carriers: u64,
    /// ETS tables that are not shown.
    pub tables: u64,
}
