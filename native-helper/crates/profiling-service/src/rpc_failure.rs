//! Failures of the command line as failures of a request.

use rpc_server::{Failure as RpcFailure, FailureKind};

use crate::failure::{Exit, Failure};

/// The same failure, for an editor.
pub fn rpc_failure(failure: Failure) -> RpcFailure {
    let kind = match failure.exit {
        Exit::Other => FailureKind::Other,
        Exit::Usage => FailureKind::InvalidParams,
        Exit::NoTarget => FailureKind::NoSuchTarget,
        Exit::NotPermitted => FailureKind::NotPermitted,
        Exit::TargetGone => FailureKind::TargetGone,
    };
    RpcFailure::new(kind, failure.what, failure.why, failure.fix)
}

/// The process that was attached to is not there any more.
pub fn gone(pid: u32) -> RpcFailure {
    let what = format!("process {pid} has ended");
    RpcFailure::new(
        FailureKind::TargetGone,
        what,
        "",
        "attach to a process that runs",
    )
}

/// An id that names nothing.
pub fn unknown(what: &str, id: u32) -> RpcFailure {
    RpcFailure::new(
        FailureKind::InvalidParams,
        format!("there is no {what} {id}"),
        "it was never made, or has ended",
        "use an id from the helper's own answers",
    )
}
