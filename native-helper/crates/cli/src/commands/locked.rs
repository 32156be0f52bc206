//! Sampling behind the lock: once everything is open, nothing is left that could be turned against
//! anybody.

use attach::AttachedVm;
use diagnose::refusal::{Refusal, RefusalKind};
use lockdown::{Lock, LockError, Still, drop_rights, lock};
use protocol::message::texts;
use recorder::{Recording, RecordingSettings};
use target_proc::caller;

/// What is done beside sampling, then or afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Output is written to where it is open already.
    Prints,
    /// The file of the capture is completed: another is made beside it and takes its place.
    CompletesFile,
    /// Programs are started: git, which hashes sources, and what counts work. No lock could hold for us
    /// and not for them, so only rights are given up.
    RunsPrograms,
}

impl Then {
    /// What `record` does at the end.
    pub fn of_record(runs_programs: bool) -> Self {
        match runs_programs {
            true => Self::RunsPrograms,
            false => Self::CompletesFile,
        }
    }
}

/// Starts to sample, and locks this process in. Output goes to stdout, stderr and `written` alone.
pub fn start(
    vm: AttachedVm,
    settings: RecordingSettings,
    then: Then,
    written: &[i32],
) -> Result<Recording, Refusal> {
    let target = vm.process.pid;
    let reads_others = vm
        .target
        .as_ref()
        .is_none_or(permitted_target::PermittedTarget::takes_our_right_to_read);
    // Programs are started by root as somebody else, which takes root's rights.
    let gives_up = then != Then::RunsPrograms || caller::has_more_rights_than_caller();
    let still = Still {
        reads_others,
        writes_anywhere: then == Then::CompletesFile,
        raises_limits: true,
    };
    // Before the threads that sample are there, which inherit what is left.
    if gives_up {
        drop_rights(still).or_else(refused)?;
    }
    let recording = Recording::start(vm, settings).map_err(|error| Refusal::from(&error))?;
    if gives_up {
        let still = Still {
            raises_limits: false,
            ..still
        };
        drop_rights(still).or_else(refused)?;
    }
    if then != Then::RunsPrograms {
        let mut written = [written, &[1, 2]].concat();
        written.extend(recording.descriptors_written());
        lock(&Lock {
            target,
            written,
            completes_file: then == Then::CompletesFile,
        })
        .or_else(refused)?;
    }
    Ok(recording)
}

/// With rights of our own nothing goes on without the lock. Else it only keeps the caller from being
/// harmed by a mistake of ours, and a kernel without it is no reason to refuse.
fn refused(error: LockError) -> Result<(), Refusal> {
    match caller::has_more_rights_than_caller() {
        false => Ok(()),
        true => Err(Refusal::new(
            RefusalKind::Other,
            texts::NOT_LOCKED_IN.with(&[("detail", &error)]),
            texts::TO_RUN_AS_ROOT.text(),
        )),
    }
}
