//! Captures that continue without the client that started them: each is a process in a session of its own,
//! and a folder below the user's state with its file, its facts about itself, and a lock.
//!
//! The lock shows whether a capture still records: the system frees it when the process ends, however
//! that happens. A process id would have to be compared with a start time and the boot it belongs to, and
//! is meaningless in another container. A file that the recorder looks for ends the capture, not a
//! signal: a process that has more rights than the user who ends it may not be signalled.

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
pub use recorder::{Beginning, Counted, Recorder, bounded_duration};
pub use start::{BEGUN, start};
pub use trouble::no_name;

/// The longest time that a capture continues unless the user ends it.
pub const MAX_DURATION: Duration = Duration::from_secs(24 * 3600);
/// The largest size of a file: an editor accepts no capture of more than four times that.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

#[cfg(test)]
mod tests;
