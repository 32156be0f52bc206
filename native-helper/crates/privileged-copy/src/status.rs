//! Whether there is a copy, and whether it is of this very program.

use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use unprivileged_child::{Group, Patience, UNCANCELLED, run};

use crate::PROGRAM_NAME;

/// How long it may take to say its version, and how much it may say.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
const MAX_ANSWER_BYTES: u64 = 4096;
const MAX_VERSION_CHARS: usize = 64;

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyStatus {
    /// Nothing.
    Absent,
    /// A copy that who asks may not start: who is in its group may.
    NotForYou,
    /// A copy.
    There(Likeness),
}

/// How it is like this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Likeness {
    /// It is this very program, byte for byte.
    Same,
    /// It is another one: what it says of itself.
    Other {
        /// Its version; `None` when it does not say.
        version: Option<String>,
    },
}

/// What is in that folder.
#[must_use]
pub fn status(folder: &Path) -> CopyStatus {
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
        _ => CopyStatus::There(Likeness::Other {
            version: version(&program),
        }),
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

/// What it says of itself, without its rights.
fn version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").env_clear();
    let patience = Patience::of(ANSWER_WITHIN, MAX_ANSWER_BYTES);
    let said = run(&mut command, b"", Group::OfItsOwn, patience, UNCANCELLED).ok()?;
    let text = String::from_utf8(said.output).ok()?;
    let version = text.trim().strip_prefix("extrospect ")?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-+".contains(c);
    (version.len() <= MAX_VERSION_CHARS && version.chars().all(is_plain))
        .then(|| version.to_owned())
}
