//! Why there is no comparison.

use capture::work::NotCounted;
use serde::{Deserialize, Serialize};

/// Why there is no comparison.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// A side without captures.
    #[error("there is no capture of {side}")]
    NoCapture {
        /// Name of the side.
        side: String,
    },
    /// A side without samples that are not idle.
    #[error("{side} has no busy samples: there is nothing to compare")]
    NoSamples {
        /// Name of the side.
        side: String,
    },
    /// Work was asked for, and a capture has none.
    #[error("{capture} does not say how much work was done")]
    NoWork {
        /// Name of the capture.
        capture: String,
    },
    /// Work was asked for, and what a capture counted cannot be used.
    #[error("{capture}: {why}")]
    WorkNotUsed {
        /// Name of the capture.
        capture: String,
        /// Why.
        why: NotCounted,
    },
    /// What counts as work differs.
    #[error("some captures count {one}, others {other}")]
    OtherWork {
        /// What one counts.
        one: String,
        /// What another counts.
        other: String,
    },
    /// Time was asked for, and a capture has no length.
    #[error("{capture} does not say how long it is, so there is no time per second")]
    NoLength {
        /// Name of the capture.
        capture: String,
    },
    /// Some captures have time in the kernel, others do not.
    #[error(
        "{with} has time in the kernel and {without} does not, so no share of the one compares with a share of the other"
    )]
    KernelTime {
        /// Name of a capture that has it.
        with: String,
        /// Name of one that does not.
        without: String,
    },
    /// Captures of different programs.
    #[error(
        "{base} and {new} have no Erlang function in common: they are captures of different programs"
    )]
    NothingInCommon {
        /// Name of the older side.
        base: String,
        /// Name of the newer side.
        new: String,
    },
}

/// The same for those who have words of their own for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Refused {
    /// What kind of refusal.
    pub kind: RefusalKind,
    /// What it is about, in the order that the words need.
    pub values: Vec<String>,
    /// In English.
    pub text: String,
}

/// Kinds of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// A side without captures: the side.
    NoCapture,
    /// A side without samples that are not idle: the side.
    NoSamples,
    /// A capture that counted no work: the capture.
    NoWork,
    /// A capture that was cut before work was counted again: the capture, the work.
    WorkCut,
    /// Work that could not be counted at the end: the capture, the work, why.
    WorkNotRead,
    /// A counter that went backwards: the capture, the work.
    WorkBackwards,
    /// A counter that stood still: the capture, the work.
    WorkStoodStill,
    /// Captures that count different work: the one, the other.
    OtherWork,
    /// A capture without a length: the capture.
    NoLength,
    /// Time in the kernel in some captures and not in others: one with it, one without.
    KernelTime,
    /// Captures of different programs: both sides.
    NothingInCommon,
}

impl Refusal {
    /// Kind, values and English.
    pub fn refused(&self) -> Refused {
        let (kind, values) = self.parts();
        Refused {
            kind,
            values: values.into_iter().map(str::to_owned).collect(),
            text: self.to_string(),
        }
    }

    fn parts(&self) -> (RefusalKind, Vec<&str>) {
        match self {
            Self::NoCapture { side } => (RefusalKind::NoCapture, vec![side]),
            Self::NoSamples { side } => (RefusalKind::NoSamples, vec![side]),
            Self::NoWork { capture } => (RefusalKind::NoWork, vec![capture]),
            Self::WorkNotUsed { capture, why } => match why {
                NotCounted::NoEnd { name } => (RefusalKind::WorkCut, vec![capture, name]),
                NotCounted::NotRead { name, why } => {
                    (RefusalKind::WorkNotRead, vec![capture, name, why])
                }
                NotCounted::Backwards { name, .. } => {
                    (RefusalKind::WorkBackwards, vec![capture, name])
                }
                NotCounted::Nothing { name, .. } => {
                    (RefusalKind::WorkStoodStill, vec![capture, name])
                }
            },
            Self::OtherWork { one, other } => (RefusalKind::OtherWork, vec![one, other]),
            Self::NoLength { capture } => (RefusalKind::NoLength, vec![capture]),
            Self::KernelTime { with, without } => (RefusalKind::KernelTime, vec![with, without]),
            Self::NothingInCommon { base, new } => (RefusalKind::NothingInCommon, vec![base, new]),
        }
    }
}
