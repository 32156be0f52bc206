//! The system's `git`, and how it is called.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use shared_sort::SharedSort;
use target_proc::caller;
use unprivileged_child::{
    ChildUser, Group, ProgramOutput, RunError, RunLimits, UNCANCELLED, find_program, plain_command,
    run,
};

/// The most bytes of one answer.
const MAX_BYTES: u64 = 4 << 20;
/// The time for all queries of one answer; a recording waits for its commit so long, too.
const PATIENCE: Duration = Duration::from_secs(10);
/// The message of git for a repository that belongs to another user.
const NOT_OWNED: &str = "dubious ownership";
/// Settings that would have it start programs, talk with servers or write.
const SETTINGS: [(&str, &str); 5] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.untrackedCache", "false"),
    ("protocol.allow", "never"),
    ("credential.helper", ""),
];
/// More filters than this cannot be genuine.
const MAX_FILTERS: usize = 64;

/// The reason why git did not report the commit, if the user should see it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// The repository belongs to another user.
    #[error("the repository belongs to another user, so git does not read it (safe.directory)")]
    NotOwned,
    /// We have rights that our caller does not have, root's among them.
    #[error("git is not started by a program with its set-user-id bit set")]
    NotOurs,
    /// It did not answer.
    #[error("git did not answer: {0}")]
    Run(#[from] RunError),
    /// It failed in another way.
    #[error("git reports: {0}")]
    Failed(String),
}

/// When git has to have answered all queries of one answer that begins now.
pub(crate) fn deadline() -> Instant {
    Instant::now() + PATIENCE
}

/// A git that answers questions about one folder.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    program: PathBuf,
    user: Option<ChildUser>,
    home: Option<PathBuf>,
    folder: PathBuf,
    filters: Vec<String>,
}

impl Git {
    /// The system's git in a folder; `None` when there is none.
    pub(crate) fn in_folder(folder: &Path) -> Result<Option<Self>, GitError> {
        let Some(program) = find_program("git") else {
            return Ok(None);
        };
        let user = ChildUser::by_sudo();
        if ChildUser::when_root().is_some() && caller::has_more_rights_than_caller() {
            return Err(GitError::NotOurs);
        }
        let home = match user {
            Some(user) => caller::home_of_user(user.uid),
            None => caller::home(),
        };
        Ok(Some(Self {
            program,
            user,
            home,
            folder: folder.to_owned(),
            filters: Vec::new(),
        }))
    }

    /// The same in another folder.
    pub(crate) fn at(&self, folder: PathBuf) -> Self {
        Self {
            folder,
            ..self.clone()
        }
    }

    /// From now on without the filters that are configured: they are programs.
    pub(crate) fn leave_out_filters(&mut self, deadline: Instant) -> Result<(), GitError> {
        let question = ["config", "-z", "--name-only", "--get-regexp", "^filter\\."];
        let names = self.ask(&question, b"", deadline)?;
        let mut filters: Vec<String> = names
            .output
            .split(|byte| *byte == 0)
            .filter_map(|name| std::str::from_utf8(name).ok()?.strip_prefix("filter."))
            .filter_map(|name| Some(name.rsplit_once('.')?.0.to_owned()))
            .collect();
        filters.shared_sort();
        filters.dedup();
        if filters.len() > MAX_FILTERS {
            return Err(GitError::Failed("it has too many filters".to_owned()));
        }
        self.filters = filters;
        Ok(())
    }

    /// Queries git, whatever it answers.
    pub(crate) fn ask(
        &self,
        question: &[&str],
        input: &[u8],
        deadline: Instant,
    ) -> Result<ProgramOutput, GitError> {
        self.ask_for(question, input, MAX_BYTES, deadline)
    }

    /// The same, with a limit on the bytes of the answer.
    pub(crate) fn ask_for(
        &self,
        question: &[&str],
        input: &[u8],
        bytes: u64,
        deadline: Instant,
    ) -> Result<ProgramOutput, GitError> {
        let left = deadline.saturating_duration_since(Instant::now());
        let patience = RunLimits::of(left, bytes);
        let mut command = self.command(question);
        let output = run(&mut command, input, Group::OfItsOwn, patience, UNCANCELLED)?;
        match output.messages.contains(NOT_OWNED) {
            true => Err(GitError::NotOwned),
            false => Ok(output),
        }
    }

    /// The answer of git, without the line's end; `None` when it is negative.
    pub(crate) fn answer(
        &self,
        question: &[&str],
        deadline: Instant,
    ) -> Result<Option<Vec<u8>>, GitError> {
        let output = self.ask(question, b"", deadline)?;
        let line = output.output.strip_suffix(b"\n").unwrap_or(&output.output);
        Ok(output.status.success().then(|| line.to_vec()))
    }

    fn command(&self, question: &[&str]) -> Command {
        let mut command = plain_command(&self.program, &[]);
        command
            .arg("--no-pager")
            .args(question)
            .current_dir(&self.folder)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            // What a partial clone lacks is not fetched.
            .env("GIT_NO_LAZY_FETCH", "1")
            .envs(self.settings());
        if let Some(home) = &self.home {
            command.env("HOME", home);
        }
        if let Some(user) = self.user {
            user.put_on(&mut command);
        }
        command
    }

    /// Settings by the environment, which take any name of a filter, where `-c` takes not all.
    fn settings(&self) -> Vec<(OsString, OsString)> {
        let fixed = SETTINGS.map(|(key, value)| (key.to_owned(), value));
        let of_filter = |name: &String| {
            [("clean", ""), ("process", ""), ("required", "false")]
                .map(|(key, value)| (format!("filter.{name}.{key}"), value))
        };
        let settings = fixed
            .into_iter()
            .chain(self.filters.iter().flat_map(of_filter));
        let mut variables = Vec::new();
        let mut count = 0;
        for (key, value) in settings {
            variables.push((format!("GIT_CONFIG_KEY_{count}").into(), key.into()));
            let name = format!("GIT_CONFIG_VALUE_{count}");
            variables.push((name.into(), OsStr::new(value).to_owned()));
            count += 1;
        }
        variables.push(("GIT_CONFIG_COUNT".into(), count.to_string().into()));
        variables
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A script in a folder in the place of git.
    pub(crate) fn of_script(folder: &Path, script: &str) -> Git {
        let program = folder.join("git");
        // A process of its own writes it: a program that this one has open for writing may be in a child
        // that another test is just starting, and cannot be executed then.
        let written = Command::new("/bin/sh")
            .args(["-c", r#"printf '%s\n' "$1" > "$0" && chmod 755 "$0""#])
            .arg(&program)
            .arg(format!("#!/bin/sh\n{script}"))
            .status();
        assert!(written.unwrap().success());
        Git {
            program,
            user: None,
            home: None,
            folder: folder.to_owned(),
            filters: Vec::new(),
        }
    }

    #[test]
    fn a_git_that_hangs_is_ended_and_reported_in_a_line() {
        let folder = std::env::temp_dir().join(format!("hanging-git-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let git = of_script(&folder, "sleep 1000");
        let deadline = Instant::now() + Duration::from_millis(300);
        let error = git.answer(&["rev-parse", "HEAD"], deadline).unwrap_err();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(matches!(error, GitError::Run(RunError::TooLong)), "{error}");
        assert!(!error.to_string().contains('\n'));
    }
}
