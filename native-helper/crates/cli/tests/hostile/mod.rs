//! What the tests need: crafted objects, processes that map them, a file system that falls silent.

pub mod elf;
pub mod process;
pub mod silent_files;
