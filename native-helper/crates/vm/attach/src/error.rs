//! Why a process cannot be attached to.

use std::time::Duration;

use permitted_target::{AccessError, ChangedHow};
use target_memory::{BudgetSpent, ReadErrorKind};
use target_proc::ProcError;
use thiserror::Error;
use vm_layout::TableError;

/// Why a process cannot be attached to.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AttachError {
    /// There is no such process.
    #[error("there is no process {pid}")]
    NoSuchProcess {
        /// The requested pid.
        pid: u32,
    },
    /// The process runs something else.
    #[error("process {pid} is not an Erlang VM")]
    NotABeam {
        /// The requested pid.
        pid: u32,
    },
    /// Another user's process, or one that may not be read for another reason.
    #[error("process {pid} may not be read: {detail}")]
    NotPermitted {
        /// The requested pid.
        pid: u32,
        /// The refused operation.
        detail: String,
    },
    /// The caller may not read it with the rights of this program.
    #[error(transparent)]
    NotYours(AccessError),
    /// It ended, or runs another program.
    #[error("process {pid} is no longer the VM that it was")]
    TargetGone {
        /// The requested pid.
        pid: u32,
    },
    /// It is just starting, and was not up after a while of trying.
    #[error(
        "process {pid} has been running for {:.1} s and may still be starting: {reason}",
        age.as_secs_f64()
    )]
    StillStarting {
        /// The requested pid.
        pid: u32,
        /// How long its program has been running.
        age: Duration,
        /// The failure of the last try.
        reason: Box<AttachError>,
    },
    /// The VM does not have the layout that this version of the profiler knows.
    #[error("this VM cannot be read: {0}")]
    Unsupported(TableError),
    /// Its files and tables are larger than is kept of one process: an honest VM has none that
    /// large.
    #[error("process {pid} is too large to read: {spent}")]
    BudgetSpent {
        /// The requested pid.
        pid: u32,
        /// The budget that was spent.
        spent: BudgetSpent,
    },
    /// A file that it has mapped does not answer, and nothing that was opened after it was read.
    #[error("process {pid} could not be read within {} s", within.as_secs())]
    NoAnswer {
        /// The requested pid.
        pid: u32,
        /// How long its files were waited for.
        within: Duration,
    },
    /// The emulator's binary cannot be read.
    #[error("the emulator's binary cannot be read: {0}")]
    Binary(String),
    /// Anything else.
    #[error(transparent)]
    Proc(ProcError),
}

impl From<AccessError> for AttachError {
    fn from(error: AccessError) -> Self {
        match error {
            AccessError::Proc(ProcError::NoSuchProcess { pid }) => Self::NoSuchProcess { pid },
            AccessError::Proc(ProcError::PermissionDenied { pid, file }) => Self::NotPermitted {
                pid,
                detail: format!("/proc/{pid}/{file}"),
            },
            AccessError::Proc(other) => Self::Proc(other),
            AccessError::NotABeam { pid } => Self::NotABeam { pid },
            AccessError::Changed {
                pid,
                how: ChangedHow::Ended | ChangedHow::OtherProgram,
            } => Self::TargetGone { pid },
            other => Self::NotYours(other),
        }
    }
}

impl AttachError {
    pub(crate) fn from_proc(pid: u32, error: ProcError) -> Self {
        match error {
            ProcError::NoSuchProcess { .. } => Self::NoSuchProcess { pid },
            ProcError::PermissionDenied { file, .. } => Self::NotPermitted {
                pid,
                detail: format!("/proc/{pid}/{file}"),
            },
            other => Self::Proc(other),
        }
    }

    pub(crate) fn from_table(pid: u32, error: TableError) -> Self {
        match &error {
            TableError::Read(read) if read.target_gone() => Self::TargetGone { pid },
            TableError::Read(read) if read.kind == target_memory::ReadErrorKind::Denied => {
                Self::NotPermitted {
                    pid,
                    detail: "its memory (process_vm_readv)".to_owned(),
                }
            }
            TableError::Read(read) => match read.kind {
                ReadErrorKind::BudgetSpent(spent) => Self::BudgetSpent { pid, spent },
                _ => Self::Unsupported(error),
            },
            _ => Self::Unsupported(error),
        }
    }
}
