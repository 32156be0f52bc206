//! The server over real pipes and over garbage, in front of a backend whose work the tests steer.

mod backend;
mod captures;
mod client;
mod concurrency;
mod garbage;
mod lifecycle;
