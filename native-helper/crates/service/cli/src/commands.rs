//! The commands, one file each.

mod assign;
mod binaries;
mod blame;
mod commit;
mod detached;
mod diff;
mod doctor;
mod dump;
mod editor_compare;
mod events;
mod export;
mod growth;
mod heap;
mod import;
mod install;
mod list;
mod memory;
mod node;
mod nodes;
mod open_profile;
mod own;
mod ps;
mod pstack;
mod push;
pub mod record;
mod sampler;
mod serve;
mod source;
mod stat;
mod top;
mod waits;

use std::io::Write;

use capture::visible::visible_json;

use crate::arguments::Command;
use crate::failure::Failure;

/// Runs one command.
pub fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::List(arguments) => list::run(&arguments),
        Command::Look(arguments) => list::look(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Events(arguments) => events::run(&arguments),
        Command::Record(arguments) => record::run(&arguments),
        Command::Detached(arguments) => detached::run(&arguments),
        Command::Push(arguments) => push::run(&arguments),
        Command::Top(arguments) => top::run(&arguments),
        Command::Blame(arguments) => blame::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Import(arguments) => import::run(&arguments),
        Command::Commit(arguments) => assign::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Pstack(arguments) => pstack::run(&arguments),
        Command::Node(arguments) => node::run(&arguments),
        Command::Stat(arguments) => stat::run(&arguments),
        Command::Ps(arguments) => ps::run(&arguments),
        Command::Growth(arguments) => growth::run(&arguments),
        Command::Waits(arguments) => waits::run(&arguments),
        Command::Heap(arguments) => heap::run(&arguments),
        Command::Nodes(arguments) => nodes::run(&arguments),
        Command::Binaries(arguments) => binaries::run(&arguments),
        Command::Memory(arguments) => memory::run(&arguments),
        Command::Dump(arguments) => dump::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Sampler => sampler::run(),
        Command::EditorCompare => editor_compare::run(),
        Command::Install(arguments) => install::run(&arguments),
        Command::Uninstall(arguments) => install::run_uninstall(&arguments),
    }
}

/// Prints `value` as JSON on one line.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::from(std::io::Error::other(error)))?;
    // The same document, and one that a terminal may show.
    writeln!(std::io::stdout(), "{}", visible_json(&text))?;
    Ok(())
}
