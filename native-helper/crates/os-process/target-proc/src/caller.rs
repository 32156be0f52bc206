//! The caller of this program, and the trusted part of its environment.
//!
//! With file capabilities (`setcap`) or a set-user-id bit, this program has rights that its caller
//! does not have, and the environment is the caller's: it must not choose the files that are opened
//! with those rights.
#![allow(unsafe_code)]

mod initial;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The variables of the caller's environment that stay: they choose the form of the output and the
/// servers to contact, no file and no switch.
const HARMLESS_VARIABLES: [&str; 22] = [
    "TERM",
    "LANG",
    "LC_ALL",
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "DEBUGINFOD_URLS",
    "DEBUGINFOD_TIMEOUT",
    "DEBUGINFOD_MAXTIME",
    "DEBUGINFOD_MAXSIZE",
    "EXTROSPECT_PROGRESS",
    // For `curl` and `date`, which run without our rights.
    "TZ",
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
];

/// Variables that were set and are not trusted.
static FORGOTTEN: OnceLock<Vec<OsString>> = OnceLock::new();

/// Whether the caller set that variable, which [`distrust_environment`] has taken away.
#[must_use]
pub fn was_forgotten(name: &str) -> bool {
    let forgotten = FORGOTTEN.get().into_iter().flatten();
    forgotten.into_iter().any(|it| it == name)
}

static IS_DEPUTY: AtomicBool = AtomicBool::new(false);
/// The environment before anything in it was forgotten.
static ENVIRONMENT: OnceLock<Vec<(OsString, OsString)>> = OnceLock::new();

/// From now on the environment is not trusted, whatever the kernel reports, and its harmful variables
/// are removed. To be called while there is only one thread.
pub fn distrust_environment() {
    IS_DEPUTY.store(true, Ordering::Relaxed);
    ENVIRONMENT.get_or_init(|| {
        initial::initial_environment().unwrap_or_else(|| std::env::vars_os().collect())
    });
    let is_harmless = |name: &OsString| HARMLESS_VARIABLES.iter().any(|kept| name == kept);
    let names: Vec<OsString> = std::env::vars_os().map(|(name, _)| name).collect();
    let (_, forgotten): (Vec<_>, Vec<_>) = names.into_iter().partition(is_harmless);
    for name in &forgotten {
        // SAFETY: the caller guarantees that there is no other thread that could read the
        // environment.
        unsafe { std::env::remove_var(name) };
    }
    // Set once: a second call has nothing left to forget.
    let _ = FORGOTTEN.set(forgotten);
}

/// True when this program has more rights than its caller: file capabilities, set-user-id.
pub fn has_more_rights_than_caller() -> bool {
    // SAFETY: none of these calls takes or gives a pointer, and none can fail.
    let (is_secure, real, effective) = unsafe {
        (
            libc::getauxval(libc::AT_SECURE) != 0,
            (libc::getuid(), libc::getgid()),
            (libc::geteuid(), libc::getegid()),
        )
    };
    is_secure || real != effective || IS_DEPUTY.load(Ordering::Relaxed)
}

/// The caller's whole environment. For a command of the caller that runs without this program's rights,
/// and for nothing else.
pub fn environment() -> Vec<(OsString, OsString)> {
    let kept = ENVIRONMENT.get().cloned();
    kept.unwrap_or_else(|| std::env::vars_os().collect())
}

/// Whether a rule of sudo or doas lends this program to its caller.
pub fn is_lent() -> bool {
    let lends = |name: &OsStr| name == "SUDO_UID" || name == "DOAS_USER";
    let kept = ENVIRONMENT.get();
    kept.is_some_and(|all| all.iter().any(|(name, _)| lends(name)))
}

