//! Which Erlang VMs are on this machine, and what it takes to sample them.
//!
//! [`list`] and [`doctor`] answer in the types of the protocol, so that the command line and the
//! editor say the same; [`refusal`] has the words for a VM that cannot be attached to.

pub mod doctor;
pub mod list;
pub mod lock_in;
pub mod look;
pub mod refusal;
pub mod shortage;
pub mod standstill;
