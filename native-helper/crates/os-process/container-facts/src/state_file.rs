//! Files that runtimes keep of their containers.

use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use target_proc::RootFolder;
use target_proc::caller;

/// A list of a thousand containers of Podman has less.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The disk of the machine; tests have folders of their own.
#[derive(Debug, Clone)]
pub struct HostDisk {
    root: PathBuf,
    home_of_user: fn(u32) -> Option<PathBuf>,
}

impl HostDisk {
    /// The disk of this process.
    #[must_use]
    pub fn live() -> Self {
        Self {
            root: PathBuf::from("/"),
            home_of_user: home_of,
        }
    }

    /// A folder that stands for the disk.
    #[cfg(test)]
    pub(crate) fn at(root: &Path, home_of_user: fn(u32) -> Option<PathBuf>) -> Self {
        Self {
            root: root.to_owned(),
            home_of_user,
        }
    }

    /// A folder of the machine's own. Links on the way to it are root's.
    pub(crate) fn folder(&self, path: &Path) -> Option<StateFolder> {
        let path = path.strip_prefix("/").unwrap_or(path);
        Some(StateFolder {
            folder: RootFolder::open(&self.root.join(path)).ok()?,
            owner: None,
        })
    }

    /// The home of a user, of which only files are read that are that user's own.
    pub(crate) fn home(&self, user: u32) -> Option<StateFolder> {
        let home = self.folder(&(self.home_of_user)(user)?)?;
        Some(StateFolder {
            owner: Some(user),
            ..home
        })
    }
}

/// By the list of users. A user of an organisation's directory is not in there, but the environment names the own home.
fn home_of(user: u32) -> Option<PathBuf> {
    let is_own = rustix::process::getuid().as_raw() == user;
    caller::home_of_user(user).or_else(|| is_own.then(caller::home).flatten())
}

/// A folder below which a runtime keeps its files.
#[derive(Debug)]
pub(crate) struct StateFolder {
    folder: RootFolder,
    owner: Option<u32>,
}

impl StateFolder {
    /// The text of a file in there: a regular one, reached by no link, no longer than a megabyte. `None` for
    /// everything else: names are a courtesy.
    pub(crate) fn text(&self, inside: &str) -> Option<Vec<u8>> {
        let file = self
            .folder
            .open_regular_without_links(Path::new(inside))
            .ok()?;
        let owner = file.metadata().ok()?.uid();
        if self.owner.is_some_and(|wanted| wanted != owner) {
            return None;
        }
        let mut text = Vec::new();
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut text).ok()?;
        (text.len() as u64 <= MAX_FILE_BYTES).then_some(text)
    }

    /// The same as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, inside: &str) -> Option<T> {
        named_members::from_slice(&self.text(inside)?).ok()
    }
}
