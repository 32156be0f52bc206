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
    /// A side without such samples, whose VM a signal had stopped.
    #[error(
        "{side} has no busy samples, and a signal had stopped its VM for at least {seconds} s: there is nothing to compare"
    )]
    NoSamplesStopped {
        /// Name of the side.
        side: String,
        /// For how long.
        seconds: String,
    },
    /// The same, held by a debugger.
    #[error(
        "{side} has no busy samples, and a debugger held its VM for at least {seconds} s: there is nothing to compare"
    )]
    NoSamplesTraced {
        /// Name of the side.
        side: String,
        /// For how long.
        seconds: String,
    },
    /// The same, in a frozen control group.
    #[error(
        "{side} has no busy samples, and the control group of its VM was frozen for at least {seconds} s: there is nothing to compare"
    )]
    NoSamplesFrozen {
        /// Name of the side.
        side: String,
        /// For how long.
        seconds: String,
    },
    /// Work was requested, and a capture has none.
    #[error("{capture} does not contain the amount of work")]
    NoWork {
        /// Name of the capture.
        capture: String,
    },
    /// Work was requested, and the count of a capture cannot be used.
    #[error("{capture}: {why}")]
    WorkNotUsed {
        /// Name of the capture.
        capture: String,
        /// Why.
        why: NotCounted,
    },
    /// The captures count different work.
    #[error("some captures count {one}, others {other}")]
    OtherWork {
        /// The work that one counts.
        one: String,
        /// The work that another counts.
        other: String,
    },
    /// Time was requested, and a capture has no length.
    #[error("{capture} does not contain its length, so there is no time per second")]
    NoLength {
        /// Name of the capture.
        capture: String,
    },
    /// A capture has memory, not time.
    #[error("{capture} is a profile of memory: it contains no time to compare")]
    Memory {
        /// Name of the capture.
        capture: String,
    },
    /// A capture has how long processes waited, not their processor time.
    #[error("{capture} contains how long processes waited, but no processor time to compare")]
    Waiting {
        /// Name of the capture.
        capture: String,
    },
    /// The captures show samples of two types.
    #[error(
        "{one} has samples of {of_one} and {other} of {of_other}, so no figure of the one compares with a figure of the other"
    )]
    OtherType {
        /// Name of a capture.
        one: String,
        /// The name of its type.
        of_one: String,
        /// Name of a capture with another type.
        other: String,
        /// The name of that type.
        of_other: String,
    },
    /// Processor time was requested, and a capture shows samples of another type.
    #[error("{capture} has samples of {of_type}, of which only shares are compared")]
    SharesAlone {
        /// Name of the capture.
        capture: String,
        /// The name of the type.
        of_type: String,
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
    /// A side whose captures are of several commits.
    #[error(
        "captures of {side} are of several commits ({commits}), but a side must be one version"
    )]
    SeveralCommits {
        /// Name of the side.
        side: String,
        /// The commits.
        commits: String,
    },
    /// Captures of two projects.
    #[error("{base} and {new} are two projects")]
    OtherProject {
        /// The repository of the older side, else its name.
        base: String,
        /// The same of the newer side.
        new: String,
    },
    /// Pairs were requested, and the sides do not have the same number of captures, or one alone.
    #[error(
        "a paired comparison needs the same number of captures on both sides, at least two: {base} before, {new} after"
    )]
    NoPairs {
        /// Captures of the older side.
        base: usize,
        /// Captures of the newer side.
        new: usize,
    },
    /// Pairs were requested, and two captures that stand where the captures of a pair should are of one side.
    #[error(
        "{one} and {other} were taken one after the other, and both are of one side: these captures are no pairs of one of each"
    )]
    WrongPairs {
        /// Name of a capture.
        one: String,
        /// Name of the next one.
        other: String,
    },
    /// Pairs were requested, and the captures are of several machines.
    #[error(
        "{one} was taken on {on_one} and {other} on {on_other}: the captures of pairs are of one machine"
    )]
    OtherMachine {
        /// Name of a capture.
        one: String,
        /// Its host or processor.
        on_one: String,
        /// Name of a capture of another machine.
        other: String,
        /// The same of that.
        on_other: String,
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

/// The same for callers that have words of their own for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Refused {
    /// The kind of refusal.
    pub kind: RefusalKind,
    /// Its arguments, in the order that the words need.
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
    /// The same, of a VM that a signal had stopped: the side, seconds.
    NoSamplesStopped,
    /// The same, of a VM that a debugger held: the same.
    NoSamplesTraced,
    /// The same, of a VM whose control group was frozen: the same.
    NoSamplesFrozen,
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
    /// A profile of memory: the capture.
    Memory,
    /// How long processes waited: the capture.
    Waiting,
    /// Samples of two types: a capture, its type, another one, its type.
    OtherType,
    /// Processor time of samples of another type: the capture, the type.
    SharesAlone,
    /// Time in the kernel in some captures and not in others: one with it, one without.
    KernelTime,
    /// A side of several commits: the side, the commits.
    SeveralCommits,
    /// Captures of two projects: both.
    OtherProject,
    /// Captures that are no pairs: how many there are of each side.
    NoPairs,
    /// Captures that stand where those of a pair should, of one side: both.
    WrongPairs,
    /// Pairs of several machines: a capture, its machine, another one, its machine.
    OtherMachine,
    /// Captures of different programs: both sides.
    NothingInCommon,
}

