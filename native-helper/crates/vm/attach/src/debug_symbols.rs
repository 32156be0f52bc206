//! Finding the separate debug file of a stripped object, where distributions put them.
//!
//! Nothing is fetched here: only files on this machine are read, those of the target's own root (a
//! container brings its packages with it) before those of this machine, and the cache of debuginfod
//! clients, into which the crate `debuginfod` fetches if the user wants it. A file that is not
//! proven to belong to this very build is not used, whatever its name.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use debuginfod::cache;
use native_code::debug_file::DebugProof;
use native_code::{BuildId, ObjectImage};
use target_memory::ByteBudget;
use target_proc::root_folder::open_regular;
use target_proc::{Mapping, ProcFs, ProcRights, RootFolder, WaitLimit};

/// Where distributions keep debug files.
const DEBUG_FOLDER: &str = "usr/lib/debug";

/// The result of the search.
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
///
/// # Errors
/// When a file that may be it does not answer; the object is gone then.
pub fn add_debug_symbols(
    pid: u32,
    mapping: &Mapping,
    image: ObjectImage,
    (budget, patience, rights): (&ByteBudget, &WaitLimit, &impl ProcRights),
) -> io::Result<(ObjectImage, DebugSymbols)> {
    let has_all = image.has_full_names();
    if has_all && image.debug_link().is_none() {
        return Ok((image, DebugSymbols::NotNeeded));
    }
    let proc_fs = ProcFs::live();
    let path = Path::new(mapping.path_without_deleted());
    let known = [
        (
            proc_fs.root_folder(pid),
            rights.within(|| proc_fs.path_inside_root(pid, path)),
        ),
        (
            PathBuf::from("/"),
            path.strip_prefix("/").unwrap_or(path).to_owned(),
        ),
    ];
    let roots = known.into_iter().filter_map(|(folder, object)| {
        let folder = rights.within(|| RootFolder::open(&folder)).ok()?;
        Some(Root { folder, object })
    });
    let roots: Vec<Root> = roots.collect();
    let places = candidates(&roots, &cache::folders(), &image);
    let budget = budget.clone();
    patience.wait(move || {
        let mut image = image;
        let found = match first_proven(places, &mut image, &budget) {
            DebugSymbols::Absent if has_all => DebugSymbols::NotNeeded,
            result => result,
        };
        (image, found)
    })
}

fn first_proven(
    places: Vec<(Place, DebugProof)>,
    image: &mut ObjectImage,
    budget: &ByteBudget,
) -> DebugSymbols {
    let mut refused = Vec::new();
    for (place, proof) in places {
        let path = place.path();
        let Ok(file) = place.open() else {
            continue;
        };
        match image.add_debug_file(&file, proof, budget) {
            Ok(functions) => {
                image.add_source_lines(&file, budget);
                return DebugSymbols::Added { path, functions };
            }
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
    folder: RootFolder,
    /// Where the object is, below the folder.
    object: PathBuf,
}

/// Where a debug file may be.
enum Place {
    /// Below a root folder, which it must not leave.
    Below(RootFolder, PathBuf),
    /// In a cache of the user who runs this program.
    OwnCache(PathBuf),
}

impl Place {
    fn path(&self) -> PathBuf {
        match self {
            Self::Below(root, inside) => root.path().join(inside),
            Self::OwnCache(path) => path.clone(),
        }
    }

    fn open(&self) -> io::Result<File> {
        match self {
            Self::Below(root, inside) => root.open_regular(inside),
            Self::OwnCache(path) => {
                let file = open_regular(path)?;
                // An empty file records that no server had it.
                match file.metadata()?.len() {
                    0 => Err(io::ErrorKind::NotFound.into()),
                    _ => Ok(file),
                }
            }
        }
    }
}

/// Every place of a possible debug file, the surest first, with the proof that the file needs.
fn candidates(
    roots: &[Root],
    debuginfod: &[PathBuf],
    image: &ObjectImage,
) -> Vec<(Place, DebugProof)> {
    let mut found = Vec::new();
    if let Some(build_id) = image.build_id() {
        let by_id = by_build_id(build_id);
        for (root, below) in roots.iter().zip(by_id.iter().cycle()) {
            let path = Path::new(DEBUG_FOLDER).join(below);
            let place = Place::Below(root.folder.clone(), path);
            found.push((place, DebugProof::BuildId));
        }
        found.extend(debuginfod.iter().map(|folder| {
            let place = Place::OwnCache(cache::file_in(folder, build_id));
            (place, DebugProof::BuildId)
        }));
    }
    if let Some(link) = image.debug_link() {
        for root in roots {
            let below = root.object.parent().unwrap_or(Path::new(""));
            for folder in [
                below.to_owned(),
                below.join(".debug"),
                Path::new(DEBUG_FOLDER).join(below),
            ] {
                let path = folder.join(&link.file_name);
                let place = Place::Below(root.folder.clone(), path);
                found.push((place, DebugProof::Checksum));
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

#[cfg(test)]
mod tests;
