//! The order in which commits were made.

use std::time::Instant;

use shared_map::HashMap;
use shared_sort::SharedSort;

use crate::git::{self, GitError};
use crate::repository::{Repository, first_line, is_commit_name};

/// A longer history of measured commits is not realistic.
const MAX_COMMITS: usize = 20_000;

impl Repository {
    /// The commits among these that the repository has, no commit before one that it builds on.
    ///
    /// # Errors
    /// When git does not answer, as for a history whose list is longer than an answer may be; see [`GitError`].
    pub fn in_order(&self, commits: &[String]) -> Result<Vec<String>, GitError> {
        let deadline = git::deadline();
        let mut known = self.known(commits, deadline)?;
        if known.len() < 2 {
            return Ok(known);
        }
        // Only the commits since the last one that all build on: all of history may be long.
        let mut input = known.join("\n");
        if let Some(base) = self.common_base(&known, deadline)? {
            input.push_str(&format!("\n^{base}"));
            known.retain(|commit| *commit != base);
            let first = commits.contains(&base).then_some(base);
            let rest = self.walked(&input, &known, deadline)?;
            return Ok(first.into_iter().chain(rest).collect());
        }
        self.walked(&input, &known, deadline)
    }

    /// When commits that the repository has were made, seconds since 1970, by their names.
    ///
    /// # Errors
    /// When git does not answer; see [`GitError`].
    pub fn made_at(&self, known: &[String]) -> Result<HashMap<String, u64>, GitError> {
        let names = known.iter().filter(|commit| is_commit_name(commit));
        let input: String = names.flat_map(|commit| [commit, "\n"]).collect();
        if input.is_empty() {
            return Ok(HashMap::new());
        }
        let question = ["rev-list", "--no-walk", "--timestamp", "--stdin"];
        let deadline = git::deadline();
        let answer = self.git.ask(&question, input.as_bytes(), deadline)?;
        let output = String::from_utf8_lossy(&answer.output);
        let made = output.lines().filter_map(|line| {
            let (seconds, commit) = line.split_once(' ')?;
            Some((commit.to_owned(), seconds.parse().ok()?))
        });
        Ok(made.collect())
    }

    /// Those that the repository has, each once.
    fn known(&self, commits: &[String], deadline: Instant) -> Result<Vec<String>, GitError> {
        let mut named: Vec<&str> = commits.iter().map(String::as_str).collect();
        named.retain(|commit| is_commit_name(commit));
        named.shared_sort();
        named.dedup();
        named.truncate(MAX_COMMITS);
        let question = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
        let input: String = named.iter().flat_map(|it| [*it, "\n"]).collect();
        let answer = self.git.ask(&question, input.as_bytes(), deadline)?;
        let output = String::from_utf8_lossy(&answer.output);
        let commits = output
            .lines()
            .filter_map(|line| line.strip_suffix(" commit"));
        Ok(commits.map(str::to_owned).collect())
    }

    fn common_base(&self, known: &[String], deadline: Instant) -> Result<Option<String>, GitError> {
        let mut question = vec!["merge-base", "--octopus"];
        question.extend(known.iter().map(String::as_str));
        let answer = self.git.answer(&question, deadline)?;
        let base = answer.map(|base| String::from_utf8_lossy(&base).into_owned());
        Ok(base.filter(|base| is_commit_name(base)))
    }

    fn walked(
        &self,
        input: &str,
        wanted: &[String],
        deadline: Instant,
    ) -> Result<Vec<String>, GitError> {
        let question = ["rev-list", "--topo-order", "--reverse", "--stdin"];
        let answer = self.git.ask(&question, input.as_bytes(), deadline)?;
        if !answer.status.success() {
            return Err(GitError::Failed(first_line(&answer.messages)));
        }
        let output = String::from_utf8_lossy(&answer.output);
        let lines = output.lines();
        // In the order of their names: see `known`.
        let is_wanted = |line: &&str| wanted.binary_search_by(|it| it.as_str().cmp(line)).is_ok();
        Ok(lines.filter(is_wanted).map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::tests::of_script;

    #[test]
    fn a_history_that_git_does_not_list_is_no_empty_one() {
        let folder = std::env::temp_dir().join(format!("long-history-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let commits = ["a", "b"].map(|digit| digit.repeat(40));
        let order = |walk: &str| {
            let answers = "*cat-file*) sed 's/$/ commit/';; *merge-base*) exit 1;;";
            let script = format!("case \"$*\" in {answers} *) cat > /dev/null; {walk};; esac");
            let repository = Repository {
                git: of_script(&folder, &script),
                top: folder.clone(),
            };
            repository.in_order(&commits)
        };
        let (a, b) = (&commits[0], &commits[1]);
        let listed = order(&format!("printf '{b}\\n{a}\\n'"));
        let long = order("head -c 5000000 /dev/zero");
        let failed = order("echo 'fatal: bad object' >&2; exit 128");
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(listed.unwrap(), [b.clone(), a.clone()]);
        assert!(matches!(long, Err(GitError::Run(_))), "{long:?}");
        let failed = failed.unwrap_err().to_string();
        assert_eq!(failed, "git reports: fatal: bad object");
    }
}
