//! Notes on the sources that a comparison used, for code that looks them up.

use crate::notes::{Note, NoteKind};

impl Note {
    /// Functions of the two sides are matched by their names alone.
    pub fn name_alone(why: &str) -> Self {
        Self::of(NoteKind::NameAlone, &[why])
    }

    /// Headers that differ between both commits are not known, so files that include one count as if none did.
    pub fn headers_unknown() -> Self {
        Self::of(NoteKind::HeadersUnknown, &[])
    }

    /// Files of Elixir that differ between both commits are not known, so files that use their macros count as if none
    /// did.
    pub fn macros_unknown() -> Self {
        Self::of(NoteKind::MacrosUnknown, &[])
    }

    /// Settings of rebar3 are not known, so files for which they name a parse transform that differs between both commits
    /// count as if they named none.
    pub fn transforms_unknown() -> Self {
        Self::of(NoteKind::TransformsUnknown, &[])
    }

    /// Files that have another path on the newer side are not known, so each counts as another file.
    pub fn renames_unknown() -> Self {
        Self::of(NoteKind::RenamesUnknown, &[])
    }

    /// Own code of these captures is the code below the folder today.
    pub fn own_of_today(captures: &str, folder: &str, why: &str) -> Self {
        Self::of(NoteKind::OwnOfToday, &[captures, folder, why])
    }

    /// A part of a folder was not searched for own code.
    pub fn own_cut(folder: &str, unseen: &str) -> Self {
        Self::of(NoteKind::OwnCut, &[folder, unseen])
    }

    /// Own code of these captures is determined by the paths of the sources that they name.
    pub fn own_by_paths(captures: &str, why: &str) -> Self {
        Self::of(NoteKind::OwnByPaths, &[captures, why])
    }
}
