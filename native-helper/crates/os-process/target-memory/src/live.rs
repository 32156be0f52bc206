//! `process_vm_readv`, or `pread` of `/proc/PID/mem`: the only system calls that touch the target, and
//! they only read.
#![allow(unsafe_code)]

mod file;

use std::fs::File;
use std::sync::Arc;

use byte_budget::ByteBudget;

use file::{copied_of_file, read_file, read_many_of_file};

use crate::pace::{PORTION_BYTES, Pace};
use crate::{Range, ReadError, ReadErrorKind, TargetMemory, address_at};

/// Ranges per call; the kernel's own limit is 1024.
const MAX_RANGES_PER_CALL: usize = 512;

/// Surrounds each read of a process that the kernel would let us read as any other.
pub trait ReadPermit: std::fmt::Debug + Send + Sync {
    /// Reads, and returns whether the bytes read are those of the process that was permitted.
    fn permit(&self, read: &mut dyn FnMut()) -> bool;
}

/// The memory of a live process.
#[derive(Debug, Clone)]
pub struct LiveMemory {
    way: Way,
    budget: ByteBudget,
    /// `None`: without pauses.
    pace: Option<Pace>,
}

#[derive(Debug, Clone)]
enum Way {
    /// By its number; the kernel compares users at each read.
    Process(libc::pid_t),
    /// By its number, each read within the checks of a permit.
    Permitted(libc::pid_t, Arc<dyn ReadPermit>),
    /// By a file that is its memory of the time when it was opened, also when another program has
    /// taken its place since: there is nothing to be read any more then.
    File(Arc<File>),
}

impl LiveMemory {
    /// Memory of process `pid`, with a new budget, which its clones share. Nothing is opened: rights are checked by the kernel at each read.
    pub fn new(pid: u32) -> Self {
        // A pid beyond i32 cannot exist; 0 would mean "no such process" to the kernel as well.
        Self {
            way: Way::Process(libc::pid_t::try_from(pid).unwrap_or(0)),
            budget: ByteBudget::of_target(),
            pace: None,
        }
    }

    /// Memory of process `pid`, with a new budget, which its clones share; `permit` is called at each
    /// read.
    pub fn permitted(pid: u32, permit: Arc<dyn ReadPermit>) -> Self {
        Self {
            way: Way::Permitted(libc::pid_t::try_from(pid).unwrap_or(0), permit),
            budget: ByteBudget::of_target(),
            pace: None,
        }
    }

    /// The memory behind a `/proc/PID/mem` that is open for reading, with a new budget, which its clones
    /// share. Rights were checked when it was opened.
    pub fn of_file(file: File) -> Self {
        Self {
            way: Way::File(Arc::new(file)),
            budget: ByteBudget::of_target(),
            pace: None,
        }
    }

    fn read_at_once(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let len_bytes = buffer.len();
        if len_bytes == 0 {
            return Ok(());
        }
        let remote = [remote(&Range { address, len_bytes })];
        let read = match &self.way {
            Way::Process(pid) => readv(*pid, &remote, buffer),
            Way::Permitted(pid, permit) => readv_permitted(*pid, &**permit, &remote, buffer),
            Way::File(file) => {
                return read_file(file, address, buffer)
                    .map_err(|kind| ReadError::new(address, len_bytes, kind));
            }
        };
        match read {
            Ok(copied) if copied == len_bytes => Ok(()),
            Ok(_) => Err(ReadError::new(address, len_bytes, ReadErrorKind::Short)),
            Err(errno) => Err(ReadError::new(address, len_bytes, kind_of(errno))),
        }
    }

    /// Reads ranges in one call; how many bytes came. There is none of that kind for a file.
    fn read_batch(&self, batch: &[Range], buffer: &mut [u8]) -> Result<usize, i32> {
        let mut iovecs = [libc::iovec {
            iov_base: std::ptr::null_mut(),
            iov_len: 0,
        }; MAX_RANGES_PER_CALL];
        for (iovec, range) in iovecs.iter_mut().zip(batch) {
            *iovec = remote(range);
        }
        let iovecs = iovecs.get(..batch.len()).unwrap_or(&[]);
        match &self.way {
            Way::Process(pid) => readv(*pid, iovecs, buffer),
            Way::Permitted(pid, permit) => readv_permitted(*pid, &**permit, iovecs, buffer),
            Way::File(_) => Err(libc::ESRCH),
        }
    }

    fn pause_when_due(&self) {
        if let Some(pace) = &self.pace {
            pace.pause_when_due();
        }
    }
}

/// Reads within the checks of `permit`. Bytes of any other process are discarded at once.
fn readv_permitted(
    pid: libc::pid_t,
    permit: &dyn ReadPermit,
    remote: &[libc::iovec],
    buffer: &mut [u8],
) -> Result<usize, i32> {
    let mut read = Err(libc::ESRCH);
    match permit.permit(&mut || read = readv(pid, remote, buffer)) {
        true => read,
        false => {
            buffer.fill(0);
            Err(libc::ESRCH)
        }
    }
}

