//! Programs of the user's machine that we run: `curl` for transfers over a network ([`transfer`]),
//! `perf` for files that only it can read ([`perf_script`]).
//!
//! They run without our rights, counted, timed and ended in every case, and with little of our
//! environment: all of it by crate `unprivileged-child`.

mod address;
mod curl;
mod error;
pub mod perf_script;
mod request;
pub mod transfer;

pub use address::{AddressError, WebAddress};
pub use curl::find as find_curl;
