//! A command of the user's that prints one number.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use target_proc::caller;
use unprivileged_child::{ChildUser, Group, RunError, RunLimits, run};

use crate::error::{CountError, Printed};
use crate::number::one_number;

/// Starting `rabbitmqctl` or `psql` takes a second or two.
const TIME: Duration = Duration::from_secs(10);
/// A number is shorter, but an error should show the printed text.
const MAX_BYTES: u64 = 64 << 10;

/// Runs a command as our caller, with all of our caller's environment and none of our rights.
pub(crate) fn read(
    command: &[String],
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<f64, CountError> {
    let [program, arguments @ ..] = command else {
        return Err(CountError::NotANumber {
            program: String::new(),
            printed: Printed::of(b""),
        });
    };
    if ChildUser::when_root().is_some() && caller::has_more_rights_than_caller() {
        return Err(CountError::NotOurs);
    }
    let mut run_it = Command::new(program);
    run_it.args(arguments);
    if let Some(user) = ChildUser::by_sudo() {
        user.put_on(&mut run_it);
        if let Some(home) = caller::home_of_user(user.uid) {
            run_it.env("HOME", home);
        }
    }
    let program = || name_of(program);
    let patience = RunLimits::of(TIME, MAX_BYTES);
    let output = run(&mut run_it, b"", Group::OfItsOwn, patience, cancelled);
    let output = output.map_err(|error| match error {
        RunError::Cancelled => CountError::Cancelled,
        error => CountError::NotRun {
            program: program(),
            error,
        },
    })?;
    if !output.status.success() {
        let messages = output.messages.into_bytes();
        let words = match messages.trim_ascii().is_empty() {
            true => output.output,
            false => messages,
        };
        return Err(CountError::Failed {
            program: program(),
            status: output.status,
            printed: Printed::of(&words),
        });
    }
    one_number(&output.output).ok_or_else(|| CountError::NotANumber {
        program: program(),
        printed: Printed::of(&output.output),
    })
}

/// The name of a program, without its folder.
pub(crate) fn name_of(program: &str) -> String {
    let name = Path::new(program).file_name();
    name.map_or_else(|| program.to_owned(), |name| name.to_string_lossy().into())
}
