//! Refusals as failures of a request.

use diagnose::refusal::{Refusal, RefusalKind, what_became_of};
use protocol::message::texts;
use rpc_server::{Failure as RpcFailure, FailureKind};

/// The same refusal, for an editor.
pub fn rpc_failure(refusal: Refusal) -> RpcFailure {
    let kind = match refusal.kind {
        RefusalKind::Other => FailureKind::Other,
        RefusalKind::NoTarget => FailureKind::NoSuchTarget,
        RefusalKind::NotPermitted => FailureKind::NotPermitted,
        RefusalKind::TargetGone => FailureKind::TargetGone,
    };
    RpcFailure {
        kind,
        explanation: Box::new(refusal.explanation.without_command_line()),
    }
}

/// The process that was attached to has ended.
pub fn gone(pid: u32) -> RpcFailure {
    let what = what_became_of(pid);
    let fix = texts::TO_ATTACH_RUNNING.text();
    rpc_failure(Refusal::new(RefusalKind::TargetGone, what, fix))
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
