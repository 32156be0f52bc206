//! What a reader has to know of the sources that a comparison went by, for those who look them up.

use crate::notes::{Note, NoteKind};

impl Note {
    /// Functions of the two sides are matched by their names alone.
    pub fn name_alone(why: &str) -> Self {
        let text = format!("functions are matched by name alone: {why}");
        Self::new(NoteKind::NameAlone, &[why], text)
    }

    /// Own code of these captures is what lies below the folder today.
    pub fn own_of_today(captures: &str, folder: &str, why: &str) -> Self {
        let text = format!(
            "own code of {captures} is what lies below {folder} today, so modules that were renamed or removed since do not count: {why}"
        );
        Self::new(NoteKind::OwnOfToday, &[captures, folder, why], text)
    }

    /// Own code of these captures is told by the paths of the sources that they name.
    pub fn own_by_paths(captures: &str, why: &str) -> Self {
        let text = format!(
            "own code of {captures} is told by the paths of the sources that they name: {why}"
        );
        Self::new(NoteKind::OwnByPaths, &[captures, why], text)
    }
}
