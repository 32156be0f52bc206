//! What depends on the processor: the one place that knows its registers and its machine code.
//!
//! Each processor is a folder that answers the same questions, and the compiler picks the folder:
//! the helper runs on the machine of its targets. The exports of this file are the whole interface;
//! another processor is supported when its folder has all of it. A test verifies that no other
//! crate names a register or decodes an instruction.

mod error;
mod facts;

#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "x86_64")]
use x86_64 as processor;

pub use error::UnclearCode;
pub use facts::{BuiltInCall, Call, FragmentFacts, ScheduleFacts, StackPointerHome};
pub use processor::USER_END;

// Questions about the code of the VM. Each takes any bytes and never panics.
pub use processor::built_in_call::{BUILT_IN_CALL_BYTES, built_in_call_at, built_in_call_before};
pub use processor::calls::{
    MAX_CODE_BYTES, calls_through_registers, calls_through_words, direct_calls, last_calls,
};
pub use processor::code_index::code_index_address;
pub use processor::fragments::from_fragments;
pub use processor::instructions::{
    BYTES_AFTER_RETURN, BYTES_BEFORE_PC, BYTES_BEFORE_RETURN, TRAMPOLINE_BYTES, ends_in_call,
    jump_target, reserved_stack_bytes, stack_pointer_home,
};
pub use processor::schedule_code::from_schedule;

/// The interpreter's main function: where it keeps the process, its stack and its program counter.
pub mod interpreter {
    pub use crate::facts::interpreter::{
        Holder, Holders, InterpreterRegisters, MFA_BYTES, Place, ProcessOffsets, Roles,
    };
    pub use crate::processor::interpreter::holders::{end_of_instruction, instruction_holders};
    pub use crate::processor::interpreter::registers::from_process_main;
}

/// The user registers of a sample of perf events, in the kernel's order: the registers that are
/// requested from the kernel, and the index of each that has a role.
pub mod sample {
    pub use crate::processor::sample::{
        CODE_INDEX, COUNT, CURRENT_PROCESS, FIRST_ARGUMENT, FRAME_POINTER, MASK, PRESERVED,
        PROGRAM_COUNTER, RESULT, STACK_POINTER, general_registers, index_of,
    };
}

/// The registers of a frame while C frames are unwound, by their numbers in DWARF.
pub mod unwind {
    pub use crate::processor::unwind::{GENERAL_COUNT, RETURN_ADDRESS, Registers, STACK_POINTER};
}

/// The registers of interrupted code as the kernel keeps them, for the program that runs in it.
pub mod interrupted {
    pub use crate::processor::interrupted::{KERNEL_MODE_MASK, SavedRegister};
}

/// The parts of an ELF file that are specific to this processor.
pub mod elf {
    pub use crate::processor::elf::{
        INDIRECT_FUNCTION, LINKAGE_SLOT, MACHINE, SYMBOL_ADDRESS, jump_slot,
    };
}
