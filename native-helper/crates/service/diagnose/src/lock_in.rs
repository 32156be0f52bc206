//! Locks the helper in, and decides whether it may go on when that fails.

use lockdown::{Lock, LockError, Phase, lock};
use protocol::message::texts;
use target_proc::caller;

use crate::refusal::{Refusal, RefusalKind};

/// Locks this process in, for good: it reads `target` and writes to these descriptors.
///
/// # Errors
/// It could not be, and has rights that its caller does not have.
pub fn lock_in(target: u32, written: Vec<i32>, phase: Phase) -> Result<(), Refusal> {
    lock(&Lock {
        target,
        written,
        phase,
    })
    .or_else(unless_needed)
}

/// With rights of its own, the helper does not go on without the lock. Otherwise the lock only protects the caller from
/// a mistake in the helper, and a kernel without it is no reason to refuse.
///
/// # Errors
/// The error, with rights of our own.
pub fn unless_needed(error: LockError) -> Result<(), Refusal> {
    match caller::has_more_rights_than_caller() {
        false => Ok(()),
        true => Err(Refusal::new(
            RefusalKind::Other,
            texts::NOT_LOCKED_IN.with(&[("detail", &error)]),
            texts::TO_RUN_AS_ROOT.text(),
        )),
    }
}
