//! Which build of a workspace a VM runs, and so which commit a capture from another machine belongs to.
//!
//! [`beam`] computes the checksum of a `.beam` file as the VM has it of the loaded module; [`place`] finds the build
//! and library of a file from its path; [`projects`] finds the libraries that are the workspace's own; [`matching`]
//! compares all of it with the facts of the capture. Bytes and paths in, an answer out: the editor calls it as
//! WebAssembly. Only [`workspace`] reads a disk.

pub mod beam;
pub mod file;
pub mod matching;
pub mod place;
pub mod projects;
#[cfg(unix)]
pub mod workspace;
