//! Why a process is not looked at.

use target_proc::ProcError;
use thiserror::Error;

use crate::policy_file::PolicyFileError;

/// The reason why a process may not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AccessError {
    /// The error of `/proc`.
    #[error(transparent)]
    Proc(#[from] ProcError),
    /// It is another user's, and root has not allowed it.
    #[error("process {pid} belongs to {owner}, not to {caller}")]
    NotYours {
        /// Process id.
        pid: u32,
        /// Whose it is.
        owner: String,
        /// The caller.
        caller: String,
    },
    /// It acts for more than one user, or the kernel keeps its own user from reading it.
    #[error("process {pid} has rights that {owner} does not have")]
    Protected {
        /// Process id.
        pid: u32,
        /// Whose it is.
        owner: String,
    },
    /// Root's policy does not count.
    #[error("process {pid} belongs to {owner}, and the policy does not count: {source}")]
    Policy {
        /// Process id.
        pid: u32,
        /// Whose it is.
        owner: String,
        /// Why.
        source: PolicyFileError,
    },
    /// It is no longer the process that was permitted.
    #[error("process {pid} {how}")]
    Changed {
        /// Process id.
        pid: u32,
        /// What became of it.
        how: ChangedHow,
    },
    /// It is no Erlang VM.
    #[error("process {pid} is not an Erlang VM")]
    NotABeam {
        /// Process id.
        pid: u32,
    },
    /// A system call that is needed to be sure which process it is.
    #[error("{what}: {source}")]
    System {
        /// The attempted action.
        what: &'static str,
        /// Reason.
        source: std::io::Error,
    },
}

/// What became of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ChangedHow {
    /// It has ended.
    #[error("has ended")]
    Ended,
    /// It runs another program.
    #[error("has become another program")]
    OtherProgram,
    /// It acts for another user.
    #[error("has become another user's")]
    OtherUser,
}
