//! The resident memory of a process: `/proc/PID/smaps_rollup` and `/proc/PID/pagemap`, opened by a caller with
//! the permission.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use crate::proc_fs::ProcFs;

/// The kernel prints some thirty lines.
const MAX_TEXT_BYTES: u64 = 16 << 10;
const MAX_STATM_BYTES: u64 = 256;
/// The kernel's unit on all machines with VMs.
const PAGE_BYTES: u64 = 4096;
/// A word for each page.
const ENTRY_BYTES: u64 = 8;
/// Bytes of the answer that are read at a time.
const CHUNK_BYTES: usize = 64 << 10;
/// In the word of a page: it is in memory.
const IS_PRESENT: u64 = 1 << 63;
/// In the word of a page: it is mapped here and nowhere else. Memory that was read before it was written has the
/// kernel's one page of zeros instead, which is present and takes no memory.
const IS_OURS: u64 = 1 << 56;

/// The resident memory of a process, bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Resident {
    /// All of it, as `ps` shows it.
    pub rss_bytes: u64,
    /// Memory of no file: heaps, stacks, generated code.
    pub anonymous_bytes: u64,
    /// The part of it that the process has given back, and the kernel has not taken yet.
    pub lazily_freed_bytes: u64,
    /// Memory that is swapped out to disk.
    pub swapped_bytes: u64,
}

/// The current contents of an opened `statm`: resident bytes, including shared ones. `None` when the process
/// has ended.
pub fn resident_bytes(statm: &File) -> Option<u64> {
    let mut text = [0; 256];
    let length = statm.read_at(&mut text, 0).ok()?;
    resident_in(text.get(..length)?)
}

fn resident_in(statm: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(statm).ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    pages.checked_mul(PAGE_BYTES).filter(|bytes| *bytes > 0)
}

impl ProcFs {
    /// Resident bytes of a process, including shared ones; `None` when it has ended, or has no memory any more.
    #[must_use]
    pub fn resident_bytes(&self, pid: u32) -> Option<u64> {
        resident_in(&self.read(pid, "statm", MAX_STATM_BYTES).ok()?)
    }
}

impl Resident {
    /// Reads an opened `smaps_rollup`.
    ///
    /// # Errors
    /// The error of the kernel, or that the text is not valid.
    pub fn read(rollup: &File) -> io::Result<Self> {
        let mut text = String::new();
        rollup.take(MAX_TEXT_BYTES).read_to_string(&mut text)?;
        Self::parse(&text).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))
    }

    fn parse(text: &str) -> Option<Self> {
        let bytes = |name: &str| -> Option<u64> {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            let kilobytes: u64 = line?.trim().strip_suffix(" kB")?.parse().ok()?;
            kilobytes.checked_mul(1024)
        };
        Some(Self {
            rss_bytes: bytes("Rss")?,
            anonymous_bytes: bytes("Anonymous")?,
            // Kernels before 4.12 do not free lazily.
            lazily_freed_bytes: bytes("LazyFree").unwrap_or(0),
            swapped_bytes: bytes("Swap").unwrap_or(0),
        })
    }
}

/// In the word of a page: it permits no access, though its mapping does (Linux 6.15). C libraries since glibc
/// 2.42 guard stacks of threads this way.
const IS_GUARD: u64 = 1 << 58;

/// Which pages of a process count as its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// Of private memory: pages of its own. A page that was forked and not written to since belongs to no
    /// process alone.
    Private,
    /// Of memory that is mapped more than once: present pages.
    Shared,
}

impl Pages {
    fn is_resident(self, entry: u64) -> bool {
        let wanted = match self {
            Self::Private => IS_PRESENT | IS_OURS,
            Self::Shared => IS_PRESENT,
        };
        entry & wanted == wanted
    }
}

/// How many bytes of the ranges (start and length) are in memory, by an opened `pagemap`; `None` when they
/// are more than `most_bytes` or the kernel does not report it. A page of several ranges counts in each.
pub fn resident_of_ranges(
    pagemap: &File,
    ranges: &[(u64, u64)],
    pages: Pages,
    most_bytes: u64,
) -> Option<u64> {
    let mut resident = 0_u64;
    each_page(pagemap, ranges, most_bytes, |bytes, entry| {
        if pages.is_resident(entry) {
            resident = resident.saturating_add(bytes.end - bytes.start);
        }
    })?;
    Some(resident)
}

