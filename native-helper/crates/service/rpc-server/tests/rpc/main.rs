//! The server over real pipes and over garbage, in front of a backend whose work the tests steer.

// A test may fall; the lint only knows that of functions marked as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[macro_use]
#[path = "../../../../../fuzz/rpc_requests/plain_answers.rs"]
mod plain_answers;

mod backend;
mod captures;
mod client;
mod concurrency;
mod flights;
mod garbage;
mod lifecycle;
