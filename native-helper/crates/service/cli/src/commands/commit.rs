//! The commit that `record` names in its capture.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use capture::facts::OriginFacts;
use capture::reader::Capture;
use commit::{GitError, Repository};

use crate::failure::{Exit, Failure};
use crate::terminal;

/// A repository and the commit that was checked out when the capture began.
pub struct CheckedOut {
    /// The facts known at the start.
    pub origin: OriginFacts,
    repository: Repository,
}

impl CheckedOut {
    /// The same with the hash of every source that the capture names.
    pub fn with_sources(&self, capture: &Capture) -> OriginFacts {
        OriginFacts {
            sources: self.repository.sources_of(capture),
            ..self.origin.clone()
        }
    }
}

/// Looks for the commit while the VM is attached to: both may take a while.
pub struct CommitLook(JoinHandle<Result<Option<CheckedOut>, GitError>>);

impl CommitLook {
    /// Begins to look in the folder that was named, else in the current one.
    pub fn begin(folder: Option<&Path>) -> Result<Self, Failure> {
        let named = folder.map(Path::to_owned);
        if let Some(folder) = named.as_deref().filter(|folder| !folder.is_dir()) {
            return Err(Failure::new(
                Exit::Usage,
                format!("{} is no folder", folder.display()),
                "--source-dir names the folder of the sources that the VM runs",
                "name another one, or omit it",
            ));
        }
        let folder = named.unwrap_or_else(|| PathBuf::from("."));
        let look = move || {
            let Some(repository) = Repository::of(&folder)? else {
                return Ok(None);
            };
            let origin = repository.origin()?;
            Ok(Some(CheckedOut { origin, repository }))
        };
        let thread = std::thread::Builder::new().name("commit".to_owned());
        thread.spawn(look).map(Self).map_err(|error| {
            Failure::new(
                Exit::Other,
                "cannot start a thread".to_owned(),
                error.to_string(),
                "raise the limit on processes (ulimit -u)",
            )
        })
    }

    /// The result. A capture without a commit is still a capture: an error is one line.
    pub fn wait(self) -> Option<CheckedOut> {
        match self.0.join() {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                terminal::warn(&format!("the capture names no commit: {error}"));
                None
            }
            Err(_) => None,
        }
    }
}
