//! Commits that the user names: by a tag, a branch, or a part of their own name.

use capture::facts::OriginFacts;

use crate::git::{self, GitError};
use crate::repository::{Repository, as_name, is_commit_name};

impl Repository {
    /// The whole name of the commit; `None` when there is none that is called so.
    ///
    /// # Errors
    /// When git does not answer; see [`GitError`].
    pub fn commit_named(&self, text: &str) -> Result<Option<String>, GitError> {
        let wanted = format!("{text}^{{commit}}");
        let question = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &wanted,
        ];
        let answer = self.git.answer(&question, git::deadline())?;
        let name = answer.map(|name| as_name(&name));
        Ok(name.filter(|name| is_commit_name(name)))
    }

    /// Those of the names that tags have, each with its commit, in their order.
    ///
    /// # Errors
    /// When git does not answer; see [`GitError`].
    pub fn tags(&self, names: &[String]) -> Result<Vec<(String, String)>, GitError> {
        let mut tags = Vec::new();
        for name in names {
            if let Some(commit) = self.commit_named(&format!("refs/tags/{name}"))? {
                tags.push((name.clone(), commit));
            }
        }
        Ok(tags)
    }

    /// The facts for a capture to which a user assigns this commit, by its full name. `now` is the
    /// current checkout.
    ///
    /// # Errors
    /// When git does not answer; see [`GitError`].
    pub fn assigned(&self, commit: &str, now: &OriginFacts) -> Result<OriginFacts, GitError> {
        let question = ["describe", "--tags", "--always", commit];
        let describe = self.git.answer(&question, git::deadline())?;
        Ok(OriginFacts {
            repository: now.repository.clone(),
            commit: commit.to_owned(),
            describe: describe.map_or_else(String::new, |name| as_name(&name)),
            assigned: true,
            ..OriginFacts::default()
        })
    }
}
