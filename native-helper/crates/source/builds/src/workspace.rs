//! The files of a workspace on a disk.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

use capture::facts::BuildFacts;

use crate::beam::MAX_BEAM_BYTES;
use crate::file::WorkspaceFile;
use crate::matching::{FoundBuilds, find, is_read};

/// Endings of the files that matter.
const READ_ENDINGS: [&str; 15] = [
    "beam", "erl", "yrl", "xrl", "lfe", "hrl", "ex", "eex", "heex", "leex", "gleam", "src", "rel",
    "exs", "toml",
];
/// Folders that hold neither.
const LEFT_OUT: [&str; 1] = ["node_modules"];

/// The limits of a walk of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Entries of folders, files and folders together.
    pub entries: usize,
    /// Folders within folders.
    pub depth: usize,
    /// Bytes of all files that are read.
    pub bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            entries: 500_000,
            depth: 40,
            bytes: 256 << 20,
        }
    }
}

/// A file that was found.
#[derive(Debug)]
struct Found {
    path: String,
    modified_ms: u64,
    content: Option<Vec<u8>>,
}

/// The result of a walk of a folder.
#[derive(Debug)]
pub struct Look {
    /// The builds.
    pub found: FoundBuilds,
    /// The folder has more entries than the bounds allow: a missing build may be among the others.
    pub is_cut: bool,
}

/// Compares the builds below a folder with a capture. Symbolic links are not followed, hidden folders not read.
///
/// # Errors
/// When the folder itself cannot be listed.
pub fn look(folder: &Path, facts: &BuildFacts, bounds: Bounds) -> io::Result<Look> {
    fs::read_dir(folder)?;
    let mut walk = Walk {
        facts,
        bounds,
        files: Vec::new(),
        is_cut: false,
    };
    walk.run(folder);
    let files: Vec<WorkspaceFile<'_>> = walk
        .files
        .iter()
        .map(|file| WorkspaceFile {
            path: &file.path,
            modified_ms: file.modified_ms,
            content: file.content.as_deref(),
        })
        .collect();
    Ok(Look {
        found: find(facts, &files),
        is_cut: walk.is_cut,
    })
}

struct Walk<'a> {
    facts: &'a BuildFacts,
    bounds: Bounds,
    files: Vec<Found>,
    is_cut: bool,
}

impl Walk<'_> {
    fn run(&mut self, root: &Path) {
        let mut folders = vec![(String::new(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            let Ok(entries) = fs::read_dir(root.join(&folder)) else {
                self.is_cut = true;
                continue;
            };
            for entry in entries.flatten() {
                if self.bounds.entries == 0 {
                    self.is_cut = true;
                    return;
                }
                self.bounds.entries -= 1;
                let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type())
                else {
                    continue;
                };
                let path = match folder.as_str() {
                    "" => name.clone(),
                    folder => format!("{folder}/{name}"),
                };
                if kind.is_dir() && !name.starts_with('.') && !LEFT_OUT.contains(&name.as_str()) {
                    match depth < self.bounds.depth {
                        true => folders.push((path, depth + 1)),
                        false => self.is_cut = true,
                    }
                } else if kind.is_file() && has_read_ending(&name) {
                    self.add(root, path);
                }
            }
        }
    }

    fn add(&mut self, root: &Path, path: String) {
        let Ok(metadata) = fs::symlink_metadata(root.join(&path)) else {
            return;
        };
        let modified = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let content = is_read(self.facts, &path)
            .then(|| self.read(&root.join(&path)))
            .flatten();
        self.files.push(Found {
            modified_ms: modified.map_or(0, |since| since.as_millis() as u64),
            path,
            content,
        });
    }

    /// The content of a file; `None` when it cannot be read or there is no room for it.
    fn read(&mut self, path: &Path) -> Option<Vec<u8>> {
        let most = self.bounds.bytes.min(MAX_BEAM_BYTES);
        let mut bytes = Vec::new();
        let opened = File::open(path).ok()?;
        opened.take(most as u64 + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() > most {
            self.is_cut = true;
            return None;
        }
        self.bounds.bytes -= bytes.len();
        Some(bytes)
    }
}

fn has_read_ending(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    READ_ENDINGS.contains(&extension)
}
