//! The texts that a capture's functions were compiled from, out of the repository's history.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use capture::facts::OriginFacts;
use own_code::most_alike;
use shared_map::{HashMap, HashSet};
use shared_sort::Inserted;

use crate::git;
use crate::objects::MAX_FILE_BYTES;
use crate::repository::{Repository, is_commit_name};

/// Files of one capture; git's answers are bounded, too.
pub const MAX_FILES: usize = 500;

/// For git: files with settings of the build or versions of dependencies, of rebar3, Mix (also those that it reads when it
/// compiles, but no tests in a folder of that name) and make. An `.app.src` is none: a new version in it changes no code.
const BUILD_FILES: [&str; 8] = [
    "*rebar.config*",
    "*rebar.lock",
    "*mix.exs",
    "*mix.lock",
    "*config/*.exs",
    ":(exclude)*_test.exs",
    "*akefile",
    "*.mk",
];

/// A source file as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Path below the repository's top.
    pub path: String,
    /// Content.
    pub text: String,
}

/// The texts of a capture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    /// By the name that the capture gives the file.
    pub by_name: HashMap<String, Text>,
    /// Files that the commit has, and whose texts were not read: more than [`MAX_FILES`], longer than two mebibytes,
    /// no text, or such that git did not give in time or does not have.
    pub unread: usize,
}

/// What git calls the content of a file, and its path.
struct Named {
    object: String,
    path: String,
}

impl Repository {
    /// The texts of files that captures report, by the names they give them. From the hashes that the capture has of its
    /// sources, those that it does not name from its commit; of a file that was changed and never committed the one on
    /// disk, when it is still the same. Texts that no longer exist are not read. `None` when git does not list the files
    /// of the commit, as where it does not know it, or takes too long.
    #[must_use]
    pub fn texts_of(
        &self,
        origin: &OriginFacts,
        reported: impl IntoIterator<Item = String>,
    ) -> Option<Texts> {
        let deadline = git::deadline();
        let objects = self.objects(origin, deadline)?;
        let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
        for path in objects.keys() {
            by_name.entry(base_name(path)).or_default().push(path);
        }
        let mut wanted: Vec<(String, Named)> = reported
            .into_iter()
            .filter_map(|reported| {
                let namesakes = by_name.get(base_name(&reported))?;
                let path = most_alike(&reported, namesakes.iter().copied())?;
                let named = Named {
                    object: objects.get(path)?.clone(),
                    path: path.to_owned(),
                };
                Some((reported, named))
            })
            .collect();
        let all = wanted.len();
        wanted.truncate(MAX_FILES);
        let mut texts = HashMap::new();
        let objects: Vec<&str> = wanted
            .iter()
            .map(|(_, named)| named.object.as_str())
            .collect();
        let contents = self.contents(&objects, deadline);
        for ((reported, Named { path, object }), content) in wanted.iter().zip(contents) {
            let text = content.or_else(|| self.on_disk(path, object, deadline));
            let path = path.clone();
            texts.extend(text.map(|text| (reported.clone(), Text { path, text })));
        }
        Some(Texts {
            unread: all - texts.len(),
            by_name: texts,
        })
    }

    /// Files that have another path in `new` than in `base`, as git finds them, and those that one of the commits lacks: the
    /// path in each, empty where it has none. `None` when git does not list them, as where it does not know one of the
    /// commits, or takes too long.
    #[must_use]
    pub fn renamed(&self, base: &OriginFacts, new: &OriginFacts) -> Option<Vec<(String, String)>> {
        if !is_commit_name(&base.commit) || !is_commit_name(&new.commit) {
            return None;
        }
        let question = [
            "diff",
            "--name-status",
            "-z",
            "--find-renames",
            "--diff-filter=ADR",
            &base.commit,
            &new.commit,
        ];
        let answer = self.git.answer(&question, git::deadline()).ok()??;
        let mut parts = answer
            .split(|byte| *byte == 0)
            .map(|part| String::from_utf8_lossy(part).into_owned());
        let mut renamed = Vec::new();
        // The kind of change, and the path; of a renamed file the old path and the new one.
        while let (Some(kind), Some(path)) = (parts.next(), parts.next()) {
            renamed.push(match kind.as_bytes().first() {
                Some(b'A') => (String::new(), path),
                Some(b'D') => (path, String::new()),
                _ => (path, parts.next().unwrap_or_default()),
            });
        }
        Some(renamed)
    }

