//! The user's folders for files of the helper: captures that the client gave no name, detached captures,
//! and the sockets of conversations that a client may resume.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use capture::file::make_private_folder;
use target_proc::caller;

/// Below the user's folder for state; only this user may use it and its contents.
const FOLDER: &str = "extrospect";
const CAPTURES: &str = "captures";
const SESSIONS: &str = "sessions";
const DETACHED: &str = "detached";
/// Names tried for a folder among temporary files.
const MAX_FALLBACKS: u32 = 16;

/// The folder for captures without a name, made if it is not there: below `$XDG_STATE_HOME`, else
/// `~/.local/state`, else the folder for temporary files. If this process has rights that its
/// caller does not have, the environment does not count.
pub fn capture_folder() -> io::Result<PathBuf> {
    // A home that does not exist or is read-only, as services have, or that belongs to another
    // user: a new folder for this user alone.
    below(&state_folder(), CAPTURES).or_else(|_| new_folder(&caller::temporary_folder()))
}

/// The folder for sockets of conversations, made if it is not there. There is no fallback: a client
/// that resumes has to find it.
///
/// # Errors
/// It cannot be made, or is not this user's alone.
pub fn session_folder() -> io::Result<PathBuf> {
    below(&state_folder(), SESSIONS)
}

/// The folder for detached captures, made if it is not there. There is no fallback: a client that
/// reconnects has to find them.
///
/// # Errors
/// It cannot be made, or is not this user's alone.
pub fn detached_folder() -> io::Result<PathBuf> {
    below(&state_folder(), DETACHED)
}

/// Makes a folder for this user alone that was not there before.
///
/// # Errors
/// Of kind `AlreadyExists` when the path exists; else the error of the system.
pub fn make_new_folder(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

/// Makes the folders below `state`. Existing ones have to belong to this user: the owner of a
/// folder decides about its contents.
fn below(state: &Path, name: &str) -> io::Result<PathBuf> {
    std::fs::create_dir_all(state)?;
    let ours = state.join(FOLDER);
    make_private_folder(&ours)?;
    let folder = ours.join(name);
    make_private_folder(&folder)?;
    Ok(folder)
}

/// A folder that was not there before. The names that another user may have taken are not known to
/// them beforehand, for they depend on the process.
fn new_folder(among: &Path) -> io::Result<PathBuf> {
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for attempt in 0..MAX_FALLBACKS {
        let folder = among.join(format!("extrospect-{}-{attempt}", std::process::id()));
        match make_private_folder(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn state_folder() -> PathBuf {
    state_folder_by(
        caller::variable("XDG_STATE_HOME").map(PathBuf::from),
        caller::home(),
    )
}

fn state_folder_by(xdg_state_home: Option<PathBuf>, home: Option<PathBuf>) -> PathBuf {
    let absolute = |path: Option<PathBuf>| path.filter(|path| path.is_absolute());
    absolute(xdg_state_home)
        .or_else(|| absolute(home).map(|home| home.join(".local/state")))
        .unwrap_or_else(caller::temporary_folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    const SOMEBODY: u32 = 4711;

    /// A folder of this test, removed at its end.
    struct Room(PathBuf);

    impl Room {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("files-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Room {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn the_state_folder_as_the_standard_has_it() {
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(state_folder_by(path("/s"), path("/h")), Path::new("/s"));
        assert_eq!(
            state_folder_by(path("relative"), path("/h")),
            Path::new("/h/.local/state")
        );
        assert_eq!(state_folder_by(None, None), std::env::temp_dir());
    }

    #[test]
    fn the_folders_are_ours_alone_also_when_they_were_open_before() {
        let room = Room::new("own");
        let folder = below(&room.0, CAPTURES).unwrap();
        assert_eq!(folder, room.0.join("extrospect/captures"));
        assert_eq!(mode(&folder), 0o700);
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).unwrap();
        assert_eq!(below(&room.0, CAPTURES).unwrap(), folder);
        assert_eq!(mode(&folder), 0o700);
    }

    #[test]
    fn a_file_of_another_user_is_not_taken() {
        let room = Room::new("planted");
        let theirs = room.0.join("theirs");
        std::fs::create_dir(&theirs).unwrap();
        symlink(&theirs, room.0.join("extrospect")).unwrap();
        let error = below(&room.0, CAPTURES).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
        assert_eq!(std::fs::read_dir(&theirs).unwrap().count(), 0);

        std::fs::remove_file(room.0.join("extrospect")).unwrap();
        std::fs::create_dir_all(room.0.join("extrospect/captures")).unwrap();
        for planted in ["extrospect", "extrospect/captures"] {
            let planted = room.0.join(planted);
            // Only root may give something away; without it the half above has to do.
            if chown(&planted, Some(SOMEBODY), None).is_err() {
                return;
            }
            let error = below(&room.0, CAPTURES).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
            chown(&planted, Some(0), None).unwrap();
        }
        assert!(below(&room.0, CAPTURES).is_ok());
    }

    #[test]
    fn a_folder_among_temporary_files_is_new_or_ours() {
        let room = Room::new("fallback");
        let first = room.0.join(format!("extrospect-{}-0", std::process::id()));
        symlink("/nowhere", &first).unwrap();
        let folder = new_folder(&room.0).unwrap();
        assert_ne!(folder, first);
        assert_eq!(mode(&folder), 0o700);
    }
}
