//! `serve`: the editor's side door.

use std::io::BufReader;
use std::sync::Arc;

use profiling_service::HelperBackend;

use crate::attaching::OWN_PROGRAM;
use crate::failure::Failure;

/// Runs `serve`; ends the process when the conversation ends.
pub fn run() -> Result<(), Failure> {
    let backend = Arc::new(HelperBackend::new(OWN_PROGRAM.into()));
    let input = BufReader::new(std::io::stdin());
    let status = rpc_server::serve(input, std::io::stdout(), backend)?;
    // A thread may still be blocked in stdin, so there is no going back to `main`.
    std::process::exit(i32::from(status.code()));
}
