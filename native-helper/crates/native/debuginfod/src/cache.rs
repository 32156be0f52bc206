//! The folder that clients of debuginfod share: `CACHE/BUILDID/debuginfo`.
//!
//! A file is written under another name and gets its own after it is proven; an empty file records
//! that no server had the debug file, and counts for ten minutes. Below the folder no symbolic link
//! is followed, and nothing is written into a folder of another user.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use native_code::BuildId;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use target_proc::caller;

/// The name of a debug file in the folder of its build id.
const FILE: &str = "debuginfo";
/// How long no server is queried again for a file that none had.
pub const MISS_COUNTS: Duration = Duration::from_secs(600);
/// Shorter build ids could be of many files, and longer ones are none.
const BUILD_ID_BYTES: std::ops::RangeInclusive<usize> = 8..=64;

/// Where debuginfod clients keep the files that they have fetched, the one they write to first. If
/// this program has rights that its caller does not have, only the folder in the caller's home, as
/// the list of users has it.
#[must_use]
pub fn folders() -> Vec<PathBuf> {
    let in_folder =
        |name, below: &str| caller::variable(name).map(|value| PathBuf::from(value).join(below));
    let in_home = |below: &str| caller::home().map(|home| home.join(below));
    let known = [
        in_folder("DEBUGINFOD_CACHE_PATH", ""),
        // The old name: an existing folder of that name stays in use.
        in_home(".debuginfod_client_cache").filter(|folder| folder.is_dir()),
        in_folder("XDG_CACHE_HOME", "debuginfod_client"),
        in_home(".cache/debuginfod_client"),
    ];
    known.into_iter().flatten().collect()
}

/// Where the debug file of a build is in one of these folders.
#[must_use]
pub fn file_in(folder: &Path, build_id: &BuildId) -> PathBuf {
    folder.join(build_id.to_string()).join(FILE)
}

/// Why nothing can be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// No variable names a folder, and there is no home.
    #[error("there is no folder for debug files: set DEBUGINFOD_CACHE_PATH")]
    NoFolder,
    /// This program acts for another user, whose folder it is.
    #[error("with set-user-id rights, the helper writes nothing to the folder of a user")]
    SetUserId,
    /// The owner of a folder decides about its contents.
    #[error("{} belongs to another user: set DEBUGINFOD_CACHE_PATH to a folder of your own", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
    },
    /// It cannot be made or opened.
    #[error("{}: {source}", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// The folder that is written to.
#[derive(Debug)]
pub struct Cache {
    folder: OwnedFd,
    path: PathBuf,
}

impl Cache {
    /// The first of [`folders`], made if it is not there.
    ///
    /// # Errors
    /// When it cannot be made, or is another user's.
    pub fn open() -> Result<Self, CacheError> {
        if rustix::process::getuid() != rustix::process::geteuid() {
            return Err(CacheError::SetUserId);
        }
        let path = folders().into_iter().next().ok_or(CacheError::NoFolder)?;
        Self::open_at(path)
    }

    fn open_at(path: PathBuf) -> Result<Self, CacheError> {
        let opened = || {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&path)?;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let folder = rustix::fs::open(&path, flags, Mode::empty())?;
            Ok((is_own(&folder)?, folder))
        };
        match opened() {
            Ok((true, folder)) => Ok(Self { folder, path }),
            Ok((false, _)) => Err(CacheError::NotOurs { path }),
            Err(source) => Err(CacheError::Io { path, source }),
        }
    }

    /// The time since no server had the debug file of this build, if that still counts.
    pub(crate) fn missed(&self, build_id: &BuildId) -> Option<Duration> {
        let inside = Path::new(&build_id.to_string()).join(FILE);
        let found = rustix::fs::statat(&self.folder, &inside, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let modified = Duration::from_secs(u64::try_from(found.st_mtime).ok()?);
        let age = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH.checked_add(modified)?)
            .unwrap_or_default();
        (found.st_size == 0 && age < MISS_COUNTS).then_some(age)
    }

    /// Records that no server has it.
    pub(crate) fn remember_miss(&self, build_id: &BuildId) -> io::Result<()> {
        let entry = Entry::open(self, build_id)?;
        // An earlier record is older than ten minutes, and the time counts from now.
        let before = rustix::fs::statat(&entry.folder, FILE, AtFlags::SYMLINK_NOFOLLOW);
        if before.is_ok_and(|found| found.st_size == 0) {
            rustix::fs::unlinkat(&entry.folder, FILE, AtFlags::empty())?;
        }
        entry.create(FILE).map(drop)
    }

    /// A file to write the debug file of this build to.
    ///
    /// # Errors
    /// When there cannot be one.
    pub(crate) fn new_file(&self, build_id: &BuildId) -> io::Result<NewFile<'_>> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let entry = Entry::open(self, build_id)?;
        let name = format!(".{FILE}.{}.{number}", std::process::id());
        let file = entry.create(&name)?;
        let path = file_in(&self.path, build_id);
        Ok(NewFile {
            entry,
            name: Some(name),
            file,
            path,
        })
    }
}

fn is_own(folder: &OwnedFd) -> io::Result<bool> {
    Ok(rustix::fs::fstat(folder)?.st_uid == rustix::process::geteuid().as_raw())
}

/// The folder of one build id.
struct Entry<'a> {
    cache: &'a Cache,
    name: String,
    folder: OwnedFd,
}

impl<'a> Entry<'a> {
    fn open(cache: &'a Cache, build_id: &BuildId) -> io::Result<Self> {
        let name = build_id.to_string();
        match rustix::fs::mkdirat(&cache.folder, &name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(&cache.folder, &name, flags, Mode::empty())?;
        if !is_own(&folder)? {
            let what = format!(
                "{} belongs to another user",
                cache.path.join(&name).display()
            );
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
        }
        Ok(Self {
            cache,
            name,
            folder,
        })
    }

    /// Creates a file of that name, writable for this process and later readable for this user
    /// alone.
    fn create(&self, name: &str) -> io::Result<File> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.folder, name, flags, Mode::RUSR)?.into())
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        // Works on an empty one only.
        let _ = rustix::fs::unlinkat(&self.cache.folder, &self.name, AtFlags::REMOVEDIR);
    }
}

/// A debug file that is not proven yet: gone when dropped.
pub(crate) struct NewFile<'a> {
    entry: Entry<'a>,
    /// Until it has its own.
    name: Option<String>,
    /// To be written and read.
    pub file: File,
    /// Its path, once it is proven.
    pub path: PathBuf,
}

impl NewFile<'_> {
    /// Gives the file its name, visible to all clients, in place of an earlier file.
    pub fn keep(mut self) -> io::Result<PathBuf> {
        let Some(name) = &self.name else {
            return Ok(self.path.clone());
        };
        rustix::fs::renameat(&self.entry.folder, name, &self.entry.folder, FILE)?;
        self.name = None;
        Ok(self.path.clone())
    }
}

impl Drop for NewFile<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = rustix::fs::unlinkat(&self.entry.folder, name, AtFlags::empty());
        }
    }
}

/// Whether servers are queried for this build id at all.
#[must_use]
pub fn is_askable(build_id: &BuildId) -> bool {
    BUILD_ID_BYTES.contains(&build_id.as_bytes().len())
}

#[cfg(test)]
mod tests;
