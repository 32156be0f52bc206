//! The copy of the helper that has rights of its own: root puts it where no other user can change it, for the members
//! of one group, with the capabilities that sampling needs and no others.
//!
//! The crate `permitted-target` keeps those members from using it against others.

mod capability_value;
mod error;
mod folder;
mod group;
mod install;
mod status;

pub use error::InstallError;
pub use group::{Group, GroupName};
pub use install::{Installed, Removed, install, uninstall};
pub use status::{CopyStatus, Likeness, status, status_without_version};

/// Where the copy is unless root chooses another folder.
pub const DEFAULT_FOLDER: &str = "/usr/local/libexec/extrospect";
/// The group whose members may start it unless root chooses another.
pub const DEFAULT_GROUP: &str = "extrospect";
/// Its name there.
pub const PROGRAM_NAME: &str = "extrospect";
