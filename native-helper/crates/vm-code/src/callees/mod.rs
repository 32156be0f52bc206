//! Names of C functions that have no symbol, by who calls them.
//!
//! The JIT's shared fragments have names, and what a fragment is for tells what it calls; the
//! functions of the NIF and driver interfaces are exported by every release, and many of them are
//! a thin cover over one function of the emulator. [`roles`] is the data: which callee of which
//! known caller is which function, as it is on the releases that do export their symbols.

pub mod roles;

mod name;

pub use name::{CalleeName, CalleeNames, CodeOfVm};
