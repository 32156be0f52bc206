//! Captures put together by the commit they are of, in the order of history.

use shared_map::HashMap;
use shared_sort::SharedSort;

use super::answer::HistoryCommit;
use super::counted::CountedCapture;
use crate::version::short_commit;

/// Captures of one commit; one at least.
#[derive(Debug)]
pub struct Commit {
    pub captures: Vec<CountedCapture>,
}

/// The key by which captures are one.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Commit {
        commit: String,
        dirty: bool,
    },
    /// Of captures that name no commit each is its own.
    Capture(usize),
}

/// The oldest first. Commits have the order of `order`, changed sources behind their commit; commits
/// that are not in it are in the order of their first captures, behind all known ones that were
/// captured before.
pub fn commits(captures: Vec<CountedCapture>, order: &[String]) -> Vec<Commit> {
    let mut positions: HashMap<Key, usize> = HashMap::new();
    let mut commits: Vec<Commit> = Vec::new();
    for (number, capture) in captures.into_iter().enumerate() {
        let key = match capture.commit.is_empty() {
            true => Key::Capture(number),
            false => Key::Commit {
                commit: capture.commit.clone(),
                dirty: capture.dirty,
            },
        };
        let position = *positions.entry(key).or_insert(commits.len());
        match commits.get_mut(position) {
            Some(commit) => commit.captures.push(capture),
            None => commits.push(Commit {
                captures: vec![capture],
            }),
        }
    }
    in_order(commits, order)
}

fn in_order(commits: Vec<Commit>, order: &[String]) -> Vec<Commit> {
    let places: HashMap<&str, usize> = order
        .iter()
        .enumerate()
        .map(|(place, commit)| (commit.as_str(), place))
        .collect();
    let place_of = |commit: &Commit| places.get(commit.name()).copied();
    let (mut known, mut unknown): (Vec<_>, Vec<_>) = commits
        .into_iter()
        .partition(|commit| place_of(commit).is_some());
    known.shared_sort_by_key(|commit| (place_of(commit), commit.is_dirty()));
    unknown.shared_sort_by_key(Commit::started_unix_ms);
    let mut all: Vec<Commit> = Vec::with_capacity(known.len() + unknown.len());
    let mut unknown = unknown.into_iter().peekable();
    // The latest start of any known commit up to here decides, as old commits may be captured late.
    let mut latest = 0;
    for commit in known {
        latest = latest.max(commit.started_unix_ms());
        while let Some(other) = unknown.next_if(|other| other.started_unix_ms() < latest) {
            all.push(other);
        }
        all.push(commit);
    }
    all.extend(unknown);
    all
}

impl Commit {
    /// `made_unix_ms`: when commits were made, by their whole names.
    pub fn summary(&self, made_unix_ms: &HashMap<String, u64>) -> HistoryCommit {
        let made = made_unix_ms.get(self.name()).copied();
        HistoryCommit {
            name: self.shown(),
            commit: self.name().to_owned(),
            dirty: self.is_dirty(),
            started_unix_ms: self.started_unix_ms(),
            made_unix_ms: made.filter(|made| *made > 0),
            captures: self.captures.iter().map(|it| it.name.clone()).collect(),
        }
    }

    fn first(&self) -> Option<&CountedCapture> {
        self.captures.first()
    }

    /// The commit's whole name; empty when not known.
    fn name(&self) -> &str {
        self.first().map_or("", |first| first.commit.as_str())
    }

    fn is_dirty(&self) -> bool {
        self.first().is_some_and(|first| first.dirty)
    }

    fn started_unix_ms(&self) -> u64 {
        let starts = self.captures.iter().map(|it| it.started_unix_ms);
        starts.min().unwrap_or(0)
    }

    /// Its name, see [`HistoryCommit::name`].
    pub fn shown(&self) -> String {
        let Some(first) = self.first() else {
            return String::new();
        };
        let short = short_commit(&first.commit);
        match (short.is_empty(), first.dirty, first.describe.is_empty()) {
            (true, ..) => first.name.clone(),
            (false, true, _) => format!("{short} with changes"),
            // A tag is more informative than the name of the commit.
            (false, false, false) => first.describe.clone(),
            (false, false, true) => short,
        }
    }
}
