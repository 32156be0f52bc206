//! `process_vm_readv`: the only system call that touches the target, and it only reads.
#![allow(unsafe_code)]

use byte_budget::ByteBudget;

use crate::{Range, ReadError, ReadErrorKind, TargetMemory};

/// Ranges per call; the kernel's own limit is 1024.
const MAX_RANGES_PER_CALL: usize = 512;

/// The memory of a live process.
#[derive(Debug, Clone)]
pub struct LiveMemory {
    pid: libc::pid_t,
    budget: ByteBudget,
}

impl LiveMemory {
    /// Memory of process `pid`, with a new budget, which its clones share. Nothing is opened: rights are checked by the kernel at each read.
    pub fn new(pid: u32) -> Self {
        // A pid beyond i32 cannot exist; 0 would mean "no such process" to the kernel as well.
        Self {
            pid: libc::pid_t::try_from(pid).unwrap_or(0),
            budget: ByteBudget::of_target(),
        }
    }

    fn readv(&self, remote: &[libc::iovec], buffer: &mut [u8]) -> Result<usize, i32> {
        let local = libc::iovec {
            iov_base: buffer.as_mut_ptr().cast(),
            iov_len: buffer.len(),
        };
        // SAFETY: `local` describes exactly `buffer`, which outlives the call and is borrowed
        // mutably; `remote` only names addresses in another process, which the kernel checks.
        // The counts match the arrays.
        let copied = unsafe {
            libc::process_vm_readv(
                self.pid,
                &raw const local,
                1,
                remote.as_ptr(),
                remote.len() as libc::c_ulong,
                0,
            )
        };
        usize::try_from(copied)
            .map_err(|_| std::io::Error::last_os_error().raw_os_error().unwrap_or(0))
    }
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

    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let len_bytes = buffer.len();
        if len_bytes == 0 {
            return Ok(());
        }
        match self.readv(&[remote(&Range { address, len_bytes })], buffer) {
            Ok(copied) if copied == len_bytes => Ok(()),
            Ok(_) => Err(ReadError::new(address, len_bytes, ReadErrorKind::Short)),
            Err(errno) => Err(ReadError::new(address, len_bytes, kind_of(errno))),
        }
    }

    fn read_many(&self, ranges: &[Range], buffer: &mut [u8]) -> Result<(), ReadError> {
        let mut rest = buffer;
        for batch in ranges.chunks(MAX_RANGES_PER_CALL) {
            let mut iovecs = [libc::iovec {
                iov_base: std::ptr::null_mut(),
                iov_len: 0,
            }; MAX_RANGES_PER_CALL];
            let mut batch_bytes = 0usize;
            for (iovec, range) in iovecs.iter_mut().zip(batch) {
                *iovec = remote(range);
                batch_bytes = batch_bytes.saturating_add(range.len_bytes);
            }
            let first = batch.first().map_or(0, |range| range.address);
            if batch_bytes > rest.len() {
                return Err(ReadError::new(first, batch_bytes, ReadErrorKind::Short));
            }
            let (part, tail) = rest.split_at_mut(batch_bytes);
            match self.readv(iovecs.get(..batch.len()).unwrap_or(&[]), part) {
                Ok(copied) if copied == batch_bytes => {}
                Ok(copied) => return Err(first_unread(batch, copied)),
                Err(errno) => return Err(ReadError::new(first, batch_bytes, kind_of(errno))),
            }
            rest = tail;
        }
        Ok(())
    }
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
mod tests {
    use super::*;

    #[test]
    fn reads_its_own_memory_and_refuses_what_is_not_mapped() {
        let memory = LiveMemory::new(std::process::id());
        let secret = [7u8, 8, 9, 10];
        let mut seen = [0u8; 4];
        memory.read(secret.as_ptr() as u64, &mut seen).unwrap();
        assert_eq!(seen, secret);
        assert_eq!(
            memory.read(8, &mut seen).unwrap_err().kind,
            ReadErrorKind::Unmapped
        );
    }

    #[test]
    fn many_ranges_arrive_in_order_and_a_bad_one_is_named() {
        let memory = LiveMemory::new(std::process::id());
        let words: Vec<u64> = (0..1500).collect();
        let ranges: Vec<Range> = words
            .iter()
            .rev()
            .map(|word| Range {
                address: std::ptr::from_ref(word) as u64,
                len_bytes: 8,
            })
            .collect();
        let mut seen = vec![0; 1500 * 8];
        memory.read_many(&ranges, &mut seen).unwrap();
        assert!(crate::bytes_to_words(&seen).eq(words.iter().rev().copied()));

        let mut bad = ranges[..3].to_vec();
        bad[1].address = 16;
        let error = memory.read_many(&bad, &mut [0; 24]).unwrap_err();
        assert_eq!((error.address, error.kind), (16, ReadErrorKind::Unmapped));
    }

    #[test]
    fn a_process_that_is_not_there_is_gone() {
        let error = LiveMemory::new(0x3fff_fff1)
            .read(4096, &mut [0; 8])
            .unwrap_err();
        assert!(error.target_gone(), "{error}");
    }
}
