//! Which of the Erlang frames that were walked may be shown, whichever way they were read.

use erlang_stack::{CopiedProof, StackProof};

/// The frames that are proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProvenFrames {
    /// All of them.
    Whole,
    /// Those that were found; the stack is longer than the copied part.
    Upper,
    /// This many, counted from the bottom.
    Deep(usize),
    /// None.
    Nothing,
}

impl From<StackProof> for ProvenFrames {
    fn from(proof: StackProof) -> Self {
        match proof {
            StackProof::Validated => Self::Whole,
            StackProof::Bracketed(from_bottom) => Self::Deep(from_bottom),
            StackProof::Unproven => Self::Nothing,
        }
    }
}

impl From<CopiedProof> for ProvenFrames {
    fn from(proof: CopiedProof) -> Self {
        match proof {
            CopiedProof::Whole => Self::Whole,
            CopiedProof::Upper => Self::Upper,
            CopiedProof::Unproven => Self::Nothing,
        }
    }
}
