//! The commands, one file each.

mod blame;
mod doctor;
mod dump;
mod export;
mod list;
mod pstack;
pub mod record;
mod serve;
mod top;

use std::io::Write;

use crate::arguments::Command;
use crate::failure::Failure;

/// Runs one command.
pub fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::List(arguments) => list::run(&arguments),
        Command::Look(arguments) => list::look(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Record(arguments) => record::run(&arguments),
        Command::Top(arguments) => top::run(&arguments),
        Command::Blame(arguments) => blame::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Pstack(arguments) => pstack::run(&arguments),
        Command::Dump(arguments) => dump::run(&arguments),
        Command::Serve(_) => serve::run(),
    }
}

/// Prints `value` as JSON on one line.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::from(std::io::Error::other(error)))?;
    print_line(&text)
}

/// Prints a line. Whoever read our output may be gone by the end of a capture: that is an error to
/// report, not a reason to panic.
pub fn print_line(line: &str) -> Result<(), Failure> {
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}
