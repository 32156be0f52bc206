//! Test data: memory once read of a live VM, so that it can be attached to, sampled and faulted
//! again without one.
//!
//! A [`Snapshot`] holds the memory that attaching and resolving read, and of each mapped object
//! only the unwind rules and symbols that matter. A [`Situation`] holds raw samples of one kind
//! and, as a golden master, the stacks that were shown of them when they were recorded. Both are made from test VMs by
//! `cargo run -p recorder --example record-corpus`, driven by `scripts/record-corpus.mjs`.

mod codec;
mod recording_memory;
mod situation;
mod snapshot;
mod trimmed_object;

pub use codec::CorpusError;
pub use recording_memory::{PatchedMemory, RecordingMemory};
pub use situation::{ShownStack, Situation, SituationSample};
pub use snapshot::{ObjectRecord, Snapshot};
pub use trimmed_object::{NeededAddresses, Variables, trim};