/// An environment variable that names files; `None` when it is not set, empty, or not trusted.
pub fn variable(name: &str) -> Option<OsString> {
    if has_more_rights_than_caller() {
        return None;
    }
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The caller's home: `$HOME`, or the one in the list of users when the environment is not trusted.
pub fn home() -> Option<PathBuf> {
    if !has_more_rights_than_caller() {
        return variable("HOME").map(PathBuf::from);
    }
    // SAFETY: takes nothing and cannot fail.
    home_of_user(unsafe { libc::getuid() })
}

/// The home of a user, by the list of users.
pub fn home_of_user(uid: u32) -> Option<PathBuf> {
    home_of(&std::fs::read("/etc/passwd").ok()?, uid)
}

/// The name of a user, by the list of users.
pub fn name_of_user(uid: u32) -> Option<OsString> {
    name_of(&std::fs::read("/etc/passwd").ok()?, uid)
}

/// The folder for temporary files: `$TMPDIR`, or the system's when the environment is not trusted.
pub fn temporary_folder() -> PathBuf {
    match has_more_rights_than_caller() {
        true => PathBuf::from("/tmp"),
        false => std::env::temp_dir(),
    }
}

/// User and group of a name, by the list of users.
pub fn ids_of_user(name: &OsStr) -> Option<(u32, u32)> {
    ids_of(&std::fs::read("/etc/passwd").ok()?, name.as_bytes())
}

/// The groups that a user is a member of, by the list of groups; its first group may be missing.
pub fn groups_of_user(uid: u32) -> Vec<u32> {
    let lists = || Some((name_of_user(uid)?, std::fs::read("/etc/group").ok()?));
    lists().map_or_else(Vec::new, |(name, groups)| {
        groups_of(&groups, name.as_bytes())
    })
}

/// The groups with this member in a file like `/etc/group`.
fn groups_of(groups: &[u8], name: &[u8]) -> Vec<u32> {
    let group = |line: &[u8]| {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b':').collect();
        let [_, _, gid, members] = *fields.as_slice() else {
            return None;
        };
        let mut members = members.split(|byte| *byte == b',');
        members.find(|member| *member == name)?;
        std::str::from_utf8(gid).ok()?.parse().ok()
    };
    groups
        .split(|byte| *byte == b'\n')
        .filter_map(group)
        .collect()
}

/// The home of a user in a file like `/etc/passwd`.
fn home_of(users: &[u8], uid: u32) -> Option<PathBuf> {
    lines_of(users)
        .find(|line| line.uid == uid && line.home.starts_with(b"/"))
        .map(|line| PathBuf::from(OsStr::from_bytes(line.home)))
}

fn name_of(users: &[u8], uid: u32) -> Option<OsString> {
    let line = lines_of(users).find(|line| line.uid == uid)?;
    Some(OsStr::from_bytes(line.name).to_owned())
}

fn ids_of(users: &[u8], name: &[u8]) -> Option<(u32, u32)> {
    let line = lines_of(users).find(|line| line.name == name)?;
    Some((line.uid, line.gid))
}

/// One user in a file like `/etc/passwd`.
struct UserLine<'a> {
    name: &'a [u8],
    uid: u32,
    gid: u32,
    home: &'a [u8],
}

fn lines_of(users: &[u8]) -> impl Iterator<Item = UserLine<'_>> {
    let number = |field: &[u8]| std::str::from_utf8(field).ok()?.parse().ok();
    users.split(|byte| *byte == b'\n').filter_map(move |line| {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b':').collect();
        let [name, _, uid, gid, _, home, ..] = *fields.as_slice() else {
            return None;
        };
        let (uid, gid) = (number(uid)?, number(gid)?);
        Some(UserLine {
            name,
            uid,
            gid,
            home,
        })
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
        assert_eq!(name_of(users, 1000).as_deref(), Some(OsStr::new("me")));
        assert_eq!(name_of(users, 8), None);
        assert_eq!(ids_of(users, b"me"), Some((1000, 100)));
        assert_eq!(ids_of(users, b"broken"), None);
        assert_eq!(ids_of(users, b""), None);
    }

    #[test]
    fn groups_are_those_that_name_the_user_as_a_member() {
        let groups = b"root:x:0:\nadm:x:4:syslog,me\nbroken:x\nsudo:x:27:me\nmen:x:28:men,some\nodd:x:y:me\n";
        assert_eq!(groups_of(groups, b"me"), [4, 27]);
        assert_eq!(groups_of(groups, b"nobody"), [] as [u32; 0]);
    }

    #[test]
    fn a_test_has_the_rights_of_who_started_it_and_believes_the_environment() {
        assert!(!has_more_rights_than_caller());
        assert_eq!(variable("PATH"), std::env::var_os("PATH"));
        assert_eq!(variable("EXTROSPECT_NO_SUCH_VARIABLE"), None);
    }
}
