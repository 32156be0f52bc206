//! Names of C functions that have no symbol, by their callers.
//!
//! The JIT's shared fragments have names, and the purpose of a fragment shows which function it
//! calls; the functions of the NIF and driver interfaces are exported by every release, and many of
//! them are a thin cover over one function of the emulator. [`roles`] is the data: which callee of
//! which known caller is which function, as on the releases that do export their symbols.

pub mod roles;

mod built_ins;
mod name;

pub use built_ins::BuiltInCalls;
pub use name::{CalleeName, CalleeNames, CodeOfVm};
