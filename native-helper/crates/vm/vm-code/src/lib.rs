//! The code a VM has loaded: from a program counter to function, file and line.
//!
//! A JIT keeps a list of code descriptions for debuggers ([`descriptor`]); each entry is a blob
//! ([`blob`]) naming the ranges and lines of one module. Without a JIT the same follows from the VM's
//! own index of module images ([`ranges`]). [`code_map`] joins them into one sorted index,
//! [`generations`] follows loading and purging. [`callees`] names C functions by their callers,
//! [`interpreter`] is the C function that runs the code where there is no JIT. [`checksums`] are
//! those that the VM itself keeps to identify the build of each module.

pub mod blob;
pub mod callees;
pub mod checksums;
pub mod code_map;
pub mod descriptor;
pub mod generations;
pub mod interpreter;
pub mod machine_code;
pub mod range_names;
pub mod ranges;
