//! The locked-in phase.
//!
//! What is read of a target (symbols, tables, stacks) is believed by nobody, but whoever takes the reader
//! over by a mistake of ours shall gain nothing: [`lock`] comes before the first byte is read and again,
//! closer, when everything is open ([`Phase`]), for all threads; [`drop_rights`] comes before the threads
//! that sample are started, which inherit what is left.

mod allowed;
mod rights;

pub use allowed::{Lock, Phase};
pub use rights::{Still, drop_rights};

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use thiserror::Error;

/// Why the lock is not on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LockError {
    /// The kernel refuses, or has no such thing.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// The filter is none that the kernel takes.
    #[error("the filter of system calls: {0}")]
    Filter(#[from] seccompiler::Error),
    /// The same, while it was made.
    #[error("the filter of system calls: {0}")]
    Backend(#[from] seccompiler::BackendError),
}

/// No target is worth more memory than this, whatever it says: each parser has a budget of its own, far
/// below, and this is for what they forget.
const MAX_DATA_BYTES: u64 = 2 << 30;

/// What came after this in the life of the process is done without further rights: no program that is
/// started gets any, no image of our memory is written, memory is bounded, and no system call is made
/// that is not on the list. For all threads.
///
/// # Errors
/// When the kernel does not take it. Some of it may hold by then.
pub fn lock(lock: &Lock) -> Result<(), LockError> {
    lower_limits();
    rustix::thread::set_no_new_privs(true).map_err(|error| LockError::System {
        what: "no_new_privs",
        source: error.into(),
    })?;
    // Ones that libraries try first and do without where a kernel has them not.
    seccompiler::apply_filter_all_threads(&allowed::absent()?)?;
    seccompiler::apply_filter_all_threads(&lock.filter()?)?;
    Ok(())
}

fn lower_limits() {
    // Memory of a VM is in ours: a core file would hold it.
    for (resource, most) in [(Resource::Core, 0), (Resource::Data, MAX_DATA_BYTES)] {
        let lower = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
        let now = getrlimit(resource);
        // A limit may always be lowered.
        let _ = setrlimit(
            resource,
            Rlimit {
                current: lower(now.current),
                maximum: lower(now.maximum),
            },
        );
    }
}
