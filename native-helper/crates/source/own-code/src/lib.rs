//! Which functions of a capture are the user's own: those whose source lies below a folder of the
//! user.
//!
//! [`SourceFolder`] walks the folder, or gets a list of its content at another time, and has the texts of the few files
//! that a capture's functions can be from; [`find`] compares each function with them. A file is that of a function when
//! it has the base name that the VM reports and defines the function's module. C, C++ and Rust have no such modules:
//! there the path decides. Headers, templates and the input of generators are files of any kind, which have lines of the
//! user's modules.

mod declarations;
mod find;
mod folder;
mod kinds;
mod likeness;
mod native;

pub use self::find::{NothingFound, find, texts_wanted};
pub use self::folder::{Bounds, FolderError, SourceFolder, Unseen};
pub use self::likeness::most_alike;
