//! Sampling in a process of its own.
//!
//! What opens events and memory has to have rights, and what reads symbols, tables and stacks believes
//! nobody. Here both are one process that does nothing else ([`sampler`]): it is locked in before it reads
//! the first byte of a target, and closer still once it samples. It makes no file, starts no program and
//! knows no network; what it has to say goes down a pipe. Who asked for it ([`Sampler`]) writes files,
//! talks to editors and stores, runs git and curl, and looks into no process.
//!
//! [`dialog`] is what they say to each other, [`frame`] how.

pub mod dialog;
pub mod frame;
pub mod sampler;

mod asking;
mod binaries;
mod distant_recording;
mod heap;
mod in_c;
mod inside;
mod memory;
mod node;
mod nodes;
mod process_watch;
mod processes;
mod pstack;
mod refusals;
mod stride;
mod thread_time;
mod wait_watch;

pub use asking::{HeapTold, Sampler};
pub use dialog::{Attached, NamelessObject};
pub use distant_recording::DistantRecording;
pub use erlang_names::{NoProcessName, ProcessName};
