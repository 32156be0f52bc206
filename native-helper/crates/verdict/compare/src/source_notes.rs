//! Notes on the sources that a comparison used, for code that looks them up.

use crate::notes::{Note, NoteKind};

impl Note {
    /// Functions of the two sides are matched by their names alone.
    pub fn name_alone(why: &str) -> Self {
        let text = format!("functions are matched by name alone: {why}");
        Self::new(NoteKind::NameAlone, &[why], text)
    }

    /// Headers that differ between both commits are not known, so files that include one count as if none did.
    pub fn headers_unknown() -> Self {
        let text = "functions of files that include a changed header may count as the same: git did not list the headers in time";
        Self::new(NoteKind::HeadersUnknown, &[], text.to_owned())
    }

    /// Files that have another path on the newer side are not known, so each counts as another file.
    pub fn renames_unknown() -> Self {
        let text = "renamed files count as other files: git did not list them in time";
        Self::new(NoteKind::RenamesUnknown, &[], text.to_owned())
    }

    /// Own code of these captures is the code below the folder today.
    pub fn own_of_today(captures: &str, folder: &str, why: &str) -> Self {
        let text = format!(
            "own code of {captures} is the files below {folder} today, so modules that were renamed or removed since then do not count: {why}"
        );
        Self::new(NoteKind::OwnOfToday, &[captures, folder, why], text)
    }

    /// A part of a folder was not searched for own code.
    pub fn own_cut(folder: &str, unseen: &str) -> Self {
        let text = format!("{folder}: {unseen}; code there does not count as own");
        Self::new(NoteKind::OwnCut, &[folder, unseen], text)
    }

    /// Own code of these captures is determined by the paths of the sources that they name.
    pub fn own_by_paths(captures: &str, why: &str) -> Self {
        let text = format!(
            "own code of {captures} is derived from the source paths that they contain: {why}"
        );
        Self::new(NoteKind::OwnByPaths, &[captures, why], text)
    }
}
