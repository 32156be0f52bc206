//! `extrospect`: profiles a running BEAM from outside.

// Text goes through `terminal`, where what a target says is made harmless.
#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

mod arguments;
mod attaching;
mod commands;
mod failure;
mod limits;
mod panic_line;
mod progress;
mod stop_flag;
mod table;
mod terminal;

fn main() -> ExitCode {
    panic_line::install();
    // Before anything of the caller's is looked at, and before there is a second thread.
    if let Err(error) = permitted_target::begin() {
        terminal::warn(&error.to_string());
        return ExitCode::FAILURE;
    }
    #[cfg(feature = "test-forget")]
    attach::forget_for_tests(&std::env::var("EXTROSPECT_TEST_FORGET").unwrap_or_default());
    if let Err(failure) = limits::expect_enough() {
        return failure.report();
    }
    let arguments = match arguments::Arguments::read() {
        Ok(arguments) => arguments,
        Err(error) => return not_understood(&error),
    };
    if let Err(error) = stop_flag::end_with_reader_of_output(&arguments.command) {
        return failure::Failure::from(error).report();
    }
    if !arguments.command.looks_into_processes()
        && let Err(error) = permitted_target::renounce()
    {
        terminal::warn(&error.to_string());
        return ExitCode::FAILURE;
    }
    match commands::run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Prints what is wrong with the command line, or the help that it asks for.
fn not_understood(error: &clap::Error) -> ExitCode {
    let bisects = std::env::args_os().any(|argument| argument == "--bisect");
    // `git bisect run` takes 2 for a bad commit, and a mistyped line is none.
    if bisects && error.use_stderr() {
        let _ = error.print();
        return ExitCode::from(failure::Exit::EndBisection as u8);
    }
    error.exit()
}
