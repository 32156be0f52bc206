//! What is said between the process that samples and the one that asked for it.
//!
//! Each order has one answer, but [`Order::LimitOverhead`], [`Order::Origin`] and [`Order::Work`], which
//! have none.

use capture::facts::{OriginFacts, TargetFacts, WorkFacts};
use capture::quality::QualityRecord;
use diagnose::refusal::Refusal;
use protocol::attachment::SelfCheck;
use protocol::binaries::{BinariesResult, BinariesWanted};
use protocol::heap::HeapResult;
use protocol::inside::{InsideMemoryResult, InsideProcessesParams, InsideProcessesResult};
use protocol::memory::MemoryResult;
use protocol::node::NodeResult;
use protocol::nodes::NodesResult;
use protocol::processes::{ProcessesPage, ProcessesResult};
use protocol::pstack::PstackResult;
use protocol::waits::{SleepingInC, WaitsLook, WaitsResult};
use recorder::{EngineInUse, MaxOverhead, RecordingSettings};
use serde::{Deserialize, Serialize};

/// What the process that samples is asked for.
#[derive(Debug, Serialize, Deserialize)]
pub enum Order {
    /// To attach to a process; the first order, once: it is locked in for that one.
    Attach {
        /// Which.
        pid: u32,
    },
    /// What of its objects has no names; instead of [`Order::Attach`].
    FindNameless {
        /// Of which process.
        pid: u32,
    },
    /// To check what attaching found.
    Check,
    /// To look at what each scheduler does.
    Pstack {
        /// Dirty schedulers and other threads, too.
        all: bool,
    },
    /// To say which nodes it knows. After this and the next eleven, more of these twelve may be asked.
    Nodes,
    /// To say what it is like as a whole.
    Node {
        /// And how busy its schedulers are, by looking at them for so many milliseconds.
        look_ms: u32,
    },
    /// To say which processes it has.
    Processes(ProcessesPage),
    /// To say which of them are in C code in which their threads sleep.
    InC,
    /// To say what is on the heap of a process, by its pid as the node prints it.
    Heap(String),
    /// To say what the messages and the dictionary of a process say: the user has asked for contents.
    HeapValues(String),
    /// To say what its memory is for.
    Memory,
    /// The same, with its carriers one by one.
    MemoryMap,
    /// To say who holds its binaries, and who has allocated them.
    Binaries(BinariesWanted),
    /// To say a window of the list of its processes.
    ProcessList(InsideProcessesParams),
    /// To look at where they wait.
    WaitsLook,
    /// To say what those looks saw.
    Waits,
    /// To begin to sample.
    Sample(RecordingSettings),
    /// What the capture says of the commit from the next increment on.
    Origin(OriginFacts),
    /// What it says of the work that was done.
    Work(WorkFacts),
    /// To pay no more than that.
    LimitOverhead(MaxOverhead),
    /// The functions seen so far.
    Functions,
    /// What was sampled since the last time.
    Take,
    /// To sample no more. What is left is taken afterwards.
    Stop,
}

/// What it answers.
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
    Node(NodeResult),
    /// Of [`Order::Processes`].
    Processes(ProcessesResult),
    /// Of [`Order::InC`].
    InC(Vec<SleepingInC>),
    /// Before the answer of [`Order::Heap`] or [`Order::HeapValues`], of a large heap a few times a second.
    HeapProgress {
        /// So much was looked at.
        bytes: u64,
        /// Of so much at most.
        of_bytes: u64,
    },
    /// Of [`Order::Heap`].
    Heap(HeapResult),
    /// Of [`Order::HeapValues`]: what each is, and the value.
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

/// What attaching found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attached {
    /// What a capture says of it.
    pub target: TargetFacts,
    /// When the process started; tells it from a later one with its id.
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

/// An object of a target whose functions have no names here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamelessObject {
    /// Its name: `beam.smp`.
    pub object: String,
    /// Its build id, in hexadecimal.
    pub build_id: String,
}

/// What was sampled since the last increment, but for the samples.
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
}
