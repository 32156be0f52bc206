//! What depends on the processor: the one place that knows its registers and its machine code.
//!
//! Each processor is a folder that answers the same questions; the helper runs on the machine of
//! its targets, so the compiler picks the folder. What is exported here is the whole interface:
//! another processor is supported when its folder exports the same.

mod error;

#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "x86_64")]
use x86_64 as processor;

pub use error::UnclearCode;
pub use processor::calls::{Call, MAX_CODE_BYTES, calls_through_words, direct_calls, last_calls};
pub use processor::code_index::code_index_address;
pub use processor::fragments::{FragmentFacts, from_fragments};
pub use processor::instructions::{
    BYTES_AFTER_RETURN, BYTES_BEFORE_PC, BYTES_BEFORE_RETURN, StackPointerHome, ends_in_call,
    reserved_stack_bytes, stack_pointer_home,
};
pub use processor::schedule_code::{ScheduleFacts, from_schedule};

/// The interpreter's main function: where it keeps the process, its stack and its program counter.
pub mod interpreter {
    pub use crate::processor::interpreter::holders::{
        Holder, Holders, Place, Roles, end_of_instruction, instruction_holders,
    };
    pub use crate::processor::interpreter::registers::{
        InterpreterRegisters, MFA_BYTES, ProcessOffsets, from_process_main,
    };
}
