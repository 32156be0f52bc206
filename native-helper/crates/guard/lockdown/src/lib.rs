//! The locked-in phase.
//!
//! No code believes the data of a target (symbols, tables, stacks), but an attacker who takes over the
//! reader through a bug of the helper shall gain nothing: [`lock`] comes before the first byte is read
//! and again, closer, when everything is open ([`Phase`]), for all threads; [`drop_rights`] comes before
//! the threads that sample are started, which inherit the rights that are left.

mod allowed;
mod rights;

pub use allowed::{Lock, Phase};
pub use rights::{Still, drop_rights};

use std::io;
use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use thiserror::Error;

/// Why the lock is not on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LockError {
    /// The kernel refuses, or has no such thing.
    #[error("{what}: {source}")]
    System {
        /// The attempted action.
        what: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// The filter is none that the kernel takes.
    #[error("the filter of system calls: {0}")]
    Filter(#[from] seccompiler::Error),
    /// The same, while it was made.
    #[error("the filter of system calls: {0}")]
    Backend(#[from] seccompiler::BackendError),
}

/// No target is worth more memory than this, whatever it contains: each parser has a budget of its own,
/// far below, and this covers their omissions.
const MAX_DATA_BYTES: u64 = 2 << 30;

/// Whether this process had `no_new_privs` before its first [`lock`], which sets it.
static HAD_NO_NEW_PRIVILEGES: OnceLock<bool> = OnceLock::new();

/// Whether this process was started where no program gets rights, whatever it has done since.
#[must_use]
pub fn was_started_without_new_privileges() -> bool {
    *HAD_NO_NEW_PRIVILEGES.get_or_init(|| rustix::thread::no_new_privs().unwrap_or(false))
}

/// From here on the process has no further rights: no program that is started gets any, no image of
/// our memory is written, memory is bounded, and no system call is made that is not on the list. For
/// all threads.
///
/// # Errors
/// When the kernel does not take it. Some of it may hold by then.
pub fn lock(lock: &Lock) -> Result<(), LockError> {
    lower_limits();
    // Before the next line changes it.
    let _ = was_started_without_new_privileges();
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
