//! `/proc/PID/maps`: the mappings of a process.

use std::fmt;

pub use crate::error::MapsError;
use crate::error::ProcError;
use crate::proc_fs::ProcFs;

/// More mappings than any kernel setting in use allows (`vm.max_map_count` is 65,530 by default,
/// 1,048,576 on some distributions).
pub const MAX_MAPPINGS: usize = 1 << 20;

/// Longest `maps` file that is read: a million lines of 96 bytes. Most are of anonymous memory, and
/// shorter.
const MAX_MAPS_BYTES: u64 = 96 << 20;

/// The permitted accesses to the pages of a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Permissions {
    /// `r`
    pub read: bool,
    /// `w`
    pub write: bool,
    /// `x`
    pub exec: bool,
    /// `s`; private (`p`) when false.
    pub shared: bool,
}

impl fmt::Display for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |set, letter| if set { letter } else { '-' };
        write!(
            f,
            "{}{}{}{}",
            letter(self.read, 'r'),
            letter(self.write, 'w'),
            letter(self.exec, 'x'),
            if self.shared { 's' } else { 'p' }
        )
    }
}

/// One line of `maps`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// First address (avma).
    pub start: u64,
    /// First address after it; always above `start`.
    pub end: u64,
    /// The permitted accesses to it.
    pub permissions: Permissions,
    /// Offset of `start` in the mapped file, bytes.
    pub file_offset: u64,
    /// Major and minor number of the file's device; (0, 0) without a file.
    pub device: (u32, u32),
    /// Inode of the file; 0 without a file.
    pub inode: u64,
    /// As the kernel words it: a path as the *target's* mount namespace may not spell it, with
    /// ` (deleted)` when it has no name any more; a `[tag]`; or empty for anonymous memory.
    pub path: String,
}

impl Mapping {
    /// Length in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Never true of a mapping that was parsed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.end == self.start
    }

    /// Whether the address is inside.
    #[must_use]
    pub fn contains(&self, avma: u64) -> bool {
        self.start <= avma && avma < self.end
    }

    /// Whether a file with a name or a past name is mapped (`/memfd:...` counts).
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.inode != 0 && self.path.starts_with('/')
    }

    /// The path without the kernel's ` (deleted)`.
    #[must_use]
    pub fn path_without_deleted(&self) -> &str {
        self.path.strip_suffix(DELETED).unwrap_or(&self.path)
    }

    /// Whether the kernel reports that the file has no name any more.
    #[must_use]
    pub fn is_deleted(&self) -> bool {
        self.path.ends_with(DELETED)
    }

    /// The last part of the path: `beam.smp`, `libc.so.6`, `[vdso]`.
    #[must_use]
    pub fn file_name(&self) -> &str {
        let path = self.path_without_deleted();
        path.rsplit_once('/').map_or(path, |(_, name)| name)
    }
}

pub(crate) const DELETED: &str = " (deleted)";

/// Parses the text of `/proc/PID/maps`; the result is sorted and free of overlaps.
///
/// # Errors
/// On the first line that is not one the kernel would print.
pub fn parse_maps(text: &[u8]) -> Result<Vec<Mapping>, MapsError> {
    let mut mappings: Vec<Mapping> = Vec::new();
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        if line.is_empty() {
            continue;
        }
        let number = index + 1;
        let mapping = parse_line(line).map_err(|what| MapsError::BadLine { line: number, what })?;
        if mappings.last().is_some_and(|last| last.end > mapping.start) {
            return Err(MapsError::OutOfOrder { line: number });
        }
        if mappings.len() >= MAX_MAPPINGS {
            return Err(MapsError::TooMany { most: MAX_MAPPINGS });
        }
        mappings.push(mapping);
    }
    Ok(mappings)
}

