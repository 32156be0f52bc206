//! The capture file on disk: grows by whole gzip members, compacted at a clean end.

mod append;
mod compact;
pub mod flight;
pub mod kept;
mod members;
mod place;

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use rustix::fs::FallocateFlags;
use rustix::io::Errno;

use crate::end::{CaptureEnd, FileEnd, MAX_MARK_BYTES};
use crate::facts::QUALITY_COMMENT;
use crate::quality::QualityRecord;
use crate::writer::end_mark;
pub use append::{AppendError, append_origin};
use members::Members;
use place::PlaceError;
pub use place::{NotOurs, make_private_folder};

/// Why a capture file could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file is there already and overwriting was not requested.
    #[error("{path} already exists; choose another name or allow overwriting")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file that is there is not ours to write to; nothing was changed.
    #[error("{path} {reason}")]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: NotOurs,
    },
    /// There is no room left. The increments that were complete before are kept.
    #[error("no space left to write {path}; the first {kept_bytes} bytes are a valid capture")]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// Size of the file as it is now, all of it complete.
        kept_bytes: u64,
    },
    /// A limit on the size of files is met. The increments that were complete before are kept.
    #[error(
        "{path} cannot grow further (ulimit -f); the first {kept_bytes} bytes are a valid capture"
    )]
    Limited {
        /// The file.
        path: PathBuf,
        /// Size of the file as it is now, all of it complete.
        kept_bytes: u64,
    },
    /// Any other failure. The increments that were complete before are kept where the system allows
    /// it.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// The action that failed: `create`, `write`, ...
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// What to do about a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfExists {
    /// Leave it alone and fail.
    Refuse,
    /// Replace its content.
    Overwrite,
}

/// A capture file being written. At any moment between two calls its content is a valid profile,
/// also when the process is killed; a kill inside [`append`](Self::append) can leave a cut last
/// member, which [`Capture`](crate::reader::Capture) skips. Who ends it in an orderly manner states that with
/// [`mark_end`](Self::mark_end): without that it opens as one that was not closed.
#[derive(Debug)]
pub struct CaptureFile {
    file: File,
    path: PathBuf,
    len_bytes: u64,
    /// Why the last increment is not in it.
    not_written: Option<CaptureEnd>,
}

