//! `detached`, and what may be done with captures that go on in the background.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use profiling_service::detached::DetachedName;

/// `detached`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Detached {
    /// What to do; list them when nothing is said.
    #[command(subcommand)]
    pub action: Option<DetachedAction>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// What may be done with them.
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
        /// What it is called.
        name: DetachedName,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Copy what one has recorded, also while it goes on.
    Fetch(Fetch),
    /// Remove one that has ended, with its capture.
    Remove {
        /// What it is called.
        name: DetachedName,
    },
}

/// `detached fetch`.
#[derive(Debug, Args)]
pub struct Fetch {
    /// What it is called.
    pub name: DetachedName,
    /// Where to write the capture [default: NAME.pb.gz].
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long)]
    pub force: bool,
}
