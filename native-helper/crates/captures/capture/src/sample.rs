//! The vocabulary of one sample, shared by everything from the recorder to the views.

use serde::{Deserialize, Serialize};

/// The type and unit of the values in a capture of waits: how long processes waited.
pub const WAITING: [&str; 2] = ["waiting", "milliseconds"];

/// The object of Erlang code: that of modules, and what the JIT or the interpreter has beside it.
pub const ERLANG_OBJECT: &str = "[erlang]";

/// The kind of code that a frame is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum FrameKind {
    /// A function of an Erlang or Elixir module.
    Erlang,
    /// A built-in function, named by the VM's own BIF table (`lists:reverse/2`).
    Bif,
    /// Code the JIT emits once and shares between modules (`global::garbage_collect`).
    Fragment,
    /// A C function of the emulator or of a library it is linked with.
    Native,
    /// A C function of a NIF library or driver.
    Nif,
    /// A kernel function.
    Kernel,
    /// Not code: a marker such as `[unproven]`, always in square brackets.
    Marker,
}

/// The activity at a sample, one class per sample; see `classify` for the order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum SampleClass {
    /// Erlang code itself.
    Erlang,
    /// Garbage collection.
    Gc,
    /// Copying terms between heaps (messages, ETS, spawn).
    Copy,
    /// Comparing terms.
    Compare,
    /// ETS tables, other than the copying.
    Ets,
    /// Building and matching binaries, external term format.
    Binary,
    /// Waiting for, taking or releasing a lock.
    Lock,
    /// Allocating or freeing memory.
    Alloc,
    /// A NIF or driver library.
    Nif,
    /// Another built-in function.
    Bif,
    /// Another C function called for a process.
    Runtime,
    /// A port or driver job run by a scheduler.
    Port,
    /// Scheduling: picking processes, balancing run queues, polling, going to sleep and waking up.
    Scheduler,
    /// A thread with nothing to do, by the name of the function it is in: in profiles of other programs, in
    /// captures of older helpers, and where the VM's own word for it could not be read.
    Idle,
    /// A scheduler that has nothing to run and spins until it does: processor time, but no work.
    BusyWait,
    /// The kernel, when no user-space class above explains why.
    Kernel,
    /// A thread that is no scheduler (async, auxiliary, poll, crash and signal threads).
    OtherThread,
}

/// How the Erlang part of a sample is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum Trust {
    /// The Erlang stack was in the sample itself.
    Captured,
    /// Read right after the sample, and every check confirms that nothing had moved.
    Validated,
    /// Only the deep frames, common to a stack before and one after the sample, are kept.
    Bracketed,
    /// A process was running, but its stack could not be proven: no Erlang frame is shown.
    Unproven,
    /// No process was running, so there is no Erlang stack to know.
    NoProcess,
}

/// Why a thread had no processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OffCpuWhy {
    /// It waited for something.
    Blocked,
    /// It would have run on: another thread had the processor.
    Preempted,
}

/// Which scheduler thread a sample is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type", content = "number")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum SchedulerId {
    /// A normal scheduler, numbered from 1.
    Normal(u32),
    /// A dirty CPU scheduler, numbered from 1.
    DirtyCpu(u32),
    /// A dirty I/O scheduler, numbered from 1.
    DirtyIo(u32),
}

/// A function as shown and stored. Two functions with equal facts are one function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionFacts {
    /// As shown: `lists:sort/1`, `Enum.map/2`, `copy_struct_x`, `beam.smp!fn@0x1a2b30`.
    pub name: String,
    /// As the VM or linker spells it: `'Elixir.Enum':map/2`.
    pub raw_name: String,
    /// Kind of code.
    pub kind: FrameKind,
    /// Source file as the VM reports it; empty when unknown.
    pub file: String,
    /// Line of the function head; 0 when unknown.
    pub head_line: u32,
    /// The object it lives in: `beam.smp`, `libc.so.6`, `[kernel]`, `[erlang]`.
    pub object: String,
}

impl FunctionFacts {
    /// A marker, which is no code: a name in square brackets.
    pub fn marker(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            raw_name: name.to_owned(),
            kind: FrameKind::Marker,
            file: String::new(),
            head_line: 0,
            object: String::new(),
        }
    }
}

