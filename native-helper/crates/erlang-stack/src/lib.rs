//! Erlang stacks: finding the frames among the words ([`walk`]) and telling what is proven about
//! a stack that was read after its sample ([`proof`]). Pure: words in, frames out.

pub mod proof;
pub mod walk;

pub use proof::{CapturedEvidence, CapturedProof, Evidence, StackProof, prove, prove_captured};
pub use walk::{ErlangFrame, Strays, WalkEnd, WalkRules, walk};
