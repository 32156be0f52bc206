//! A repository, and its answers about the commit.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use capture::facts::OriginFacts;

use crate::git::{self, Git, GitError};
use crate::remote::without_credentials;

/// The messages of git where there is nothing to report.
const NO_WORK_TREE: [&str; 2] = ["not a git repository", "must be run in a work tree"];
/// Names longer than this are no names.
const MAX_NAME_BYTES: usize = 256;

/// A repository with sources.
#[derive(Debug)]
pub struct Repository {
    pub(crate) git: Git,
    pub(crate) top: PathBuf,
}

impl Repository {
    /// The repository that a folder is in. `None` when there is none, none with a work tree, or no
    /// git.
    ///
    /// # Errors
    /// When there is one that git does not report on; see [`GitError`].
    pub fn of(folder: &Path) -> Result<Option<Self>, GitError> {
        let deadline = git::deadline();
        let Some(mut git) = Git::in_folder(folder)? else {
            return Ok(None);
        };
        let output = git.ask(&["rev-parse", "--show-toplevel"], b"", deadline)?;
        if !output.status.success() {
            return match NO_WORK_TREE
                .iter()
                .any(|text| output.messages.contains(text))
            {
                true => Ok(None),
                false => Err(GitError::Failed(first_line(&output.messages))),
            };
        }
        let top = output.output.strip_suffix(b"\n").unwrap_or(&output.output);
        let top = PathBuf::from(OsString::from_vec(top.to_vec()));
        if !top.is_absolute() {
            return Ok(None);
        }
        git = git.at(top.clone());
        git.leave_out_filters(deadline)?;
        Ok(Some(Self { git, top }))
    }

    /// Its top folder.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Which commit is checked out, by now. A repository without a commit has a branch at most.
    ///
    /// # Errors
    /// When git does not answer; see [`GitError`].
    pub fn origin(&self) -> Result<OriginFacts, GitError> {
        let deadline = git::deadline();
        let name = |question: &[&str]| {
            let answer = self.git.answer(question, deadline)?;
            Ok::<_, GitError>(answer.map_or_else(String::new, |name| as_name(&name)))
        };
        let commit = name(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
        let branch = name(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        let is_commit = is_commit_name(&commit);
        Ok(OriginFacts {
            repository: self.remote(deadline)?,
            describe: match is_commit {
                true => name(&["describe", "--tags", "--always"])?,
                false => String::new(),
            },
            // Last: it looks at every file, and a tree that is too large for that counts as changed.
            dirty: is_commit && self.is_dirty(deadline),
            commit: if is_commit { commit } else { String::new() },
            branch,
            ..OriginFacts::default()
        })
    }

    fn remote(&self, deadline: Instant) -> Result<String, GitError> {
        let remotes = self.git.answer(&["remote"], deadline)?.unwrap_or_default();
        let remotes = String::from_utf8_lossy(&remotes);
        let is_origin = |name: &&str| *name == "origin";
        let Some(name) = remotes.lines().find(is_origin).or(remotes.lines().next()) else {
            return Ok(String::new());
        };
        let address = self.git.answer(&["remote", "get-url", name], deadline)?;
        let address = address.unwrap_or_default();
        let first = String::from_utf8_lossy(&address);
        Ok(without_credentials(
            first.lines().next().unwrap_or_default(),
        ))
    }

    /// Whether tracked files differ from the commit; true when that is unknown.
    fn is_dirty(&self, deadline: Instant) -> bool {
        let question = ["status", "--porcelain", "-z", "--untracked-files=no"];
        match self.git.answer(&question, deadline) {
            Ok(Some(changes)) => !changes.is_empty(),
            _ => true,
        }
    }
}

/// The first line of git's messages, short enough for one line of our output.
pub(crate) fn first_line(messages: &str) -> String {
    let line = messages.lines().next().unwrap_or_default();
    let shown = line.chars().filter(|c| !c.is_control());
    shown.take(MAX_NAME_BYTES).collect()
}

pub(crate) fn as_name(bytes: &[u8]) -> String {
    let bytes = &bytes[..bytes.len().min(MAX_NAME_BYTES)];
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether a text is the whole name of an object.
pub(crate) fn is_commit_name(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    matches!(text.len(), 40 | 64) && text.bytes().all(is_digit)
}
