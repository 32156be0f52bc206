//! Our own rights, for a moment.
//!
//! None is in force otherwise: CAP_SYS_PTRACE opens other users' processes, and even CAP_PERFMON shows
//! their mappings (on newer kernels, as 6.18), to any user who may name a path below `/proc` for the helper to open.

use std::marker::PhantomData;

use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use target_proc::caller;

use crate::begin::NEEDED_CAPABILITIES;

/// As long as this lives, the calling thread and those that it starts during that time have rights of our own.
/// No path that the caller gave is opened within.
#[derive(Debug)]
pub struct Raised {
    before: Option<CapabilitySet>,
    /// It is about the thread that made it.
    thread: PhantomData<*const ()>,
}

impl Raised {
    /// Nothing is raised: there is no need to, or no right.
    pub(crate) fn unneeded() -> Self {
        Self {
            before: None,
            thread: PhantomData,
        }
    }

    /// What sampling needs. It opens no other user's process to be read.
    #[must_use]
    pub fn for_sampling() -> Self {
        match caller::has_more_rights_than_caller() {
            true => Self::to(NEEDED_CAPABILITIES - CapabilitySet::SYS_PTRACE),
            false => Self::unneeded(),
        }
    }

    /// What a real-time priority needs.
    #[must_use]
    pub fn for_priority() -> Self {
        match caller::has_more_rights_than_caller() {
            true => Self::to(CapabilitySet::SYS_NICE),
            false => Self::unneeded(),
        }
    }

    /// That of sampling, and the right to read processes of others.
    pub(crate) fn for_others() -> Self {
        Self::to(NEEDED_CAPABILITIES)
    }

    fn to(wanted: CapabilitySet) -> Self {
        let Ok(mut sets) = capabilities(None) else {
            return Self::unneeded();
        };
        let before = sets.effective;
        sets.effective |= sets.permitted & wanted;
        // Where it fails the kernel refuses the next call, and that is reported.
        match before != sets.effective && set_capabilities(None, sets).is_ok() {
            true => Self {
                before: Some(before),
                thread: PhantomData,
            },
            false => Self::unneeded(),
        }
    }
}

/// The result of `work` on a thread that has the rights of sampling in force and no other, not even root's; `None`
/// where CAP_PERFMON is not among them.
pub fn with_rights_of_sampling_alone<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    let limited = || {
        let mut sets = capabilities(None).ok()?;
        sets.effective = sets.permitted & NEEDED_CAPABILITIES;
        set_capabilities(None, sets).ok()?;
        sets.effective.contains(CapabilitySet::PERFMON).then(work)
    };
    std::thread::scope(|scope| scope.spawn(limited).join().ok().flatten())
}

impl Drop for Raised {
    fn drop(&mut self) {
        let (Some(before), Ok(mut sets)) = (self.before, capabilities(None)) else {
            return;
        };
        sets.effective = before & sets.permitted;
        if set_capabilities(None, sets).is_err() {
            // What opens the caller's paths must not go on with it.
            std::process::abort();
        }
    }
}
