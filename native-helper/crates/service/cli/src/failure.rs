//! Errors at the edge: what happened, why, and what to do about it, on one line.

use std::process::ExitCode;

use attach::AttachError;
use capture::file::FileError;
use capture::reader::ReadError;
use compare::Refusal;
use diagnose::refusal::{Refusal as TargetRefusal, RefusalKind};
use protocol::explanation::Explanation;
use recorder::RecordError;
use work_counter::CountError;

use crate::terminal;

/// The meaning of a failure for the calling program; the numbers are part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Anything not named below.
    Other = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// There is no such process, or it is no Erlang VM.
    NoTarget = 3,
    /// Not permitted.
    NotPermitted = 4,
    /// The target exited; the captured samples are kept.
    TargetGone = 5,
    /// A condition that the user gave holds.
    ConditionHolds = 6,
    /// The captures prove neither that a condition holds nor that it does not.
    CannotTell = 7,
    /// `git bisect run`: this commit cannot be judged.
    SkipCommit = 125,
    /// `record -- COMMAND`: the command cannot be executed, as shells report it.
    NotStarted = 126,
    /// `record -- COMMAND`: there is no such command.
    NoCommand = 127,
    /// `git bisect run`: no commit can be judged so.
    EndBisection = 128,
}

/// The remedy where a capture lacks the requested content.
pub const RECORD_AGAIN: &str = "record again: extrospect record PID";

/// An error as the user sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Exit code.
    pub exit: Exit,
    /// What happened, why, and what to do.
    pub explanation: Box<Explanation>,
}

impl Failure {
    /// A failure in three parts; those that say nothing are empty.
    pub fn new(
        exit: Exit,
        what: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        let explanation = Explanation {
            what: what.into(),
            why: why.into(),
            fix: fix.into(),
            ..Explanation::default()
        };
        Self {
            exit,
            explanation: Box::new(explanation),
        }
    }

    /// Prints the failure as one line and gives its exit code.
    pub fn report(&self) -> ExitCode {
        terminal::warn(&self.to_string());
        ExitCode::from(self.exit as u8)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.explanation.fmt(f)
    }
}

impl From<TargetRefusal> for Failure {
    fn from(refusal: TargetRefusal) -> Self {
        let exit = match refusal.kind {
            RefusalKind::NoTarget => Exit::NoTarget,
            RefusalKind::NotPermitted => Exit::NotPermitted,
            RefusalKind::TargetGone => Exit::TargetGone,
            RefusalKind::Other => Exit::Other,
        };
        Self {
            exit,
            explanation: refusal.explanation,
        }
    }
}

impl From<AttachError> for Failure {
    fn from(error: AttachError) -> Self {
        TargetRefusal::from(&error).into()
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        TargetRefusal::from(&error).into()
    }
}

impl From<CountError> for Failure {
    fn from(error: CountError) -> Self {
        TargetRefusal::from(&error).into()
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        TargetRefusal::from(&error).into()
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        TargetRefusal::from(&error).into()
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let fix = match refusal {
            Refusal::NoWork { .. } => {
                "count work while recording (record --work-command or --work-metric), or compare shares: --measure share"
            }
            Refusal::WorkNotUsed { .. }
            | Refusal::OtherWork { .. }
            | Refusal::NoLength { .. }
            | Refusal::SharesAlone { .. } => "compare shares: --measure share",
            Refusal::OtherType { .. } => "choose a type that all captures have: --type cpu",
            Refusal::KernelTime { .. } => {
                "record both with the same rights (extrospect doctor shows them), or add --anyway: all work of the kernel then counts as a change"
            }
            Refusal::SeveralCommits { .. } => {
                "give captures of one commit for each side, or add --anyway"
            }
            Refusal::OtherProject { .. } | Refusal::NothingInCommon { .. } => {
                "give captures of the same program, or add --anyway"
            }
            Refusal::NoPairs { .. } => {
                "record base, head, head, base, ... (docs/ci/record-pairs.sh), or leave out --paired"
            }
            Refusal::WrongPairs { .. } => {
                "give both captures of each pair, as docs/ci/record-pairs.sh records them, leave out --paired, or add --anyway"
            }
            Refusal::OtherMachine { .. } => {
                "record all pairs on one machine, leave out --paired, or add --anyway"
            }
            Refusal::Memory { .. } | Refusal::Waiting { .. } => "give captures of processor time",
            Refusal::NoCapture { .. }
            | Refusal::NoSamples { .. }
            | Refusal::NoSamplesStopped { .. }
            | Refusal::NoSamplesTraced { .. }
            | Refusal::NoSamplesFrozen { .. } => RECORD_AGAIN,
        };
        Self::new(Exit::Other, refusal.to_string(), "", fix)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let (why, fix) = match error.kind() {
            std::io::ErrorKind::StorageFull => (
                "no space left on its disk".to_owned(),
                "free some room, or write it elsewhere",
            ),
            _ => (error.to_string(), ""),
        };
        let what = format!("cannot write the output: {why}");
        Self::new(Exit::Other, what, "", fix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line_that_ends_with_what_to_do() {
        let failure = Failure::from(AttachError::NoSuchProcess { pid: 7 });
        assert_eq!(
            failure.to_string(),
            "there is no process 7; `extrospect list` lists the VMs here"
        );
        let odd = Failure::new(Exit::Other, "a\nb", "", "c");
        assert_eq!(odd.to_string(), "a b; c");
        let full = Failure::from(std::io::Error::from(std::io::ErrorKind::StorageFull));
        assert_eq!(
            full.to_string(),
            "cannot write the output: no space left on its disk; free some room, or write it elsewhere"
        );
    }
}
