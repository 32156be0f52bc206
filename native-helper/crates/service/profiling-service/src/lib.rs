//! The helper's service for an editor, and the parts that its command line shares.
//!
//! [`HelperBackend`] answers the requests of `serve`: it keeps the attachments and runs each capture on a
//! thread of its own. [`sampling_loop`] is the loop that every capture runs in, [`detached`] are the
//! captures that continue without a client, [`capture_name`] names captures for which the user gave no
//! name, [`debug_files`] fetches debug files before a VM is attached to. Nothing here prints or parses
//! arguments, and nothing here reads a process: other programs of this project do that (crate
//! `sampling-process`; `look` and `doctor` of the command line).

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
pub mod sampling;
pub mod sampling_loop;
pub mod state_folder;
mod work;

pub use backend::HelperBackend;