impl Refusal {
    /// Kind, values and English.
    pub fn refused(&self) -> Refused {
        let (kind, values) = self.parts();
        Refused {
            kind,
            values,
            text: self.to_string(),
        }
    }

    fn parts(&self) -> (RefusalKind, Vec<String>) {
        let two = |kind, one: &String, other: &String| (kind, vec![one.clone(), other.clone()]);
        match self {
            Self::NoCapture { side } => (RefusalKind::NoCapture, vec![side.clone()]),
            Self::NoSamples { side } => (RefusalKind::NoSamples, vec![side.clone()]),
            Self::NoSamplesStopped { side, seconds } => {
                two(RefusalKind::NoSamplesStopped, side, seconds)
            }
            Self::NoSamplesTraced { side, seconds } => {
                two(RefusalKind::NoSamplesTraced, side, seconds)
            }
            Self::NoSamplesFrozen { side, seconds } => {
                two(RefusalKind::NoSamplesFrozen, side, seconds)
            }
            Self::NoWork { capture } => (RefusalKind::NoWork, vec![capture.clone()]),
            Self::WorkNotUsed { capture, why } => not_counted(capture, why),
            Self::OtherWork { one, other } => two(RefusalKind::OtherWork, one, other),
            Self::NoLength { capture } => (RefusalKind::NoLength, vec![capture.clone()]),
            Self::Memory { capture } => (RefusalKind::Memory, vec![capture.clone()]),
            Self::Waiting { capture } => (RefusalKind::Waiting, vec![capture.clone()]),
            Self::OtherType {
                one,
                of_one,
                other,
                of_other,
            } => (
                RefusalKind::OtherType,
                [one, of_one, other, of_other].map(Clone::clone).to_vec(),
            ),
            Self::SharesAlone { capture, of_type } => {
                two(RefusalKind::SharesAlone, capture, of_type)
            }
            Self::KernelTime { with, without } => two(RefusalKind::KernelTime, with, without),
            Self::SeveralCommits { side, commits } => {
                two(RefusalKind::SeveralCommits, side, commits)
            }
            Self::OtherProject { base, new } => two(RefusalKind::OtherProject, base, new),
            Self::NoPairs { base, new } => (
                RefusalKind::NoPairs,
                vec![base.to_string(), new.to_string()],
            ),
            Self::WrongPairs { one, other } => two(RefusalKind::WrongPairs, one, other),
            Self::OtherMachine {
                one,
                on_one,
                other,
                on_other,
            } => (
                RefusalKind::OtherMachine,
                [one, on_one, other, on_other].map(Clone::clone).to_vec(),
            ),
            Self::NothingInCommon { base, new } => two(RefusalKind::NothingInCommon, base, new),
        }
    }
}

fn not_counted(capture: &str, why: &NotCounted) -> (RefusalKind, Vec<String>) {
    let (kind, values) = match why {
        NotCounted::NoEnd { name } => (RefusalKind::WorkCut, vec![capture, name]),
        NotCounted::NotRead { name, why } => (RefusalKind::WorkNotRead, vec![capture, name, why]),
        NotCounted::Backwards { name, .. } => (RefusalKind::WorkBackwards, vec![capture, name]),
        NotCounted::Nothing { name, .. } => (RefusalKind::WorkStoodStill, vec![capture, name]),
    };
    (kind, values.into_iter().map(str::to_owned).collect())
}
