//! Copying the data that a sample lacks, at the sample itself: a small eBPF program on the sampling
//! event, one for each source of samples.
//!
//! [`program`] emits a program from the offsets of one VM ([`assembler`] makes instructions of
//! it), [`engine`] hands it to the kernel, [`ring`] is the memory it writes to and [`record`] the
//! format of the records there. The program runs in the interrupt that takes the sample, on the CPU
//! and for the thread that is sampled: the thread has not run on by one instruction when it reads.

pub mod assembler;
pub mod engine;
pub mod namespace;
pub mod program;
pub mod record;
pub mod ring;

mod sys;

pub use engine::{BpfEngine, BpfError, ThreadFacts};
pub use program::{CStacks, StackPointer, TargetOffsets, Trigger};
pub use record::{CStackPart, SampleCopy, parse_record};
pub use ring::BpfRing;
