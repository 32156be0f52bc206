//! The tables of a running BEAM, read from outside: [`atoms`], [`processes`], [`schedulers`],
//! [`bifs`], and the tables that NIF libraries and drivers have of their functions
//! ([`native_tables`]), the nodes of a cluster ([`nodes`]), the processes that wait to run ([`run_queues`]), which
//! threads the schedulers are ([`scheduler_threads`]), how busy they are ([`scheduler_use`]), whether they wait
//! ([`scheduler_waits`]), how many timers are set ([`timers`]), which names processes are registered under
//! ([`registered`]) and which types of resources there are ([`resource_types`]).
//!
//! All of it works on any [`target_memory::TargetMemory`] and treats every word as hostile.

pub mod atoms;
pub mod bifs;
pub mod fill;
pub mod native_tables;
pub mod nodes;
pub mod pids;
pub mod ports;
pub mod processes;
pub mod registered;
pub mod resource_types;
pub mod run_queues;
pub mod scheduler_counters;
pub mod scheduler_threads;
pub mod scheduler_use;
pub mod scheduler_waits;
pub mod schedulers;
pub mod scheduling;
pub mod timers;

pub use erlang_names as names;
