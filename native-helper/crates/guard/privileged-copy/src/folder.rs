//! A folder in which only root can replace our program.

use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, fstat, mkdirat, open, openat};
use rustix::io::Errno;

use crate::error::InstallError;

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
const STICKY: u32 = 0o1000;
const WRITE_BY_OTHERS: u32 = 0o022;

/// Whether folders that are not there are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfAbsent {
    /// They are, for root alone to write to.
    Make,
    /// They are not.
    Fail,
}

/// Opens a folder, through folders that root alone writes to and through no symbolic link.
pub fn open_safe(path: &Path, if_absent: IfAbsent) -> Result<OwnedFd, InstallError> {
    let refused = |folder: &Path, what| InstallError::UnsafeFolder {
        folder: folder.to_owned(),
        what,
        may_be_closed: false,
    };
    if !path.is_absolute() {
        return Err(refused(path, "is not an absolute path"));
    }
    let mut at = PathBuf::from("/");
    let mut folder =
        open("/", FOLDER, Mode::empty()).map_err(InstallError::of("cannot open", &at))?;
    for part in path.components() {
        match part {
            Component::RootDir => {}
            Component::Normal(name) => {
                at.push(name);
                folder = match openat(&folder, name, FOLDER, Mode::empty()) {
                    Ok(folder) => folder,
                    Err(Errno::NOENT) if if_absent == IfAbsent::Make => {
                        make_below(&folder, name.as_ref(), &at)?
                    }
                    Err(Errno::NOTDIR | Errno::LOOP) => {
                        return Err(refused(&at, "is a symbolic link, or not a folder"));
                    }
                    Err(error) => return Err(InstallError::of("cannot open", &at)(error)),
                };
            }
            _ => return Err(refused(path, "has `..` in it")),
        }
        let stat = fstat(&folder).map_err(InstallError::of("cannot look at", &at))?;
        if stat.st_uid != 0 {
            return Err(refused(&at, "is not owned by root"));
        }
        if stat.st_mode & WRITE_BY_OTHERS != 0 {
            return Err(InstallError::UnsafeFolder {
                folder: at,
                what: "may be written by others than root",
                // A folder such as /tmp is for everybody.
                may_be_closed: stat.st_mode & STICKY == 0,
            });
        }
    }
    Ok(folder)
}

fn make_below(folder: &OwnedFd, name: &Path, at: &Path) -> Result<OwnedFd, InstallError> {
    let mode = Mode::RWXU | Mode::RGRP | Mode::XGRP | Mode::ROTH | Mode::XOTH;
    mkdirat(folder, name, mode).map_err(InstallError::of("cannot make", at))?;
    let made =
        openat(folder, name, FOLDER, Mode::empty()).map_err(InstallError::of("cannot open", at))?;
    // Whatever our umask is.
    rustix::fs::fchmod(&made, mode).map_err(InstallError::of("cannot change", at))?;
    Ok(made)
}

/// Whether a name in a folder is free, or that of a file of root's.
pub fn expect_free_or_file(
    folder: &OwnedFd,
    name: &str,
    path: &Path,
) -> Result<bool, InstallError> {
    match rustix::fs::statat(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(InstallError::of("cannot look at", path)(error)),
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile => {
            Err(InstallError::SomethingElse(path.to_owned()))
        }
        Ok(_) => Ok(true),
    }
}
