//! The detached captures of the user, and the operations on them after a reconnect.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use diagnose::refusal::Refusal;
use protocol::detached::{DetachedCapture, DetachedState};
use shared_sort::SharedSort;

use super::folder::{Folder, Held};
use super::name::DetachedName;
use super::trouble::{goes_on, not_ended, unreadable};
use crate::state_folder::detached_folder;

/// As many as one message and one screen can take.
const MAX_LISTED: usize = 200;
/// How long a capture may take to complete its file.
const END_PATIENCE: Duration = Duration::from_secs(60);
/// How long the recorder may take to end once its facts show the end of the capture.
const LAST_MOMENT: Duration = Duration::from_secs(5);
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// A detached capture that is there.
#[derive(Debug)]
pub struct Detached {
    folder: Folder,
    name: DetachedName,
}

/// Those of this user, by name. Other entries of their folder are left out.
///
/// # Errors
/// When their folder cannot be made or read.
pub fn list() -> io::Result<Vec<DetachedCapture>> {
    list_in(&detached_folder()?)
}

pub(super) fn list_in(parent: &Path) -> io::Result<Vec<DetachedCapture>> {
    let entries = std::fs::read_dir(parent)?.take(MAX_LISTED).flatten();
    let mut names: Vec<DetachedName> = entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    names.shared_sort();
    let opened = names
        .into_iter()
        .filter_map(|name| Detached::open_in(parent, name).ok());
    Ok(opened.filter_map(|it| it.row().ok()).collect())
}

impl Detached {
    /// The one of that name.
    ///
    /// # Errors
    /// There is none, or it is not this user's.
    pub fn open(name: DetachedName) -> Result<Self, Refusal> {
        let parent = detached_folder().map_err(|error| unreadable(&name, &error))?;
        let found = Self::open_in(&parent, name.clone());
        found.map_err(|error| unreadable(&name, &error))
    }

    pub(super) fn open_in(parent: &Path, name: DetachedName) -> io::Result<Self> {
        let folder = Folder::open(parent, &name)?;
        Ok(Self { folder, name })
    }

    /// The current facts about it.
    ///
    /// # Errors
    /// It is unknown whether it continues.
    pub fn row(&self) -> io::Result<DetachedCapture> {
        // Before the facts: a capture that ends in between has written its end by then.
        let is_held = matches!(self.folder.held()?, Held::ByRecorder);
        let facts = self.folder.facts();
        let has_ended = facts.as_ref().is_some_and(|facts| facts.end.is_some());
        let state = match (is_held, &facts) {
            _ if has_ended => DetachedState::Ended,
            (true, None) => DetachedState::Starting,
            (true, Some(_)) => DetachedState::Recording,
            (false, _) => DetachedState::EndedUnexpectedly,
        };
        let file = self.folder.capture().and_then(|file| file.metadata());
        Ok(DetachedCapture {
            name: self.name.as_str().to_owned(),
            state,
            file_bytes: file.map_or(0, |metadata| metadata.len()),
            facts,
        })
    }

    /// Requests its end and waits until its file is complete. One that has ended is left alone.
    ///
    /// # Errors
    /// The request cannot be written, or the capture does not end in time.
    pub fn stop(&self, cancelled: &dyn Fn() -> bool) -> Result<DetachedCapture, Refusal> {
        let asked = Instant::now();
        let failed = |error: io::Error| unreadable(&self.name, &error);
        let mut is_requested = false;
        while matches!(self.folder.held().map_err(failed)?, Held::ByRecorder) {
            if !is_requested {
                self.folder.request_stop().map_err(failed)?;
                is_requested = true;
            }
            if cancelled() || asked.elapsed() > END_PATIENCE {
                return Err(not_ended(&self.name));
            }
            std::thread::sleep(LOOK_INTERVAL);
        }
        self.row().map_err(failed)
    }

    /// Its file as it is now: a whole capture in every state, except for a last increment that is
    /// being written.
    ///
    /// # Errors
    /// When there is none, or it is no file of this user's.
    pub fn capture(&self) -> Result<File, Refusal> {
        let file = self.folder.capture();
        file.map_err(|error| unreadable(&self.name, &error))
    }

    /// Where its file is.
    pub fn path(&self) -> PathBuf {
        self.folder.path.join(super::folder::CAPTURE)
    }

    /// Removes it with its file.
    ///
    /// # Errors
    /// It still records, or cannot be removed.
    pub fn remove(self) -> Result<(), Refusal> {
        let asked = Instant::now();
        let failed = |error: io::Error| unreadable(&self.name, &error);
        // No other process removes it while this is held.
        let _held = loop {
            match self.folder.held().map_err(failed)? {
                // A recorder whose facts show the end frees the lock in a moment.
                Held::ByRecorder if self.has_ended() && asked.elapsed() < LAST_MOMENT => {
                    std::thread::sleep(LOOK_INTERVAL);
                }
                Held::ByRecorder => return Err(goes_on(&self.name)),
                free => break free,
            }
        };
        let name = self.name;
        let removed = self.folder.remove();
        removed.map_err(|error| unreadable(&name, &error))
    }

    fn has_ended(&self) -> bool {
        self.folder.facts().is_some_and(|facts| facts.end.is_some())
    }
}
