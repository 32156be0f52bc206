//! Debug files by build id, fetched from debuginfod servers.
//!
//! [`cache`] is the folder that all clients of debuginfod on a machine share (gdb and perf look
//! there, too), [`servers`] says who is asked, [`fetch`] asks them. It is an opt-in: who asks a
//! server for a build id tells it which programs are run here.
//!
//! A server is as hostile as a target. The transfer is made by the system's `curl` in a child process
//! that has none of our rights (crate `outside-programs`): a TLS and HTTP stack does not belong into a program that
//! may read all processes. What comes out of that child is counted, timed, and proven to have the
//! build id that was asked for before anybody else can see it. A build id is no signature, though:
//! who names a server trusts it with the names of functions, as with any debugger.

pub mod cache;
pub mod fetch;
pub mod limits;
pub mod outcome;
pub mod servers;
mod strikes;

pub use fetch::{Progress, Wanted, fetch};
pub use limits::Limits;
pub use outcome::{Fetched, Outcome, Problem, Refused};
pub use servers::{Server, Servers, Wish};
