//! Whether there is a copy, and whether it is of this very program.

use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use unprivileged_child::{Group, RunLimits, UNCANCELLED, run};

use crate::PROGRAM_NAME;

/// How long it may take to print its version, and the most bytes it may print.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
const MAX_ANSWER_BYTES: u64 = 4096;
const MAX_VERSION_CHARS: usize = 64;

/// The content of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyStatus {
    /// Nothing.
    Absent,
    /// A copy that the caller may not start: members of its group may.
    NotForYou,
    /// A copy.
    There(Likeness),
}

/// How it is like this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Likeness {
    /// It is this very program, byte for byte.
    Same,
    /// It is another one, with the version that it reports.
    Other {
        /// Its version; `None` when it does not report one.
        version: Option<String>,
    },
}

/// The content of that folder.
#[must_use]
pub fn status(folder: &Path) -> CopyStatus {
    match status_without_version(folder) {
        CopyStatus::There(Likeness::Other { .. }) => CopyStatus::There(Likeness::Other {
            version: version(&folder.join(PROGRAM_NAME)),
        }),
        status => status,
    }
}

/// The same where the version of another copy does not matter: no program is started to find it.
#[must_use]
pub fn status_without_version(folder: &Path) -> CopyStatus {
    let program = folder.join(PROGRAM_NAME);
    if !program
        .symlink_metadata()
        .is_ok_and(|found| found.is_file())
    {
        return CopyStatus::Absent;
    }
    match is_this_program(&program) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => CopyStatus::NotForYou,
        Ok(true) => CopyStatus::There(Likeness::Same),
        _ => CopyStatus::There(Likeness::Other { version: None }),
    }
}

fn is_this_program(program: &Path) -> std::io::Result<bool> {
    let (mut copy, mut own) = (
        std::fs::File::open(program)?,
        std::fs::File::open("/proc/self/exe")?,
    );
    if copy.metadata()?.len() != own.metadata()?.len() {
        return Ok(false);
    }
    let (mut theirs, mut ours) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let read = own.read(&mut ours)?;
        if read == 0 {
            return Ok(true);
        }
        copy.read_exact(&mut theirs[..read])?;
        if theirs[..read] != ours[..read] {
            return Ok(false);
        }
    }
}

/// The version that it reports, run without its rights.
fn version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").env_clear();
    let patience = RunLimits::of(ANSWER_WITHIN, MAX_ANSWER_BYTES);
    let output = run(&mut command, b"", Group::OfItsOwn, patience, UNCANCELLED).ok()?;
    let text = String::from_utf8(output.output).ok()?;
    let version = text.trim().strip_prefix("extrospect ")?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-+".contains(c);
    (version.len() <= MAX_VERSION_CHARS && version.chars().all(is_plain))
        .then(|| version.to_owned())
}
