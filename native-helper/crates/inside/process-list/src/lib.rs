//! The processes of a VM as a list: sorted, filtered, in groups or as a tree, and read by windows.
//!
//! The viewer of a list sees some forty lines of it, so a hundred thousand processes are put in order here and
//! only those lines travel. [`listed`] is a process as the list has it, [`order`] compares two of them,
//! [`groups`] and [`tree`] put them together, [`Arrangement`] is the result. Nothing here reads a VM.

mod arrangement;
mod group;
mod groups;
mod listed;
mod order;
mod tree;

pub use arrangement::Arrangement;
pub use listed::{ListedProcess, Place};
