//! Captures that go on without whoever started them: each is a process in a session of its own, and a folder
//! below the user's state with its file, what it says of itself, and a lock.
//!
//! Whether one still records is what its lock says, which the system frees when the process ends, however
//! that happens. A process id would have to be compared with a start time and the boot it belongs to, and
//! says nothing in another container. It ends by a file that it looks for, not by a signal: one that has
//! more rights than whoever wants it to end may not be signalled.

mod folder;
mod listing;
mod name;
mod recorder;
mod start;
mod trouble;

use std::time::Duration;

pub use folder::{Read, read_part};
pub use listing::{Detached, list};
pub use name::{DetachedName, NoDetachedName};
pub use recorder::{Beginning, Recorder, bounded_duration};
pub use start::{BEGUN, start};
pub use trouble::no_name;

/// How long one goes on that nobody ends.
pub const MAX_DURATION: Duration = Duration::from_secs(24 * 3600);
/// How large a file becomes: an editor believes no capture of more than four times that.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

#[cfg(test)]
mod tests;
