//! The views of the content of a capture in memory.

use serde::Serialize;

use crate::place::Place;
use crate::sample::{FrameKind, FunctionFacts, OffCpuWhy, SampleClass, SchedulerId, Trust};

/// A function of a [`Capture`](super::Capture).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionIndex(pub(crate) u32);

impl FunctionIndex {
    /// Position, below [`Capture::function_count`](super::Capture::function_count).
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// A stack of a [`Capture`](super::Capture); equal stacks have equal indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackIndex(pub(crate) u32);

impl StackIndex {
    /// Position, below [`Capture::stack_count`](super::Capture::stack_count).
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// A set of labels of a [`Capture`](super::Capture); equal sets have equal indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelsIndex(pub(crate) u32);

impl LabelsIndex {
    /// Position, below [`Capture::label_set_count`](super::Capture::label_set_count).
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// Equal samples of one type and one bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Start of the bucket, milliseconds after the start of the capture; 0 when not known.
    pub bucket_ms: u64,
    /// How many samples. Of processor time those at the requested rate: where a capture of Extrospect was sampled at a
    /// lower rate for a while, each sample counts for as many as there would have been.
    pub count: u64,
    /// The quantity they stand for: nanoseconds of processor time, or what another type has.
    pub value: u64,
    /// Where they were.
    pub stack: StackIndex,
    /// Everything else.
    pub labels: LabelsIndex,
}

/// The quantity that the figures of a capture count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CountedType {
    /// The name by which it is chosen: `cpu`; in a profile of another tool its own one, `inuse_space`.
    pub name: String,
    /// The unit of figures: `samples`, `nanoseconds`, `bytes`.
    pub unit: String,
    /// For people: `CPU time`.
    pub label: String,
}

/// A capture has no samples of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it has no samples of {requested}")]
pub struct NoSuchType {
    /// The requested type.
    pub requested: String,
    /// The names of the types that it has.
    pub has: Vec<String>,
}

/// One frame of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function.
    pub function: FunctionIndex,
    /// The line in it; 0 when not known.
    pub line: u32,
}

/// The known facts about a function; see [`FunctionFacts`](crate::sample::FunctionFacts).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FunctionView<'a> {
    /// As shown.
    pub name: &'a str,
    /// As the VM or linker spells it.
    pub raw_name: &'a str,
    /// Kind of code; `Native` when the profile does not record it.
    pub kind: FrameKind,
    /// Source file of all its lines; empty when not known. Code that a macro, a header or a generator brought from
    /// another file is a function of its own.
    pub file: &'a str,
    /// Line of the function head; 0 when not known.
    pub head_line: u32,
    /// The object it lives in; empty when not known.
    pub object: &'a str,
}

impl<'a> From<&'a FunctionFacts> for FunctionView<'a> {
    fn from(facts: &'a FunctionFacts) -> Self {
        Self {
            name: &facts.name,
            raw_name: &facts.raw_name,
            kind: facts.kind,
            file: &facts.file,
            head_line: facts.head_line,
            object: &facts.object,
        }
    }
}

impl<'a> FunctionView<'a> {
    /// Where its head is.
    pub fn head(&self) -> Place<'a> {
        Place::new(self.file, self.head_line)
    }
}

/// The labels of a sample, where they are there and make sense.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct LabelsView<'a> {
    /// Kernel thread id.
    pub thread_id: Option<u32>,
    /// Thread name.
    pub thread_name: Option<&'a str>,
    /// Scheduler.
    pub scheduler: Option<SchedulerId>,
    /// Erlang pid.
    pub erlang_pid: Option<&'a str>,
    /// Process name.
    pub process_name: Option<&'a str>,
    /// Class.
    pub class: Option<SampleClass>,
    /// Trust.
    pub trust: Option<Trust>,
    /// Why the thread had no processor, in samples of that time.
    pub off_cpu: Option<OffCpuWhy>,
}

impl LabelsView<'_> {
    /// Whether these are samples of work. Samples without a known class are.
    pub fn is_busy(&self) -> bool {
        self.class.is_none_or(SampleClass::is_work)
    }
}
