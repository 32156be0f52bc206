//! Where the programs of the system are.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use target_proc::caller;

/// Where distributions have them.
pub const USUAL_FOLDERS: [&str; 3] = ["/usr/bin", "/bin", "/usr/local/bin"];

/// Where a program is. Of `$PATH` only when the environment is to be believed, and last.
#[must_use]
pub fn find_program(name: &str) -> Option<PathBuf> {
    let by_path = caller::variable("PATH").unwrap_or_default();
    let usual = USUAL_FOLDERS.iter().map(PathBuf::from);
    usual
        .chain(std::env::split_paths(&by_path).filter(|folder| folder.is_absolute()))
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
