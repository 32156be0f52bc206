//! Finds the commit of a folder's sources, and the sources at another commit, with the system's `git`.
//!
//! A repository's configuration can name programs, so git runs as the user who started us (by sudo,
//! too) and without our rights, with no shell, no hooks, no filters and no network, for a bounded
//! time. Git itself decides whether a repository may be read at all: one that belongs to another
//! user is refused (`safe.directory`). A missing git or repository is no error.

mod folder_then;
mod git;
mod missing;
mod named;
mod objects;
mod order;
mod remote;
mod repository;
mod sources;
mod texts;

pub use folder_then::FolderThen;
pub use git::GitError;
pub use missing::{SourcesMissing, short_name};
pub use remote::without_credentials;
pub use repository::Repository;
pub use texts::{MAX_FILES, Text, Texts};
