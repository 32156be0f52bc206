//! `doctor`, by a process of its own: it looks into a VM and at our rights, and we have given ours up.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use protocol::discovery::DoctorResult;

/// What `program` says of this machine, and of `pid` if there is one.
///
/// # Errors
/// Why it says nothing.
pub fn doctor(program: &Path, pid: Option<u32>) -> io::Result<DoctorResult> {
    let mut command = Command::new(program);
    command.args(["doctor", "--json", "--no-debuginfod"]);
    if let Some(pid) = pid {
        command.arg(pid.to_string());
    }
    // Its status says whether something is missing, which the rows say as well.
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    Ok(serde_json::from_slice(&output.stdout)?)
}
