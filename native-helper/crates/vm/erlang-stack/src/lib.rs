//! Erlang stacks: finding the frames among the words ([`walk`]) and deciding how much is proven of
//! a stack that was not in its sample ([`proof`]). Pure: words in, frames out.

pub mod proof;
pub mod walk;

pub use proof::{
    CopiedEvidence, CopiedProof, DeepReadEvidence, DirtyReadEvidence, LateReadEvidence, StackProof,
    prove_copied, prove_deep_read, prove_dirty_read, prove_late_read,
};
pub use walk::{ErlangFrame, Strays, TraceReturns, WalkEnd, WalkRules, points_below, walk};
