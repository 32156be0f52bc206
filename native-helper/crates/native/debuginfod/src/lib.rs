//! Debug files by build id, fetched from debuginfod servers.
//!
//! [`cache`] is the folder that all clients of debuginfod on a machine share (gdb and perf read it,
//! too), [`servers`] chooses the servers, [`fetch`] queries them. It is an opt-in: a query for a
//! build id reveals to the server which programs run on this machine.
//!
//! A server is as hostile as a target. The transfer is made by the system's `curl` in a child process that has none
//! of this program's rights (crate `outside-programs`): a TLS and HTTP stack does not belong into a program that
//! may read all processes. The output of that child is counted, timed, and proven to have the requested build id
//! before any other program can see it. A build id is no signature, though: a user who names a server trusts it
//! with the names of functions, as with any debugger.

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
