//! The copy of the helper that has rights of its own: root puts it where nobody else can change it, for
//! the members of one group, with the capabilities that sampling needs and no others.
//!
//! What keeps those members from using it against others is the crate `permitted-target`.

mod capability_value;
mod error;
mod folder;
mod group;
mod install;
mod status;

pub use error::InstallError;
pub use group::{Group, GroupName};
pub use install::{Installed, Removed, install, uninstall};
pub use status::{CopyStatus, Likeness, status};

/// Where the copy is unless root says otherwise.
pub const DEFAULT_FOLDER: &str = "/usr/local/libexec/extrospect";
/// Who may start it unless root says otherwise.
pub const DEFAULT_GROUP: &str = "extrospect";
/// What it is called there.
pub const PROGRAM_NAME: &str = "extrospect";
