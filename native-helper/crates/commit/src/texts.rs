//! The texts that a capture's functions were compiled from, out of the repository's history.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::time::{Duration, Instant};

use capture::facts::OriginFacts;
use own_code::most_alike;

use crate::repository::{Repository, is_commit_name};

/// All questions about one capture.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longer files are left out.
const MAX_FILE_BYTES: u64 = 2 << 20;
/// Of all files together; git's answers are bounded, too.
const MAX_FILES: usize = 500;
/// Files in one question, so that its answer stays below what is read of one.
const BATCH: usize = 16;

/// A source file as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Path below the repository's top.
    pub path: String,
    /// Content.
    pub text: String,
}

/// What git calls the content of a file, and its path.
struct Named {
    object: String,
    path: String,
}

impl Repository {
    /// The texts of the files that a capture reports, by what it calls them. From the hashes that the
    /// capture has of its sources, else from its commit; of a file that was changed and never committed
    /// the one on disk, when it is still the same. What nobody has any more is left out.
    #[must_use]
    pub fn texts_of(
        &self,
        origin: &OriginFacts,
        reported: impl IntoIterator<Item = String>,
    ) -> HashMap<String, Text> {
        let deadline = Instant::now() + PATIENCE;
        let objects = self.objects(origin, deadline);
        let paths = || objects.keys().map(String::as_str);
        let wanted: Vec<(String, Named)> = reported
            .into_iter()
            .filter_map(|reported| {
                let path = most_alike(
                    &reported,
                    paths().filter(|path| is_same_name(path, &reported)),
                )?;
                let named = Named {
                    object: objects.get(path)?.clone(),
                    path: path.to_owned(),
                };
                Some((reported, named))
            })
            .take(MAX_FILES)
            .collect();
        let mut texts = HashMap::new();
        for batch in wanted.chunks(BATCH) {
            let contents = self.contents(
                batch.iter().map(|(_, named)| named.object.as_str()),
                deadline,
            );
            for ((reported, named), content) in batch.iter().zip(contents) {
                let text = content.or_else(|| self.on_disk(named, deadline));
                let path = named.path.clone();
                texts.extend(text.map(|text| (reported.clone(), Text { path, text })));
            }
        }
        texts
    }

    /// Files that have another path in `new` than in `base`, as git finds them; empty when git does not
    /// know one of the commits.
    #[must_use]
    pub fn renamed(&self, base: &OriginFacts, new: &OriginFacts) -> Vec<(String, String)> {
        let deadline = Instant::now() + PATIENCE;
        if !is_commit_name(&base.commit) || !is_commit_name(&new.commit) {
            return Vec::new();
        }
        let question = [
            "diff",
            "--name-status",
            "-z",
            "--find-renames",
            "--diff-filter=R",
            &base.commit,
            &new.commit,
        ];
        let Ok(Some(answer)) = self.git.answer(&question, deadline) else {
            return Vec::new();
        };
        let parts: Vec<String> = answer
            .split(|byte| *byte == 0)
            .map(|part| String::from_utf8_lossy(part).into_owned())
            .collect();
        // How alike, the old path, the new one.
        let renames = parts.chunks_exact(3);
        renames
            .map(|each| (each[1].clone(), each[2].clone()))
            .collect()
    }

    /// What git calls the content of each path.
    fn objects(&self, origin: &OriginFacts, deadline: Instant) -> BTreeMap<String, String> {
        let hashes = origin
            .sources
            .iter()
            .filter(|(_, hash)| is_commit_name(hash));
        let mut objects: BTreeMap<String, String> = hashes
            .map(|(path, hash)| (path.clone(), hash.clone()))
            .collect();
        if objects.is_empty() && is_commit_name(&origin.commit) {
            let question = ["ls-tree", "-r", "-z", "--full-tree", &origin.commit];
            let answer = self
                .git
                .answer(&question, deadline)
                .ok()
                .flatten()
                .unwrap_or_default();
            let entries = answer.split(|byte| *byte == 0).filter_map(|entry| {
                // Mode, kind, hash, a tab, path.
                let (facts, path) = std::str::from_utf8(entry).ok()?.split_once('\t')?;
                let hash = facts
                    .split(' ')
                    .nth(2)
                    .filter(|hash| is_commit_name(hash))?;
                Some((path.to_owned(), hash.to_owned()))
            });
            objects.extend(entries);
        }
        objects
    }

    /// The content of each object; `None` for those that git has not, or that are no text.
    fn contents<'o>(
        &self,
        objects: impl Iterator<Item = &'o str> + Clone,
        deadline: Instant,
    ) -> Vec<Option<String>> {
        let count = objects.clone().count();
        let input: String = objects.flat_map(|object| [object, "\n"]).collect();
        let said = self
            .git
            .ask(&["cat-file", "--batch"], input.as_bytes(), deadline);
        let Ok(said) = said.map(|said| said.output) else {
            return vec![None; count];
        };
        let mut rest = said.as_slice();
        (0..count).map(|_| next_object(&mut rest)).collect()
    }

    /// The file as it is now, when that is what was hashed.
    fn on_disk(&self, named: &Named, deadline: Instant) -> Option<String> {
        let path = named.path.as_str();
        if path.starts_with('/') || path.split('/').any(|part| part == "..") {
            return None;
        }
        let question = ["hash-object", "--no-filters", "--stdin-paths"];
        let said = self
            .git
            .ask(&question, format!("{path}\n").as_bytes(), deadline)
            .ok()?;
        let hash = String::from_utf8(said.output).ok()?;
        if hash.trim_end() != named.object {
            return None;
        }
        let mut text = String::new();
        let file = std::fs::File::open(self.top().join(path)).ok()?;
        file.take(MAX_FILE_BYTES).read_to_string(&mut text).ok()?;
        Some(text)
    }
}

/// `HASH blob SIZE`, the content, a line's end; or `HASH missing`.
fn next_object(rest: &mut &[u8]) -> Option<String> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let head = std::str::from_utf8(&rest[..end]).ok()?;
    let behind = &rest[end + 1..];
    let Some(size) = head
        .rsplit_once(" blob ")
        .and_then(|(_, size)| size.parse::<usize>().ok())
    else {
        *rest = behind;
        return None;
    };
    let (content, behind) = behind.split_at_checked(size)?;
    *rest = behind.get(1..).unwrap_or_default();
    String::from_utf8(content.to_vec())
        .ok()
        .filter(|text| text.len() as u64 <= MAX_FILE_BYTES)
}

fn is_same_name(path: &str, reported: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    name(path) == name(reported)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_of_objects_is_read_one_by_one() {
        let mut said: &[u8] = b"aa blob 3\nx\ny\nbb missing\ncc blob 0\n\ndd blob 99\ncut";
        let objects: Vec<_> = (0..5).map(|_| next_object(&mut said)).collect();
        assert_eq!(
            objects,
            [
                Some("x\ny".to_owned()),
                None,
                Some(String::new()),
                None,
                None
            ]
        );
    }
}
