//! What the helper does for an editor, and what its command line shares with that.
//!
//! [`HelperBackend`] answers the requests of `serve`: it keeps what is attached to and runs each
//! capture on a thread of its own. [`sampling_loop`] is the loop that every capture runs in,
//! [`pstack`] one look at what each scheduler does, [`capture_name`] names captures that nobody
//! named, [`debug_files`] fetches debug files before a VM is attached to. Nothing here prints or knows of arguments.

mod attachments;
mod backend;
mod capture_folder;
mod capture_job;
pub mod capture_name;
mod captures;
pub mod debug_files;
pub mod pstack;
mod rpc_failure;
pub mod sampling_loop;
mod work;

pub use backend::HelperBackend;
