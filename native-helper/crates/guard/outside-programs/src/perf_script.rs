//! `perf script`: the content of a perf.data file, as text.
//!
//! Only perf itself reads its files: they refer to objects, debug files and tables of names of this
//! machine, and change with its version.

use std::path::Path;
use std::time::Duration;

use unprivileged_child::{Group, RunLimits, UNCANCELLED, find_program, plain_command, run};

pub use crate::error::ProgramError;

const PROGRAM: &str = "perf";
/// Naming the code of a large file takes minutes, and prints nothing during that time.
const TIME: Duration = Duration::from_secs(30 * 60);
/// Where perf looks for debug files, and for its own tables of names.
const PASSED_ON: [&str; 2] = ["HOME", "DEBUGINFOD_URLS"];

/// Has perf read a file, at most `max_bytes` of text. It runs without any right that our caller
/// lacks, and as our caller: the file is the caller's, and so are the tables of names.
///
/// # Errors
/// `None` when there is no perf; see [`ProgramError`].
pub fn perf_script(file: &Path, max_bytes: usize) -> Result<Vec<u8>, Option<ProgramError>> {
    let perf = find_program(PROGRAM).ok_or(None)?;
    let mut command = plain_command(&perf, &PASSED_ON);
    command
        // The fields that it prints by default are those that the file has.
        .args(["script", "-i"])
        // Never an option, whatever it is called.
        .arg(std::path::absolute(file).map_err(|error| Some(ProgramError::Io(error)))?);
    let patience = RunLimits::of(TIME, max_bytes as u64);
    // Ctrl-C ends both of us.
    let output = run(&mut command, b"", Group::Ours, patience, UNCANCELLED)
        .map_err(|error| Some(ProgramError::from(error)))?;
    if !output.status.success() {
        let (status, complaint) = (output.status, output.messages);
        let complaint: String = complaint.trim().chars().take(300).collect();
        return Err(Some(ProgramError::Failed(format!(
            "perf ended with {status}: {complaint}"
        ))));
    }
    Ok(output.output)
}
