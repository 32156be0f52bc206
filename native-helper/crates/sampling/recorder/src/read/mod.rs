//! The reading side: one thread per CPU that is woken by each sample, reads the data that cannot
//! wait, and queues the rest.
//!
//! A reader is pinned to its CPU and, where allowed, has the lowest real-time priority. The kernel
//! wakes it in the interrupt that took the sample, so it runs before the sampled thread does, and
//! the memory that it reads is still as the sample left it. Where that is not so (another CPU, no
//! right to real-time priority), [`erlang_stack::proof`] finds out.

pub mod batch;
pub mod c_stack;
pub mod chunk_pool;
pub mod collector;
pub mod counts;
mod erlang_read;
pub mod event_sources;
pub mod failure_limit;
pub mod held;
pub mod join;
pub mod late_read;
pub mod plan;
pub mod raw_sample;
pub mod reader;
pub mod sample_copy;
pub mod switch_records;
