//! Where our own threads run, and the clock the samples are stamped with.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Pins the calling thread to `cpu`. A failure only makes reads later.
pub(crate) fn pin_to_cpu(cpu: u32) {
    let cpu = cpu as usize;
    // SAFETY: cpu_set_t is a plain bit array for which all zeros is a value; CPU_SET checks
    // nothing, so the index is checked here; the kernel reads the set for the call only.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if cpu < size_of::<libc::cpu_set_t>() * 8 {
            libc::CPU_SET(cpu, &mut set);
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
        }
    }
}

/// CLOCK_MONOTONIC as the kernel has it, nanoseconds: the clock of the times of samples.
pub(crate) fn monotonic_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for one timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let own_ns = time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned();
    own_ns.saturating_add_signed(-crate::time_namespace::ahead_ns())
}

/// A counter descriptor that readers wait on to learn that they shall end.
pub(crate) fn stop_signal() -> io::Result<OwnedFd> {
    // SAFETY: a new descriptor, ours alone.
    unsafe {
        match libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) {
            fd @ 0.. => Ok(OwnedFd::from_raw_fd(fd)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Makes `stop` readable, for good.
pub(crate) fn raise(stop: BorrowedFd<'_>) {
    let one = 1u64.to_ne_bytes();
    // SAFETY: writes the eight bytes of a local array to a descriptor that is borrowed, so open.
    unsafe { libc::write(stop.as_raw_fd(), one.as_ptr().cast(), one.len()) };
}

/// True when `fd` is readable now.
pub(crate) fn is_readable(fd: BorrowedFd<'_>) -> bool {
    let mut polled = libc::pollfd {
        fd: fd.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one valid pollfd, borrowed for the call.
    unsafe { libc::poll(&raw mut polled, 1, 0) > 0 }
}

/// CPU time this process has used, all threads, nanoseconds.
pub(crate) fn own_cpu_ns() -> u64 {
    cpu_ns(libc::CLOCK_PROCESS_CPUTIME_ID).unwrap_or(0)
}

/// CPU time the calling thread has used, nanoseconds.
pub(crate) fn thread_cpu_ns() -> u64 {
    cpu_ns(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or(0)
}

/// CPU time that a process has used since it was started, all its threads, those that have ended among
/// them, nanoseconds; `None` when there is no such process.
pub(crate) fn process_cpu_ns(pid: u32) -> Option<u64> {
    let mut clock = 0;
    // SAFETY: `clock` is a valid place for one clock id.
    match unsafe { libc::clock_getcpuclockid(pid.cast_signed(), &raw mut clock) } {
        0 => cpu_ns(clock),
        _ => None,
    }
}

fn cpu_ns(clock: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for one timespec.
    match unsafe { libc::clock_gettime(clock, &raw mut time) } {
        0 => Some(time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()),
        _ => None,
    }
}

/// Peak resident set of this process, bytes.
pub(crate) fn own_peak_rss_bytes() -> u64 {
    // SAFETY: rusage is plain numbers for which all zeros is a value, and the place is valid.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    usage.ru_maxrss.cast_unsigned() * 1024
}

/// Descriptors that wake us once each time the kernel signals them, not as long as they are
/// readable.
#[derive(Debug)]
pub(crate) struct Wakes(OwnedFd);

impl Wakes {
    pub(crate) fn of(watched: &[BorrowedFd<'_>]) -> io::Result<Self> {
        // SAFETY: a new descriptor, ours alone.
        let epoll = unsafe {
            match libc::epoll_create1(libc::EPOLL_CLOEXEC) {
                fd @ 0.. => OwnedFd::from_raw_fd(fd),
                _ => return Err(io::Error::last_os_error()),
            }
        };
        for fd in watched {
            let mut event = libc::epoll_event {
                events: (libc::EPOLLIN | libc::EPOLLET).cast_unsigned(),
                u64: 0,
            };
            // SAFETY: both descriptors are open, the event is read for the call only.
            let result = unsafe {
                libc::epoll_ctl(
                    epoll.as_raw_fd(),
                    libc::EPOLL_CTL_ADD,
                    fd.as_raw_fd(),
                    &raw mut event,
                )
            };
            if result != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(Self(epoll))
    }

    /// Waits for a wake-up, at most `timeout_ms`.
    pub(crate) fn wait(&self, timeout_ms: i32) {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 16];
        // SAFETY: a valid array of the length given, borrowed for the call. A failure is an
        // early look at rings that may be empty.
        unsafe { libc::epoll_wait(self.0.as_raw_fd(), events.as_mut_ptr(), 16, timeout_ms) };
    }
}

/// Waits until `stop` is readable, at most `timeout_ms`.
pub(crate) fn pause(stop: BorrowedFd<'_>, timeout_ms: i32) {
    let mut polled = libc::pollfd {
        fd: stop.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one valid pollfd, borrowed for the call.
    unsafe { libc::poll(&raw mut polled, 1, timeout_ms) };
}
