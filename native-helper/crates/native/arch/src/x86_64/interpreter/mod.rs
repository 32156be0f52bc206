//! The interpreter: one C function, `process_main`, that runs the code of all processes.
//!
//! What the JIT keeps in fixed registers, the C compiler puts where it likes; [`registers`] finds
//! out by decoding that function.

mod calling_convention;
pub mod holders;
mod process_home;
pub mod registers;
