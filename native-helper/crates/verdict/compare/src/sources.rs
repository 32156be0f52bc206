//! The texts that captures of two commits were made from, as far as they are available.

use std::collections::BTreeSet;

use shared_map::HashMap;
use shared_sort::Inserted;
use source_texts::{Definitions, Unread};

use crate::identity::{Catalogue, KnownFunction};
use crate::notes::{Note, NoteKind};
use crate::side::Side;

/// The sources of both sides, by the path that captures name.
#[derive(Debug, Clone, Default)]
pub struct SourceTexts {
    /// Of the older side.
    pub base: HashMap<String, SourceFile>,
    /// Of the newer side.
    pub new: HashMap<String, SourceFile>,
    /// Files that have another path on the newer side, or that the commit of one side lacks.
    pub renamed: Vec<RenamedFile>,
    /// Headers of Erlang that differ between the commits of both sides: paths in the repository.
    pub changed_headers: Vec<String>,
    /// The other headers of the newer commit, where any differ: one that includes such a header differs, too.
    pub headers: Vec<SourceFile>,
    /// Files of Erlang modules that differ between the commits of both sides: paths in the repository. Each may be a parse
    /// transform.
    pub changed_modules: Vec<String>,
    /// The settings of rebar3 (`rebar.config`) of the newer commit, where such a file differs: they may name a parse
    /// transform for all files below.
    pub settings: Vec<SourceFile>,
    /// Files with settings of the build or versions of dependencies that differ between the commits of both sides: paths
    /// in the repository. They may change the code of any function.
    pub changed_build: Vec<String>,
    /// Files of Elixir that differ between the commits of both sides, as each of them has it: their macros may write code
    /// of other files.
    pub changed_elixir: Vec<SourceFile>,
    /// The other files of Elixir of the newer commit, where one with macros differs: their macros may use such macros.
    pub other_elixir: Vec<SourceFile>,
    /// Files that captures of both sides name and the commits have, whose texts were not read.
    pub unread: usize,
    /// Most files of each side whose texts are read.
    pub most_files: usize,
}

/// A file as it was at a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Path in the repository.
    pub path: String,
    /// Its content.
    pub text: String,
}

impl SourceFile {
    pub(crate) fn definitions(&self) -> Result<Definitions<'_>, Unread> {
        Definitions::of(&self.path, &self.text)
    }
}

/// A file that git reports as renamed, or as one that the commit of one side lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedFile {
    /// Path in the repository, on the older side; empty where that has none.
    pub base: String,
    /// The same on the newer one.
    pub new: String,
}

impl SourceTexts {
    /// Whether both commits have texts.
    pub(crate) fn are_of_both(&self) -> bool {
        !self.base.is_empty() && !self.new.is_empty()
    }

    /// Files that may change functions of the same text.
    pub(crate) fn build_note(&self) -> Option<Note> {
        const NAMED: usize = 5;
        let named = self.changed_build.get(..NAMED);
        let named = named.unwrap_or(&self.changed_build);
        let mut files = named.join(", ");
        let more = self.changed_build.len() - named.len();
        if more > 0 {
            files += &format!(" and {more} more");
        }
        (!files.is_empty()).then(|| Note::of(NoteKind::BuildDiffers, &[&files]))
    }

    pub(crate) fn base_of(&self, function: &KnownFunction) -> Option<&SourceFile> {
        self.base.get(&function.file)
    }

    pub(crate) fn new_of(&self, function: &KnownFunction) -> Option<&SourceFile> {
        self.new.get(&function.file)
    }

    /// Whether the commit of the other side lacks a file.
    pub(crate) fn is_of_one_commit(&self, file: &SourceFile) -> bool {
        let mut renamed = self.renamed.iter();
        renamed.any(|it| {
            let is_of_one = it.base.is_empty() || it.new.is_empty();
            is_of_one && (it.base == file.path || it.new == file.path)
        })
    }

    /// Whether a file of the older side is that one of the newer.
    pub(crate) fn is_same_file(&self, base: &SourceFile, new: &SourceFile) -> bool {
        base.path == new.path || self.is_renamed(base, new)
    }

    pub(crate) fn is_renamed(&self, base: &SourceFile, new: &SourceFile) -> bool {
        let mut renamed = self.renamed.iter();
        renamed.any(|file| file.base == base.path && file.new == new.path)
    }
}

/// The source files that captures of a side name, as the VM reports them: those whose texts would help.
pub fn wanted_files(side: &Side<'_>) -> BTreeSet<String> {
    let mut catalogue = Catalogue::default();
    for given in &side.captures {
        for index in given.capture.function_indices() {
            catalogue.add(&given.capture.function(index));
        }
    }
    let erlang = catalogue
        .iter()
        .filter(|(_, function)| function.identity.is_erlang());
    let files = erlang.map(|(_, function)| function.file.clone());
    files.filter(|file| !file.is_empty()).inserted()
}
