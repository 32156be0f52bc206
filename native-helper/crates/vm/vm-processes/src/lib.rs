//! The processes of a running BEAM, read from outside and a page at a time.
//!
//! A page is read in steps, all processes of it in step: their structs ([`entry`], which checks whether
//! they can be processes), then the data they point at ([`names`], [`dictionary`], [`binaries`]), then the
//! structs once more. These data count only when the second reading proves that they were there all the
//! time.
//!
//! A page has no single moment: an entry is as old as its page. Processes that ended during the reading and
//! structs that contradict themselves are counted ([`Rejected`]).

mod awaited;
mod binaries;
mod buffers;
mod chains;
mod dictionary;
mod entry;
mod handed_on;
mod messages;
mod mnesia_locks;
mod names;
mod on_load;
mod outside;
mod page;
mod relations;
mod requests;
mod stacks;
mod status;
mod time_limits;
mod waiter;

pub use awaited::{Awaited, Kept};
pub use binaries::{Held, HeldBinary, MessageLimits, binary_heads};
pub use buffers::{Buffered, buffered};
pub use entry::{Entry, Fault};
pub use handed_on::{HeldReferences, Reference, Relatives};
pub use mnesia_locks::{LOCKER, LOCKS_TABLE, Lock, LockMode, locks_awaited};
pub use names::current_calls;
pub use page::{EntryPage, MAX_PAGE, Page, ProcessFacts, ProcessReader, Rejected};
pub use relations::{Other, Relation, port_of};
pub use stacks::RestingStack;
pub use status::{Priority, Status};
pub use time_limits::TimeLimit;
pub use waiter::Waiter;
