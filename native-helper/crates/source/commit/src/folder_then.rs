//! A folder of sources as it was when a capture was taken, for the question which code is the user's.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use capture::facts::OriginFacts;
use capture::own::OwnCode;
use capture::reader::Capture;
use own_code::{Bounds, NothingFound, SourceFolder, Unseen, find, texts_wanted};
use shared_sort::Inserted;

use crate::git::{self, GitError};
use crate::missing::{SourcesMissing, short_name};
use crate::repository::{Repository, is_commit_name};

/// No capture names functions of more files.
const MAX_TEXTS: usize = 10_000;
/// Folders of a path that may be those of the repository below its top.
const MAX_FOLDERS: usize = 12;

/// The content of a folder at a commit, with the changes known from the capture that were not
/// committed.
#[derive(Debug)]
pub struct FolderThen {
    commit: String,
    /// Path of the folder below the repository's top.
    below_top: String,
    sources: SourceFolder,
    /// By path below the top.
    files: BTreeMap<String, FileThen>,
}

/// What git calls the content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileThen {
    /// As the capture has it, else as it is in the commit.
    ran: String,
    /// In the commit, when that has such a file.
    committed: Option<String>,
}

impl FolderThen {
    /// The folder as the repository has it at the capture's commit.
    ///
    /// # Errors
    /// Why it is not known.
    pub fn at_commit(
        repository: &Repository,
        origin: &OriginFacts,
        folder: &Path,
    ) -> Result<Self, SourcesMissing> {
        let deadline = git::deadline();
        let below_top = repository.below_top(folder)?;
        let commit = origin.commit.as_str();
        let committed = match is_commit_name(commit) {
            true => repository.files_of_commit(commit, &below_top, deadline)?,
            false => None,
        };
        let committed = committed.ok_or_else(|| repository.lacks(commit, deadline))?;
        let committed = committed.into_iter().map(|(path, object)| {
            let file = FileThen {
                ran: object.clone(),
                committed: Some(object),
            };
            (path, file)
        });
        let mut files: BTreeMap<String, FileThen> = committed.inserted();
        for (path, object) in sources_below(origin, &below_top) {
            let committed = files.remove(path).and_then(|file| file.committed);
            let ran = object.to_owned();
            files.insert(path.to_owned(), FileThen { ran, committed });
        }
        let then = Self::new(origin, below_top, folder, files);
        match then.sources.is_empty() {
            true => Err(SourcesMissing::NoSources {
                commit: short_name(commit),
                folder: folder.to_owned(),
            }),
            false => Ok(then),
        }
    }

    /// The folder as far as the capture itself knows it: the sources that it names, when some of them
    /// are there today, so that it is the folder of the same project.
    #[must_use]
    pub fn by_capture(
        repository: Option<&Repository>,
        origin: &OriginFacts,
        folder: &Path,
    ) -> Option<Self> {
        let folders = match repository {
            Some(repository) => vec![repository.below_top(folder).ok()?],
            None => ends_of(folder),
        };
        let is_there = |path: &str, below_top: &str| {
            below(path, below_top).is_some_and(|path| folder.join(path).is_file())
        };
        let below_top = folders.into_iter().find(|below_top| {
            sources_below(origin, below_top).any(|(path, _)| is_there(path, below_top))
        })?;
        let named = sources_below(origin, &below_top).map(|(path, object)| {
            let file = FileThen {
                ran: object.to_owned(),
                committed: None,
            };
            (path.to_owned(), file)
        });
        let files = named.inserted();
        Some(Self::new(origin, below_top, folder, files))
    }

    fn new(
        origin: &OriginFacts,
        below_top: String,
        folder: &Path,
        files: BTreeMap<String, FileThen>,
    ) -> Self {
        let paths: Vec<&str> = files
            .keys()
            .filter_map(|path| below(path, &below_top))
            .collect();
        let top = top_of(folder, &below_top);
        Self {
            commit: origin.commit.clone(),
            sources: SourceFolder::listed(&top, &below_top, &paths, Bounds::default()),
            below_top,
            files,
        }
    }

    /// Whether another capture was taken of the same sources.
    #[must_use]
    pub fn is_of(&self, origin: &OriginFacts) -> bool {
        let is_same = |(path, object): (&str, &str)| {
            let file = self.files.get(path);
            file.is_some_and(|file| file.ran == object)
        };
        self.commit == origin.commit && sources_below(origin, &self.below_top).all(is_same)
    }

    /// Which functions of a capture are from the folder; `repository` has the texts.
    ///
    /// # Errors
    /// [`NothingFound`] when none is.
    pub fn own_code(
        &mut self,
        capture: &Capture,
        repository: Option<&Repository>,
    ) -> Result<OwnCode, NothingFound> {
        if let Some(repository) = repository {
            self.read_texts(capture, repository);
        }
        find(capture, &mut self.sources)
    }

    /// The parts of the folder that are omitted.
    #[must_use]
    pub fn unseen(&self) -> Vec<Unseen> {
        self.sources.unseen()
    }