    /// Headers and modules of Erlang, and files with settings of the build or versions of dependencies, that differ between
    /// both commits, by their paths; `None` when git does not list them, as where it does not know one of the commits, or
    /// takes too long.
    #[must_use]
    pub fn changed_paths(&self, base: &OriginFacts, new: &OriginFacts) -> Option<Vec<String>> {
        let commits = [&base.commit, &new.commit];
        if !commits.iter().all(|commit| is_commit_name(commit)) {
            return None;
        }
        let question = [
            "diff",
            "--name-only",
            "-z",
            &base.commit,
            &new.commit,
            "--",
            "*.hrl",
            "*.erl",
        ];
        let question = [&question[..], &BUILD_FILES].concat();
        let answer = self.git.answer(&question, git::deadline()).ok()??;
        let paths = answer
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty());
        let paths = paths.map(|path| String::from_utf8_lossy(path).into_owned());
        Some(paths.collect())
    }

    /// The files of a commit whose paths have an ending, but these, by their paths; see [`Texts`] for those that are not
    /// read. `None` when git does not list them.
    #[must_use]
    pub fn other_texts(
        &self,
        origin: &OriginFacts,
        ending: &str,
        except: &[String],
    ) -> Option<Texts> {
        let deadline = git::deadline();
        let files = self.listed(origin, deadline)?;
        let mut others: Vec<(String, String)> = files.into_iter().collect();
        others.retain(|(path, _)| path.ends_with(ending) && !except.contains(path));
        let all = others.len();
        others.truncate(MAX_FILES);
        let objects: Vec<&str> = others.iter().map(|(_, object)| object.as_str()).collect();
        let contents = self.contents(&objects, deadline);
        let texts = others.iter().zip(contents).filter_map(|((path, _), text)| {
            let (path, text) = (path.clone(), text?);
            Some((path.clone(), Text { path, text }))
        });
        let by_name: HashMap<String, Text> = texts.collect();
        Some(Texts {
            unread: all - by_name.len(),
            by_name,
        })
    }

    /// Files of Elixir that differ between both commits, as each of them has it, and how many of these texts were not
    /// read; `None` when git does not list them.
    #[must_use]
    pub fn changed_elixir(
        &self,
        base: &OriginFacts,
        new: &OriginFacts,
    ) -> Option<(Vec<Text>, usize)> {
        let deadline = git::deadline();
        if !is_commit_name(&base.commit) || !is_commit_name(&new.commit) {
            return None;
        }
        let question = [
            "diff",
            "--raw",
            "-z",
            "--no-renames",
            "--no-abbrev",
            &base.commit,
            &new.commit,
            "--",
            "*.ex",
        ];
        let answer = self.git.answer(&question, deadline).ok()??;
        let parts: Vec<_> = answer
            .split(|byte| *byte == 0)
            .map(String::from_utf8_lossy)
            .collect();
        let mut wanted: Vec<(&str, &str)> = Vec::new();
        // Both modes, both objects and the kind of change, then the path.
        for [facts, path] in parts.as_chunks::<2>().0 {
            let objects = facts.split(' ').skip(2).take(2);
            let is_there =
                |object: &&str| is_commit_name(object) && object.contains(|c: char| c != '0');
            wanted.extend(objects.filter(is_there).map(|object| (object, &**path)));
        }
        let all = wanted.len();
        wanted.truncate(2 * MAX_FILES);
        let objects: Vec<&str> = wanted.iter().map(|(object, _)| *object).collect();
        let contents = self.contents(&objects, deadline).into_iter();
        let texts = wanted.iter().zip(contents).filter_map(|((_, path), text)| {
            let path = (*path).to_owned();
            Some(Text { path, text: text? })
        });
        let texts: Vec<Text> = texts.collect();
        let unread = all - texts.len();
        Some((texts, unread))
    }

    /// The files of a capture's commit, if git lists them.
    fn listed(&self, origin: &OriginFacts, deadline: Instant) -> Option<BTreeMap<String, String>> {
        is_commit_name(&origin.commit).then_some(())?;
        let files = self.files_of_commit(&origin.commit, "", deadline);
        files.ok().flatten()
    }

    /// What git calls the content of each path, if it is known.
    fn objects(&self, origin: &OriginFacts, deadline: Instant) -> Option<BTreeMap<String, String>> {
        let hashes = origin
            .sources
            .iter()
            .filter(|(_, hash)| is_commit_name(hash));
        let mut objects: BTreeMap<String, String> = hashes
            .map(|(path, hash)| (path.clone(), hash.clone()))
            .inserted();
        let has_hashes = !objects.is_empty();
        // Of a file that the capture does not name, the commit has the text, unless some were changed.
        if has_hashes && origin.dirty {
            return Some(objects);
        }
        let Some(listed) = self.listed(origin, deadline) else {
            return has_hashes.then_some(objects);
        };
        let named: HashSet<&str> = objects.keys().map(|path| base_name(path)).collect();
        let others = listed.into_iter();
        let others: Vec<_> = others
            .filter(|(path, _)| !named.contains(base_name(path)))
            .collect();
        objects.extend(others);
        Some(objects)
    }

    /// The file as it is now, when it is the one that was hashed and not too long.
    pub(crate) fn on_disk(&self, path: &str, object: &str, deadline: Instant) -> Option<String> {
        let is_inside = !path.starts_with('/') && path.split('/').all(|part| part != "..");
        let is_read = |path: &Path| {
            let found = path.symlink_metadata();
            found.is_ok_and(|it| it.is_file() && it.len() <= MAX_FILE_BYTES as u64)
        };
        if !is_inside || !is_read(&self.top().join(path)) {
            return None;
        }
        let (_, hash) = self.hashes(&[path.to_owned()], deadline).pop()?;
        if hash != object {
            return None;
        }
        let mut text = String::new();
        let file = std::fs::File::open(self.top().join(path)).ok()?;
        // A part of a text is not what the commit has.
        file.take(MAX_FILE_BYTES as u64 + 1)
            .read_to_string(&mut text)
            .ok()?;
        (text.len() <= MAX_FILE_BYTES).then_some(text)
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::tests::of_script;

    #[test]
    fn a_list_that_git_does_not_give_is_not_an_empty_one() {
        let folder = std::env::temp_dir().join(format!("listless-git-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let repository = Repository {
            git: of_script(&folder, "exit 1"),
            top: folder.clone(),
        };
        let of = |digit: &str| OriginFacts {
            commit: digit.repeat(40),
            ..OriginFacts::default()
        };
        let (base, new) = (of("a"), of("b"));
        let texts = repository.texts_of(&base, ["src/shop.erl".to_owned()]);
        let renamed = repository.renamed(&base, &new);
        let headers = repository.other_texts(&new, ".hrl", &[]);
        let changed = repository.changed_paths(&base, &new);
        let elixir = repository.changed_elixir(&base, &new);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((texts, renamed), (None, None));
        assert_eq!((headers, changed, elixir), (None, None, None));
    }
}
