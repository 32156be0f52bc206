//! Thread ids as the kernel-side program sees them.
//!
//! The program asks the kernel for the id of the sampled thread in one pid namespace, the
//! target's own; recorder and target may live in different ones (containers).

use std::io;
use std::os::unix::fs::MetadataExt;

/// A pid namespace, as its file in `/proc` identifies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PidNamespace {
    /// Device, in the kernel's own encoding.
    pub device: u64,
    /// Inode.
    pub inode: u64,
}

impl PidNamespace {
    /// The one process `pid` lives in.
    pub fn of(pid: u32) -> io::Result<Self> {
        let metadata = std::fs::metadata(format!("/proc/{pid}/ns/pid"))?;
        Ok(Self {
            device: kernel_device(metadata.dev()),
            inode: metadata.ino(),
        })
    }
}

/// `stat` splits device numbers otherwise than the kernel, which has 20 bits of minor number.
fn kernel_device(device: u64) -> u64 {
    u64::from(libc::major(device)) << 20 | u64::from(libc::minor(device))
}

/// Ids of thread `tid` of process `pid`, from our pid namespace down to its own; the last one is
/// what the program sees. `None` when the thread has ended.
pub fn innermost_tid(pid: u32, tid: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/task/{tid}/status")).ok()?;
    parse_innermost(&status)
}

fn parse_innermost(status: &str) -> Option<u32> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("NSpid:"))?;
    line.split_ascii_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_id_is_the_innermost() {
        assert_eq!(
            parse_innermost("Name:\tx\nNSpid:\t4711\t12\nx:\t1"),
            Some(12)
        );
        assert_eq!(parse_innermost("NSpid:\t7"), Some(7));
        assert_eq!(parse_innermost("NSpid:\n"), None);
        assert_eq!(parse_innermost("Name: 7"), None);
    }

    #[test]
    fn our_own_namespace_has_an_inode() {
        assert!(PidNamespace::of(std::process::id()).unwrap().inode > 0);
        assert!(PidNamespace::of(0x3fff_fff1).is_err());
    }

    #[test]
    fn device_numbers_beyond_eight_bits_are_encoded_as_in_the_kernel() {
        assert_eq!(kernel_device(libc::makedev(0, 4)), 4);
        assert_eq!(kernel_device(libc::makedev(3, 300)), 3 << 20 | 300);
    }
}
