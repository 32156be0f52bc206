//! The system calls: bpf(2), its one perf ioctl, the limit on locked memory, and mappings.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64};

const BPF_MAP_CREATE: libc::c_int = 0;
const BPF_MAP_LOOKUP_ELEM: libc::c_int = 1;
const BPF_MAP_UPDATE_ELEM: libc::c_int = 2;
const BPF_PROG_LOAD: libc::c_int = 5;
const PROG_TYPE_PERF_EVENT: u32 = 7;
const IOC_SET_BPF: libc::c_ulong = 0x4004_2408;

/// Kinds of map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MapKind {
    Hash = 1,
    Array = 2,
    ArrayByCpu = 6,
    ArrayOfMaps = 12,
    Ring = 27,
}

/// `union bpf_attr` for BPF_MAP_CREATE, as far as it is used.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct MapCreate {
    map_type: u32,
    key_size: u32,
    value_size: u32,
    max_entries: u32,
    map_flags: u32,
    inner_map_fd: u32,
}

/// For BPF_MAP_LOOKUP_ELEM and BPF_MAP_UPDATE_ELEM.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct MapElement {
    map_fd: u32,
    padding: u32,
    key: u64,
    value: u64,
    flags: u64,
}

/// For BPF_PROG_LOAD.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct ProgramLoad {
    prog_type: u32,
    insn_cnt: u32,
    insns: u64,
    license: u64,
    log_level: u32,
    log_size: u32,
    log_buf: u64,
    kern_version: u32,
    prog_flags: u32,
}

/// One call of bpf(2) with an attribute that is a plain struct of numbers.
///
/// # Safety
/// Every address in `attribute` must be valid for what `command` does with it.
unsafe fn bpf<T: Copy>(command: libc::c_int, attribute: &T) -> io::Result<libc::c_long> {
    // SAFETY: the kernel reads `size_of::<T>()` bytes of the struct; the rest is the caller's.
    let result = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            command,
            std::ptr::from_ref(attribute),
            size_of::<T>(),
        )
    };
    match result {
        0.. => Ok(result),
        _ => Err(io::Error::last_os_error()),
    }
}

fn owned(fd: libc::c_long) -> OwnedFd {
    // SAFETY: bpf(2) just returned this descriptor: it is new, ours alone, and close-on-exec.
    unsafe { OwnedFd::from_raw_fd(fd as RawFd) }
}

pub(crate) fn create_map(
    kind: MapKind,
    key_bytes: u32,
    value_bytes: u32,
    entries: u32,
) -> io::Result<OwnedFd> {
    create(&MapCreate {
        map_type: kind as u32,
        key_size: key_bytes,
        value_size: value_bytes,
        max_entries: entries,
        ..MapCreate::default()
    })
}

/// An array of `entries` maps that are like `inner`.
pub(crate) fn create_array_of_maps(inner: BorrowedFd<'_>, entries: u32) -> io::Result<OwnedFd> {
    create(&MapCreate {
        map_type: MapKind::ArrayOfMaps as u32,
        key_size: 4,
        value_size: 4,
        max_entries: entries,
        inner_map_fd: inner.as_raw_fd().cast_unsigned(),
        ..MapCreate::default()
    })
}

fn create(attribute: &MapCreate) -> io::Result<OwnedFd> {
    // SAFETY: the attribute holds no address.
    unsafe { bpf(BPF_MAP_CREATE, attribute) }.map(owned)
}

/// Puts `inner` at `index` into an array of maps.
pub(crate) fn set_map(array: BorrowedFd<'_>, index: u32, inner: BorrowedFd<'_>) -> io::Result<()> {
    set_element(
        array,
        index,
        &[u64::from(inner.as_raw_fd().cast_unsigned())],
    )
}

/// Sets one element of a map with keys of 32 bits and values of `N` words.
pub(crate) fn set_element<const N: usize>(
    map: BorrowedFd<'_>,
    key: u32,
    value: &[u64; N],
) -> io::Result<()> {
    let attribute = MapElement {
        map_fd: map.as_raw_fd().cast_unsigned(),
        key: std::ptr::from_ref(&key) as u64,
        value: value.as_ptr() as u64,
        ..MapElement::default()
    };
    // SAFETY: key and value are locals of the lengths the map was created with, only read.
    unsafe { bpf(BPF_MAP_UPDATE_ELEM, &attribute) }.map(drop)
}

/// Reads one element of a map with keys of 32 bits and values of `value.len()` words.
pub(crate) fn read_element(map: BorrowedFd<'_>, key: u32, value: &mut [u64]) -> io::Result<()> {
    let attribute = MapElement {
        map_fd: map.as_raw_fd().cast_unsigned(),
        key: std::ptr::from_ref(&key) as u64,
        value: value.as_mut_ptr() as u64,
        ..MapElement::default()
    };
    // SAFETY: the kernel writes as many bytes as a value of the map has; the caller made the map
    // with values as long as this slice.
    unsafe { bpf(BPF_MAP_LOOKUP_ELEM, &attribute) }.map(drop)
}

/// Loads a program for perf events; the verifier writes its messages to `log`.
pub(crate) fn load_program(code: &[u64], log: &mut [u8]) -> io::Result<OwnedFd> {
    let attribute = ProgramLoad {
        prog_type: PROG_TYPE_PERF_EVENT,
        insn_cnt: u32::try_from(code.len()).map_err(|_| io::ErrorKind::InvalidInput)?,
        insns: code.as_ptr() as u64,
        // Helpers that read user memory are for programs under a licence that the kernel knows.
        license: c"Dual MIT/GPL".as_ptr() as u64,
        log_level: u32::from(!log.is_empty()),
        log_size: u32::try_from(log.len()).map_err(|_| io::ErrorKind::InvalidInput)?,
        log_buf: if log.is_empty() {
            0
        } else {
            log.as_mut_ptr() as u64
        },
        ..ProgramLoad::default()
    };
    // SAFETY: code and licence are read, `log` is written up to its length; all outlive the call.
    unsafe { bpf(BPF_PROG_LOAD, &attribute) }.map(owned)
}

