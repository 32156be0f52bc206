//! What a program gets of our environment.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use crate::program::USUAL_FOLDERS;

/// A command with next to nothing of our environment: its own `$PATH`, plain English, and the
/// variables named.
#[must_use]
pub fn plain_command(program: &Path, passed_on: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", USUAL_FOLDERS.join(":"))
        .env("LC_ALL", "C")
        .envs(passed_on.iter().filter_map(|name| set(name)));
    command
}

fn set(name: &str) -> Option<(&OsStr, OsString)> {
    Some((OsStr::new(name), std::env::var_os(name)?))
}