/// Everything of a sample but its stack; samples with equal labels and stacks within one
/// 20 ms bucket are merged.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SampleLabels {
    /// Kernel thread id.
    pub thread_id: u32,
    /// Thread name as the kernel has it (`1_scheduler`, `erts_sched_1`).
    pub thread_name: String,
    /// Scheduler, when the thread is one.
    pub scheduler: Option<SchedulerId>,
    /// Erlang pid as the node itself prints it (`<0.123.0>`).
    pub erlang_pid: Option<String>,
    /// Registered name, or the initial call when it has none.
    pub process_name: Option<String>,
    /// Class.
    pub class: SampleClass,
    /// Trust.
    pub trust: Trust,
    /// Why the thread had no processor, in samples of that time.
    pub off_cpu: Option<OffCpuWhy>,
}

impl FrameKind {
    /// Every kind, in declaration order.
    pub const ALL: [Self; 7] = [
        Self::Erlang,
        Self::Bif,
        Self::Fragment,
        Self::Native,
        Self::Nif,
        Self::Kernel,
        Self::Marker,
    ];

    /// The name used in files and JSON: `erlang`, `bif`, ...
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Erlang => "erlang",
            Self::Bif => "bif",
            Self::Fragment => "fragment",
            Self::Native => "native",
            Self::Nif => "nif",
            Self::Kernel => "kernel",
            Self::Marker => "marker",
        }
    }

    /// The kind with this name, if there is one.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl SampleClass {
    /// Every class, in declaration order.
    pub const ALL: [Self; 17] = [
        Self::Erlang,
        Self::Gc,
        Self::Copy,
        Self::Compare,
        Self::Ets,
        Self::Binary,
        Self::Lock,
        Self::Alloc,
        Self::Nif,
        Self::Bif,
        Self::Runtime,
        Self::Port,
        Self::Scheduler,
        Self::Idle,
        Self::BusyWait,
        Self::Kernel,
        Self::OtherThread,
    ];

    /// The name used in files and JSON: `erlang`, `gc`, ...
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Erlang => "erlang",
            Self::Gc => "gc",
            Self::Copy => "copy",
            Self::Compare => "compare",
            Self::Ets => "ets",
            Self::Binary => "binary",
            Self::Lock => "lock",
            Self::Alloc => "alloc",
            Self::Nif => "nif",
            Self::Bif => "bif",
            Self::Runtime => "runtime",
            Self::Port => "port",
            Self::Scheduler => "scheduler",
            Self::Idle => "idle",
            Self::BusyWait => "busy_wait",
            Self::Kernel => "kernel",
            Self::OtherThread => "other_thread",
        }
    }

    /// Whether samples of this class are work: a scheduler that waits does none, even while it
    /// spins.
    pub const fn is_work(self) -> bool {
        !matches!(self, Self::Idle | Self::BusyWait)
    }

    /// The class with this name, if there is one.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == name)
    }
}

impl Trust {
    /// Every degree of trust, in declaration order.
    pub const ALL: [Self; 5] = [
        Self::Captured,
        Self::Validated,
        Self::Bracketed,
        Self::Unproven,
        Self::NoProcess,
    ];

    /// The name used in files and JSON: `captured`, `validated`, ...
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Captured => "captured",
            Self::Validated => "validated",
            Self::Bracketed => "bracketed",
            Self::Unproven => "unproven",
            Self::NoProcess => "no_process",
        }
    }

    /// The degree of trust with this name, if there is one.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trust| trust.as_str() == name)
    }
}

impl OffCpuWhy {
    /// Every reason, in declaration order.
    pub const ALL: [Self; 2] = [Self::Blocked, Self::Preempted];

    /// The name used in files: `blocked`, `preempted`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Preempted => "preempted",
        }
    }

    /// The reason with this name, if there is one.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.as_str() == name)
    }
}

impl SchedulerId {
    /// The scheduler written as in a capture file: `1`, `dirty-cpu 2`, `dirty-io 3`.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(number) = text.strip_prefix("dirty-cpu ") {
            number.parse().ok().map(Self::DirtyCpu)
        } else if let Some(number) = text.strip_prefix("dirty-io ") {
            number.parse().ok().map(Self::DirtyIo)
        } else {
            text.parse().ok().map(Self::Normal)
        }
    }
}

impl std::fmt::Display for SchedulerId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Normal(number) => write!(f, "{number}"),
            Self::DirtyCpu(number) => write!(f, "dirty-cpu {number}"),
            Self::DirtyIo(number) => write!(f, "dirty-io {number}"),
        }
    }
}
