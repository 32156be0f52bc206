//! The user's folder: the source files below it, and their content.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use shared_map::{HashMap, HashSet};
use shared_sort::SharedSort;
use source_texts::{is_escript, is_ignored};

use crate::kinds::{MADE_BY, can_be_source, extension, is_compiled, is_reached};
use crate::likeness::base_name;

/// Bytes read of a file without an ending, to detect a script.
const SCRIPT_HEAD_BYTES: u64 = 128;

/// The limits of a walk of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Entries of folders, files and folders together.
    pub entries: usize,
    /// Folders within folders.
    pub depth: usize,
    /// Bytes of one file.
    pub file_bytes: usize,
    /// Bytes of all files together.
    pub all_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            entries: 500_000,
            depth: 40,
            file_bytes: 2 << 20,
            all_bytes: 256 << 20,
        }
    }
}

/// The omitted parts; code in them does not count as own code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unseen {
    /// The folder has more entries than are looked at.
    Entries(usize),
    /// Folders lie deeper than is looked.
    Depth(usize),
    /// Files are longer than is read.
    FileBytes(usize),
    /// All files together are longer than is read.
    AllBytes(usize),
    /// A file names more modules than are taken from one.
    Names(usize),
    /// The capture names more files of a commit than are read.
    Texts(usize),
    /// So many files and folders could not be read.
    Unreadable(usize),
}

/// Why a folder cannot be one of own code.
#[derive(Debug)]
pub enum FolderError {
    /// It cannot be looked at.
    Io(io::Error),
    /// It is something else.
    NotAFolder,
    /// There is nothing in it that defines a module.
    NoSources,
}

/// A folder with sources of the user's.
#[derive(Debug)]
pub struct SourceFolder {
    root: PathBuf,
    /// As it was given, which a compiler may have been too.
    given: PathBuf,
    bounds: Bounds,
    /// Paths below the folder, with slashes, by their last part.
    by_base_name: HashMap<String, Vec<String>>,
    paths: HashSet<String>,
    /// Files of other kinds, which can have lines of code if a capture names them.
    others: Vec<String>,
    texts: HashMap<String, Rc<str>>,
    read_bytes: usize,
    unreadable: usize,
    unseen: BTreeSet<Unseen>,
    /// Texts that are not known are read from the disk.
    is_on_disk: bool,
}

impl SourceFolder {
    /// Walks the folder. Symbolic links in it are not followed, hidden folders and those of
    /// dependencies and build tools not read.
    ///
    /// # Errors
    /// See [`FolderError`].
    pub fn open(folder: &Path, bounds: Bounds) -> Result<Self, FolderError> {
        let root = folder.canonicalize().map_err(FolderError::Io)?;
        if !root.is_dir() {
            return Err(FolderError::NotAFolder);
        }
        fs::read_dir(&root).map_err(FolderError::Io)?;
        let given = std::path::absolute(folder).unwrap_or_else(|_| root.clone());
        let mut opened = Self::empty(root, given, bounds);
        opened.is_on_disk = true;
        opened.walk();
        opened.sort();
        let defines = |path: &String| is_compiled(path) || opened.is_escript(path);
        match opened.paths.iter().any(defines) {
            true => Ok(opened),
            false => Err(FolderError::NoSources),
        }
    }

    /// A folder below `top` as it was at another time, made of these paths below it. Paths that a walk on disk would
    /// skip are left out. Paths begin at the top; texts come by [`Self::give_text`], and those that never come are as
    /// good as empty: then the path decides.
    pub fn listed(top: &Path, folder: &str, paths: &[&str], bounds: Bounds) -> Self {
        let given = std::path::absolute(top).unwrap_or_else(|_| top.to_owned());
        let root = top.canonicalize().unwrap_or_else(|_| given.clone());
        let mut listed = Self::empty(root, given, bounds);
        if paths.len() > bounds.entries {
            listed.unseen.insert(Unseen::Entries(bounds.entries));
        }
        let paths = &paths[..paths.len().min(bounds.entries)];
        let all: HashSet<&str> = paths.iter().copied().collect();
        for path in paths {
            if is_reached(path, &all, bounds.depth) {
                let path = match folder {
                    "" => (*path).to_owned(),
                    folder => format!("{folder}/{path}"),
                };
                listed.take(path);
            }
        }
        listed.sort();
        listed
    }

    /// The text of a file, for a folder that is not on disk as it was.
    pub fn give_text(&mut self, path: &str, text: &str) {
        let room = self.bounds.all_bytes.saturating_sub(self.read_bytes);
        if text.len() > room {
            self.unseen.insert(Unseen::AllBytes(self.bounds.all_bytes));
            return;
        }
        self.read_bytes += text.len();
        self.texts.insert(path.to_owned(), text.into());
    }

    /// Whether nothing is in it that code is compiled from.
    pub fn is_empty(&self) -> bool {
        !self.paths.iter().any(|path| is_compiled(path))
    }

    /// Whether the text of a file was given or read.
    pub(crate) fn has_text(&self, path: &str) -> bool {
        self.texts.contains_key(path)
    }

    fn empty(root: PathBuf, given: PathBuf, bounds: Bounds) -> Self {
        Self {
            root,
            given,
            bounds,
            by_base_name: HashMap::new(),
            paths: HashSet::new(),
            others: Vec::new(),
            texts: HashMap::new(),
            read_bytes: 0,
            unreadable: 0,
            unseen: BTreeSet::new(),
            is_on_disk: false,
        }
    }

    /// Takes a file that was come upon, by its path below the folder.
    fn take(&mut self, path: String) {
        match can_be_source(base_name(&path)) {
            true => self.insert(path),
            false => self.others.push(path),
        }
    }

