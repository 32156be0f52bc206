//! Where a capture goes when the client names no file.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use target_proc::caller;

/// Below the user's folder for state.
const FOLDER: &str = "extrospect/captures";
/// Captures show what a VM does: they are for nobody else.
const PRIVATE: u32 = 0o700;

/// The folder for captures without a name, made if it is not there: `$XDG_STATE_HOME`, else
/// `~/.local/state`, else the folder for temporary files. With rights that our
/// caller has not, the environment does not count.
pub fn capture_folder() -> io::Result<PathBuf> {
    let folder = state_folder(
        caller::variable("XDG_STATE_HOME").map(PathBuf::from),
        caller::home(),
    );
    match make(&folder) {
        Ok(()) => Ok(folder),
        // A home that is not there or read-only, as services have: a private folder for us alone.
        Err(_) => {
            let fallback =
                caller::temporary_folder().join(format!("extrospect-{}", std::process::id()));
            make(&fallback).map(|()| fallback)
        }
    }
}

fn make(folder: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE)
        .create(folder)
}

fn state_folder(xdg_state_home: Option<PathBuf>, home: Option<PathBuf>) -> PathBuf {
    let absolute = |path: Option<PathBuf>| path.filter(|path| path.is_absolute());
    absolute(xdg_state_home)
        .or_else(|| absolute(home).map(|home| home.join(".local/state")))
        .unwrap_or_else(caller::temporary_folder)
        .join(FOLDER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_folder_as_the_standard_has_it() {
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(
            state_folder(path("/s"), path("/h")),
            Path::new("/s/extrospect/captures")
        );
        assert_eq!(
            state_folder(path("relative"), path("/h")),
            Path::new("/h/.local/state/extrospect/captures")
        );
        assert!(state_folder(None, None).starts_with(std::env::temp_dir()));
    }
}
