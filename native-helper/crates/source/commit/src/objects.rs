//! What git keeps: the files of a commit, and the contents of files.

use std::collections::BTreeMap;
use std::time::Instant;

use shared_sort::Inserted;

use crate::git::{Git, GitError};
use crate::repository::{Repository, is_commit_name};

/// Longer files are left out.
pub(crate) const MAX_FILE_BYTES: usize = 2 << 20;
/// The list of a commit's files: half a million of them.
const MAX_LIST_BYTES: u64 = 64 << 20;
/// Bytes of the contents that one query requests, so that the answer stays below the limit for
/// reading one.
const BATCH_BYTES: usize = 3 << 20;
/// Bytes that git prints around a content.
const AROUND_BYTES: usize = 100;

impl Repository {
    /// The files of a commit below a folder (empty for all), each with git's name of its content;
    /// `None` when git does not have that commit. Links and submodules are no files.
    pub(crate) fn files_of_commit(
        &self,
        commit: &str,
        folder: &str,
        deadline: Instant,
    ) -> Result<Option<BTreeMap<String, String>>, GitError> {
        let mut question = vec!["ls-tree", "-r", "-z", "--full-tree", commit];
        let below = format!("{folder}/");
        if !folder.is_empty() {
            question.extend(["--", &below]);
        }
        let output = self.git.ask_for(&question, b"", MAX_LIST_BYTES, deadline)?;
        if !output.status.success() {
            return Ok(None);
        }
        let entries = output.output.split(|byte| *byte == 0);
        Ok(Some(entries.filter_map(file_of_entry).inserted()))
    }

    /// The content of each object; `None` for those that git does not have, that are no text or too
    /// long.
    pub(crate) fn contents(&self, objects: &[&str], deadline: Instant) -> Vec<Option<String>> {
        let sizes = self.sizes(objects, deadline);
        let mut contents = vec![None; objects.len()];
        let mut batch = Vec::new();
        let mut bytes = 0;
        for (position, size) in sizes.into_iter().enumerate() {
            let Some(size) = size.filter(|size| *size <= MAX_FILE_BYTES) else {
                continue;
            };
            if bytes + size > BATCH_BYTES {
                self.read_batch(
                    objects,
                    &std::mem::take(&mut batch),
                    &mut contents,
                    deadline,
                );
                bytes = 0;
            }
            bytes += size + AROUND_BYTES;
            batch.push(position);
        }
        self.read_batch(objects, &batch, &mut contents, deadline);
        contents
    }

    fn read_batch(
        &self,
        objects: &[&str],
        positions: &[usize],
        contents: &mut [Option<String>],
        deadline: Instant,
    ) {
        let wanted: Vec<&str> = positions
            .iter()
            .map(|position| objects[*position])
            .collect();
        let output = about_objects(&self.git, "--batch", &wanted, deadline);
        let mut rest = output.as_slice();
        for position in positions {
            contents[*position] = next_object(&mut rest);
        }
    }

    /// How long the content of each object is; `None` for those that git does not have.
    fn sizes(&self, objects: &[&str], deadline: Instant) -> Vec<Option<usize>> {
        let output = about_objects(&self.git, "--batch-check", objects, deadline);
        let output = String::from_utf8_lossy(&output);
        let mut lines = output.lines();
        let size = |line: &str| line.rsplit_once(" blob ")?.1.parse().ok();
        let sizes = objects.iter().map(|_| lines.next().and_then(size));
        sizes.collect()
    }
}

/// The output of `cat-file` about objects; empty when it does not answer.
fn about_objects(git: &Git, how: &str, objects: &[&str], deadline: Instant) -> Vec<u8> {
    if objects.is_empty() {
        return Vec::new();
    }
    let input: String = objects.iter().flat_map(|object| [*object, "\n"]).collect();
    let output = git.ask(&["cat-file", how], input.as_bytes(), deadline);
    output.map(|output| output.output).unwrap_or_default()
}

/// Path and hash of an entry, when it is a file: mode, kind, hash, a tab, path.
fn file_of_entry(entry: &[u8]) -> Option<(String, String)> {
    const LINK: &str = "120000";
    let (facts, path) = std::str::from_utf8(entry).ok()?.split_once('\t')?;
    let mut facts = facts.split(' ');
    let (mode, kind, hash) = (facts.next()?, facts.next()?, facts.next()?);
    let is_file = kind == "blob" && mode != LINK && is_commit_name(hash);
    is_file.then(|| (path.to_owned(), hash.to_owned()))
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
        .filter(|text| text.len() <= MAX_FILE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_git_on_objects_are_read_one_by_one() {
        let mut output: &[u8] = b"aa blob 3\nx\ny\nbb missing\ncc blob 0\n\ndd blob 99\ncut";
        let objects: Vec<_> = (0..5).map(|_| next_object(&mut output)).collect();
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

    #[test]
    fn links_and_submodules_are_no_files() {
        let hash = "a".repeat(40);
        let entry = |facts: &str| file_of_entry(format!("{facts} {hash}\ta\tb.erl").as_bytes());
        assert_eq!(
            entry("100644 blob"),
            Some(("a\tb.erl".to_owned(), hash.clone()))
        );
        assert_eq!(entry("120000 blob"), None);
        assert_eq!(entry("160000 commit"), None);
        assert_eq!(file_of_entry(b""), None);
        assert_eq!(file_of_entry(b"100644 blob short\tx"), None);
    }
}
