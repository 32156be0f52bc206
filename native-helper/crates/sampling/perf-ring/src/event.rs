//! One sampling event.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use thiserror::Error;

use crate::attr::{EventSettings, KernelFrames, PerfEventAttr, Scope};
use crate::ring::RingAnchor;
use crate::sys;

/// Why an event could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Not allowed: perf_event_paranoid, a missing capability, or a seccomp filter.
    #[error("the kernel does not allow sampling this thread")]
    Denied,
    /// The thread has ended.
    #[error("the thread is gone")]
    ThreadGone,
    /// No such event on this machine (no performance monitoring unit).
    #[error("this machine has no such event")]
    Unsupported,
    /// Out of descriptors.
    #[error("too many open files")]
    TooManyFiles,
    /// Anything else.
    #[error("perf_event_open: {0}")]
    Os(#[source] io::Error),
}

/// What the kernel calls an event, in each of its records; it begins with 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct EventId(pub u64);

/// A sampling event, disabled until [`Event::enable`].
#[derive(Debug)]
pub struct Event {
    fd: OwnedFd,
}

impl Event {
    /// Opens an event on what `scope` has.
    pub fn open(settings: &EventSettings, scope: Scope) -> Result<Self, OpenError> {
        if !settings.keeps_its_period() {
            return Err(OpenError::Os(io::ErrorKind::InvalidInput.into()));
        }
        let (tid, cpu) = scope.thread_and_cpu().ok_or(OpenError::ThreadGone)?;
        let fd = sys::perf_event_open(&PerfEventAttr::sampling(settings), tid, cpu, None)
            .map_err(open_error)?;
        Ok(Self { fd })
    }

    /// What its records call it.
    pub fn id(&self) -> io::Result<EventId> {
        sys::read_identifier(self.fd.as_fd()).map(EventId)
    }

    /// Sends the records into `ring`. Both must be of one CPU.
    pub fn output_to(&self, ring: &RingAnchor) -> io::Result<()> {
        sys::set_output(self.fd.as_fd(), ring.owner())
    }

    /// The event, to attach a program to.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// From now on divides the rate of `settings` by `weight`, to the nanosecond.
    pub fn set_weight(&self, settings: &EventSettings, weight: u32) -> io::Result<()> {
        sys::set_period(self.fd.as_fd(), settings.period_for(weight))
    }

    /// Starts sampling.
    pub fn enable(&self) -> io::Result<()> {
        sys::enable(self.fd.as_fd())
    }

    /// Stops sampling.
    pub fn disable(&self) -> io::Result<()> {
        sys::disable(self.fd.as_fd())
    }
}

pub(crate) fn open_error(error: io::Error) -> OpenError {
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => OpenError::Denied,
        Some(libc::ESRCH) => OpenError::ThreadGone,
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) => OpenError::Unsupported,
        Some(libc::EMFILE | libc::ENFILE) => OpenError::TooManyFiles,
        _ => OpenError::Os(error),
    }
}

/// The best settings the kernel allows for `tid`: the requested kernel frames before fewer. Fails only when
/// nothing at all is allowed.
pub fn best_settings(wanted: EventSettings, tid: u32) -> Result<EventSettings, OpenError> {
    let mut last = OpenError::Denied;
    for kernel in [wanted.kernel, KernelFrames::Excluded] {
        let settings = EventSettings { kernel, ..wanted };
        match Event::open(&settings, Scope::Thread { tid, cpu: None }) {
            Ok(_) => return Ok(settings),
            Err(OpenError::ThreadGone) => return Err(OpenError::ThreadGone),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attr::{Rate, Source, WakeUp};

    #[test]
    fn an_event_whose_samples_stand_for_no_one_knows_how_much_is_not_opened() {
        let settings = EventSettings {
            source: Source::ContextSwitches,
            rate: Rate::Hz(99),
            stack_bytes: 8,
            kernel: KernelFrames::Leaf,
            wake_up: WakeUp::HalfFull,
        };
        let (tid, cpu) = (std::process::id(), None);
        assert!(matches!(
            Event::open(&settings, Scope::Thread { tid, cpu }),
            Err(OpenError::Os(error)) if error.kind() == io::ErrorKind::InvalidInput
        ));
    }
}
