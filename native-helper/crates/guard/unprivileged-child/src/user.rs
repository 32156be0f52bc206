//! The user of a child: one with no rights that we would miss, without capabilities, and unable to get any back.

use std::io;
use std::process::Command;

use std::os::unix::process::CommandExt;

use target_proc::caller;

/// Debian's `nobody`, and nearly everybody's.
const NOBODY: u32 = 65_534;

/// The user that the child runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildUser {
    /// User id.
    pub uid: u32,
    /// Group id; there are no others.
    pub gid: u32,
}

impl ChildUser {
    /// The user who started us by sudo, else `nobody`; `None` when we are not root: then the child
    /// is us, without our rights beyond that.
    #[must_use]
    pub fn when_root() -> Option<Self> {
        let is_root = rustix::process::geteuid().is_root() || rustix::process::getuid().is_root();
        let variable = |name| caller::variable(name)?.into_string().ok();
        is_root.then(|| Self::of(variable("SUDO_UID"), variable("SUDO_GID")))
    }

    /// The user who started us by sudo; `None` when we were not started so: then a child is us.
    #[must_use]
    pub fn by_sudo() -> Option<Self> {
        Self::when_root().filter(|user| user.uid != NOBODY)
    }

    fn of(uid: Option<String>, gid: Option<String>) -> Self {
        let id = |text: Option<String>| text?.parse().ok().filter(|id| *id != 0 && *id != u32::MAX);
        match (id(uid), id(gid)) {
            (Some(uid), Some(gid)) => Self { uid, gid },
            _ => Self {
                uid: NOBODY,
                gid: NOBODY,
            },
        }
    }

    /// Has a command run as this user, without further groups: the standard library drops them when
    /// root sets a user.
    pub fn put_on(self, command: &mut Command) {
        command.uid(self.uid).gid(self.gid);
    }
}

/// Gives up, for the calling thread and all that it starts, the rights that a child could have
/// beyond its user: ambient capabilities, and those that come with a program file.
///
/// # Errors
/// The error of the kernel. No program should be started then.
pub fn renounce_rights_of_children() -> io::Result<()> {
    rustix::thread::clear_ambient_capability_set()?;
    rustix::thread::set_no_new_privs(true)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_becomes_the_caller_of_sudo_or_the_user_nobody() {
        let of = |uid: Option<&str>, gid: Option<&str>| {
            let user = ChildUser::of(uid.map(str::to_owned), gid.map(str::to_owned));
            (user.uid, user.gid)
        };
        assert_eq!(of(Some("1000"), Some("1001")), (1000, 1001));
        let nobody = (NOBODY, NOBODY);
        for (uid, gid) in [
            (None, None),
            (Some("1000"), None),
            (None, Some("1000")),
            (Some("0"), Some("1000")),
            (Some("1000"), Some("0")),
            (Some("-1"), Some("5")),
            (Some("4294967295"), Some("5")),
            (Some("x"), Some("5")),
        ] {
            assert_eq!(of(uid, gid), nobody, "{uid:?} {gid:?}");
        }
    }
}
