//! Messages between the process that samples and the process that started it.
//!
//! Each order has one answer, except [`Order::LimitOverhead`], [`Order::Origin`] and [`Order::Work`],
//! which have none.

use capture::facts::{OriginFacts, TargetFacts, WorkFacts};
use capture::processors::ProcessorLimits;
use capture::quality::QualityRecord;
use capture::schedulers::SchedulersOnline;
use capture::tracing::TracedFunctions;
use diagnose::refusal::Refusal;
use protocol::attachment::SelfCheck;
use protocol::binaries::{BinariesResult, BinariesWanted};
use protocol::heap::HeapResult;
use protocol::inside::{InsideMemoryResult, InsideProcessesParams, InsideProcessesResult};
use protocol::memory::MemoryResult;
use protocol::node::{NodeResult, Unknown};
use protocol::nodes::NodesResult;
use protocol::processes::{ProcessesPage, ProcessesResult};
use protocol::pstack::PstackResult;
use protocol::waits::{SleepingInC, WaitsLook, WaitsResult};
use recorder::{EngineInUse, MaxOverhead, RecordingSettings};
use serde::{Deserialize, Serialize};

/// The orders to the process that samples.
#[derive(Debug, Serialize, Deserialize)]
pub enum Order {
    /// To attach to a process; the first order, once: it is locked in for that one.
    Attach {
        /// Which.
        pid: u32,
    },
    /// To find the objects of a process that have no names; instead of [`Order::Attach`].
    FindNameless {
        /// Of which process.
        pid: u32,
    },
    /// To check the result of attaching.
    Check,
    /// To report the activity of each scheduler.
    Pstack {
        /// Dirty schedulers and other threads, too.
        all: bool,
    },
    /// To list the nodes that it knows. After this order and each of the next twelve, more of these
    /// thirteen may follow.
    Nodes,
    /// To report its state as a whole.
    Node {
        /// Also how busy its schedulers are, observed for this many milliseconds.
        look_ms: u32,
    },
    /// To report what takes its time or limits its processors.
    Circumstances,
    /// To list its processes.
    Processes(ProcessesPage),
    /// To list those of them that are in C code in which their threads sleep.
    InC,
    /// To report the heap of a process, by its pid as the node prints it.
    Heap(String),
    /// To report the contents of the messages and the dictionary of a process: the user has requested
    /// contents.
    HeapValues(String),
    /// To report how it uses its memory.
    Memory,
    /// The same, with its carriers one by one.
    MemoryMap,
    /// To report the holders of its binaries, and the processes that allocated them.
    Binaries(BinariesWanted),
    /// To report a window of the list of its processes.
    ProcessList(InsideProcessesParams),
    /// To read where they wait.
    WaitsLook,
    /// To report the result of those readings.
    Waits,
    /// To begin to sample.
    Sample(RecordingSettings),
    /// The facts about the commit that the capture contains from the next increment on.
    Origin(OriginFacts),
    /// The facts about the work done that it contains from then on.
    Work(WorkFacts),
    /// To keep the overhead below that.
    LimitOverhead(MaxOverhead),
    /// The functions seen so far.
    Functions,
    /// The samples since the last time.
    Take,
    /// To stop sampling. The remaining samples are taken afterwards.
    Stop,
}

/// The answers to [`Order`].
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// Of [`Order::Attach`].
    Attached(Attached),
    /// Of [`Order::FindNameless`].
    Nameless(Vec<NamelessObject>),
    /// Of [`Order::Check`].
    Checked(SelfCheck),
    /// Of [`Order::Pstack`].
    Pstack(PstackResult),
    /// Of [`Order::Nodes`].
    Nodes(NodesResult),
    /// Of [`Order::Node`].
    Node(Box<NodeResult>),
    /// Of [`Order::Circumstances`].
    Circumstances(Box<Circumstances>),
    /// Of [`Order::Processes`].
    Processes(ProcessesResult),
    /// Of [`Order::InC`].
    InC(Vec<SleepingInC>),
    /// Before the answer of [`Order::Heap`] or [`Order::HeapValues`], of a large heap a few times a second.
    HeapProgress {
        /// The bytes done.
        bytes: u64,
        /// The most there are.
        of_bytes: u64,
    },
    /// Of [`Order::Heap`].
    Heap(HeapResult),
    /// Of [`Order::HeapValues`]: each label, with its value.
    HeapValues(Vec<(String, String)>),
    /// Of [`Order::Memory`].
    Memory(Box<MemoryResult>),
    /// Of [`Order::MemoryMap`].
    MemoryMap(Box<InsideMemoryResult>),
    /// Of [`Order::Binaries`].
    Binaries(Box<BinariesResult>),
    /// Of [`Order::ProcessList`].
    ProcessList(InsideProcessesResult),
    /// Of [`Order::WaitsLook`].
    WaitsLook(WaitsLook),
    /// Of [`Order::Waits`]; the capture, a gzip member, is beside it.
    Waits(WaitsResult),
    /// Of [`Order::Sample`].
    Sampling(EngineInUse),
    /// Of [`Order::Take`]; the gzip member itself is beside it.
    Increment(Box<Increment>),
    /// Of [`Order::Functions`]; the capture without samples that has them is beside it.
    Functions,
    /// Of [`Order::Stop`].
    Stopped {
        /// How long it ran.
        elapsed_ns: u64,
    },
    /// Of no order: the target has ended, and sampling with it.
    TargetGone,
    /// It cannot be done.
    Refused(Refusal),
}

/// The result of attaching.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attached {
    /// The facts about it that a capture contains.
    pub target: TargetFacts,
    /// When the process started; distinguishes it from a later one with its id.
    pub start_ticks: u64,
    /// How long attaching took, milliseconds.
    pub took_ms: f64,
    /// Normal schedulers.
    pub schedulers: u32,
    /// Dirty CPU schedulers.
    pub dirty_cpu_schedulers: u32,
    /// Dirty I/O schedulers.
    pub dirty_io_schedulers: u32,
}

/// What takes a VM's time or limits its processors while it is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Circumstances {
    /// Which of its schedulers may run; null when that is not known.
    pub schedulers_online: Option<SchedulersOnline>,
    /// The limits of its processor time now, and counts since the reading began.
    pub processors: ProcessorLimits,
    /// Functions that are traced; null when that is not known.
    pub traced_functions: Option<TracedFunctions>,
    /// Why something above is not known.
    pub unknown: Vec<Unknown>,
}

/// An object of a target whose functions have no names here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamelessObject {
    /// Its name: `beam.smp`.
    pub object: String,
    /// Its build id, in hexadecimal.
    pub build_id: String,
}

/// The facts about the samples since the last increment, without the samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Increment {
    /// The quality so far.
    pub quality: QualityRecord,
    /// How long it has run.
    pub elapsed_ns: u64,
    /// Processor time of all samples so far that are not idle.
    pub busy_ns: u64,
    /// The target has ended.
    pub is_gone: bool,
    /// It waited because of its size: there is another one.
    pub has_next: bool,
}
