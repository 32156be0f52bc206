//! Finding the separate debug file of a stripped object, where distributions put them.
//!
//! Nothing is fetched: only files that are already here are looked at, those of the target's own
//! root (a container brings its packages with it) before those of this machine. A file that does
//! not prove to be of this very build is not used, whatever it is called.

use std::path::{Path, PathBuf};

use native_code::debug_file::DebugProof;
use native_code::{BuildId, NameSource, ObjectImage};
use target_proc::object_file::open_regular;
use target_proc::{Mapping, ProcFs, caller};

/// Where distributions keep debug files.
const DEBUG_FOLDER: &str = "usr/lib/debug";

/// What came of the search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum DebugSymbols {
    /// The object has its full symbol table itself.
    #[default]
    NotNeeded,
    /// There is no such file.
    Absent,
    /// There are files of the right name, and none is of this build.
    Refused(Vec<String>),
    /// Symbols were added.
    Added {
        /// The file.
        path: PathBuf,
        /// How many functions it names.
        functions: usize,
    },
}

/// Adds the symbols of the object's debug file, if it needs and has one.
pub fn add_debug_symbols(pid: u32, mapping: &Mapping, image: &mut ObjectImage) -> DebugSymbols {
    let has_all = image
        .symbol_counts()
        .any(|(source, functions)| source == NameSource::Symtab && functions > 0);
    if has_all && image.debug_link().is_none() {
        return DebugSymbols::NotNeeded;
    }
    let proc_fs = ProcFs::live();
    let path = Path::new(mapping.path_without_deleted());
    let roots = [
        Root {
            folder: proc_fs.root_folder(pid),
            object: proc_fs.path_inside_root(pid, path),
        },
        Root {
            folder: PathBuf::from("/"),
            object: path.strip_prefix("/").unwrap_or(path).to_owned(),
        },
    ];
    let places = candidates(&roots, &debuginfod_folders(), image);
    match first_proven(places, image) {
        DebugSymbols::Absent if has_all => DebugSymbols::NotNeeded,
        result => result,
    }
}

fn first_proven(places: Vec<(PathBuf, DebugProof)>, image: &mut ObjectImage) -> DebugSymbols {
    let mut refused = Vec::new();
    for (path, proof) in places {
        let Ok(file) = open_regular(&path) else {
            continue;
        };
        match image.add_debug_file(&file, proof) {
            Ok(functions) => return DebugSymbols::Added { path, functions },
            Err(error) => refused.push(format!("{}: {error}", path.display())),
        }
    }
    match refused.is_empty() {
        true => DebugSymbols::Absent,
        false => DebugSymbols::Refused(refused),
    }
}

/// A folder that has an object and debug files below it.
struct Root {
    folder: PathBuf,
    /// Where the object is, below the folder.
    object: PathBuf,
}

/// Every place a debug file may be, the surest first, with what it has to prove.
fn candidates(
    roots: &[Root],
    debuginfod: &[PathBuf],
    image: &ObjectImage,
) -> Vec<(PathBuf, DebugProof)> {
    let mut found = Vec::new();
    if let Some(build_id) = image.build_id() {
        let by_id = by_build_id(build_id);
        for (root, below) in roots.iter().zip(by_id.iter().cycle()) {
            let path = root.folder.join(DEBUG_FOLDER).join(below);
            found.push((path, DebugProof::BuildId));
        }
        found.extend(debuginfod.iter().map(|cache| {
            let path = cache.join(build_id.to_string()).join("debuginfo");
            (path, DebugProof::BuildId)
        }));
    }
    if let Some(link) = image.debug_link() {
        for root in roots {
            let below = root.object.parent().unwrap_or(Path::new(""));
            let beside = root.folder.join(below);
            for folder in [
                beside.clone(),
                beside.join(".debug"),
                root.folder.join(DEBUG_FOLDER).join(below),
            ] {
                found.push((folder.join(&link.file_name), DebugProof::Checksum));
            }
        }
    }
    found
}

/// `.build-id/ab/cdef....debug`
fn by_build_id(build_id: &BuildId) -> Option<PathBuf> {
    let hex = build_id.to_string();
    let (first, rest) = hex
        .split_at_checked(2)
        .filter(|(_, rest)| !rest.is_empty())?;
    Some(
        Path::new(".build-id")
            .join(first)
            .join(format!("{rest}.debug")),
    )
}

/// Where debuginfod clients keep what they have fetched before. With rights that our caller has
/// not, only what is in the caller's home as the system knows it.
fn debuginfod_folders() -> Vec<PathBuf> {
    let in_folder =
        |name, below: &str| caller::variable(name).map(|value| PathBuf::from(value).join(below));
    let known = [
        in_folder("DEBUGINFOD_CACHE_PATH", ""),
        in_folder("XDG_CACHE_HOME", "debuginfod_client"),
        caller::home().map(|home| home.join(".cache/debuginfod_client")),
    ];
    known.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests;
