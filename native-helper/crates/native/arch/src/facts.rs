//! Facts that machine code shows, independent of the processor.

pub mod interpreter;

use std::collections::BTreeSet;

/// One call or jump out of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Where to.
    pub target: u64,
    /// A jump: the target returns to the caller's caller.
    pub is_tail: bool,
    /// The result becomes the current process of JIT code.
    pub gives_process: bool,
    /// The instruction after it.
    pub after: u64,
}

/// Layout facts from the JIT's shared fragments. A field is present only when its uses agree, with
/// a few exceptions: the register of the reductions, for example, is stored elsewhere as well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FragmentFacts {
    /// From the register block to where the register for it points.
    pub registers_delta: Option<i64>,
    /// Process.htop.
    pub htop: Option<i64>,
    /// Process.stop.
    pub stop: Option<i64>,
    /// Process.fcalls.
    pub fcalls: Option<i64>,
    /// Width of Process.fcalls.
    pub fcalls_bytes: Option<i64>,
    /// Process.i: the field that the address of the exit fragment is stored to.
    pub i: Option<i64>,
    /// Process.state: the word tested for the flag of an exiting process.
    pub state: Option<i64>,
    /// ErtsSchedulerData.registers: where a scheduler thread puts the block it made on its stack.
    pub registers: Option<i64>,
}

/// Offsets that the code of the scheduling function shows, each with others that only look the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScheduleFacts {
    /// Pairs of (ErtsSchedulerData.current_process, Process.scheduler_data).
    pub links: BTreeSet<(usize, usize)>,
    /// ErtsSchedulerData.current_port.
    pub ports: BTreeSet<usize>,
}

/// A call of a built-in function in compiled code, through shared code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInCall {
    /// The shared code.
    pub shared: u64,
    /// The C function that it is to call.
    pub function: u64,
    /// The instruction after the call.
    pub returns_to: u64,
}

/// Where the Erlang stack pointer is while C code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StackPointerHome {
    /// In the frame pointer, which C code preserves.
    FramePointer,
    /// In Process.stop.
    ProcessStop,
}
