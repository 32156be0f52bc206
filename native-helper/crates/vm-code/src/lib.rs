//! From a program counter in JIT code to function, file and line.
//!
//! The VM keeps a list of code descriptions for debuggers ([`descriptor`]); each entry is a blob
//! ([`blob`]) naming the ranges and lines of one module. [`code_map`] joins them into one sorted
//! index, [`generations`] follows loading and purging, [`names`] writes names for people.

pub mod blob;
pub mod code_map;
pub mod descriptor;
mod display;
pub mod generations;
mod inner_function;
pub mod instructions;
pub mod names;
pub mod ranges;
