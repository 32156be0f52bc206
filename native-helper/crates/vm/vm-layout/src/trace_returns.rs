//! The instructions that the VM pushes as return addresses under a traced call: when the call returns, they run, and
//! send the message or count the time. Their frames, from the top on:
//!
//! | instruction | frame | pushed by |
//! |---|---|---|
//! | `return_trace`, `exception_trace` | pointer to module, function and arity of the traced function; tracer | match specifications |
//! | `return_to_trace` | nothing | the flag `return_to` |
//! | `return_time_trace` (to OTP 25), `call_trace_return` | pointer to the function that ran before, or `[]`; from 26 on the kinds, a small integer | `call_time`, `call_memory` |
//!
//! From OTP 27 on each frame ends with the session, a small integer. So whatever the release, at most the first word of
//! a frame is no term. Read live on Debian's 23, 25, 27 and 29; `test/e2e/traced` reads it again.

/// One of these instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceInstruction {
    /// A function of [`JIT_MODULE`] is that instruction.
    pub function: &'static str,
    /// The emulator's variable that holds it, or points at it.
    pub variable: &'static str,
    /// The first word of its frame is a pointer into code.
    pub pointer_follows: bool,
}

/// The module that a JIT makes of the VM's own instructions.
pub const JIT_MODULE: &str = "erts_beamasm";

/// All of them; the last two are the same one in different releases.
pub const TRACE_INSTRUCTIONS: [TraceInstruction; 5] = [
    TraceInstruction {
        function: "erts_beamasm:return_trace/0",
        variable: "beam_return_trace",
        pointer_follows: true,
    },
    TraceInstruction {
        function: "erts_beamasm:exception_trace/0",
        variable: "beam_exception_trace",
        pointer_follows: true,
    },
    TraceInstruction {
        function: "erts_beamasm:return_to_trace/0",
        variable: "beam_return_to_trace",
        pointer_follows: false,
    },
    TraceInstruction {
        function: "erts_beamasm:return_time_trace/0",
        variable: "beam_return_time_trace",
        pointer_follows: true,
    },
    TraceInstruction {
        function: "erts_beamasm:call_trace_return/0",
        variable: "beam_call_trace_return",
        pointer_follows: true,
    },
];
