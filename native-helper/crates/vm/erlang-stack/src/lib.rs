//! Erlang stacks: what each word is ([`words`]), the word on top while a traced call is reported ([`exchanged`]), finding
//! the frames among them ([`walk`]) and deciding how much is proven of a stack that was not in its sample ([`proof`]).
//! Pure: words in, frames out.

pub mod exchanged;
pub mod proof;
pub mod walk;
pub mod words;

pub use exchanged::exchanged_top_bytes;
pub use proof::{
    CopiedEvidence, CopiedProof, DeepReadEvidence, DirtyReadEvidence, LateReadEvidence, StackProof,
    prove_copied, prove_deep_read, prove_dirty_read, prove_late_read,
};
pub use walk::{ErlangFrame, WalkEnd, walk};
pub use words::{StackWord, StackWords, Strays, TraceReturns, VmWords, WalkRules, stack_words};
