//! What memory of a running BEAM is for, read from outside: its allocators with their carriers and what is
//! free in them ([`allocators`]) and who has allocated what is not ([`tagged_blocks`]), its ETS tables ([`ets`]) with what is in some of them ([`ordered_set`]), and
//! the literals of its modules ([`literals`]), and what it has freed and keeps ([`segment_cache`]).
//!
//! All of it works on any [`target_memory::TargetMemory`] and treats every word as hostile: lists may bite
//! their tail, sums may be nonsense, and what changes while it is read is read again, or counted as rejected.

pub mod allocators;
pub mod ets;
pub mod literals;
pub mod ordered_set;
pub mod segment_cache;
pub mod tagged_blocks;

mod block_walk;
mod blocks;
mod carriers;
mod counters;
#[cfg(test)]
mod crafted_vm;
mod fitting_layout;
mod instance;
mod lasting_blocks;
mod limits;

pub use carriers::Carrier;
pub use instance::{AllocatorTable, info_of_entry};
pub use lasting_blocks::LastingBlocks;
