//! Which project a capture is of, and whether two are of one.

use std::collections::BTreeMap;

use capture::facts::OriginFacts;
use serde::{Deserialize, Serialize};
use shared_sort::Inserted;

/// Sources of a capture that are kept to distinguish projects: of a thousand captures, too.
const SOURCES_KEPT: usize = 64;

/// The known facts about the project of some captures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Project {
    /// Address of its repository; empty when not known.
    pub repository: String,
    /// The smallest hashes of the paths of its sources, ascending, each with a hash of the content, 0 where that is not
    /// known: two lists of nearly the same paths have most of them in common, those of two projects none or few.
    sources: Vec<(u32, u32)>,
}

impl Project {
    /// The facts in the origins of captures of one project.
    pub(crate) fn of(origins: &[OriginFacts]) -> Self {
        let mut repository = String::new();
        let mut sources = BTreeMap::new();
        for origin in origins {
            if repository.is_empty() {
                repository.clone_from(&origin.repository);
            }
            let named = origin.sources.iter();
            sources.extend(named.map(|(path, object)| (hash_of(path), content_of(object))));
        }
        Self {
            repository,
            sources: sources.into_iter().take(SOURCES_KEPT).collect(),
        }
    }

    /// Takes the known facts of another capture of it.
    pub(crate) fn add(&mut self, other: &Self) {
        if self.repository.is_empty() {
            self.repository.clone_from(&other.repository);
        }
        let both = self.sources.iter().chain(&other.sources).copied();
        let sources: BTreeMap<u32, u32> = both.inserted();
        self.sources = sources.into_iter().take(SOURCES_KEPT).collect();
    }

    /// Whether nothing is known of it.
    pub(crate) const fn is_unknown(&self) -> bool {
        self.repository.is_empty() && self.sources.is_empty()
    }

    /// Whether the two are different projects, as far as that is known. Sources decide it where both
    /// know theirs, since a fork has another address; else, and where all files were moved, the address
    /// does. Where the addresses differ, a common file or a few, as a driver of benchmarks, make no project.
    pub(crate) fn differs_from(&self, other: &Self) -> bool {
        let both_have_address = !self.repository.is_empty() && !other.repository.is_empty();
        let same_end = |parts: usize| {
            both_have_address
                && last_parts(&self.repository, parts) == last_parts(&other.repository, parts)
        };
        let both_have_sources = !self.sources.is_empty() && !other.sources.is_empty();
        let (shared, fewest) = self.shared_sources(other);
        let is_enough = match both_have_address {
            true => shared * 2 > fewest,
            false => shared > 0,
        };
        match both_have_sources {
            // Many repositories are called `server`: the name of their owner distinguishes them.
            true => !is_enough && !same_end(2),
            false => both_have_address && !same_end(1),
        }
    }

    /// Whether a source of both has another content in each.
    pub(crate) fn has_other_contents(&self, other: &Self) -> bool {
        let mut both = self.in_both(other);
        both.any(|(of, beside)| of != 0 && beside != 0 && of != beside)
    }

    /// How many sources both have, and how many the one that has fewer, where both lists are complete.
    fn shared_sources(&self, other: &Self) -> (usize, usize) {
        let end = self.end_of_sources().min(other.end_of_sources());
        let known = |of: &Self| of.sources.partition_point(|(path, _)| *path <= end);
        (self.in_both(other).count(), known(self).min(known(other)))
    }

    /// Behind it, sources are not kept.
    fn end_of_sources(&self) -> u32 {
        match self.sources.get(SOURCES_KEPT - 1) {
            Some((last, _)) => *last,
            None => u32::MAX,
        }
    }

    /// The contents of each source that both have.
    fn in_both<'p>(&'p self, other: &'p Self) -> impl Iterator<Item = (u32, u32)> + 'p {
        self.sources.iter().filter_map(move |(path, content)| {
            let found = other.sources.binary_search_by_key(path, |(path, _)| *path);
            Some((*content, other.sources[found.ok()?].1))
        })
    }
}

/// The end of an address: the repository's name (1), its owner's before it (2).
fn last_parts(address: &str, parts: usize) -> Vec<&str> {
    let name = address.trim_end_matches('/');
    let name = name.strip_suffix(".git").unwrap_or(name);
    name.rsplit(['/', ':']).take(parts).collect()
}

/// 0 where the content is not known.
fn content_of(object: &str) -> u32 {
    match object {
        "" => 0,
        object => hash_of(object).max(1),
    }
}

/// FNV-1a: the same in the helper and in the editor.
fn hash_of(path: &str) -> u32 {
    path.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
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
        // One file of several is common, the driver of a benchmark.
        let driven = |repository: &str, own: &str| project(repository, &[own, "bench/driver.erl"]);
        let [one, other] = [("a/jsx", "src/jsx.erl"), ("b/cow", "src/cow.erl")]
            .map(|(repository, own)| driven(repository, own));
        assert!(one.differs_from(&other) && other.differs_from(&one));
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
    fn of_many_sources_a_few_suffice() {
        let paths = |from: usize, to: usize| -> Vec<String> {
            (from..to).map(|n| format!("src/m{n}.erl")).collect()
        };
        let at = |repository: &str, paths: &[String]| {
            project(
                repository,
                &paths.iter().map(String::as_str).collect::<Vec<_>>(),
            )
        };
        let of = |paths: &[String]| at("", paths);
        let before = of(&paths(0, 3000));
        assert_eq!(before.sources.len(), SOURCES_KEPT);
        assert!(!before.differs_from(&of(&paths(300, 3300))));
        assert!(before.differs_from(&of(&paths(5000, 8000))));
        // A fork that has twice as many.
        let fork = at("example.org/me/store", &paths(0, 6000));
        let before = at("example.org/acme/shop", &paths(0, 3000));
        assert!(!before.differs_from(&fork) && !fork.differs_from(&before));
    }
}
