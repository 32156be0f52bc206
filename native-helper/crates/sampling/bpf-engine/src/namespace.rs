//! Thread ids as the kernel-side program sees them.
//!
//! Where we live in the machine's first pid namespace, our ids are those that the kernel has at
//! hand. Elsewhere (containers) the program requests from the kernel the id in one pid namespace,
//! the target's own; recorder and target may live in different ones.

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

/// By which ids the program knows threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadIds {
    /// By those of the machine's first pid namespace, which is ours. The kernel has them at hand.
    OfMachine,
    /// By those in this namespace, for which the kernel follows some pointers.
    Of(PidNamespace),
}

impl ThreadIds {
    /// The inode of the machine's first pid namespace (PROC_PID_INIT_INO, the same on every kernel).
    const FIRST_INODE: u64 = 0xefff_fffc;

    /// The ids by which the program knows the threads of process `pid`.
    pub fn of(pid: u32) -> io::Result<Self> {
        let own = PidNamespace::of(std::process::id())?;
        match own.inode == Self::FIRST_INODE {
            true => Ok(Self::OfMachine),
            false => Ok(Self::Of(PidNamespace::of(pid)?)),
        }
    }

    /// The id of thread `tid` of process `pid`, both as in our pid namespace. `None` when the thread has ended.
    pub fn id_of(self, pid: u32, tid: u32) -> Option<u32> {
        let innermost = innermost_tid(pid, tid)?;
        Some(match self {
            Self::OfMachine => tid,
            Self::Of(_) => innermost,
        })
    }
}

/// `stat` splits device numbers otherwise than the kernel, which has 20 bits of minor number.
fn kernel_device(device: u64) -> u64 {
    u64::from(libc::major(device)) << 20 | u64::from(libc::minor(device))
}

/// Ids of thread `tid` of process `pid`, from our pid namespace down to its own; the last one is
/// the id that the program sees. `None` when the thread has ended.
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
    fn threads_have_the_ids_that_the_program_sees() {
        let pid = std::process::id();
        let namespace = PidNamespace::of(pid).unwrap();
        assert_eq!(ThreadIds::OfMachine.id_of(pid, pid), Some(pid));
        assert_eq!(
            ThreadIds::Of(namespace).id_of(pid, pid),
            innermost_tid(pid, pid)
        );
        assert_eq!(ThreadIds::OfMachine.id_of(pid, 0x3fff_fff1), None);
        let is_first = namespace.inode == ThreadIds::FIRST_INODE;
        assert_eq!(
            ThreadIds::of(pid).unwrap() == ThreadIds::OfMachine,
            is_first
        );
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
