//! Which build of a workspace a VM runs, and so which commit a capture of it belongs to that was taken
//! elsewhere.
//!
//! [`beam`] computes the checksum of a `.beam` file as the VM has it of the loaded module; [`place`] says
//! which build and library a file belongs to by its path; [`projects`] which libraries are the
//! workspace's own; [`matching`] holds all of it against what the capture says. Bytes and paths in, an
//! answer out: the editor calls it as WebAssembly. Only [`workspace`] looks at a disk.

pub mod beam;
pub mod file;
pub mod matching;
pub mod place;
pub mod projects;
#[cfg(unix)]
pub mod workspace;