/// Where guards within the ranges end, by an opened `pagemap`; `None` as above. Before Linux 6.15 there are none to
/// be seen.
pub fn ends_of_guards(pagemap: &File, ranges: &[(u64, u64)], most_bytes: u64) -> Option<Vec<u64>> {
    let mut ends: Vec<u64> = Vec::new();
    each_page(pagemap, ranges, most_bytes, |bytes, entry| {
        if entry & IS_GUARD != 0 {
            match ends.last_mut() {
                Some(end) if *end == bytes.start => *end = bytes.end,
                _ => ends.push(bytes.end),
            }
        }
    })?;
    Some(ends)
}

/// Calls `seen` with the bytes of each page that are in the range, and the page's word.
fn each_page(
    pagemap: &File,
    ranges: &[(u64, u64)],
    most_bytes: u64,
    mut seen: impl FnMut(Range<u64>, u64),
) -> Option<()> {
    let lengths = ranges.iter().map(|(_, length)| *length);
    if lengths.fold(0, u64::saturating_add) > most_bytes {
        return None;
    }
    let mut chunk = vec![0; CHUNK_BYTES];
    for (start, length) in ranges {
        let end = start.checked_add(*length)?;
        let mut page = start / PAGE_BYTES;
        while page < end.div_ceil(PAGE_BYTES) {
            let count = (end.div_ceil(PAGE_BYTES) - page).min(CHUNK_BYTES as u64 / ENTRY_BYTES);
            let wanted = chunk.get_mut(..(count * ENTRY_BYTES) as usize)?;
            pagemap
                .read_exact_at(wanted, page.checked_mul(ENTRY_BYTES)?)
                .ok()?;
            for (index, entry) in (0..).zip(wanted.chunks_exact(ENTRY_BYTES as usize)) {
                let entry = u64::from_le_bytes(entry.try_into().ok()?);
                let first = (page + index) * PAGE_BYTES;
                // The parts of the first and the last page that are in the range.
                let last = first.saturating_add(PAGE_BYTES).min(end);
                seen(first.max(*start)..last, entry);
            }
            page += count;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_text_is_read_and_another_is_refused() {
        let text = "5577-7ffe ---p 00000000 00:00 0    [rollup]\nRss:              119500 kB\nPss_Anon: 1 kB\n\
                    Anonymous:         98304 kB\nLazyFree:            512 kB\nSwap:                  4 kB\nSwapPss: 9 kB\n";
        let resident = Resident {
            rss_bytes: 119_500 << 10,
            anonymous_bytes: 98_304 << 10,
            lazily_freed_bytes: 512 << 10,
            swapped_bytes: 4 << 10,
        };
        assert_eq!(Resident::parse(text), Some(resident));
        for strange in [
            "",
            "Rss: 1 kB\n",
            "Rss: x kB\nAnonymous: 1 kB\n",
            "Rss: 1 MB\nAnonymous: 1 kB\n",
            "Rss: 99999999999999999999 kB\nAnonymous: 1 kB\n",
        ] {
            assert_eq!(Resident::parse(strange), None, "{strange:?}");
        }
    }

    #[test]
    fn of_our_own_memory_what_was_touched_is_there() {
        let pagemap = File::open("/proc/self/pagemap").unwrap();
        let touched = vec![7_u8; 1 << 20];
        let range = (touched.as_ptr() as u64, touched.len() as u64);
        assert_eq!(
            resident_of_ranges(&pagemap, &[range], Pages::Private, 1 << 20),
            Some(1 << 20)
        );
        assert_eq!(
            resident_of_ranges(&pagemap, &[range], Pages::Private, (1 << 20) - 1),
            None,
            "too much"
        );
        assert_eq!(
            resident_of_ranges(&pagemap, &[(8, u64::MAX)], Pages::Private, u64::MAX),
            None
        );
        let only_read = vec![0_u8; 4 << 20];
        assert!(
            std::hint::black_box(&only_read)
                .iter()
                .all(|byte| *byte == 0)
        );
        let range = (only_read.as_ptr() as u64 + PAGE_BYTES, 2 << 20);
        let resident = |pages| resident_of_ranges(&pagemap, &[range], pages, 2 << 20);
        assert_eq!(resident(Pages::Private), Some(0), "the kernel's zeros");
        assert_eq!(resident(Pages::Shared), Some(2 << 20));
        let all = Resident::read(&File::open("/proc/self/smaps_rollup").unwrap()).unwrap();
        assert!(
            all.anonymous_bytes >= 1 << 20 && all.rss_bytes >= all.anonymous_bytes,
            "{all:?}"
        );
    }
}
