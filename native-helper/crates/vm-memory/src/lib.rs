//! What memory of a running BEAM is for, read from outside: its allocators with their carriers and what is
//! free in them ([`allocators`]), and its ETS tables ([`ets`]).
//!
//! All of it works on any [`target_memory::TargetMemory`] and treats every word as hostile: lists may bite
//! their tail, sums may be nonsense, and what changes while it is read is read again, or counted as rejected.

pub mod allocators;
pub mod ets;

mod blocks;
mod carriers;
mod counters;
mod fitting_layout;
mod instance;
mod limits;

pub use carriers::Carrier;
pub use instance::{AllocatorTable, info_of_entry};
