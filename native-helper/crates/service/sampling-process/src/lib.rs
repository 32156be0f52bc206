//! Sampling in a process of its own.
//!
//! Code that opens events and memory needs rights, and code that reads symbols, tables and stacks must not
//! trust its input. Here both are one process that does nothing else ([`sampler`]): it is locked in before
//! it reads the first byte of a target, and more closely once it samples. It makes no file, starts no
//! program and has no network; it writes its results to a pipe. The process that started it ([`Sampler`])
//! writes files, talks to editors and stores, runs git and curl, and reads no process.
//!
//! `dialog` is the contents of their messages, [`frame`] the format.

pub mod frame;
pub mod sampler;

/// The questions about a VM, for [`Sampler::ask`]: each has one type of answer.
pub mod questions {
    pub use crate::dialog::{
        Binaries, Check, CircumstancesNow, Counters, Heap, HeapValues, InC, LookAtWaits, Memory,
        MemoryMap, Node, Nodes, ProcessList, Processes, Pstack, Question, Waits,
    };
}

mod asking;
mod binaries;
mod children;
mod circumstances;
mod counter_reading;
mod counters;
mod dialog;
mod distant_recording;
mod ending;
mod event_counts;
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
mod schedulers;
mod stride;
mod thread_time;
mod wait_watch;

pub use asking::{ReadProgress, Sampler};
pub use counter_reading::{CountedPart, CounterReading, OsCounters, PartOfVm};
pub use dialog::{Attached, Circumstances, NamelessObject};
pub use distant_recording::DistantRecording;
pub use erlang_names::{NoProcessName, ProcessName};
