//! `detached`, and its actions on captures that continue in the background.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use profiling_service::detached::DetachedName;

/// `detached`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Detached {
    /// The action; without one, list them.
    #[command(subcommand)]
    pub action: Option<DetachedAction>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// The actions on detached captures.
#[derive(Debug, Subcommand)]
pub enum DetachedAction {
    /// List them: yours, on this machine.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// End one; returns when its capture is complete.
    Stop {
        /// Its name.
        name: DetachedName,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Copy the samples recorded so far, also while it runs.
    Fetch(Fetch),
    /// Remove one that has ended, with its capture.
    Remove {
        /// Its name.
        name: DetachedName,
    },
}

/// `detached fetch`.
#[derive(Debug, Args)]
pub struct Fetch {
    /// Its name.
    pub name: DetachedName,
    /// Where to write the capture [default: NAME.pb.gz].
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long)]
    pub force: bool,
}
