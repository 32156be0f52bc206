//! Who started us, and what of their environment may be believed.
//!
//! With file capabilities (`setcap`) or a set-user-id bit we have rights that our caller has not,
//! and the environment is the caller's: it must not say which files are opened with those rights.
#![allow(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// True when we run with more rights than whoever started us: file capabilities, set-user-id.
pub fn has_more_rights_than_caller() -> bool {
    // SAFETY: none of these calls takes or gives a pointer, and none can fail.
    let (is_secure, real, effective) = unsafe {
        (
            libc::getauxval(libc::AT_SECURE) != 0,
            (libc::getuid(), libc::getgid()),
            (libc::geteuid(), libc::getegid()),
        )
    };
    is_secure || real != effective
}

/// An environment variable that names files; `None` when it is not set, empty, or not to be
/// believed.
pub fn variable(name: &str) -> Option<OsString> {
    if has_more_rights_than_caller() {
        return None;
    }
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The caller's home: `$HOME`, or what the list of users says when the environment is not to be
/// believed.
pub fn home() -> Option<PathBuf> {
    if !has_more_rights_than_caller() {
        return variable("HOME").map(PathBuf::from);
    }
    let users = std::fs::read("/etc/passwd").ok()?;
    // SAFETY: takes nothing and cannot fail.
    home_of(&users, unsafe { libc::getuid() })
}

/// The folder for temporary files: `$TMPDIR`, or the system's when the environment is not to be
/// believed.
pub fn temporary_folder() -> PathBuf {
    match has_more_rights_than_caller() {
        true => PathBuf::from("/tmp"),
        false => std::env::temp_dir(),
    }
}

/// The home of a user in a file like `/etc/passwd`.
fn home_of(users: &[u8], uid: u32) -> Option<PathBuf> {
    users.split(|byte| *byte == b'\n').find_map(|line| {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b':').collect();
        let [_, _, id, _, _, home, ..] = fields.as_slice() else {
            return None;
        };
        let is_theirs = std::str::from_utf8(id).ok()?.parse() == Ok(uid);
        (is_theirs && home.starts_with(b"/")).then(|| PathBuf::from(OsStr::from_bytes(home)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_home_of_a_user_is_the_sixth_field_of_their_line() {
        let users = b"root:x:0:0:root:/root:/bin/sh\nbroken\nme:x:1000:100:Me,,:/home/me:/bin/sh\nodd:x:7:7::relative:\n";
        assert_eq!(home_of(users, 1000).as_deref(), Some(Path::new("/home/me")));
        assert_eq!(home_of(users, 0).as_deref(), Some(Path::new("/root")));
        assert_eq!(home_of(users, 7), None, "a home has an absolute path");
        assert_eq!(home_of(users, 8), None);
    }

    #[test]
    fn a_test_has_the_rights_of_who_started_it_and_believes_the_environment() {
        assert!(!has_more_rights_than_caller());
        assert_eq!(variable("PATH"), std::env::var_os("PATH"));
        assert_eq!(variable("EXTROSPECT_NO_SUCH_VARIABLE"), None);
    }
}
