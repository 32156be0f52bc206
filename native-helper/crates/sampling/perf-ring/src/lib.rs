//! Sampling with `perf_event_open`: opening events ([`event`]), the memory ring the kernel writes
//! to ([`ring`]), and its records ([`record`]); and events that only count ([`counting`]).
//!
//! Events are opened per thread and CPU and share one ring per CPU, so that a reader pinned to a
//! CPU is woken where the sample was taken. Each record names its event. Nothing here touches the sampled process: the kernel
//! takes the sample in its own timer interrupt.

pub mod attr;
pub mod counting;
pub mod event;
pub mod record;
pub mod ring;

mod sys;

pub use attr::{EventSettings, KernelFrames, REGISTER_COUNT, Rate, Scope, Source, WakeUp};
pub use event::{Event, EventId, OpenError};
pub use record::{Record, SampleRecord, SwitchRecord, Way, parse_record};
pub use ring::{Ring, RingError};
