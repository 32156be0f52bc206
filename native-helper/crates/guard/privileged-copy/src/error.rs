//! Why the copy cannot be installed or removed.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why the copy cannot be installed or removed. Nothing that could be started was left half done.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InstallError {
    /// Only root gives rights away.
    #[error("only root can do that")]
    NotRoot,
    /// Others could put another program in its place.
    #[error("{} {what}", folder.display())]
    UnsafeFolder {
        /// The folder.
        folder: PathBuf,
        /// The fault.
        what: &'static str,
        /// Whether it may be made root's alone: no other user loses it.
        may_be_closed: bool,
    },
    /// The entry there is no file of root's.
    #[error("{} already exists and is something else", .0.display())]
    SomethingElse(PathBuf),
    /// A program there would not get its rights.
    #[error("{} is on a file system that is mounted nosuid, where no program gets rights", .0.display())]
    NoSetUserId(PathBuf),
    /// The file system keeps no capabilities.
    #[error("{} is on a file system that keeps no capabilities", .0.display())]
    NoCapabilities(PathBuf),
    /// There is no such group and none could be made.
    #[error("there is no group {name}, and it cannot be created: {why}")]
    NoGroup {
        /// The group.
        name: String,
        /// Why.
        why: String,
    },
    /// Anything else.
    #[error("{what} {}: {source}", path.display())]
    Io {
        /// The attempted action.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl InstallError {
    pub(crate) fn of(
        what: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(rustix::io::Errno) -> Self {
        let path = path.into();
        move |error| Self::Io {
            what,
            path,
            source: error.into(),
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn fix(&self) -> String {
        match self {
            Self::NotRoot => "run it with sudo".to_owned(),
            Self::UnsafeFolder {
                folder,
                may_be_closed: true,
                ..
            } => format!(
                "give another folder with --to, or: sudo chmod go-w {}",
                folder.display()
            ),
            Self::UnsafeFolder { .. } => "give another folder with --to".to_owned(),
            Self::SomethingElse(path) => format!("inspect it: ls -l {}", path.display()),
            Self::NoSetUserId(_) | Self::NoCapabilities(_) => {
                "give a folder on another file system with --to".to_owned()
            }
            Self::NoGroup { name, .. } => format!("make it: groupadd --system {name}"),
            Self::Io { .. } => "see the system's message".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_for_everybody_is_never_taken_from_them() {
        let fix = |may_be_closed| {
            let error = InstallError::UnsafeFolder {
                folder: "/tmp".into(),
                what: "may be written by others than root",
                may_be_closed,
            };
            error.fix()
        };
        assert_eq!(fix(false), "give another folder with --to");
        assert!(fix(true).ends_with("sudo chmod go-w /tmp"));
    }
}
