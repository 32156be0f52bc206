//! Which of the Erlang frames that were walked may be shown, whoever read them.

use erlang_stack::{CapturedProof, StackProof};

/// The frames that are proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProvenFrames {
    /// All of them.
    Whole,
    /// Those that were found; the stack is longer than what was copied of it.
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

impl From<CapturedProof> for ProvenFrames {
    fn from(proof: CapturedProof) -> Self {
        match proof {
            CapturedProof::Whole => Self::Whole,
            CapturedProof::Upper => Self::Upper,
            CapturedProof::Unproven => Self::Nothing,
        }
    }
}
