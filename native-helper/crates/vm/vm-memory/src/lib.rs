//! The uses of memory of a running BEAM, read from outside: its allocators with their carriers and the free space in
//! them ([`allocators`]), the processes and libraries that allocated the blocks in use ([`tagged_blocks`]), its ETS
//! tables ([`ets`]) with the objects in some of them ([`ordered_set`]), the literals of its modules ([`literals`]),
//! and the memory that it has freed and keeps ([`segment_cache`]).
//!
//! All of it works on any [`target_memory::TargetMemory`] and treats every word as hostile: lists may bite
//! their tail, sums may be nonsense, and memory that changes while it is read is read again, or counted as rejected.

pub mod allocators;
pub mod ets;
pub mod literals;
pub mod ordered_set;
pub mod segment_cache;
pub mod super_carrier;
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
