//! Profiles that could not be sent yet, on disk: a bounded number of bytes, the oldest thrown away
//! first.
//!
//! Each profile is a file of its own, which appears under its name when it is complete: first a line of JSON with its
//! service, labels and period, then the profile.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use capture::file::make_private_folder;

use crate::profile::{About, Outgoing};

const SUFFIX: &str = "profile";
/// The line about a profile is never longer.
const MAX_ABOUT_BYTES: usize = 64 << 10;

/// The profiles that wait.
#[derive(Debug)]
pub struct Buffer {
    folder: PathBuf,
    max_bytes: u64,
    /// Size in bytes of each, by number; numbers count up with age.
    waiting: BTreeMap<u64, u64>,
    bytes: u64,
    next: u64,
}

impl Buffer {
    /// Opens the folder, which is made if need be and is for no other user. Profiles that an
    /// earlier run left in it keep waiting.
    ///
    /// # Errors
    /// When it cannot be made or listed, or belongs to another user.
    pub fn open(folder: &Path, max_bytes: u64) -> io::Result<Self> {
        if let Some(parent) = folder.parent() {
            fs::create_dir_all(parent)?;
        }
        make_private_folder(folder)?;
        let mut buffer = Self {
            folder: folder.to_owned(),
            max_bytes,
            waiting: BTreeMap::new(),
            bytes: 0,
            next: 0,
        };
        for entry in fs::read_dir(folder)?.flatten() {
            let path = entry.path();
            let number = path.file_name().and_then(|name| {
                name.to_str()?
                    .strip_suffix(&format!(".{SUFFIX}"))?
                    .parse()
                    .ok()
            });
            let (Some(number), Ok(found)) = (number, entry.metadata()) else {
                continue;
            };
            if found.is_file() {
                buffer.waiting.insert(number, found.len());
                buffer.bytes += found.len();
                buffer.next = buffer.next.max(number.saturating_add(1));
            }
        }
        Ok(buffer)
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// True when nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Where they wait.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds a profile; gives how many older ones had to go for it.
    ///
    /// # Errors
    /// When it cannot be written; then it is not among those that wait.
    pub fn add(&mut self, profile: &Outgoing) -> io::Result<u64> {
        let mut about = serde_json::to_vec(&profile.about).map_err(io::Error::from)?;
        about.push(b'\n');
        let bytes = (about.len() + profile.pprof.len()) as u64;
        if bytes > self.max_bytes {
            return Err(io::Error::new(
                io::ErrorKind::StorageFull,
                "it is larger than the whole buffer",
            ));
        }
        let mut dropped = 0;
        while self.bytes + bytes > self.max_bytes {
            let Some((&oldest, _)) = self.waiting.first_key_value() else {
                break;
            };
            self.remove(oldest);
            dropped += 1;
        }
        let number = self.next;
        let unfinished = self.folder.join(format!("{number}.unfinished"));
        let written = write_private(&unfinished, &[&about, &profile.pprof])
            .and_then(|()| fs::rename(&unfinished, self.path(number)));
        if let Err(error) = written {
            // The incomplete file is of no use.
            let _ = fs::remove_file(&unfinished);
            return Err(error);
        }
        self.next += 1;
        self.waiting.insert(number, bytes);
        self.bytes += bytes;
        Ok(dropped)
    }

    /// The oldest that waits, with its number.
    ///
    /// # Errors
    /// With the number of one that cannot be read, which should be removed.
    pub fn oldest(&self) -> Result<Option<(u64, Outgoing)>, (u64, io::Error)> {
        let Some((&number, _)) = self.waiting.first_key_value() else {
            return Ok(None);
        };
        match self.read(number) {
            Ok(profile) => Ok(Some((number, profile))),
            Err(error) => Err((number, error)),
        }
    }

    fn read(&self, number: u64) -> io::Result<Outgoing> {
        let mut content = Vec::new();
        File::open(self.path(number))?
            .take(self.max_bytes)
            .read_to_end(&mut content)?;
        let odd = || io::Error::new(io::ErrorKind::InvalidData, "it is no profile that was kept");
        let line = content
            .iter()
            .take(MAX_ABOUT_BYTES)
            .position(|byte| *byte == b'\n');
        let pprof = content.split_off(line.ok_or_else(odd)? + 1);
        let about: About = named_members::from_slice(&content).map_err(|_| odd())?;
        Ok(Outgoing { about, pprof })
    }

    /// Forgets a profile that was sent, or is of no use.
    pub fn remove(&mut self, number: u64) {
        if let Some(bytes) = self.waiting.remove(&number) {
            self.bytes -= bytes;
            // One that stays is sent once more by the next run, which stores take.
            let _ = fs::remove_file(self.path(number));
        }
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:020}.{SUFFIX}"))
    }
}

fn write_private(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    // A run that was killed may have left one.
    let _ = fs::remove_file(path);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    for part in parts {
        file.write_all(part)?;
    }
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("extrospect-buffer-{name}-{}", std::process::id());
            Self(std::env::temp_dir().join(name))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn profile(number: u64, bytes: usize) -> Outgoing {
        let about = About {
            service: "x".to_owned(),
            labels: BTreeMap::new(),
            from_s: number,
            until_s: number + 10,
        };
        Outgoing {
            about,
            pprof: vec![b'\n'; bytes],
        }
    }

    #[test]
    fn the_oldest_comes_first_and_a_new_run_finds_what_waits() {
        let folder = Folder::new("order");
        let mut buffer = Buffer::open(&folder.0, 1 << 20).unwrap();
        for number in 0..12 {
            assert_eq!(buffer.add(&profile(number, 100)).unwrap(), 0);
        }
        drop(buffer);
        let mut buffer = Buffer::open(&folder.0, 1 << 20).unwrap();
        for number in 0..12 {
            let (at, found) = buffer.oldest().unwrap().unwrap();
            assert_eq!(found, profile(number, 100));
            buffer.remove(at);
        }
        assert!(buffer.is_empty() && buffer.oldest().unwrap().is_none());
    }

    #[test]
    fn the_oldest_go_when_there_is_no_room_and_are_counted() {
        let folder = Folder::new("room");
        let mut buffer = Buffer::open(&folder.0, 1000).unwrap();
        let dropped: u64 = (0..10)
            .map(|number| buffer.add(&profile(number, 300)).unwrap())
            .sum();
        assert_eq!(dropped, 10 - buffer.len() as u64);
        let (_, oldest) = buffer.oldest().unwrap().unwrap();
        assert_eq!(oldest.about.from_s, dropped);
        assert!(buffer.add(&profile(0, 2000)).is_err());
    }

    #[test]
    fn damaged_files_are_reported() {
        let folder = Folder::new("damaged");
        let mut buffer = Buffer::open(&folder.0, 1000).unwrap();
        buffer.add(&profile(1, 10)).unwrap();
        fs::write(buffer.path(0), "no line").unwrap();
        let (number, _) = buffer.oldest().unwrap_err();
        buffer.remove(number);
        assert!(buffer.is_empty());
    }
}