    /// Reads the texts that show where the capture's functions are from: those that ran, as far as git or the disk
    /// still has them, else those of the commit.
    fn read_texts(&mut self, capture: &Capture, repository: &Repository) {
        let deadline = git::deadline();
        let wanted = texts_wanted(capture, &self.sources);
        if wanted.len() > MAX_TEXTS {
            self.sources.leave_unseen(Unseen::Texts(MAX_TEXTS));
        }
        let wanted: Vec<(&str, &FileThen)> = wanted
            .iter()
            .take(MAX_TEXTS)
            .filter_map(|path| Some((path.as_str(), self.files.get(path)?)))
            .collect();
        let mut left = Vec::new();
        let ran: Vec<&str> = wanted.iter().map(|(_, file)| file.ran.as_str()).collect();
        let texts = repository.contents(&ran, deadline);
        for ((path, file), text) in wanted.into_iter().zip(texts) {
            match text {
                Some(text) => self.sources.give_text(path, &text),
                None => left.push((path, file)),
            }
        }
        let committed: Vec<&str> = left
            .iter()
            .map(|(_, file)| file.committed.as_deref().unwrap_or(&file.ran))
            .collect();
        let texts = repository.contents(&committed, deadline);
        for ((path, file), text) in left.into_iter().zip(texts) {
            let on_disk = repository.on_disk(path, &file.ran, deadline);
            if let Some(text) = on_disk.or(text) {
                self.sources.give_text(path, &text);
            }
        }
    }
}

impl Repository {
    /// Path of a folder below the top; empty for the top itself.
    fn below_top(&self, folder: &Path) -> Result<String, GitError> {
        let outside = || GitError::Failed("the folder is not below the repository's top".into());
        let folder = folder.canonicalize().map_err(|_| outside())?;
        let top = self.top.canonicalize().map_err(|_| outside())?;
        let below = folder.strip_prefix(&top).map_err(|_| outside())?;
        Ok(below.to_str().ok_or_else(outside)?.to_owned())
    }
}

/// The sources that a capture names in a folder below the repository's top, with git's hash of each.
/// What leads out of the repository is left out.
fn sources_below<'o>(
    origin: &'o OriginFacts,
    below_top: &'o str,
) -> impl Iterator<Item = (&'o str, &'o str)> {
    let is_plain = |path: &str| {
        let mut parts = Path::new(path).components();
        parts.all(|part| matches!(part, Component::Normal(_)))
    };
    let sources = origin.sources.iter();
    sources
        .filter(move |(path, object)| is_plain(path) && is_commit_name(object))
        .filter(move |(path, _)| below(path, below_top).is_some())
        .map(|(path, object)| (path.as_str(), object.as_str()))
}

/// The rest of a path that is below a folder.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    match folder {
        "" => Some(path),
        folder => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

/// The top of the repository that a folder is in, as the folder was given where that can be.
fn top_of(folder: &Path, below_top: &str) -> PathBuf {
    let given = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let is_given = given.ends_with(below_top);
    let whole = match is_given {
        true => given,
        false => folder.canonicalize().unwrap_or(given),
    };
    let levels = Path::new(below_top).components().count();
    let top = whole.ancestors().nth(levels);
    top.map_or_else(|| folder.to_owned(), Path::to_owned)
}

/// What a folder may be called below the top of a repository: nothing, or an end of its path.
fn ends_of(folder: &Path) -> Vec<String> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let names = folder.components().rev().take(MAX_FOLDERS);
    let mut end = PathBuf::new();
    let mut ends = vec![String::new()];
    for name in names.filter(|name| matches!(name, Component::Normal(_))) {
        end = match end.as_os_str().is_empty() {
            true => PathBuf::from(name.as_os_str()),
            false => Path::new(name.as_os_str()).join(end),
        };
        ends.extend(end.to_str().map(str::to_owned));
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_may_be_called_by_any_end_of_its_path() {
        let ends = ends_of(Path::new("/no-such-place/shop/apps/cart"));
        let expected = [
            "",
            "cart",
            "apps/cart",
            "shop/apps/cart",
            "no-such-place/shop/apps/cart",
        ];
        assert_eq!(ends, expected);
    }

    #[test]
    fn sources_that_lead_elsewhere_are_none() {
        let hash = "a".repeat(40);
        let named = [
            "/etc/passwd",
            "../x.erl",
            "apps/../../x.erl",
            "apps/x.erl",
            "y.erl",
        ];
        let origin = OriginFacts {
            sources: named.map(|path| (path.to_owned(), hash.clone())).into(),
            ..OriginFacts::default()
        };
        let below = |folder| {
            sources_below(&origin, folder)
                .map(|(path, _)| path)
                .collect::<Vec<_>>()
        };
        assert_eq!(below(""), ["apps/x.erl", "y.erl"]);
        assert_eq!(below("apps"), ["apps/x.erl"]);
        assert_eq!(below("app"), Vec::<&str>::new());
    }
}
