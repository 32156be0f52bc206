//! The system calls: perf_event_open, its ioctls, read, mmap and poll.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;

use crate::attr::PerfEventAttr;

const PERF_FLAG_FD_CLOEXEC: libc::c_ulong = 1 << 3;
const IOC_ENABLE: libc::c_ulong = 0x2400;
const IOC_DISABLE: libc::c_ulong = 0x2401;
const IOC_SET_OUTPUT: libc::c_ulong = 0x2405;
const IOC_PERIOD: libc::c_ulong = 0x4008_2404;

/// Opens an event on thread `tid` (0 = this thread) while it runs on `cpu` (-1 = any), in the group of `leader`.
pub(crate) fn perf_event_open(
    attr: &PerfEventAttr,
    tid: i32,
    cpu: i32,
    leader: Option<BorrowedFd<'_>>,
) -> io::Result<OwnedFd> {
    let leader = leader.map_or(-1, |leader| leader.as_raw_fd());
    // SAFETY: `attr` is a plain repr(C) struct whose `size` field holds its length; the kernel only
    // reads it. A returned descriptor is new and ours alone.
    unsafe {
        let fd = libc::syscall(
            libc::SYS_perf_event_open,
            std::ptr::from_ref(attr),
            tid,
            cpu,
            leader,
            PERF_FLAG_FD_CLOEXEC,
        );
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

fn ioctl(fd: BorrowedFd<'_>, request: libc::c_ulong, argument: libc::c_long) -> io::Result<()> {
    // SAFETY: the three requests used take an integer argument, not a pointer; the descriptor is
    // borrowed, so it is open.
    match unsafe { libc::ioctl(fd.as_raw_fd(), request as _, argument) } {
        0.. => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

pub(crate) fn enable(fd: BorrowedFd<'_>) -> io::Result<()> {
    ioctl(fd, IOC_ENABLE, 0)
}

pub(crate) fn disable(fd: BorrowedFd<'_>) -> io::Result<()> {
    ioctl(fd, IOC_DISABLE, 0)
}

/// Samples from now on with this period, or with this frequency where the event has one.
pub(crate) fn set_period(fd: BorrowedFd<'_>, value: u64) -> io::Result<()> {
    // SAFETY: this request reads eight bytes at the pointer, a local that outlives the call; the
    // descriptor is borrowed, so it is open.
    match unsafe { libc::ioctl(fd.as_raw_fd(), IOC_PERIOD as _, &raw const value) } {
        0.. => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Sends the records of `fd` into the ring of `owner`.
pub(crate) fn set_output(fd: BorrowedFd<'_>, owner: BorrowedFd<'_>) -> io::Result<()> {
    ioctl(fd, IOC_SET_OUTPUT, libc::c_long::from(owner.as_raw_fd()))
}

/// The identifier of an event whose `read_format` has that alone.
pub(crate) fn read_identifier(fd: BorrowedFd<'_>) -> io::Result<u64> {
    // The count comes first.
    let mut words = [0; 2];
    match read_words(fd, &mut words)? {
        2 => Ok(words[1]),
        // An event that cannot be scheduled has nothing to read.
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Reads what an event's `read_format` has; how many words that were.
pub(crate) fn read_words(fd: BorrowedFd<'_>, words: &mut [u64]) -> io::Result<usize> {
    let len_bytes = size_of_val(words);
    // SAFETY: the kernel writes at most `len_bytes` bytes to the pointer, a slice of that length that is borrowed for
    // the call; the descriptor is borrowed, so it is open.
    match unsafe { libc::read(fd.as_raw_fd(), words.as_mut_ptr().cast(), len_bytes) } {
        read @ 0.. => Ok(read.unsigned_abs() / size_of::<u64>()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A shared mapping of a perf ring.
#[derive(Debug)]
pub(crate) struct Mapping {
    address: NonNull<u8>,
    len_bytes: usize,
}

// SAFETY: the mapping is plain memory owned by this value; all access goes through `&mut Ring` or
// atomics, so moving it to another thread is fine.
unsafe impl Send for Mapping {}

impl Mapping {
    pub(crate) fn new(fd: BorrowedFd<'_>, len_bytes: usize) -> io::Result<Self> {
        // SAFETY: a fresh shared mapping at an address of the kernel's choice; it is unmapped
        // exactly once, in drop.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let address = NonNull::new(address.cast()).ok_or_else(io::Error::last_os_error)?;
        Ok(Self { address, len_bytes })
    }

    /// Position up to which the kernel has written, with acquire order.
    pub(crate) fn head(&self) -> u64 {
        self.position(HEAD_OFFSET)
            .load(std::sync::atomic::Ordering::Acquire)
    }

    /// Reports to the kernel the position up to which we have read, with release order.
    pub(crate) fn set_tail(&self, tail: u64) {
        self.position(TAIL_OFFSET)
            .store(tail, std::sync::atomic::Ordering::Release);
    }

    fn position(&self, offset: usize) -> &std::sync::atomic::AtomicU64 {
        // SAFETY: the offsets lie in the first page, are 8-aligned, and live as long as `self`;
        // the kernel accesses these two words atomically as well.
        unsafe { std::sync::atomic::AtomicU64::from_ptr(self.address.as_ptr().add(offset).cast()) }
    }

    /// Copies out of the data area, which starts one page in.
    pub(crate) fn copy_data(&self, page_bytes: usize, offset: usize, out: &mut [u8]) {
        let start = page_bytes + offset;
        assert!(start + out.len() <= self.len_bytes, "inside the mapping");
        // SAFETY: the source range was just checked to lie inside the mapping. The kernel may
        // write other parts of it at the same time, but not the bytes between tail and head.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.address.as_ptr().add(start),
                out.as_mut_ptr(),
                out.len(),
            );
        }
    }
}

const HEAD_OFFSET: usize = 1024;
const TAIL_OFFSET: usize = 1032;

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: exactly the range that mmap returned, and nothing refers to it any more.
        unsafe { libc::munmap(self.address.as_ptr().cast(), self.len_bytes) };
    }
}

/// Waits until a descriptor is readable, or `timeout_ms` has passed. True when one is.
pub(crate) fn poll_readable(fds: &[BorrowedFd<'_>; 2], timeout_ms: i32) -> io::Result<bool> {
    let mut polled = fds.map(|fd| libc::pollfd {
        fd: fd.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    });
    // SAFETY: `polled` is a valid array of the length given, borrowed for the call.
    match unsafe { libc::poll(polled.as_mut_ptr(), 2, timeout_ms) } {
        // A ring ends with the thread that made it; waiting on it would then return at once.
        0.. if polled[0].revents & (libc::POLLHUP | libc::POLLERR) != 0 => {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        ready @ 0.. => Ok(ready > 0),
        _ => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(false),
            error => Err(error),
        },
    }
}

pub(crate) fn page_bytes() -> usize {
    // SAFETY: sysconf only returns a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}
