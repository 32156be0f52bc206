//! Where the VM's global structures are.
//!
//! By symbol where the emulator exports one (OTP 28 and before); otherwise by the appearance of
//! each structure, among the emulator's variables, which are read once. Cross-checks of the
//! contents distinguish a structure from a place that merely resembles it; when more than one place
//! passes them all, none is taken. How each was found is kept for `doctor`.

mod allocator_table;
mod atom_table;
mod bif_table;
#[cfg(test)]
mod counted_memory;
mod descriptor;
mod element_table;
mod find;
mod node_name;
mod node_table;
pub mod registered;
mod release;
mod resource_types;
mod same_length;
pub mod scheduler_arrays;
mod scheduling;

pub use element_table::element_bytes;
pub use find::{Anchor, AnchorSource, Anchors, Finder};
