//! Whether the commit that a history takes for the newest one is that, for all captures that were given.
//!
//! A gate answers for the newest commit. Where its captures were left out, an older one would answer in
//! its place. Times of captures do not order commits, as old commits may be captured late; only a commit that did
//! not exist yet when a capture began is newer than that capture.

use std::collections::BTreeMap;

use shared_map::HashMap;
use shared_sort::Inserted;

use super::answer::Skipped;
use super::commits::Commit;
use super::counted::CountedCapture;
use crate::judgement::{Doubt, Reason};
use crate::version::short_commit;

/// The order in which commits were made, as far as it is known.
#[derive(Debug, Clone, Default)]
pub struct CommitOrder {
    /// Their whole names, the oldest first.
    pub names: Vec<String>,
    /// When they were made, milliseconds since 1970, by their whole names.
    pub made_unix_ms: HashMap<String, u64>,
}

/// A capture that was given, kept or not: what places it.
#[derive(Debug, Clone)]
pub struct Given {
    name: String,
    commit: String,
    dirty: bool,
    started_unix_ms: u64,
    cut: bool,
}

impl Given {
    pub fn of(capture: &CountedCapture) -> Self {
        Self {
            name: capture.name.clone(),
            commit: capture.commit.clone(),
            dirty: capture.dirty,
            started_unix_ms: capture.started_unix_ms,
            cut: capture.cut,
        }
    }

    /// One that names no commit is its own.
    fn key(&self) -> Key<'_> {
        match self.commit.is_empty() {
            true => (&self.name, false, true),
            false => (&self.commit, self.dirty, false),
        }
    }

    fn shown(&self) -> String {
        match (self.commit.is_empty(), self.dirty) {
            (true, _) => self.name.clone(),
            (false, true) => format!("{} with changes", short_commit(&self.commit)),
            (false, false) => short_commit(&self.commit),
        }
    }
}

/// A commit or a capture, whether its sources had changed, and whether it names no commit.
type Key<'g> = (&'g str, bool, bool);

/// The known age of a commit beside the newest one.
enum Age {
    Older,
    Newer,
    Unknown,
}

/// Reasons why the last of these commits may not be the newest one, or not all of it: captures were left out
/// (`skipped`), or files could not be read.
pub fn doubts(
    given: &[Given],
    unreadable: &[String],
    skipped: &[Skipped],
    commits: &[Commit],
    order: &CommitOrder,
) -> Vec<Doubt> {
    let newest = commits.last().and_then(|commit| commit.captures.first());
    let Some(newest) = newest.map(Given::of) else {
        return Vec::new();
    };
    let reasons: BTreeMap<&str, &str> = skipped
        .iter()
        .map(|it| (it.capture.as_str(), it.text.as_str()))
        .inserted();
    let why_left_out = |it: &Given| reasons.get(it.name.as_str()).copied();
    let mut doubts: Vec<Doubt> = unreadable.iter().map(|name| of_unreadable(name)).collect();
    let mut commits: BTreeMap<Key<'_>, Vec<&Given>> = BTreeMap::new();
    for each in given {
        commits.entry(each.key()).or_default().push(each);
    }
    for (key, captures) in commits {
        let kept = || captures.iter().filter(|it| why_left_out(it).is_none());
        if key == newest.key() {
            doubts.extend(kept().filter(|it| it.cut).map(|it| of_cut(it)));
            continue;
        }
        let Some(first) = captures.iter().min_by_key(|it| it.started_unix_ms) else {
            continue;
        };
        match order.age(first, &newest) {
            Age::Older => {}
            Age::Newer if kept().next().is_none() => {
                let why = why_left_out(first).unwrap_or_default();
                doubts.push(of_left_out(first, why));
            }
            Age::Newer | Age::Unknown => doubts.push(of_unknown_age(first, &newest)),
        }
    }
    doubts
}

impl CommitOrder {
    /// When a commit was made, milliseconds since 1970; 0 when not known.
    fn made_unix_ms(&self, commit: &str) -> u64 {
        self.made_unix_ms.get(commit).copied().unwrap_or(0)
    }

    fn place(&self, of: &Given) -> Option<(usize, bool)> {
        let mut names = self.names.iter();
        let place = names.position(|name| *name == of.commit)?;
        Some((place, of.dirty))
    }

    /// Whether a capture began before the newest commit was made. Clocks that disagree about that commit's own captures
    /// prove nothing.
    fn is_before_newest(&self, started_unix_ms: u64, newest: &Given) -> bool {
        let made = self
            .names
            .last()
            .map_or(0, |newest| self.made_unix_ms(newest));
        (1..made).contains(&started_unix_ms) && made <= newest.started_unix_ms
    }

    /// By the first capture of a commit: it began closest to when that was made.
    fn age(&self, each: &Given, newest: &Given) -> Age {
        let first = each.started_unix_ms;
        match (self.place(each), self.place(newest)) {
            (Some(place), Some(of_newest)) if place < of_newest => Age::Older,
            (Some(_), Some(_)) => Age::Newer,
            (None, Some(_)) if self.is_before_newest(first, newest) => Age::Older,
            // Changed sources come after their commit.
            (None, None) if !each.commit.is_empty() && each.commit == newest.commit => {
                match newest.dirty {
                    true => Age::Older,
                    false => Age::Newer,
                }
            }
            // Captures that name no commit are their own.
            (None, None) if each.commit.is_empty() && newest.commit.is_empty() => {
                match (first, newest.started_unix_ms) {
                    (0, _) | (_, 0) => Age::Unknown,
                    (first, of_newest) if first < of_newest => Age::Older,
                    _ => Age::Newer,
                }
            }
            _ => Age::Unknown,
        }
    }
}

fn of_unreadable(name: &str) -> Doubt {
    Doubt::new(
        Reason::Unreadable,
        &[name],
        format!("{name} cannot be read, so it may be of a newer commit"),
        "record it again, or remove the file",
    )
}

fn of_cut(capture: &Given) -> Doubt {
    Doubt::new(
        Reason::NewestCut,
        &[&capture.name],
        format!(
            "{} of the newest commit is cut or was not closed",
            capture.name
        ),
        "record it again",
    )
}

fn of_left_out(capture: &Given, why: &str) -> Doubt {
    let shown = capture.shown();
    Doubt::new(
        Reason::NewestLeftOut,
        &[&shown, &capture.name],
        format!("{shown} is newer, and {} is left out: {why}", capture.name),
        "record the newest commit again",
    )
}

fn of_unknown_age(commit: &Given, newest: &Given) -> Doubt {
    let (one, other) = (commit.shown(), newest.shown());
    let fix = match commit.commit.is_empty() || newest.commit.is_empty() {
        true => "record in the folder of the sources, and remove what names no commit",
        false => "name the repository of both by --source-dir, or git fetch --unshallow",
    };
    Doubt::new(
        Reason::OrderUnknown,
        &[&one, &other],
        format!("it is not known whether {one} is older than {other}"),
        fix,
    )
}