/// Has `program` run at every sample of `event`.
pub(crate) fn attach(event: BorrowedFd<'_>, program: BorrowedFd<'_>) -> io::Result<()> {
    let program = libc::c_long::from(program.as_raw_fd());
    // SAFETY: this request takes a descriptor as an integer; both are borrowed, so open.
    match unsafe { libc::ioctl(event.as_raw_fd(), IOC_SET_BPF as _, program) } {
        0.. => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Before Linux 5.11 maps count as locked memory: raise that limit as far as we may.
pub(crate) fn raise_locked_memory_limit() {
    for limit in [libc::RLIM_INFINITY, 256 << 20] {
        let limit = libc::rlimit {
            rlim_cur: limit,
            rlim_max: limit,
        };
        // SAFETY: a valid rlimit that outlives the call.
        if unsafe { libc::setrlimit(libc::RLIMIT_MEMLOCK, &raw const limit) } == 0 {
            return;
        }
    }
}

pub(crate) fn page_bytes() -> usize {
    // SAFETY: sysconf only returns a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// The two mappings of a ring: our position, and the kernel's position with the data behind it.
#[derive(Debug)]
pub(crate) struct RingMapping {
    consumer: NonNull<u8>,
    producer: NonNull<u8>,
    page_bytes: usize,
    data_bytes: usize,
}

// SAFETY: the mappings are plain memory owned by this value; positions and lengths are accessed
// atomically, data only between the two positions and by one owner.
unsafe impl Send for RingMapping {}

impl RingMapping {
    pub(crate) fn new(fd: BorrowedFd<'_>, data_bytes: usize) -> io::Result<Self> {
        let page_bytes = page_bytes();
        let read_write = libc::PROT_READ | libc::PROT_WRITE;
        let consumer = map(fd, page_bytes, read_write, 0)?;
        // The kernel would map the data twice in a row, so that every record lies in one piece. All
        // pages of a mapping count as memory of this process, so only the first copy is mapped.
        let producer = map(fd, page_bytes + data_bytes, libc::PROT_READ, page_bytes);
        match producer {
            Ok(producer) => Ok(Self {
                consumer,
                producer,
                page_bytes,
                data_bytes,
            }),
            Err(error) => {
                // SAFETY: exactly the range mapped above, which nothing refers to.
                unsafe { libc::munmap(consumer.as_ptr().cast(), page_bytes) };
                Err(error)
            }
        }
    }

    pub(crate) fn data_bytes(&self) -> usize {
        self.data_bytes
    }

    /// Up to where we have read.
    pub(crate) fn consumer(&self) -> &AtomicU64 {
        // SAFETY: the first word of a mapping of one page, aligned, alive as long as `self`.
        unsafe { AtomicU64::from_ptr(self.consumer.as_ptr().cast()) }
    }

    /// Up to where the kernel has reserved.
    pub(crate) fn producer(&self) -> &AtomicU64 {
        // SAFETY: as above; the page is read-only, and only loads are done on it.
        unsafe { AtomicU64::from_ptr(self.producer.as_ptr().cast()) }
    }

    /// The length word of the record at `position`, which has to be 8-aligned.
    pub(crate) fn length_word(&self, position: u64) -> &AtomicU32 {
        let offset = (position % self.data_bytes as u64) as usize & !7;
        // SAFETY: the offset is below `data_bytes`, which is a multiple of 8, and the mapping is as long
        // as that; aligned; only loads are done on it.
        unsafe { AtomicU32::from_ptr(self.producer.as_ptr().add(self.page_bytes + offset).cast()) }
    }

    /// `len` bytes of data from `position` on: those up to the end of the ring, and those from its
    /// start on. The kernel writes none of them as long as the consumer position is at or before them,
    /// which the caller sees to by borrowing `self`.
    pub(crate) fn data(&self, position: u64, len: usize) -> (&[u8], &[u8]) {
        let offset = (position % self.data_bytes as u64) as usize;
        let len = len.min(self.data_bytes);
        let first = len.min(self.data_bytes - offset);
        // SAFETY: both ranges end at or before `data_bytes`, and the mapping is as long as that.
        unsafe {
            let data = self.producer.as_ptr().add(self.page_bytes);
            (
                std::slice::from_raw_parts(data.add(offset), first),
                std::slice::from_raw_parts(data, len - first),
            )
        }
    }
}

impl Drop for RingMapping {
    fn drop(&mut self) {
        // SAFETY: exactly the ranges mapped in `new`, and nothing refers to them any more.
        unsafe {
            libc::munmap(self.consumer.as_ptr().cast(), self.page_bytes);
            libc::munmap(
                self.producer.as_ptr().cast(),
                self.page_bytes + self.data_bytes,
            );
        }
    }
}

fn map(
    fd: BorrowedFd<'_>,
    len_bytes: usize,
    protection: libc::c_int,
    offset: usize,
) -> io::Result<NonNull<u8>> {
    // SAFETY: a fresh shared mapping at an address of the kernel's choice.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            len_bytes,
            protection,
            libc::MAP_SHARED,
            fd.as_raw_fd(),
            offset as libc::off_t,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(address.cast()).ok_or_else(io::Error::last_os_error)
}
