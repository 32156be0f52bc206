//! Attaching for a command.

use attach::AttachedVm;
use diagnose::look::{Looker, attach_if_it_answers};

use crate::failure::Failure;

/// Attaches to `pid`. A process that does not let itself be read keeps no command for ever: one of
/// its own tries first.
pub fn attach(pid: u32) -> Result<AttachedVm, Failure> {
    Ok(attach_if_it_answers(pid, &Looker::own_program())?)
}
