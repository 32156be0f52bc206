//! Reading root's policy: only a policy that no user except root can have written counts.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, open, openat};
use thiserror::Error;

use crate::policy::{Policy, PolicyError};

/// Where root's policy is.
pub const POLICY_PATH: &str = "/etc/extrospect/policy.toml";
/// Longer than any policy.
const MAX_POLICY_BYTES: u64 = 256 << 10;

/// Why a policy does not count. Users may then look at their own VMs only.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PolicyFileError {
    /// Others than root could have written it, or put another one in its place.
    #[error("{} {what}", path.display())]
    NotRoots {
        /// The file, or a folder that it is in.
        path: PathBuf,
        /// The fault.
        what: &'static str,
        /// The command that fixes it.
        command: String,
    },
    /// It is not understood.
    #[error("{}, {source}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and what.
        source: PolicyError,
    },
    /// It is longer than any policy, or no text.
    #[error("{} is longer than {MAX_POLICY_BYTES} bytes, or no text", .0.display())]
    NoText(PathBuf),
    /// The system does not let us read it.
    #[error("{} cannot be read: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl PolicyFileError {
    /// The command that fixes it.
    pub fn command(&self) -> String {
        match self {
            Self::NotRoots { command, .. } => command.clone(),
            Self::Malformed { path, .. } | Self::NoText(path) => {
                format!("sudoedit {}", path.display())
            }
            Self::Io { path, .. } => format!("ls -ld {}", path.display()),
        }
    }
}

/// Root's policy; one that allows nothing when there is none. Each folder on the way is looked at, and
/// the file is opened in the folder that was looked at, through no symbolic link.
///
/// # Errors
/// See [`PolicyFileError`].
pub fn read_policy(path: &Path) -> Result<Policy, PolicyFileError> {
    read_as_owned_by(path, 0)
}

fn read_as_owned_by(path: &Path, owner: u32) -> Result<Policy, PolicyFileError> {
    let failed = |path: &Path, errno: rustix::io::Errno| PolicyFileError::Io {
        path: path.to_owned(),
        source: errno.into(),
    };
    let (Some(folder_path), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(Policy::default());
    };
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::PATH;
    let mut folder = open("/", flags, Mode::empty()).map_err(|e| failed(Path::new("/"), e))?;
    let mut at = PathBuf::from("/");
    for part in folder_path.strip_prefix("/").unwrap_or(folder_path) {
        at.push(part);
        folder = match openat(&folder, part, flags, Mode::empty()) {
            Ok(folder) => folder,
            Err(rustix::io::Errno::NOENT) => return Ok(Policy::default()),
            Err(rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP) => {
                return Err(not_roots(&at, "is a symbolic link, or not a folder"));
            }
            Err(error) => return Err(failed(&at, error)),
        };
        let stat = fstat(&folder).map_err(|error| failed(&at, error))?;
        expect_written_by(owner, &stat, &at)?;
    }
    // Not blocking: the file may be a pipe.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = match openat(&folder, name, flags, Mode::empty()) {
        Ok(file) => file,
        Err(rustix::io::Errno::NOENT) => return Ok(Policy::default()),
        Err(rustix::io::Errno::LOOP) => return Err(not_roots(path, "is a symbolic link")),
        Err(error) => return Err(failed(path, error)),
    };
    let stat = fstat(&file).map_err(|error| failed(path, error))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(not_roots(path, "is no file"));
    }
    expect_written_by(owner, &stat, path)?;
    let text = read_text(file.into(), path)?;
    Policy::parse(&text).map_err(|source| PolicyFileError::Malformed {
        path: path.to_owned(),
        source,
    })
}

fn read_text(file: File, path: &Path) -> Result<String, PolicyFileError> {
    let mut bytes = Vec::new();
    file.take(MAX_POLICY_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| PolicyFileError::Io {
            path: path.to_owned(),
            source,
        })?;
    match String::from_utf8(bytes) {
        Ok(text) if text.len() as u64 <= MAX_POLICY_BYTES => Ok(text),
        _ => Err(PolicyFileError::NoText(path.to_owned())),
    }
}

/// Root's own, and writable by no other user.
fn expect_written_by(owner: u32, stat: &Stat, path: &Path) -> Result<(), PolicyFileError> {
    const WRITE_BY_OTHERS: u32 = 0o022;
    if stat.st_uid != owner {
        let command = format!("sudo chown root:root {}", path.display());
        return Err(PolicyFileError::NotRoots {
            path: path.to_owned(),
            what: "is not owned by root",
            command,
        });
    }
    if stat.st_mode & WRITE_BY_OTHERS != 0 {
        let command = format!("sudo chmod go-w {}", path.display());
        return Err(PolicyFileError::NotRoots {
            path: path.to_owned(),
            what: "may be written by others than root",
            command,
        });
    }
    Ok(())
}

fn not_roots(path: &Path, what: &'static str) -> PolicyFileError {
    PolicyFileError::NotRoots {
        path: path.to_owned(),
        what,
        command: format!("sudo rm {}", path.display()),
    }
}

#[cfg(test)]
mod tests;
