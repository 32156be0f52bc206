//! Facts about a target process from `/proc`.
//!
//! Two layers: parsers over bytes ([`maps`], [`status`], [`activity`], [`command_line`], [`container`], [`release`]) that do
//! no I/O and never panic, and thin readers on [`ProcFs`] that hand them the files. Nothing here
//! opens a file of the target for writing, signals it or attaches to it.

pub mod activity;
pub mod affinity;
pub mod busy;
pub mod caller;
pub mod command_line;
pub mod container;
pub mod cpu_limits;
pub mod descendants;
mod error;
pub mod halted_thread;
pub mod maps;
pub mod object_file;
mod proc_fs;
pub mod proc_rights;
pub mod process;
pub mod processor_time;
pub mod purpose;
pub mod release;
pub mod resident;
pub mod root_folder;
pub mod standstill;
mod stat_fields;
pub mod status;
pub mod stuck;
pub mod threads;
mod wait_limit;

pub use error::ProcError;
pub use maps::Mapping;
pub use proc_fs::ProcFs;
pub use proc_rights::{NoMoreRights, ProcRights};
pub use root_folder::RootFolder;
pub use wait_limit::{TARGET_PATIENCE, WaitLimit};
