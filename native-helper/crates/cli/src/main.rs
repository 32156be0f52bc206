//! `extrospect`: profiles a running BEAM from outside.

use std::process::ExitCode;

use clap::Parser;

mod arguments;
mod commands;
mod failure;
mod progress;
mod source;
mod stop_flag;
mod table;

fn main() -> ExitCode {
    // A reader of our output may go away (`| head`): that ends us quietly, like any other tool.
    let arguments = arguments::Arguments::parse();
    match commands::run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
