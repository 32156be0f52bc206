//! The folder of one detached capture. Everything in it is opened through the folder's own descriptor, never
//! through a link, and only if it belongs to this user: files that a stranger or a mistake has put there are
//! neither read nor written.

use std::fs::File;
use std::io::{self, Read as _, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use protocol::detached::DetachedFacts;
use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, flock, fstat, openat, renameat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::getuid;

use super::name::DetachedName;

pub(super) const CAPTURE: &str = "capture.pb.gz";
const FACTS: &str = "facts.json";
const NEW_FACTS: &str = "facts.json.new";
const LOCK: &str = "lock";
const STOP: &str = "stop";
/// Bytes of a file with facts; they hold names of a VM and at most a few sentences.
const MAX_FACTS_BYTES: u64 = 16 << 10;
/// The file has room for more facts than there are at first, so that its end can be written on a full
/// disk.
const ROOM_FOR_FACTS: usize = 4096;
/// The last moment that a clock of JavaScript knows.
const LAST_MS: u64 = 8_640_000_000_000_000;
/// A folder with more was not made by this program.
const MAX_ENTRIES: usize = 1000;
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

/// It is there and of this user.
#[derive(Debug)]
pub(super) struct Folder {
    opened: OwnedFd,
    pub(super) path: PathBuf,
}

/// The holder of the lock.
#[derive(Debug)]
pub(super) enum Held {
    /// The process that records.
    ByRecorder,
    /// This process, until this is dropped.
    ByUs(#[expect(dead_code, reason = "the lock is free once it is dropped")] OwnedFd),
    /// None, and there is no lock to take.
    NoLock,
}

impl Folder {
    /// Opens the folder of that name.
    pub(super) fn open(parent: &Path, name: &DetachedName) -> io::Result<Self> {
        let path = parent.join(name.as_str());
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::open(&path, flags, Mode::empty())?;
        if fstat(&opened)?.st_uid != getuid().as_raw() {
            return Err(not_ours("the folder"));
        }
        Ok(Self { opened, path })
    }

    /// Takes the recorder's lock, for as long as the descriptor is open.
    pub(super) fn lock(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        let lock = self.open_at(LOCK, flags)?;
        // A process that checks whether it is free holds it for a moment.
        flock(&lock, FlockOperation::LockExclusive)?;
        Ok(lock)
    }

    /// Whether a process records. None begins to while the answer is [`Held::ByUs`].
    pub(super) fn held(&self) -> io::Result<Held> {
        let lock = match self.open_at(LOCK, OFlags::RDONLY) {
            Err(Errno::NOENT) => return Ok(Held::NoLock),
            lock => lock?,
        };
        self.expect_file(&lock)?;
        match flock(&lock, FlockOperation::NonBlockingLockShared) {
            Ok(()) => Ok(Held::ByUs(lock)),
            Err(Errno::WOULDBLOCK) => Ok(Held::ByRecorder),
            Err(error) => Err(error.into()),
        }
    }

    /// The capture's facts about itself; `None` when they are unreadable.
    pub(super) fn facts(&self) -> Option<DetachedFacts> {
        let mut bytes = Vec::new();
        let file = self.file(FACTS).ok()?;
        file.take(MAX_FACTS_BYTES + 1)
            .read_to_end(&mut bytes)
            .ok()?;
        if bytes.len() as u64 > MAX_FACTS_BYTES {
            return None;
        }
        let mut facts: DetachedFacts = named_members::from_slice(&bytes).ok()?;
        facts.begun_unix_ms = facts.begun_unix_ms.min(LAST_MS);
        facts.ended_unix_ms = facts.ended_unix_ms.map(|ms| ms.min(LAST_MS));
        Some(facts)
    }

    /// Writes them: as a new file, or on a full disk into the old one, which has room for them.
    pub(super) fn write_facts(&self, facts: &DetachedFacts) -> io::Result<()> {
        let mut text = serde_json::to_string(facts).map_err(io::Error::other)?;
        let room = ROOM_FOR_FACTS.saturating_sub(text.len());
        text.extend(std::iter::repeat_n(' ', room));
        self.replace_facts(text.as_bytes()).or_else(|_| {
            let mut old = File::from(self.open_at(FACTS, OFlags::WRONLY)?);
            old.write_all(text.as_bytes())
        })
    }

    fn replace_facts(&self, text: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC;
        let mut new = File::from(self.open_at(NEW_FACTS, flags)?);
        new.write_all(text)?;
        Ok(renameat(&self.opened, NEW_FACTS, &self.opened, FACTS)?)
    }

    /// The capture's file as it is now.
    pub(super) fn capture(&self) -> io::Result<File> {
        self.file(CAPTURE)
    }

    /// Whether the user wants it to end.
    pub(super) fn is_stop_requested(&self) -> bool {
        rustix::fs::statat(&self.opened, STOP, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Requests its end.
    pub(super) fn request_stop(&self) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE;
        self.open_at(STOP, flags).map(drop).map_err(Into::into)
    }

    /// Removes it with its files; folders in it do not belong to the capture and stay, and so does
    /// the folder then.
    pub(super) fn remove(self) -> io::Result<()> {
        for entry in Dir::read_from(&self.opened)?.take(MAX_ENTRIES) {
            let entry = entry?;
            if entry.file_name() != c"." && entry.file_name() != c".." {
                unlinkat(&self.opened, entry.file_name(), AtFlags::empty())?;
            }
        }
        std::fs::remove_dir(self.path)
    }

    fn file(&self, name: &str) -> io::Result<File> {
        let opened = self.open_at(name, OFlags::RDONLY)?;
        self.expect_file(&opened)?;
        Ok(opened.into())
    }

    fn open_at(&self, name: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        // Opening a pipe that another process put there must not block.
        let always = OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        openat(&self.opened, name, flags | always, PRIVATE_FILE)
    }

    fn expect_file(&self, opened: &OwnedFd) -> io::Result<()> {
        let found = fstat(opened)?;
        let is_file = FileType::from_raw_mode(found.st_mode).is_file();
        match is_file && found.st_uid == getuid().as_raw() {
            true => Ok(()),
            false => Err(not_ours("the file in the folder")),
        }
    }
}

fn not_ours(what: &str) -> io::Error {
    let why = format!("{what} is another user's, or no file");
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Length of the file now.
    pub file_bytes: u64,
}

/// The bytes of a file from `from` on, at most `most`.
///
/// # Errors
/// When it cannot be read.
pub fn read_part(mut file: File, from: u64, most: u64) -> io::Result<Read> {
    let file_bytes = file.metadata()?.len();
    let mut bytes = Vec::new();
    if from < file_bytes {
        file.seek(SeekFrom::Start(from))?;
        file.take(most).read_to_end(&mut bytes)?;
    }
    Ok(Read { bytes, file_bytes })
}
