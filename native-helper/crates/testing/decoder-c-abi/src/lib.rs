//! The decoding core behind C functions: a blob of the JIT's list, a code lookup, an Erlang stack
//! out of a snapshot of memory. Not part of the helper; tests load it from another language and
//! check it with the same fixtures as the Rust tests.
//!
//! [`functions`] holds every callable function. Each takes bytes and writes JSON into a buffer of
//! the caller; each failure is a [`Status`]. Nothing is kept between calls.

pub mod answers;
pub mod functions;
pub mod pieces;
mod status;

pub use status::Status;
