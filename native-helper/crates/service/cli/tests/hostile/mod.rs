//! What the tests need: processes that map crafted objects, a file system that falls silent.

pub mod process;
pub mod silent_files;