/// `start-end perms offset major:minor inode    path`
fn parse_line(line: &[u8]) -> Result<Mapping, &'static str> {
    let (range, rest) = next_word(line);
    let (start, end) = split_once(range, b'-').ok_or("address range")?;
    let start = hexadecimal(start).ok_or("start address")?;
    let end = hexadecimal(end).ok_or("end address")?;
    if start >= end {
        return Err("address range");
    }
    let (permissions, rest) = next_word(rest);
    let permissions = parse_permissions(permissions).ok_or("permissions")?;
    let (file_offset, rest) = next_word(rest);
    let file_offset = hexadecimal(file_offset).ok_or("offset")?;
    let (device, rest) = next_word(rest);
    let (major, minor) = split_once(device, b':').ok_or("device")?;
    let part = |digits| hexadecimal(digits).and_then(|n| u32::try_from(n).ok());
    let device = (part(major).ok_or("device")?, part(minor).ok_or("device")?);
    let (inode, rest) = next_word(rest);
    let inode = str::from_utf8(inode)
        .ok()
        .and_then(|i| i.parse().ok())
        .ok_or("inode")?;
    // The path is everything after the padding: it may hold spaces itself.
    let path = String::from_utf8_lossy(rest.trim_ascii_start()).into_owned();
    Ok(Mapping {
        start,
        end,
        permissions,
        file_offset,
        device,
        inode,
        path,
    })
}

fn next_word(line: &[u8]) -> (&[u8], &[u8]) {
    split_once(line, b' ').unwrap_or((line, &[]))
}

fn split_once(bytes: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|&byte| byte == separator)?;
    Some((bytes.get(..at)?, bytes.get(at + 1..)?))
}