    fn insert(&mut self, path: String) {
        let named = self.by_base_name.entry(base_name(&path).to_owned());
        named.or_default().push(path.clone());
        self.paths.insert(path);
    }

    /// Takes files of any kind with these base names, too: a capture has lines in files that are called so.
    pub(crate) fn insert_named(&mut self, base_names: &HashSet<&str>) {
        let others = std::mem::take(&mut self.others).into_iter();
        let (named, others): (Vec<String>, Vec<String>) =
            others.partition(|path| base_names.contains(base_name(path)));
        self.others = others;
        for path in named {
            self.insert(path);
        }
        self.sort();
    }

    fn sort(&mut self) {
        for paths in self.by_base_name.values_mut() {
            paths.shared_sort();
        }
    }

    /// The files with this base name, below the folder.
    pub(crate) fn named(&self, base_name: &str) -> &[String] {
        self.by_base_name.get(base_name).map_or(&[], Vec::as_slice)
    }

    /// The path of a file of the folder from the root on, by each path that the folder has.
    pub(crate) fn whole_paths(&self, path: &str) -> [String; 2] {
        [&self.root, &self.given].map(|folder| folder.join(path).to_string_lossy().into_owned())
    }

    /// A path that the VM reports, relative to the folder, when it lies below the folder.
    pub(crate) fn below<'p>(&self, reported: &'p str) -> Option<&'p str> {
        [&self.root, &self.given].into_iter().find_map(|folder| {
            let rest = reported.strip_prefix(folder.to_str()?)?;
            rest.strip_prefix('/')
                .or_else(|| folder.parent().is_none().then_some(rest))
        })
    }

    /// Leaves out the files of an installation below the folder: a copy that a release or a tool put there. A user
    /// whose folder is that installation works on it.
    pub(crate) fn leave_out(&mut self, installation: &str) {
        let below = self.below(installation.trim_end_matches('/'));
        let Some(below) = below.filter(|below| !below.is_empty()) else {
            return;
        };
        let start = format!("{below}/");
        self.paths.retain(|path| !path.starts_with(&start));
        self.others.retain(|path| !path.starts_with(&start));
        for paths in self.by_base_name.values_mut() {
            paths.retain(|path| !path.starts_with(&start));
        }
    }

    /// Whether the file was found.
    pub(crate) fn contains(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// The text of a file, as far as it is read, and as it was when it was read first.
    pub(crate) fn text(&mut self, path: &str) -> Rc<str> {
        if let Some(known) = self.texts.get(path) {
            return Rc::clone(known);
        }
        if !self.is_on_disk {
            return "".into();
        }
        let text: Rc<str> = self.read(path).into();
        self.texts.insert(path.to_owned(), Rc::clone(&text));
        text
    }

    fn read(&mut self, path: &str) -> String {
        let room = self.bounds.all_bytes.saturating_sub(self.read_bytes);
        let most = self.bounds.file_bytes.min(room);
        let mut bytes = Vec::new();
        let opened = File::open(self.root.join(path));
        // One byte more shows whether the file goes on.
        let read = opened.and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes));
        if read.is_err() {
            self.unreadable += 1;
        }
        if bytes.len() > most {
            bytes.truncate(most);
            self.unseen.insert(match most == room {
                true => Unseen::AllBytes(self.bounds.all_bytes),
                false => Unseen::FileBytes(self.bounds.file_bytes),
            });
        }
        self.read_bytes += bytes.len();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Whether a file without an ending is a script that `escript` runs.
    fn is_escript(&self, path: &str) -> bool {
        if !extension(path).is_empty() {
            return false;
        }
        let mut head = Vec::new();
        let opened = File::open(self.root.join(path));
        let read = opened.and_then(|file| file.take(SCRIPT_HEAD_BYTES).read_to_end(&mut head));
        read.is_ok() && is_escript(&String::from_utf8_lossy(&head))
    }

    /// Notes a part that its reader omits.
    pub fn leave_unseen(&mut self, unseen: Unseen) {
        self.unseen.insert(unseen);
    }

    /// The parts that were omitted so far.
    pub fn unseen(&self) -> Vec<Unseen> {
        let unreadable = (self.unreadable > 0).then_some(Unseen::Unreadable(self.unreadable));
        self.unseen.iter().copied().chain(unreadable).collect()
    }

    fn walk(&mut self) {
        let mut entries_left = self.bounds.entries;
        let mut folders = vec![(String::new(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            let Ok(entries) = fs::read_dir(self.root.join(&folder)) else {
                self.unreadable += 1;
                continue;
            };
            let has = |file: &str| self.root.join(&folder).join(file).exists();
            // Where the tools of a project put their output, if this is one.
            let made = MADE_BY.map(|(mark, made)| if has(mark) { made } else { "" });
            for entry in entries.flatten() {
                if entries_left == 0 {
                    self.unseen.insert(Unseen::Entries(self.bounds.entries));
                    return;
                }
                entries_left -= 1;
                // A name that is not Unicode is in no line table that could be matched.
                let Ok(name) = entry.file_name().into_string() else {
                    continue;
                };
                let Ok(kind) = entry.file_type() else {
                    self.unreadable += 1;
                    continue;
                };
                let path = match folder.as_str() {
                    "" => name.clone(),
                    folder => format!("{folder}/{name}"),
                };
                if kind.is_dir() && !is_ignored(&name) && !made.contains(&name.as_str()) {
                    match depth < self.bounds.depth {
                        true => folders.push((path, depth + 1)),
                        false => {
                            self.unseen.insert(Unseen::Depth(self.bounds.depth));
                        }
                    }
                } else if kind.is_file() {
                    self.take(path);
                }
            }
        }
    }
}