fn readv(pid: libc::pid_t, remote: &[libc::iovec], buffer: &mut [u8]) -> Result<usize, i32> {
    let local = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: `local` describes exactly `buffer`, which outlives the call and is borrowed
    // mutably; `remote` only names addresses in another process, which the kernel checks.
    // The counts match the arrays.
    let copied = unsafe {
        libc::process_vm_readv(
            pid,
            &raw const local,
            1,
            remote.as_ptr(),
            remote.len() as libc::c_ulong,
            0,
        )
    };
    usize::try_from(copied).map_err(|_| std::io::Error::last_os_error().raw_os_error().unwrap_or(0))
}

fn kind_of(errno: i32) -> ReadErrorKind {
    match errno {
        libc::EFAULT => ReadErrorKind::Unmapped,
        libc::EPERM | libc::EACCES => ReadErrorKind::Denied,
        libc::ESRCH => ReadErrorKind::Gone,
        other => ReadErrorKind::Os(other),
    }
}

fn remote(range: &Range) -> libc::iovec {
    // The pointer is a number to us: an address of another process, never dereferenced here.
    libc::iovec {
        iov_base: range.address as *mut libc::c_void,
        iov_len: range.len_bytes,
    }
}

impl TargetMemory for LiveMemory {
    fn budget(&self) -> &ByteBudget {
        &self.budget
    }

    fn set_pauses(&mut self, are_wanted: bool) {
        self.pace = are_wanted.then(Pace::begin);
    }

    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        if self.pace.is_none() {
            return self.read_at_once(address, buffer);
        }
        let mut done = 0;
        for portion in buffer.chunks_mut(PORTION_BYTES) {
            self.read_at_once(address_at(address, done)?, portion)?;
            done += portion.len() as u64;
            self.pause_when_due();
        }
        Ok(())
    }

    fn read_many(&self, ranges: &[Range], buffer: &mut [u8]) -> Result<(), ReadError> {
        if let Way::File(file) = &self.way {
            let read = read_many_of_file(file, ranges, buffer);
            self.pause_when_due();
            return read;
        }
        let mut rest = buffer;
        for batch in ranges.chunks(MAX_RANGES_PER_CALL) {
            let batch_bytes = bytes_of(batch);
            let first = batch.first().map_or(0, |range| range.address);
            let Some((part, tail)) = std::mem::take(&mut rest).split_at_mut_checked(batch_bytes)
            else {
                return Err(ReadError::new(first, batch_bytes, ReadErrorKind::Short));
            };
            match self.read_batch(batch, part) {
                Ok(copied) if copied == batch_bytes => {}
                Ok(copied) => return Err(first_unread(batch, copied)),
                Err(errno) => return Err(ReadError::new(first, batch_bytes, kind_of(errno))),
            }
            rest = tail;
            self.pause_when_due();
        }
        Ok(())
    }

    fn read_leading(&self, ranges: &[Range], buffer: &mut [u8]) -> usize {
        let mut rest = buffer;
        let mut count = 0;
        for batch in ranges.chunks(MAX_RANGES_PER_CALL) {
            let batch_bytes = bytes_of(batch);
            let Some((part, tail)) = std::mem::take(&mut rest).split_at_mut_checked(batch_bytes)
            else {
                break;
            };
            let copied = match &self.way {
                Way::File(file) => copied_of_file(file, batch, part),
                _ => self.read_batch(batch, part).unwrap_or(0),
            };
            self.pause_when_due();
            if copied < batch_bytes {
                return count + whole_ranges(batch, copied);
            }
            count += batch.len();
            rest = tail;
        }
        count
    }
}

fn bytes_of(ranges: &[Range]) -> usize {
    let lengths = ranges.iter().map(|range| range.len_bytes);
    lengths.fold(0, usize::saturating_add)
}

/// How many ranges have all their bytes among the first `copied` of all.
fn whole_ranges(ranges: &[Range], copied: usize) -> usize {
    let mut end = 0usize;
    let is_whole = |range: &&Range| {
        end = end.saturating_add(range.len_bytes);
        end <= copied
    };
    ranges.iter().take_while(is_whole).count()
}

/// The range a partial copy stopped in: the one the caller may leave out and try again.
fn first_unread(batch: &[Range], copied: usize) -> ReadError {
    let mut end = 0usize;
    for range in batch {
        end = end.saturating_add(range.len_bytes);
        if copied < end {
            return ReadError::new(range.address, range.len_bytes, ReadErrorKind::Unmapped);
        }
    }
    ReadError::new(0, copied, ReadErrorKind::Short)
}

#[cfg(test)]
mod tests;