/// Hexadecimal digits and nothing else (`from_str_radix` alone would take a sign).
fn hexadecimal(digits: &[u8]) -> Option<u64> {
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u64::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

fn parse_permissions(text: &[u8]) -> Option<Permissions> {
    let [read, write, exec, shared] = *text else {
        return None;
    };
    let flag = |byte, letter| match byte {
        b'-' => Some(false),
        _ => (byte == letter).then_some(true),
    };
    Some(Permissions {
        read: flag(read, b'r')?,
        write: flag(write, b'w')?,
        exec: flag(exec, b'x')?,
        shared: match shared {
            b's' => true,
            b'p' => false,
            _ => return None,
        },
    })
}

/// The mapping that holds the address, in mappings sorted by address.
#[must_use]
pub fn mapping_at(mappings: &[Mapping], avma: u64) -> Option<&Mapping> {
    let after = mappings.partition_point(|mapping| mapping.start <= avma);
    mappings
        .get(after.checked_sub(1)?)
        .filter(|mapping| mapping.contains(avma))
}

impl ProcFs {
    /// The mappings of a process, sorted by address. Empty for a zombie.
    ///
    /// # Errors
    /// No such process, not permitted, or a text no kernel prints.
    pub fn maps(&self, pid: u32) -> Result<Vec<Mapping>, ProcError> {
        let text = self.read(pid, "maps", MAX_MAPS_BYTES)?;
        parse_maps(&text).map_err(|source| ProcError::Maps { pid, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "\
55d0a0000000-55d0a0066000 r--p 00000000 fe:01 1234                       /usr/lib/erlang/erts-13.1.5/bin/beam.smp
55d0a0066000-55d0a02f1000 r-xp 00066000 fe:01 1234                       /usr/lib/erlang/erts-13.1.5/bin/beam.smp (deleted)
7f0000000000-7f0000800000 r-xs 00000000 00:01 77                         /memfd:vmem (deleted)
7f0000800000-7f0000900000 rw-p 00000000 00:00 0 
7ffc00000000-7ffc00002000 r-xp 00000000 00:00 0                          [vdso]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
";

    #[test]
    fn parses_what_the_kernel_prints() {
        let maps = parse_maps(TEXT.as_bytes()).unwrap();
        assert_eq!(maps.len(), 6);
        assert_eq!(maps[1].start, 0x55d0_a006_6000);
        assert_eq!(maps[1].file_offset, 0x66000);
        assert_eq!(maps[1].device, (0xfe, 1));
        assert_eq!(maps[1].inode, 1234);
        assert!(maps[1].is_deleted() && maps[1].is_file());
        assert_eq!(maps[1].file_name(), "beam.smp");
        assert_eq!(maps[2].permissions.to_string(), "r-xs");
        assert_eq!(maps[3].path, "");
        assert_eq!(maps[4].file_name(), "[vdso]");
        assert!(!maps[4].is_file());
        assert_eq!(maps[5].end, 0xffff_ffff_ff60_1000);
    }

    #[test]
    fn finds_the_mapping_of_an_address() {
        let maps = parse_maps(TEXT.as_bytes()).unwrap();
        assert_eq!(mapping_at(&maps, 0x55d0_a006_6000), Some(&maps[1]));
        assert_eq!(mapping_at(&maps, 0x55d0_a006_5fff), Some(&maps[0]));
        assert_eq!(mapping_at(&maps, 0x55d0_a02f_1000), None);
        assert_eq!(mapping_at(&maps, 0), None);
        assert_eq!(mapping_at(&maps, u64::MAX), None);
    }

    #[test]
    fn names_the_line_that_is_wrong() {
        let bad = |text: &str| parse_maps(text.as_bytes()).unwrap_err();
        let line = |line, what| MapsError::BadLine { line, what };
        assert_eq!(bad("\n1-2 r--p 0 0:0"), line(2, "inode"));
        assert_eq!(bad("2-1 r--p 0 0:0 0"), line(1, "address range"));
        assert_eq!(bad("+1-2 r--p 0 0:0 0"), line(1, "start address"));
        assert_eq!(bad("1-2 r-wp 0 0:0 0"), line(1, "permissions"));
        assert_eq!(
            bad("1-3 r--p 0 0:0 0\n2-4 r--p 0 0:0 0"),
            MapsError::OutOfOrder { line: 2 }
        );
    }

    #[test]
    fn reads_its_own_process() {
        let maps = ProcFs::live().maps(std::process::id()).unwrap();
        let here = reads_its_own_process as fn() as usize as u64;
        assert!(mapping_at(&maps, here).unwrap().permissions.exec);
        assert!(maps.iter().any(|mapping| mapping.path == "[stack]"));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in proptest::collection::vec(any::<u8>(), 0..512)) {
            let _ = parse_maps(&text);
        }

        #[test]
        fn damaged_lines_never_panic(at in 0..TEXT.len(), byte in any::<u8>()) {
            let mut text = TEXT.as_bytes().to_vec();
            text[at] = byte;
            if let Ok(maps) = parse_maps(&text) {
                prop_assert!(maps.iter().all(|mapping| mapping.start < mapping.end));
                prop_assert!(maps.windows(2).all(|pair| pair[0].end <= pair[1].start));
            }
        }

        #[test]
        fn what_is_printed_is_read_back(
            start in 0..u64::MAX - 1, length in 1..0x1000_0000_u64, bits in 0..16_u8,
            file_offset in any::<u64>(), device in any::<(u32, u32)>(), inode in any::<u64>(),
            path in "(/[a-z ]{0,20}[a-z]|\\[[a-z]{1,8}\\]|)",
        ) {
            let permissions = Permissions {
                read: bits & 1 != 0, write: bits & 2 != 0, exec: bits & 4 != 0, shared: bits & 8 != 0,
            };
            let end = start.saturating_add(length);
            let (major, minor) = device;
            let line = format!(
                "{start:x}-{end:x} {permissions} {file_offset:08x} {major:02x}:{minor:02x} {inode}      {path}\n"
            );
            let expected = Mapping { start, end, permissions, file_offset, device, inode, path };
            prop_assert_eq!(parse_maps(line.as_bytes()).unwrap(), vec![expected]);
        }
    }
}
