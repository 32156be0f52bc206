//! The decoding core behind C functions: a blob of the JIT's list, a code lookup, an Erlang stack
//! out of a snapshot of memory. Not part of the helper; tests load it from another language and
//! ask the same of it as the Rust tests do, of the same fixtures.
//!
//! [`functions`] is all there is to call. Every function takes bytes and writes JSON into a buffer
//! of the caller's; what can go wrong is a [`Status`]. Nothing is kept between calls.

pub mod answers;
pub mod functions;
pub mod pieces;
mod status;

pub use status::Status;
