//! `extrospect`: profiles a running BEAM from outside.

// Text goes through `terminal`, which makes text of a target harmless.
#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

mod arguments;
mod attaching;
mod bisection;
mod circumstances;
mod commands;
mod failure;
mod limits;
mod panic_line;
mod progress;
mod schedulers_line;
mod stop_flag;
mod table;
mod terminal;

fn main() -> ExitCode {
    panic_line::install();
    // Before anything of the caller's is looked at, and before there is a second thread.
    if let Err(error) = permitted_target::begin() {
        terminal::warn(&error.to_string());
        return bisection::instead_of(ExitCode::FAILURE);
    }
    #[cfg(feature = "test-forget")]
    attach::forget_for_tests(&std::env::var("EXTROSPECT_TEST_FORGET").unwrap_or_default());
    if let Err(failure) = limits::expect_enough() {
        return bisection::instead_of(failure.report());
    }
    let arguments = match arguments::Arguments::read() {
        Ok(arguments) => arguments,
        Err(error) => return not_understood(&error),
    };
    if let Err(error) = stop_flag::end_with_reader_of_output(&arguments.command) {
        return bisection::instead_of(failure::Failure::from(error).report());
    }
    if !arguments.command.looks_into_processes()
        && let Err(error) = permitted_target::renounce()
    {
        terminal::warn(&error.to_string());
        return bisection::instead_of(ExitCode::FAILURE);
    }
    match commands::run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Prints the fault of the command line, or the requested help.
fn not_understood(error: &clap::Error) -> ExitCode {
    // `git bisect run` takes 2 for a bad commit, and a mistyped line is none.
    if bisection::is_asked() && error.use_stderr() {
        let _ = error.print();
        return bisection::instead_of(ExitCode::FAILURE);
    }
    error.exit()
}
