//! x86-64.

pub mod calls;
pub mod code_index;
pub mod fragments;
pub mod instructions;
pub mod interpreter;
pub mod schedule_code;
