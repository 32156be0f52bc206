//! The sources that a capture names, and git's hash of each as it is on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use capture::reader::Capture;
use own_code::{Bounds, SourceFolder, find};
use shared_sort::Inserted;

use crate::git;
use crate::repository::{Repository, is_commit_name};

/// Hashed by one git.
const BATCH: usize = 512;
/// No capture names more of a user's files.
const MAX_SOURCES: usize = 10_000;

impl Repository {
    /// The sources of the capture's functions that lie in this repository, by their path below its
    /// top, each with git's hash of the file on disk now. Dependencies are not the user's own
    /// sources. Files that cannot be read are left out, and so are those that there is no time for.
    #[must_use]
    pub fn sources_of(&self, capture: &Capture) -> BTreeMap<String, String> {
        let deadline = git::deadline();
        let Ok(mut folder) = SourceFolder::open(&self.top, Bounds::default()) else {
            return BTreeMap::new();
        };
        let Ok(own) = find(capture, &mut folder) else {
            return BTreeMap::new();
        };
        let sources: BTreeSet<String> = capture
            .function_indices()
            .filter_map(|index| own.file(index).map(str::to_owned))
            .filter(|path| is_one_line(path))
            .take(MAX_SOURCES)
            .inserted();
        let sources: Vec<String> = sources.into_iter().collect();
        let batches = sources.chunks(BATCH);
        batches
            .flat_map(|batch| self.hashes(batch, deadline))
            .inserted()
    }

    /// Each path below the top with git's hash of the file as it is on disk. One file that cannot be read spoils its batch, so halves are tried.
    pub(crate) fn hashes(&self, paths: &[String], deadline: Instant) -> Vec<(String, String)> {
        if paths.is_empty() || Instant::now() >= deadline {
            return Vec::new();
        }
        let input = paths.iter().flat_map(|path| [path.as_str(), "\n"]);
        let input: String = input.collect();
        let question = ["hash-object", "--no-filters", "--stdin-paths"];
        let answer = self.git.ask(&question, input.as_bytes(), deadline);
        let output = match answer {
            Ok(answer) if answer.status.success() => answer.output,
            _ if paths.len() == 1 => return Vec::new(),
            _ => {
                let (first, second) = paths.split_at(paths.len() / 2);
                let mut hashes = self.hashes(first, deadline);
                hashes.extend(self.hashes(second, deadline));
                return hashes;
            }
        };
        let output = String::from_utf8_lossy(&output);
        let hashes: Vec<&str> = output.lines().collect();
        if hashes.len() != paths.len() || !hashes.iter().all(|hash| is_commit_name(hash)) {
            return Vec::new();
        }
        let pairs = paths.iter().zip(hashes);
        pairs
            .map(|(path, hash)| (path.clone(), hash.to_owned()))
            .collect()
    }
}

/// Whether git takes the path as it is for one of its lines.
fn is_one_line(path: &str) -> bool {
    !path.contains(['\n', '\0']) && !path.starts_with('"')
}
