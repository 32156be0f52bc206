//! x86-64.

pub mod built_in_call;
pub mod calls;
pub mod code_index;
pub mod elf;
pub mod fragments;
pub mod instructions;
pub mod interpreter;
pub mod interrupted;
pub mod sample;
pub mod schedule_code;
pub mod unwind;

/// User memory ends here, with four levels of page tables.
pub const USER_END: u64 = 1 << 47;
