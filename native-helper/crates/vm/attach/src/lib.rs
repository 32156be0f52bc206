//! Attaching to a running BEAM, read-only.
//!
//! [`attach`] finds the emulator's binary and symbols, picks the layout for its release, compares
//! it with the evidence in the VM's own code and processes, and reads its tables. Everything later
//! works on the [`AttachedVm`] it returns. Nothing is changed in the target.

mod binaries;
pub mod debug_symbols;
mod emulator_code;
mod erlang_code;
mod error;
mod forget;
mod heaps;
mod layout;
mod locks;
mod memory;
mod node;
mod nodes;
mod objects;
mod patience;
mod ports;
mod processes;
mod reading;
mod resource_types;
mod same_file;
mod scheduling;
mod self_check;
mod tracing;
mod vm;
mod waits;

pub use binaries::{AllocatedBy, BinariesInUse, BinaryHolder, KeptBinary, LookedInto, Named};
pub use erlang_code::Jit;
pub use error::AttachError;
pub use forget::forget_for_tests;
pub use heaps::{HeapLook, HeapProgress, MessageShapes, ProcessHeap, Relations};
pub use memory::{CodeInUse, MemoryInUse, ModuleInUse};
pub use node::{EachScheduler, NodeCounts, NodeNumbers, NodeReader};
pub use nodes::BusyConnection;
pub use objects::{ReadObject, TargetObjects, is_nif_library};
pub use processes::CodeLook;
pub use resource_types::destructor_marker;
pub use scheduling::{Blocker, SchedulersNow};
pub use self_check::{Check, CheckRow, self_check};
pub use tracing::{TracedFunctions, TracedProcesses};
pub use vm::{AttachTimes, AttachedVm, attach, read_tables};
pub use waits::{RunningPort, RunningProcess, StackInC, WaitLook, WaitingStack};
