//! Which commit the sources of a folder are at, and what they were at another, by the system's `git`.
//!
//! A repository's configuration can name programs, so git runs as whoever started us (by sudo, too)
//! and without our rights, with no shell, no hooks, no filters and no network, for a bounded time.
//! Whether a repository may be read at all is git's own question: one that belongs to somebody else
//! is refused (`safe.directory`). No git and no repository are nobody's mistake.

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
pub use texts::Text;
