//! The heap of one Erlang process, read from outside: its live terms, the roots that keep them alive,
//! and the kinds of terms on it.
//!
//! [`HeapCopy`] is looked through while the process rests: its struct shows before and after that nothing moved. Of a
//! large heap, only the most recently used pages are held. [`Roots`] are the words that a collection would begin with;
//! [`reach`] follows them and counts how much each root is the first to lead to. The words it reaches are those that a
//! full collection of the VM would leave. [`binary_uses`] returns the parts of binaries outside of the heap that it
//! reaches.

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
