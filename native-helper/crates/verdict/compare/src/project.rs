//! Which project a capture is of, and whether two are of one.

use std::collections::BTreeSet;

use capture::facts::OriginFacts;
use serde::{Deserialize, Serialize};

/// Sources of a capture that are kept to distinguish projects: of a thousand captures, too.
const SOURCES_KEPT: usize = 64;

/// The known facts about the project of some captures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Project {
    /// Address of its repository; empty when not known.
    pub repository: String,
    /// The smallest hashes of the paths of its sources, ascending: two lists of nearly the same paths have
    /// most of them in common, those of two projects none.
    sources: Vec<u32>,
}

impl Project {
    /// The facts in the origins of captures of one project.
    pub(crate) fn of(origins: &[OriginFacts]) -> Self {
        let mut repository = String::new();
        let mut sources = BTreeSet::new();
        for origin in origins {
            if repository.is_empty() {
                repository.clone_from(&origin.repository);
            }
            sources.extend(origin.sources.keys().map(|path| hash_of(path)));
        }
        Self {
            repository,
            sources: sources.into_iter().take(SOURCES_KEPT).collect(),
        }
    }

    /// Whether nothing is known of it.
    pub(crate) const fn is_unknown(&self) -> bool {
        self.repository.is_empty() && self.sources.is_empty()
    }

    /// Whether the two are different projects, as far as that is known. Sources decide it where both
    /// know theirs, since a fork has another address; else, and where all files were moved, the address
    /// does.
    pub(crate) fn differs_from(&self, other: &Self) -> bool {
        let both_have_address = !self.repository.is_empty() && !other.repository.is_empty();
        let same_end = |parts: usize| {
            both_have_address
                && last_parts(&self.repository, parts) == last_parts(&other.repository, parts)
        };
        let both_have_sources = !self.sources.is_empty() && !other.sources.is_empty();
        match both_have_sources {
            // Many repositories are called `server`: the name of their owner distinguishes them.
            true => !self.shares_a_source(other) && !same_end(2),
            false => both_have_address && !same_end(1),
        }
    }

    fn shares_a_source(&self, other: &Self) -> bool {
        let mut sources = self.sources.iter();
        sources.any(|source| other.sources.binary_search(source).is_ok())
    }
}

/// The end of an address: the repository's name (1), its owner's before it (2).
fn last_parts(address: &str, parts: usize) -> Vec<&str> {
    let name = address.trim_end_matches('/');
    let name = name.strip_suffix(".git").unwrap_or(name);
    name.rsplit(['/', ':']).take(parts).collect()
}

/// FNV-1a: the same in the helper and in the editor.
fn hash_of(path: &str) -> u32 {
    path.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn project(repository: &str, sources: &[&str]) -> Project {
        let sources = sources
            .iter()
            .map(|path| ((*path).to_owned(), String::new()));
        Project::of(&[OriginFacts {
            repository: repository.to_owned(),
            sources: sources.collect::<BTreeMap<_, _>>(),
            ..OriginFacts::default()
        }])
    }

    #[test]
    fn projects_are_told_apart_by_sources_and_addresses() {
        let jsx = || project("https://example.org/talentdeficit/server", &["src/jsx.erl"]);
        let differs = |repository: &str, sources: &[&str]| {
            let other = project(repository, sources);
            assert_eq!(jsx().differs_from(&other), other.differs_from(&jsx()));
            jsx().differs_from(&other)
        };
        // Another owner's project of the same name.
        assert!(differs(
            "https://example.org/ninenines/server",
            &["src/cow.erl"]
        ));
        // A fork, however it is reached and called.
        assert!(!differs("git@example.org:me/server.git", &["src/jsx.erl"]));
        assert!(!differs(
            "https://example.org/me/json",
            &["src/jsx.erl", "a"]
        ));
        // All files were moved.
        assert!(!differs(
            "git@example.org:talentdeficit/server.git",
            &["lib/jsx.erl"]
        ));
        // Not every side knows its files.
        assert!(!differs("https://example.org/ninenines/server", &[]));
        assert!(differs("https://example.org/ninenines/cowlib", &[]));
        assert!(!differs("", &[]));
        assert!(differs("", &["src/cow.erl"]));
    }

    #[test]
    fn of_many_sources_a_few_tell_enough() {
        let paths = |from: usize, to: usize| -> Vec<String> {
            (from..to).map(|n| format!("src/m{n}.erl")).collect()
        };
        let of =
            |paths: &[String]| project("", &paths.iter().map(String::as_str).collect::<Vec<_>>());
        let before = of(&paths(0, 3000));
        assert_eq!(before.sources.len(), SOURCES_KEPT);
        assert!(!before.differs_from(&of(&paths(300, 3300))));
        assert!(before.differs_from(&of(&paths(5000, 8000))));
    }
}
