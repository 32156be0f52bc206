//! The processes of a running BEAM, read from outside and a page at a time.
//!
//! A page is read in steps, all processes of it in step: their structs ([`entry`], which says which of them
//! can be one), then what those point at ([`names`], [`dictionary`], [`binaries`]), then the structs once
//! more. What a process points at counts only when the second look says that it was there all the time.
//!
//! No page has one moment: an entry is as old as its page. What ended meanwhile and what contradicts itself
//! is counted ([`Rejected`]).

mod awaited;
mod binaries;
mod buffers;
mod chains;
mod dictionary;
mod entry;
mod messages;
mod mnesia_locks;
mod names;
mod outside;
mod page;
mod relations;
mod stacks;
mod status;

pub use awaited::{Awaited, Kept, Waiter};
pub use binaries::{Held, HeldBinary, MessageLimits, binary_heads};
pub use buffers::{Buffered, buffered};
pub use entry::{Entry, Fault};
pub use mnesia_locks::{LOCKER, LOCKS_TABLE, Lock, LockMode, locks_awaited};
pub use names::current_calls;
pub use page::{EntryPage, MAX_PAGE, Page, ProcessFacts, ProcessReader, Rejected};
pub use relations::{Other, Relation, port_of};
pub use stacks::RestingStack;
pub use status::{Priority, Status};
