//! `extrospect`: profiles a running BEAM from outside.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Parser;
use signal_hook::consts::SIGPIPE;

mod arguments;
mod commands;
mod failure;
mod progress;
mod source;
mod stop_flag;
mod table;

fn main() -> ExitCode {
    // A reader of our output may go away (`| head`): that ends us quietly, like any other tool.
    let always = Arc::new(AtomicBool::new(true));
    if let Err(error) = signal_hook::flag::register_conditional_default(SIGPIPE, always) {
        return failure::Failure::from(error).report();
    }
    let arguments = arguments::Arguments::parse();
    match commands::run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
