//! Files and folders that are ours alone, also where other users may write: in a folder for
//! temporary files, any user may have put a symbolic link, a pipe or a folder of that name before.

use std::fmt;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Captures show the activity of a VM: they are for their owner alone.
const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;
/// Names tried for a file beside another.
const MAX_NAMES: usize = 16;
const ROOT: u32 = 0;
/// The continuation of the name of a file that is rewritten beside another.
const REWRITTEN: &str = ".compact-";

/// Why something that is there already is not written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotOurs {
    /// A symbolic link may lead to any file.
    SymbolicLink,
    /// Another user could read the content.
    OtherOwner,
    /// It has a second name somewhere.
    HardLinked,
    /// Neither a file nor a pipe or device; or no folder where one should be.
    OtherKind,
    /// It is not the file that was created.
    Replaced,
    /// A pipe that no process reads: everything written to it is lost.
    Unread,
}

impl fmt::Display for NotOurs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SymbolicLink => "is a symbolic link, which is not followed",
            Self::OtherOwner => "belongs to another user, who could read the capture",
            Self::HardLinked => "has another name, too, under which the capture would appear",
            Self::OtherKind => "already exists and is not a file",
            Self::Replaced => "was replaced by another file, which is not touched",
            Self::Unread => "is a pipe without a reader",
        })
    }
}

/// Why a file or folder could not be opened or made.
#[derive(Debug)]
pub(super) enum PlaceError {
    NotOurs(NotOurs),
    Io(io::Error),
}

impl From<io::Error> for PlaceError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A new file for writing, and for reading when `readable`; fails with `AlreadyExists` when there
/// is anything of that name, be it a symbolic link to nowhere.
pub(super) fn create_private(path: &Path, readable: bool) -> Result<File, PlaceError> {
    let file = OpenOptions::new()
        .read(readable)
        .write(true)
        .create_new(true)
        .mode(PRIVATE_FILE)
        .open(path)?;
    Ok(file)
}

/// A new file, or the empty one that was there before: a file of our own, or a pipe or device.
pub(super) fn create_or_empty(path: &Path) -> Result<File, PlaceError> {
    match create_private(path, true) {
        Err(PlaceError::Io(error)) if error.kind() == io::ErrorKind::AlreadyExists => {}
        result => return result,
    }
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let is_pipe = path
        .symlink_metadata()
        .is_ok_and(|found| found.file_type().is_fifo());
    let opened = OpenOptions::new()
        // Who reads a pipe has its other end: then it looks read, and writing never fails.
        .read(!is_pipe)
        .write(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    let file = match opened {
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            return Err(PlaceError::NotOurs(NotOurs::SymbolicLink));
        }
        Err(error) if is_pipe && error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
            return Err(PlaceError::NotOurs(NotOurs::Unread));
        }
        result => result?,
    };
    let found = file.metadata()?;
    if let Some(reason) = not_ours(&found) {
        return Err(PlaceError::NotOurs(reason));
    }
    rustix::fs::fcntl_setfl(&file, OFlags::empty()).map_err(io::Error::from)?;
    if found.is_file() {
        rustix::fs::fchmod(&file, Mode::from_raw_mode(PRIVATE_FILE)).map_err(io::Error::from)?;
        file.set_len(0)?;
    }
    Ok(file)
}

/// The reason not to write to the file that was found.
fn not_ours(found: &Metadata) -> Option<NotOurs> {
    let kind = found.file_type();
    let is_device = kind.is_char_device();
    if !kind.is_file() && !kind.is_fifo() && !is_device {
        return Some(NotOurs::OtherKind);
    }
    // `/dev/full` and its like belong to root and keep nothing.
    let is_own = found.uid() == own_uid() || is_device && found.uid() == ROOT;
    if !is_own {
        return Some(NotOurs::OtherOwner);
    }
    (kind.is_file() && found.nlink() > 1).then_some(NotOurs::HardLinked)
}

/// A new file beside another, since a rename works within one file system only.
pub(super) fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..MAX_NAMES {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!("{REWRITTEN}{:016x}", unguessable()));
        let beside = path.with_file_name(name);
        match create_private(&beside, false) {
            Ok(file) => return Ok((beside, file)),
            Err(PlaceError::Io(error)) if error.kind() == io::ErrorKind::AlreadyExists => {
                last = error;
            }
            Err(PlaceError::Io(error)) => return Err(error),
            Err(PlaceError::NotOurs(_)) => {}
        }
    }
    Err(last)
}

/// The name that a file was to take that was being rewritten, and whether this is one.
pub(super) fn of_leftover(name: &str) -> (&str, bool) {
    match name.rsplit_once(REWRITTEN) {
        Some((whole, digits))
            if digits.len() == 16 && digits.bytes().all(|it| it.is_ascii_hexdigit()) =>
        {
            (whole, true)
        }
        _ => (name, false),
    }
}

/// Whether the name still leads to this very file.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    let numbers = |found: Metadata| (found.dev(), found.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => numbers(open) == numbers(named),
        _ => false,
    }
}

/// Makes a folder for captures, or takes the one that is there when it is our own: not a symbolic
/// link, not another user's. Our own folder that others may enter is closed to them.
///
/// # Errors
/// `PermissionDenied` when the folder that is there is not ours; else the error of the system.
pub fn make_private_folder(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(PRIVATE_FOLDER).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        result => return result,
    }
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::open(folder, flags, Mode::empty());
    let reason = match opened {
        // A symbolic link is no folder either, where links are not followed.
        Err(Errno::LOOP | Errno::NOTDIR) => NotOurs::OtherKind,
        Err(error) => return Err(error.into()),
        Ok(opened) => {
            let found = rustix::fs::fstat(&opened)?;
            if found.st_uid == own_uid() {
                if found.st_mode & 0o777 != PRIVATE_FOLDER {
                    rustix::fs::fchmod(&opened, Mode::from_raw_mode(PRIVATE_FOLDER))?;
                }
                return Ok(());
            }
            NotOurs::OtherOwner
        }
    };
    let what = format!("{} {reason}", folder.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, what))
}

/// Another number at each call, which no other program can predict.
fn unguessable() -> u64 {
    RandomState::new().hash_one(0)
}

/// Who the files are that we make. Not the owner of `/proc/self`, which is root for a program with
/// file capabilities.
pub(super) fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}