impl CaptureFile {
    /// Creates the file, for its owner alone (mode 0600).
    ///
    /// # Errors
    /// [`FileError::Exists`] when it is there and `if_exists` is [`IfExists::Refuse`];
    /// [`FileError::NotOurs`] when it would be overwritten and is a symbolic link or belongs to
    /// another user.
    pub fn create(path: &Path, if_exists: IfExists) -> Result<Self, FileError> {
        let opened = match if_exists {
            IfExists::Refuse => place::create_private(path, true),
            IfExists::Overwrite => place::create_or_empty(path),
        };
        let path = path.to_owned();
        match opened {
            Ok(file) => Ok(Self {
                file,
                path,
                len_bytes: 0,
                not_written: None,
            }),
            Err(PlaceError::NotOurs(reason)) => Err(FileError::NotOurs { path, reason }),
            Err(PlaceError::Io(error)) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(FileError::Exists { path })
            }
            Err(PlaceError::Io(source)) => Err(FileError::Io {
                action: "create",
                path,
                source,
            }),
        }
    }

    /// Appends one increment. When that fails half-way the file is cut back to the members that
    /// were complete before, so it stays valid. Where the file system reserves room, there is room for the mark of its end
    /// then: a full disk does not look like a writer that was ended.
    ///
    /// # Errors
    /// [`FileError::DiskFull`] when there is no room, [`FileError::Io`] for anything else.
    pub fn append(&mut self, member: &[u8]) -> Result<(), FileError> {
        self.append_streamed(member).map(drop)
    }

    /// The same, and returns the bytes that the file has of it: those of the first increment end with the mark of a file
    /// that is not closed.
    ///
    /// # Errors
    /// Like [`append`](Self::append).
    pub fn append_streamed<'m>(&mut self, member: &'m [u8]) -> Result<Cow<'m, [u8]>, FileError> {
        let member = match self.len_bytes == 0 && self.is_regular() {
            // At once: no reader finds an increment in a file that does not say whether it is closed.
            true => Cow::Owned([member, &end_mark(FileEnd::Open)[..]].concat()),
            false => Cow::Borrowed(member),
        };
        let before = self.len_bytes;
        let written = self.write(&member);
        let written = written.and_then(|()| self.keep_room_for_mark(before));
        self.not_written = written.as_ref().err().map(|error| match error {
            FileError::DiskFull { .. } => CaptureEnd::DiskFull,
            _ => CaptureEnd::WriteFailed,
        });
        written.map(|()| member)
    }

    /// Appends bytes of a copy, in parts that end anywhere, or of a file that is written at once: they have the marks of the
    /// original, or none, and get no others.
    ///
    /// # Errors
    /// Like [`append`](Self::append).
    pub fn append_as_is(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.write(bytes)
    }

    fn write(&mut self, member: &[u8]) -> Result<(), FileError> {
        match self.file.write_all(member).and_then(|()| self.file.flush()) {
            Ok(()) => {
                self.len_bytes += member.len() as u64;
                Ok(())
            }
            Err(error) => {
                self.cut_back();
                Err(self.error("write", error))
            }
        }
    }

    /// Reserves the room of the mark behind the last increment. Where there is none, that increment goes: the file has
    /// `before` bytes again.
    fn keep_room_for_mark(&mut self, before: u64) -> Result<(), FileError> {
        match self.reserve_mark() {
            Err(error @ (Errno::NOSPC | Errno::DQUOT)) => {
                self.len_bytes = before;
                self.cut_back();
                Err(self.error("write", error.into()))
            }
            // A pipe, a device, or a file system that reserves nothing.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn reserve_mark(&self) -> Result<(), Errno> {
        // Its length stays.
        let flags = FallocateFlags::KEEP_SIZE;
        // A signal may interrupt it, which shows nothing of the room.
        let reserve = || rustix::fs::fallocate(&self.file, flags, self.len_bytes, MAX_MARK_BYTES);
        rustix::io::retry_on_intr(reserve)
    }

    /// Removes all bytes behind the complete increments.
    fn cut_back(&mut self) {
        // Best effort: a pipe or device cannot be cut, and the write error matters more.
        let _ = self.file.set_len(self.len_bytes);
        let _ = self.file.seek(SeekFrom::Start(self.len_bytes));
        if self.len_bytes > 0 {
            // The cut has given that room back, too.
            let _ = self.reserve_mark();
        }
    }

    /// Records that sampling ended without a last increment, in `quality` as of the one before, and in the file in place
    /// of that. No increment may follow. Of a pipe or a device nothing is recorded.
    ///
    /// # Errors
    /// Like [`append`](Self::append); the file then has the quality of its last increment.
    pub fn end_early(&mut self, quality: &mut QualityRecord) -> Result<(), FileError> {
        quality.end_early();
        if !self.is_regular() {
            return Ok(());
        }
        let strings = self.message().and_then(compact::count_strings);
        // Whatever was read: the next bytes belong at the end.
        let at_end = self.file.seek(SeekFrom::Start(self.len_bytes));
        let member = at_end
            .and(strings)
            .and_then(|strings| append::comment_member(strings, QUALITY_COMMENT, quality))
            .map_err(|error| self.error("complete", error))?;
        self.append(&member)
    }

    /// Marks the end of the file, with the reason; if the last increment could not be written, that is the reason. No
    /// increment may follow. A pipe, a device and an empty file have no mark.
    ///
    /// # Errors
    /// Like [`append`](Self::append); the file then has no mark.
    pub fn mark_end(&mut self, reason: CaptureEnd) -> Result<(), FileError> {
        if self.len_bytes == 0 || !self.is_regular() {
            return Ok(());
        }
        self.write(&end_mark(FileEnd::Closed(self.true_end(reason))))
    }

    /// Why it ends when its writer ends it for `reason`: that is only why it is closed where an increment could not be
    /// written.
    pub(crate) fn true_end(&self, reason: CaptureEnd) -> CaptureEnd {
        self.not_written.unwrap_or(reason)
    }

    /// Bytes written so far.
    pub fn len_bytes(&self) -> u64 {
        self.len_bytes
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Rewrites all members as few larger ones, in bounded memory and without the comments that
    /// a later one replaces: into a new file beside this one, which then takes its place. Returns the
    /// new size in bytes. A pipe or a device stays as it is.
    ///
    /// # Errors
    /// Like [`append`](Self::append), and [`FileError::NotOurs`] when another file has taken the name
    /// since it was created; the file is then as it was before, still valid.
    pub fn compact(self) -> Result<u64, FileError> {
        if !self.is_regular() {
            return Ok(self.len_bytes);
        }
        let (temporary, target) =
            place::create_beside(&self.path).map_err(|error| self.error("compact", error))?;
        let result = self.write_compacted(target).and_then(|len_bytes| {
            if !place::is_at(&self.file, &self.path) {
                return Err(FileError::NotOurs {
                    path: self.path.clone(),
                    reason: NotOurs::Replaced,
                });
            }
            fs::rename(&temporary, &self.path).map_err(|error| self.error("replace", error))?;
            Ok(len_bytes)
        });
        if result.is_err() {
            // There is nothing more to be done about it when that fails.
            let _ = fs::remove_file(&temporary);
        }
        result
    }

    /// Removes the file when nothing was written to it: a capture that never began leaves none.
    pub fn remove_if_empty(self) {
        let is_empty = self
            .file
            .metadata()
            .is_ok_and(|file| file.is_file() && file.len() == 0);
        if is_empty && place::is_at(&self.file, &self.path) {
            // An empty file that is left behind does no harm.
            let _ = fs::remove_file(&self.path);
        }
    }

    fn is_regular(&self) -> bool {
        self.file.metadata().is_ok_and(|file| file.is_file())
    }

    fn write_compacted(&self, target: File) -> Result<u64, FileError> {
        let copy = || -> io::Result<u64> {
            let superseded = compact::superseded_comments(self.message()?)?;
            let mut members = Members::new(BufWriter::new(target));
            compact::copy_without(self.message()?, &superseded, &mut members)?;
            let file = members.finish()?.into_inner()?;
            file.sync_all()?;
            Ok(file.metadata()?.len())
        };
        copy().map_err(|error| self.error("compact", error))
    }

    /// The decompressed content from the start.
    fn message(&self) -> io::Result<impl BufRead + '_> {
        let mut source = &self.file;
        source.seek(SeekFrom::Start(0))?;
        Ok(BufReader::with_capacity(
            64 << 10,
            MultiGzDecoder::new(BufReader::new(source)),
        ))
    }

    fn error(&self, action: &'static str, source: io::Error) -> FileError {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FileError::DiskFull {
                path: self.path.clone(),
                kept_bytes: self.len_bytes,
            },
            io::ErrorKind::FileTooLarge => FileError::Limited {
                path: self.path.clone(),
                kept_bytes: self.len_bytes,
            },
            _ => FileError::Io {
                action,
                path: self.path.clone(),
                source,
            },
        }
    }
}
