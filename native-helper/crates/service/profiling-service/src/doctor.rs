//! `doctor` runs in a process of its own: it reads a VM and its own rights, and this process has given
//! its rights up.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use protocol::discovery::DoctorResult;

/// The report of `program` on this machine, and on `pid` if there is one.
///
/// # Errors
/// The reason why there is no report.
pub fn doctor(program: &Path, pid: Option<u32>) -> io::Result<DoctorResult> {
    let mut command = Command::new(program);
    command.args(["doctor", "--json", "--no-debuginfod"]);
    if let Some(pid) = pid {
        command.arg(pid.to_string());
    }
    // Its exit status shows whether something is missing, and the rows show that as well.
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    Ok(named_members::from_slice(&output.stdout)?)
}
