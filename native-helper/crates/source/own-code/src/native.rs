//! C, C++ and Rust of the user's: NIFs and drivers that they wrote.
//!
//! No text shows which module is in it, so the path has to: the one that the compiler was given, or as much of it as
//! files of other projects do not share.

use std::sync::Arc;

use capture::own::{OwnFunction, OwnSource};
use capture::reader::{Capture, FunctionIndex};
use capture::sample::FrameKind;
use shared_map::HashMap;

use crate::folder::SourceFolder;
use crate::kinds::extension;
use crate::likeness::{base_name, common_parts, is_of_its_application, most_alike};

/// Where Rust keeps code of other authors, below any folder.
const OF_OTHERS: &[&str] = &["/rustc/", "/.cargo/registry/", "/.cargo/git/"];
/// Every project has a `c_src/nif.c`.
const ALIKE_PARTS: usize = 2;
/// Every crate has a `src/lib.rs`.
const ALIKE_PARTS_OF_RUST: usize = 3;

/// Functions whose code was compiled from files of the folder.
pub(crate) fn native_functions(
    capture: &Capture,
    folder: &SourceFolder,
) -> Vec<(FunctionIndex, OwnFunction)> {
    let mut sources: HashMap<&str, Option<Arc<str>>> = HashMap::new();
    let mut own = Vec::new();
    for index in capture.function_indices() {
        let view = capture.function(index);
        let is_native = matches!(view.kind, FrameKind::Native | FrameKind::Nif);
        if !is_native || view.file.is_empty() {
            continue;
        }
        let known = sources.entry(view.file);
        if let Some(file) = known.or_insert_with(|| source(folder, view.file)) {
            let function = OwnFunction {
                counts_for: index,
                source: OwnSource::File(Arc::clone(file)),
            };
            own.push((index, function));
        }
    }
    own
}

/// The file of the folder that the compiler calls so.
fn source(folder: &SourceFolder, reported: &str) -> Option<Arc<str>> {
    if let Some(path) = folder.below(reported).filter(|path| folder.contains(path)) {
        return Some(path.into());
    }
    if OF_OTHERS.iter().any(|others| reported.contains(others)) {
        return None;
    }
    let least = match extension(reported) {
        "rs" => ALIKE_PARTS_OF_RUST,
        _ => ALIKE_PARTS,
    };
    let named = folder.named(base_name(reported)).iter().map(String::as_str);
    let alike = named.filter(|path| {
        common_parts(reported, path) >= least
            && is_of_its_application(reported, &folder.whole_paths(path))
    });
    most_alike(reported, alike).map(Arc::from)
}
