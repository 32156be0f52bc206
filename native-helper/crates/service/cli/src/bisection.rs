//! `diff --bisect` under `git bisect run`, which takes any exit code from 1 to 127 except 125 for a bad
//! commit: an error beside a comparison must end the bisection, not lead it astray.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::failure::Exit;

/// Whether the command line is that of a bisection, before it is parsed.
pub fn is_asked() -> bool {
    is_asked_by(std::env::args_os())
}

/// The exit code of an error before or beside the command itself.
pub fn instead_of(exit: ExitCode) -> ExitCode {
    match is_asked() {
        true => ExitCode::from(Exit::EndBisection as u8),
        false => exit,
    }
}

fn is_asked_by(mut arguments: impl Iterator<Item = OsString>) -> bool {
    let is_diff = arguments.nth(1).is_some_and(|command| command == "diff");
    is_diff && arguments.any(|argument| argument == "--bisect")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_diff_bisects() {
        let asked = |line: &str| is_asked_by(line.split(' ').map(OsString::from));
        assert!(asked("extrospect diff a -- b --fail-if slower>2% --bisect"));
        assert!(!asked("extrospect diff a -- b"));
        assert!(!asked("extrospect record -- sh --bisect"));
        assert!(!asked("extrospect"));
    }
}
