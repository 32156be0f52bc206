//! `commit`: which commit a capture belongs to, by the builds of a workspace, and giving it one.

mod words;

use std::path::Path;

use builds::matching::{BuildMatch, FoundBuilds};
use builds::workspace::{Bounds, Look, look};
use capture::facts::{BuildFacts, OriginFacts};
use capture::file::{AppendError, append_origin};
use capture::reader::Capture;
use capture::sample::FrameKind;
use commit::{GitError, Repository};
use serde::Serialize;

use super::open_profile;
use crate::arguments::{CommitOf, WhichSamples};
use crate::commands::print_json;
use crate::failure::{Exit, Failure};
use crate::terminal::{self, print_line};

/// What `commit --json` prints.
#[derive(Debug, Serialize)]
struct Answer {
    /// The capture's record of its commit, after this command.
    commit: Option<OriginFacts>,
    release: String,
    version: String,
    modules: usize,
    own_modules: usize,
    builds: Vec<BuildMatch>,
    /// The checked-out commit of the folder with the builds.
    head: Option<Head>,
    /// Tags that are called like the release's version.
    tags: Vec<Tag>,
    /// The folder has more than was looked at.
    cut: bool,
    /// Whether this command has assigned it.
    assigned: bool,
}

#[derive(Debug, Clone, Serialize)]
struct Head {
    commit: String,
    branch: String,
    dirty: bool,
}

#[derive(Debug, Serialize)]
struct Tag {
    tag: String,
    commit: String,
}

/// Runs `commit`.
pub fn run(arguments: &CommitOf) -> Result<(), Failure> {
    let path = &arguments.file;
    let capture = open_profile::load(path, &WhichSamples::default())?;
    let facts = capture.build().unwrap_or_default();
    let folder = &arguments.builds;
    let looked = look_at(folder, &facts)?;
    let repository = Repository::of(folder).unwrap_or_else(|error| {
        terminal::warn(&format!("{}: {error}", folder.display()));
        None
    });
    let now = repository.as_ref().map(Repository::origin).transpose();
    let now = now.map_err(|error| git_failed(&error))?;
    let head = now.as_ref().filter(|now| !now.commit.is_empty());
    let tags = tags_of(repository.as_ref(), &looked.found)?;
    let mut origin = capture.origin().filter(|origin| !origin.commit.is_empty());
    if let Some(named) = &arguments.assign {
        let (Some(repository), Some(now)) = (&repository, &now) else {
            return Err(Failure::new(
                Exit::Usage,
                format!("there is no repository in {}", folder.display()),
                "--assign names a commit of the repository that the builds are in",
                "name its folder by --builds",
            ));
        };
        let given = assigned(repository, now, named, &looked.found)?;
        append_origin(path, &given).map_err(|error| not_added(path, &error))?;
        origin = Some(given);
    }
    let Look { found, is_cut } = looked;
    let answer = Answer {
        commit: origin,
        release: facts.release,
        version: facts.version,
        modules: found.modules,
        own_modules: found.own_modules,
        builds: found.builds,
        head: head.map(|now| Head {
            commit: now.commit.clone(),
            branch: now.branch.clone(),
            dirty: now.dirty,
        }),
        tags,
        cut: is_cut,
        assigned: arguments.assign.is_some(),
    };
    if arguments.json {
        return print_json(&answer);
    }
    for (file, why) in &found.unreadable {
        terminal::warn(&format!("{file}: {why}"));
    }
    for line in words::lines(&answer, has_modules(&capture), &path.display().to_string()) {
        print_line(&line)?;
    }
    Ok(())
}

/// Whether code of any module was sampled.
fn has_modules(capture: &Capture) -> bool {
    let mut functions = capture.function_indices();
    functions.any(|index| capture.function(index).kind == FrameKind::Erlang)
}

fn look_at(folder: &Path, facts: &BuildFacts) -> Result<Look, Failure> {
    look(folder, facts, Bounds::default()).map_err(|error| {
        Failure::new(
            Exit::Usage,
            format!("cannot look for builds in {}: {error}", folder.display()),
            "--builds names the folder of the project that the VM runs",
            "name another one, or omit it in that folder",
        )
    })
}

fn tags_of(repository: Option<&Repository>, found: &FoundBuilds) -> Result<Vec<Tag>, Failure> {
    let Some(repository) = repository else {
        return Ok(Vec::new());
    };
    let tags = repository
        .tags(&found.tags)
        .map_err(|error| git_failed(&error))?;
    let tags = tags.into_iter().map(|(tag, commit)| Tag { tag, commit });
    Ok(tags.collect())
}

/// The record to write. The checkout counts as changed when it is, and when the build that the VM
/// runs is not of it.
fn assigned(
    repository: &Repository,
    now: &OriginFacts,
    named: &str,
    found: &FoundBuilds,
) -> Result<OriginFacts, Failure> {
    let commit = repository
        .commit_named(named)
        .map_err(|error| git_failed(&error))?;
    let commit = commit.ok_or_else(|| {
        Failure::new(
            Exit::Usage,
            format!(
                "there is no commit {named} in {}",
                repository.top().display()
            ),
            "a commit, a branch or a tag can be named",
            "`git log --oneline --all` lists them",
        )
    })?;
    let given = repository
        .assigned(&commit, now)
        .map_err(|error| git_failed(&error))?;
    let is_head = commit == now.commit;
    let is_changed = found
        .builds
        .first()
        .is_some_and(|build| !build.newer_sources.is_empty());
    Ok(OriginFacts {
        dirty: is_head && (now.dirty || is_changed),
        ..given
    })
}

fn git_failed(error: &GitError) -> Failure {
    Failure::new(
        Exit::Other,
        "the repository cannot be read",
        error.to_string(),
        "try it with git itself: git log -1",
    )
}

fn not_added(path: &Path, error: &AppendError) -> Failure {
    let fix = match error {
        AppendError::Cut => "the existing part can still be opened",
        _ => "check that it is a capture and that you may write it",
    };
    Failure::new(
        Exit::Other,
        format!("nothing can be added to {}", path.display()),
        error.to_string(),
        fix,
    )
}
