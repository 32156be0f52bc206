//! Messages between the process that samples and the process that started it.
//!
//! Each question is one row of a table, with the type of its answer; a note has no answer.

use std::io::Write;

use capture::facts::{OriginFacts, TargetFacts, WorkFacts};
use capture::processors::ProcessorLimits;
use capture::quality::QualityRecord;
use capture::schedulers::SchedulersOnline;
use capture::tracing::{TracedFunctions, TracedProcesses};
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
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::counter_reading::CounterReading;
use crate::frame::{self, Frame, FrameError};

/// An order with one answer.
pub trait Question: Into<Order> {
    /// The answer.
    type Answer: Serialize + DeserializeOwned;

    /// An answer to it, as it is sent.
    ///
    /// # Errors
    /// The answer cannot be JSON.
    fn answered(&self, answer: &Self::Answer) -> Result<Frame, FrameError> {
        Frame::of(answer)
    }
}

/// The orders to the process that samples, by the time at which they may come: one of another time is
/// refused.
#[derive(Debug, Serialize, Deserialize)]
pub enum Order {
    /// The first.
    First(First),
    /// Of a VM that was attached to.
    Opened(Opened),
    /// About its inside.
    Inside(Inside),
    /// While it is sampled.
    Running(Running),
    /// Without an answer, while it is sampled.
    Note(Note),
}

/// `Time: Question { parameters } -> answer;`
macro_rules! questions {
    (
        $(#[$of:meta])* $time:ident:
        $(
            $(#[$doc:meta])*
            $name:ident { $($(#[$about:meta])* $field:ident: $type:ty,)* } -> $answer:ty;
        )+
    ) => {
        $(#[$of])*
        #[derive(Debug, Serialize, Deserialize)]
        pub enum $time {
            $($(#[$doc])* $name($name),)+
        }

        $(
            $(#[$doc])*
            #[derive(Debug, Serialize, Deserialize)]
            pub struct $name {
                $($(#[$about])* pub $field: $type,)*
            }

            impl Question for $name {
                type Answer = $answer;
            }

            impl From<$name> for Order {
                fn from(question: $name) -> Self {
                    Self::$time($time::$name(question))
                }
            }
        )+
    };
}

questions! {
    /// The first question, once: the process is locked in for that one.
    First:

    /// To attach to a process.
    Attach {
        /// Which.
        pid: u32,
    } -> Attached;

    /// To find the objects of a process that have no names.
    FindNameless {
        /// Of which process.
        pid: u32,
    } -> Vec<NamelessObject>;
}

questions! {
    /// About a VM that was attached to, before it is sampled or its inside is read.
    Opened:

    /// The result of attaching, checked.
    Check {} -> SelfCheck;

    /// The activity of each scheduler. It is the last question.
    Pstack {
        /// Dirty schedulers and other threads, too.
        all: bool,
    } -> PstackResult;

    /// To begin to sample.
    Sample {
        /// How.
        settings: RecordingSettings,
    } -> EngineInUse;
}

questions! {
    /// About the inside of a VM. After one of these, only more of them may follow.
    Inside:

    /// The nodes that the VM knows.
    Nodes {} -> NodesResult;

    /// Its state as a whole.
    Node {
        /// Also how busy its schedulers are, observed for this many milliseconds; 0: not at all.
        look_ms: u32,
    } -> NodeResult;

    /// What takes its time or limits its processors now; counts are of the time since its inside was first read.
    CircumstancesNow {} -> Circumstances;

    /// Its counters and those of the kernel for it, now.
    Counters {
        /// Also those of each scheduler; as in the first reading.
        per_scheduler: bool,
    } -> CounterReading;

    /// A page of its processes.
    Processes {
        /// Which.
        page: ProcessesPage,
    } -> ProcessesResult;

    /// Those of them that are in C code in which the threads that run them sleep.
    InC {} -> Vec<SleepingInC>;

    /// The heap of a process.
    Heap {
        /// Its pid as the node prints it.
        process: String,
    } -> HeapResult;

    /// The contents of the messages and the dictionary of a process, each with its label: the user has
    /// requested contents.
    HeapValues {
        /// Its pid as the node prints it.
        process: String,
    } -> Vec<(String, String)>;

    /// How the VM uses its memory.
    Memory {} -> MemoryResult;

    /// The same, with its carriers one by one.
    MemoryMap {} -> InsideMemoryResult;

    /// The holders of its binaries, and the processes that allocated them.
    Binaries {
        /// Which part of them.
        wanted: BinariesWanted,
    } -> BinariesResult;

    /// A window of the list of its processes.
    ProcessList {
        /// Which.
        wanted: InsideProcessesParams,
    } -> InsideProcessesResult;

    /// To read where its processes wait.
    LookAtWaits {} -> WaitsLook;

    /// The result of those readings; a capture of it, a gzip member, is beside it.
    Waits {} -> WaitsResult;
}

questions! {
    /// While a VM is sampled, and after.
    Running:

    /// The functions seen so far: the capture without samples that has them is beside the answer.
    Functions {} -> ();

    /// The samples since the last time: the gzip member itself is beside the answer.
    Take {} -> Increment;

    /// To stop sampling; how long it ran, nanoseconds. The remaining samples are taken afterwards.
    Stop {} -> u64;
}

/// Without an answer, while a VM is sampled.
#[derive(Debug, Serialize, Deserialize)]
pub enum Note {
    /// The facts about the commit that the capture contains from the next increment on.
    Origin(OriginFacts),
    /// The facts about the work done that it contains from then on.
    Work(WorkFacts),
    /// To keep the overhead below that.
    LimitOverhead(MaxOverhead),
}

/// The messages of the process that samples.
#[derive(Debug, Serialize, Deserialize)]
pub enum Message {
    /// The next frame is the answer: its type follows from the question.
    Answer,
    /// Before the answer about a heap, of a large one a few times a second.
    HeapProgress {
        /// The bytes done.
        bytes: u64,
        /// The most there are.
        of_bytes: u64,
    },
    /// Of no order: the target has ended, and sampling with it.
    TargetGone,
    /// Instead of an answer: it cannot be done.
    Refused(Refusal),
}

/// Writes what [`Question::answered`] made.
///
/// # Errors
/// As [`Frame::write`].
pub fn write_answer(out: &mut impl Write, answer: &Frame) -> Result<(), FrameError> {
    frame::write(out, &Message::Answer)?;
    answer.write(out)
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
    /// Processes whose messages or events are traced; null when that is not known.
    pub traced_processes: Option<TracedProcesses>,
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
