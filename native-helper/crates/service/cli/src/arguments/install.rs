//! Arguments of `install` and `uninstall`.

use std::path::PathBuf;

use clap::Args;
use privileged_copy::GroupName;

/// `install`.
#[derive(Debug, Args)]
pub struct Install {
    /// Folder for it, writable for root alone.
    #[arg(long, value_name = "DIR", default_value = privileged_copy::DEFAULT_FOLDER)]
    pub to: PathBuf,
    /// The group that may start it; created if missing.
    #[arg(long, value_name = "NAME", default_value = privileged_copy::DEFAULT_GROUP)]
    pub group: GroupName,
}

/// `uninstall`.
#[derive(Debug, Args)]
pub struct Uninstall {
    /// Folder that it is in.
    #[arg(long, value_name = "DIR", default_value = privileged_copy::DEFAULT_FOLDER)]
    pub from: PathBuf,
    /// The group, for --purge.
    #[arg(long, value_name = "NAME", default_value = privileged_copy::DEFAULT_GROUP)]
    pub group: GroupName,
    /// Remove the group, too.
    #[arg(long)]
    pub purge: bool,
}
