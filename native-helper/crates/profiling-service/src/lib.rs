//! What the helper does for an editor, and what its command line shares with that.
//!
//! [`HelperBackend`] answers the requests of `serve`: it keeps what is attached to and runs each
//! capture on a thread of its own. [`sampling_loop`] is the loop that every capture runs in,
//! [`detached`] are the captures that go on without anybody,
//! [`capture_name`] names captures that nobody named, [`debug_files`] fetches debug files before a VM is
//! attached to. Nothing here prints or knows of arguments, and nothing here looks into a process: that is
//! done by programs of our own (crate `sampling-process`; `look` and `doctor` of the command line).

mod attachments;
mod backend;
mod capture_job;
pub mod capture_name;
mod captures;
pub mod debug_files;
pub mod detached;
mod detached_requests;
mod doctor;
mod flight_job;
mod flights;
mod insides;
mod job_control;
mod jobs;
mod rpc_failure;
pub mod sampling_loop;
pub mod state_folder;
mod work;

pub use backend::HelperBackend;
