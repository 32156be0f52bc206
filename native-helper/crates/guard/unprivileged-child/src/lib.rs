//! Programs of the system (`curl`, `git`, `perf`) and of the user that work for the helper without its
//! rights.
//!
//! The helper may read every process; a program that talks with servers, reads a repository's configuration or counts
//! the user's work must not. [`ChildUser`] is the user of a child when we are root, [`renounce_rights_of_children`]
//! takes from the programs that a thread starts every right that its user lacks, [`find_program`] finds a program,
//! [`plain_command`] gives it little of our environment, and [`run`] and [`listen`] bound its time and its output.

mod clock;
mod environment;
mod error;
mod groups;
mod messages;
mod pipes;
mod program;
mod run;
mod user;

pub use clock::{RunLimits, UNCANCELLED};
pub use environment::plain_command;
pub use error::RunError;
pub use program::{USUAL_FOLDERS, find_program};
pub use run::{Ended, Group, ProgramOutput, listen, run, without_our_rights};
pub use user::{ChildUser, renounce_rights_of_children};
