//! Why a capture cannot be recorded.

use perf_ring::{OpenError, RingError};
use thiserror::Error;
use vm_layout::TableError;

/// Why a capture cannot be recorded, or cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The kernel does not allow sampling.
    #[error("sampling is not allowed: {0}")]
    Event(#[from] OpenError),
    /// The target ended before anything of it was sampled.
    #[error("process {pid} has ended")]
    TargetGone {
        /// Of the target.
        pid: u32,
    },
    /// The kernel does not give us a ring.
    #[error("sampling is not possible: {0}")]
    Ring(#[from] RingError),
    /// The target's threads cannot be listed.
    #[error(transparent)]
    Proc(#[from] target_proc::ProcError),
    /// It is none that the caller may look at, or no longer the one that was looked at.
    #[error(transparent)]
    Target(#[from] permitted_target::AccessError),
    /// The target's code cannot be read any more.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// The kernel-side engine was requested and cannot be used.
    #[error("the bpf engine cannot be used: {0}")]
    Engine(#[from] bpf_engine::BpfError),
    /// The same where other types than processor time were requested: no other engine records these.
    #[error("{of} cannot be recorded: the bpf engine cannot be used: {source}")]
    OnlyEngine {
        /// The id of the first of them.
        of: &'static str,
        /// Why it cannot be used.
        source: bpf_engine::BpfError,
    },
    /// Types of samples were requested without processor time, and none of them can be recorded.
    #[error("{of} cannot be recorded: {why}")]
    NotRecordable {
        /// The id of the first of them.
        of: &'static str,
        /// One clause for people.
        why: String,
        /// More privilege would help.
        is_permission: bool,
    },
    /// A system call failed.
    #[error("{what}: {source}")]
    System {
        /// The action that failed.
        what: &'static str,
        /// Reason.
        source: std::io::Error,
    },
}

impl RecordError {
    /// Where the kernel finds no thread to sample, the target `pid` has ended: the reason is no missing right.
    pub(crate) fn of_target(self, pid: u32) -> Self {
        match self {
            Self::Event(OpenError::ThreadGone) => Self::TargetGone { pid },
            other => other,
        }
    }

    /// True when more privilege would help.
    pub fn is_permission(&self) -> bool {
        match self {
            Self::Event(OpenError::Denied) | Self::Target(_) => true,
            Self::NotRecordable { is_permission, .. } => *is_permission,
            Self::Engine(error) | Self::OnlyEngine { source: error, .. } => error.is_permission(),
            Self::Ring(RingError::Open(error) | RingError::Map { source: error, .. }) => {
                error.kind() == std::io::ErrorKind::PermissionDenied
            }
            _ => false,
        }
    }
}
