//! The one door to other processes.
//!
//! A helper with rights that its caller does not have (file capabilities, set-user-id, a sudo rule for the installed
//! copy) could be turned against its machine by any user who may start it. So [`begin`] first drops every right that is
//! not needed, and the right to read other users' processes; code that wants to read one calls
//! [`PermittedTarget::open`], which finds out who the caller is, whose process it is and what root's policy allows. Its
//! result is tied to that very process: neither a reused pid nor another program in its place passes for it.
//!
//! Without rights of our own nothing is decided here: the kernel does, as it does for any program.

mod accounts;
mod begin;
mod error;
mod identity;
mod policy;
mod policy_file;
mod raised;
mod target;

pub use begin::{
    BeginError, NEEDED_CAPABILITIES, begin, has_no_rights_to_pass_on, is_privileged_copy, renounce,
};
pub use error::{AccessError, ChangedHow};
pub use identity::Identity;
pub use policy::{Policy, PolicyError};
pub use policy_file::{POLICY_PATH, PolicyFileError, read_policy};
pub use raised::{Raised, with_rights_of_sampling_alone};
pub use target::{OtherOwner, PermittedTarget, other_owner};
