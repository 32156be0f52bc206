//! Which Erlang VMs are on this machine, and what sampling them requires.
//!
//! [`list`] and [`doctor`] answer in the types of the protocol, so that the command line and the
//! editor give the same answer; [`refusal`] has the words for a VM that cannot be attached to.

pub mod doctor;
pub mod events;
pub mod list;
pub mod lock_in;
pub mod look;
pub mod refusal;
mod rights;
pub mod shortage;
pub mod standstill;

pub use rights::shell_word;
