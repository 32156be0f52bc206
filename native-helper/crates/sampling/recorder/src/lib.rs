//! Recording a capture of one attached VM.
//!
//! [`read`] holds the per-CPU threads that are woken by each sample, [`resolve`] turns the samples
//! that they queue into named stacks, [`recording`] runs both and hands out increments.

pub mod read;
pub mod recording;
pub mod resolve;

pub mod engine;
pub mod kernel_asks;

mod code_watch;
mod error;
mod events;
mod file_limit;
mod off_cpu;
mod processors;
mod schedulers;
mod source_set;
mod stays;
mod sys;
mod time_namespace;
mod tracing;

pub use engine::{Engine, EngineChoice, EngineInUse};
pub use error::RecordError;
pub use file_limit::raise as raise_file_limit;
pub use processors::processors_since;
pub use recording::{
    MECHANISMS, MaxOverhead, Mechanism, Price, RING_PAGES, Recording, RecordingSettings,
    SchedulerThreads, TargetState, USUAL_NODE_INTERVAL,
};
pub use schedulers::schedulers_online;
pub use source_set::SourceSet;
pub use tracing::{traced_functions, traced_processes};
