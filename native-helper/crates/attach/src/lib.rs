//! Attaching to a running BEAM, read-only.
//!
//! [`attach`] finds the emulator's binary and symbols, picks the layout for its release, checks
//! it against what the VM's own code and processes say, and reads its tables. Everything later
//! works on the [`AttachedVm`] it returns. Nothing is changed in the target.

pub mod debug_symbols;
mod emulator_code;
mod erlang_code;
mod error;
mod forget;
mod heaps;
mod layout;
mod memory;
mod node;
mod nodes;
mod objects;
mod patience;
mod processes;
mod reading;
mod same_file;
mod self_check;
mod vm;
mod waits;

pub use erlang_code::Jit;
pub use error::AttachError;
pub use heaps::{HeapLook, ProcessHeap};
pub use memory::MemoryInUse;
pub use node::NodeCounts;
pub use objects::{ReadObject, TargetObjects, is_nif_library};
pub use self_check::{Check, CheckRow, self_check};
pub use vm::{AttachTimes, AttachedVm, attach, read_tables};
pub use waits::{WaitLook, WaitingStack};
