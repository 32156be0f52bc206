//! Memory of a process by its open `/proc/PID/mem`.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::kind_of;
use crate::{Range, ReadError, ReadErrorKind};

/// Reads one range of a `/proc/PID/mem`.
pub(super) fn read_file(file: &File, address: u64, buffer: &mut [u8]) -> Result<(), ReadErrorKind> {
    let mut done = 0;
    while done < buffer.len() {
        let at = address
            .checked_add(done as u64)
            .ok_or(ReadErrorKind::Unmapped)?;
        match file.read_at(&mut buffer[done..], at) {
            // The memory is gone: it has ended, or runs another program.
            Ok(0) => return Err(ReadErrorKind::Gone),
            Ok(read) => done += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(kind_of_file(error.raw_os_error().unwrap_or(0), done)),
        }
    }
    Ok(())
}

/// The kernel returns EIO for an address where nothing is mapped, and EINVAL for one that no process
/// has.
fn kind_of_file(errno: i32, done: usize) -> ReadErrorKind {
    match errno {
        libc::EIO | libc::EFAULT | libc::EINVAL if done > 0 => ReadErrorKind::Short,
        libc::EIO | libc::EINVAL => ReadErrorKind::Unmapped,
        other => kind_of(other),
    }
}

/// Bytes of the ranges that were read, up to the first that cannot be.
pub(super) fn copied_of_file(file: &File, ranges: &[Range], buffer: &mut [u8]) -> usize {
    let mut copied = 0;
    for range in ranges {
        let part = buffer
            .get_mut(copied..)
            .and_then(|rest| rest.get_mut(..range.len_bytes));
        if part.is_none_or(|part| read_file(file, range.address, part).is_err()) {
            break;
        }
        copied += range.len_bytes;
    }
    copied
}

pub(super) fn read_many_of_file(
    file: &File,
    ranges: &[Range],
    buffer: &mut [u8],
) -> Result<(), ReadError> {
    let mut rest = buffer;
    for Range { address, len_bytes } in ranges {
        let failed = |kind| ReadError::new(*address, *len_bytes, kind);
        if *len_bytes > rest.len() {
            return Err(failed(ReadErrorKind::Short));
        }
        let (part, tail) = rest.split_at_mut(*len_bytes);
        read_file(file, *address, part).map_err(failed)?;
        rest = tail;
    }
    Ok(())
}
