//! One event per thread and CPU takes many descriptors (9,000 for a VM of 64 schedulers on 64 CPUs):
//! raise the limit as far as we may.
#![allow(unsafe_code)]

/// Raises the soft limit of open files to the hard one, which is its owner's to set. A failure shows
/// when opening events.
pub fn raise() {
    let Some(mut limit) = limit() else { return };
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: a valid rlimit that outlives the call.
    unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
}

/// How many files may be open.
pub(crate) fn allowed() -> u64 {
    limit().map_or(0, |limit| limit.rlim_cur)
}

fn limit() -> Option<libc::rlimit> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: a valid rlimit that outlives the call.
    let read = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    (read == 0).then_some(limit)
}
