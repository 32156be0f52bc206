//! The folder of own code that a command was given.

use std::io::ErrorKind;
use std::path::Path;

use capture::own::OwnCode;
use capture::reader::Capture;
use own_code::{Bounds, FolderError, NothingFound, SourceFolder, Unseen, find};

use crate::failure::{Exit, Failure};
use crate::terminal;

/// What to name where nothing of a VM's code is.
pub const GIVE_PROJECT: &str =
    "give --own the folder of the project that the VM runs, the one with mix.exs or rebar.config";

/// Checks that the folder exists where the user named one; `fix` is an alternative to name.
pub fn check_there(folder: &Path, fix: &str) -> Result<(), Failure> {
    let shown = folder.display();
    let what = match folder.metadata() {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => format!("{shown} is no folder"),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            format!("the folder {shown} is missing")
        }
        Err(error) => format!("the folder {shown} cannot be read: {error}"),
    };
    Err(Failure::new(Exit::Usage, what, "", fix))
}

/// Looks at a folder of own code. Before anything is sampled: it may be the wrong one.
pub fn open(folder: &Path) -> Result<SourceFolder, Failure> {
    check_there(folder, GIVE_PROJECT)?;
    let shown = folder.display();
    SourceFolder::open(folder, Bounds::default()).map_err(|error| {
        let (what, why) = match error {
            FolderError::Io(error) => (
                format!("cannot look for own code in {shown}"),
                error.to_string(),
            ),
            FolderError::NotAFolder => (format!("{shown} is no folder"), String::new()),
            FolderError::NoSources => (
                format!("there is no Erlang or Elixir source below {shown}"),
                "hidden folders, deps, _build, _checkouts and node_modules are left out".to_owned(),
            ),
        };
        Failure::new(Exit::Other, what, why, GIVE_PROJECT)
    })
}

/// Which functions of the capture are own code, and what of the folder was not looked at.
pub fn own_code(
    capture: &Capture,
    sources: &mut SourceFolder,
    folder: &Path,
) -> Result<OwnCode, Failure> {
    let found = find(capture, sources);
    warn_unseen(&sources.unseen(), folder);
    found.map_err(|nothing| not_below(folder, nothing))
}

/// Warns of the parts of a folder that were not read.
fn warn_unseen(unseen: &[Unseen], folder: &Path) {
    for unseen in unseen {
        terminal::warn(&format!(
            "{}: {}; code there does not count as own",
            folder.display(),
            text_of(*unseen)
        ));
    }
}

/// A capture of which nothing is from the folder.
pub fn not_below(folder: &Path, NothingFound { modules, files }: NothingFound) -> Failure {
    let what = format!(
        "none of the {modules} Erlang modules in the samples has its source below {}",
        folder.display()
    );
    let why = match files.as_slice() {
        [] => "the VM reports no source files".to_owned(),
        files => format!("most samples are in {}", files.join(", ")),
    };
    Failure::new(Exit::Other, what, why, GIVE_PROJECT)
}

/// A part of a folder that was not searched, in words.
pub fn text_of(unseen: Unseen) -> String {
    match unseen {
        Unseen::Entries(most) => format!("only {most} files and folders were read"),
        Unseen::Depth(most) => format!("folders deeper than {most} were not searched"),
        Unseen::FileBytes(most) => format!("of long files only {most} bytes were read"),
        Unseen::AllBytes(most) => format!("of all files only {most} bytes were read"),
        Unseen::Names(most) => format!("of a file with many modules only {most} were read"),
        Unseen::Texts(most) => format!("only {most} files of the commit were read"),
        Unseen::Unreadable(count) => format!("{count} files and folders could not be read"),
    }
}
