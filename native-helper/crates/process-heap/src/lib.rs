//! The heap of one Erlang process, read from outside: what of it lives, what keeps it alive, and of what
//! kinds it is made.
//!
//! [`HeapCopy`] is looked through while the process rests: its struct says before and after that nothing moved.
//! Of a large heap, only what was looked at last is held. [`Roots`] are the words that a collection would begin
//! with; [`reach`] follows them and counts how much each root is the first to lead to. What it reaches is what a
//! full collection of the VM would leave. [`binary_uses`] tells which parts of binaries outside of the heap it reaches.

mod binary_parts;
mod copy;
mod kinds;
mod mailbox;
mod object;
mod reach;
mod roots;

pub use binary_parts::{BinaryUse, binary_uses};
pub use copy::{CopyError, HeapCopy, Watch};
pub use kinds::{Kind, KindCount, kinds};
pub use mailbox::{Mailbox, Queued, mailbox};
pub use object::Extent;
pub use reach::{Part, Reached, Step, reach};
pub use roots::{Owner, Root, Roots};
