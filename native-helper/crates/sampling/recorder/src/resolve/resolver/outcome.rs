//! The outcome of one sample.

use capture::classify::RunContext;
use capture::sample::Trust;

use crate::resolve::tally::CountedAs;

/// The outcome for the stack of one sample; its frames are in the scratch buffers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    /// Its category in the quality record.
    pub counted_as: CountedAs,
    /// The work that its thread was doing.
    pub context: RunContext,
    /// How its Erlang frames are known.
    pub trust: Trust,
    /// Frames are missing at its end.
    pub truncated: bool,
}

/// How well the Erlang frames of one sample are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct ErlangPart {
    /// How they are known.
    pub trust: Trust,
    /// They are all there, down to the bottom frame.
    pub complete: bool,
}

impl ErlangPart {
    /// Nothing is known of the Erlang frames.
    pub const UNPROVEN: Self = Self {
        trust: Trust::Unproven,
        complete: false,
    };
}

impl Outcome {
    /// No frame is missing, or not proven.
    pub fn is_whole(&self) -> bool {
        !self.truncated && self.trust != Trust::Unproven
    }

    /// A thread that is no scheduler, or of which nothing is known.
    pub fn other_thread(truncated: bool) -> Self {
        Self {
            counted_as: CountedAs::Other,
            context: RunContext::OtherThread,
            trust: Trust::NoProcess,
            truncated,
        }
    }

    /// A scheduler whose work is not known.
    pub fn unattributed(context: RunContext, truncated: bool) -> Self {
        Self {
            counted_as: CountedAs::Unattributed,
            ..Self::without_process(context, truncated)
        }
    }

    /// A scheduler that runs no process.
    pub fn without_process(context: RunContext, truncated: bool) -> Self {
        let counted_as = match context {
            RunContext::Port => CountedAs::PortTask,
            _ => CountedAs::Scheduler,
        };
        Self {
            counted_as,
            context,
            trust: Trust::NoProcess,
            truncated,
        }
    }

    /// C code of a scheduler that may have run a process, with a mark for that.
    pub fn unproven_of_none(part: ErlangPart, truncated: bool) -> Self {
        Self {
            counted_as: CountedAs::Unattributed,
            ..Self::native_in_process(part, truncated)
        }
    }

    /// Erlang code.
    pub fn erlang(part: ErlangPart, truncated: bool) -> Self {
        let complete = part.complete;
        Self {
            counted_as: CountedAs::Erlang { complete },
            context: RunContext::Process,
            trust: part.trust,
            truncated,
        }
    }

    /// C code while a process ran.
    pub fn native_in_process(part: ErlangPart, truncated: bool) -> Self {
        let complete = part.complete;
        Self {
            counted_as: CountedAs::NativeInProcess { complete },
            ..Self::erlang(part, truncated)
        }
    }
}
