//! Why sources as they were are not to be had.

use std::path::{Path, PathBuf};
use std::time::Instant;

use unprivileged_child::find_program;

use crate::git::{self, GitError};
use crate::repository::{Repository, is_commit_name};

/// Of a commit's name, what people are shown.
const SHORT_NAME: usize = 12;

/// Why the sources of a commit are not to be had, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum SourcesMissing {
    /// The system has no git.
    #[error("there is no git here to ask for the sources of the commits; install git")]
    NoGit,
    /// The folder belongs to nothing that git knows.
    #[error("{} is in no git repository; name the folder of the one that has the sources", .0.display())]
    NoRepository(PathBuf),
    /// The clone has the newest commits only.
    #[error(
        "this clone is shallow and has not {0}; git fetch --unshallow, or fetch-depth: 0 where CI checks out"
    )]
    Shallow(String),
    /// Git knows no such commit.
    #[error("this repository has not {0}; git fetch, or name the folder of the one that has it")]
    NoCommit(String),
    /// The commit has nothing there that code is compiled from.
    #[error("{commit} has no sources below {}", folder.display())]
    NoSources {
        /// Its name.
        commit: String,
        /// The folder.
        folder: PathBuf,
    },
    /// Git gives no answer.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl Repository {
    /// The repository that a folder is in.
    ///
    /// # Errors
    /// Why there is none.
    pub fn found(folder: &Path) -> Result<Self, SourcesMissing> {
        match Self::of(folder)? {
            Some(repository) => Ok(repository),
            None if find_program("git").is_none() => Err(SourcesMissing::NoGit),
            None => Err(SourcesMissing::NoRepository(folder.to_owned())),
        }
    }

    /// Checks that git has a commit.
    ///
    /// # Errors
    /// Why it does not have it.
    pub fn check_commit(&self, commit: &str) -> Result<(), SourcesMissing> {
        let deadline = git::deadline();
        let object = format!("{commit}^{{commit}}");
        let is_there = is_commit_name(commit)
            && self
                .git
                .answer(&["cat-file", "-e", &object], deadline)?
                .is_some();
        match is_there {
            true => Ok(()),
            false => Err(self.lacks(commit, deadline)),
        }
    }

    /// Why git does not have a commit.
    pub(crate) fn lacks(&self, commit: &str, deadline: Instant) -> SourcesMissing {
        let question = ["rev-parse", "--is-shallow-repository"];
        let answer = self.git.answer(&question, deadline).ok().flatten();
        match answer.as_deref() == Some(b"true") {
            true => SourcesMissing::Shallow(short_name(commit)),
            false => SourcesMissing::NoCommit(short_name(commit)),
        }
    }
}

/// As much of a commit's name as people are shown.
#[must_use]
pub fn short_name(commit: &str) -> String {
    let shown = commit.chars().filter(char::is_ascii_alphanumeric);
    shown.take(SHORT_NAME).collect()
}
