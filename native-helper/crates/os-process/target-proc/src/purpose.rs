//! The use of memory for which no file gives it, as far as mappings and their neighbours show it.

use std::collections::BTreeSet;

use shared_sort::SharedSort;

use crate::maps::{Mapping, mapping_at};

/// A range of addresses: start and length, bytes.
pub type Range = (u64, u64);

/// glibc begins each further heap of `malloc` at a multiple of this, and reserves as much for it.
const ARENA_BYTES: u64 = 64 << 20;
const PAGE_BYTES: u64 = 4096;
/// The head of such a heap, which the first one's arena follows, is no longer.
const MAX_HEAD_BYTES: u64 = 128;
/// Places of such heaps that are looked at: for 512 GiB of memory.
const MOST_HEADS: usize = 8192;

/// Memory that a stack of a thread may be in.
#[must_use]
pub fn private_memory(mappings: &[Mapping]) -> Vec<Range> {
    let ours = mappings.iter().filter(|it| is_ours_to_write(it));
    ours.map(range).collect()
}

/// Stacks of threads, the main one's among them: each lies right behind a page without any access, so that a
/// stack overflow is noticed. Such a page is a mapping of its own, or one of those that end at `ends_of_guards`.
///
/// `None` when there are fewer of these than `threads`: then not all are made in the way that is known here. There
/// may be more, as the C library keeps stacks of threads that have ended. Other memory mapped right behind a stack
/// is in its range: carriers are taken out by [`without`].
#[must_use]
pub fn thread_stacks(
    mappings: &[Mapping],
    ends_of_guards: &[u64],
    threads: u32,
) -> Option<Vec<Range>> {
    let behind_guard = mappings.windows(2).filter_map(|pair| {
        let [guard, stack] = pair else { return None };
        let is_guard = is_reserved(guard) && guard.len() == PAGE_BYTES;
        (is_guard && guard.end == stack.start).then_some(stack.start)
    });
    let mut starts: Vec<u64> = behind_guard.chain(ends_of_guards.iter().copied()).collect();
    starts.shared_sort();
    starts.dedup();
    let others = starts.iter().enumerate().filter_map(|(index, start)| {
        let mapping = mapping_at(mappings, *start).filter(|it| is_ours_to_write(it))?;
        let next = starts.get(index + 1).copied();
        let end = next.map_or(mapping.end, |next| next.min(mapping.end));
        Some((*start, end - start))
    });
    let main = mappings.iter().filter(|it| it.path == "[stack]");
    let stacks: Vec<Range> = others.chain(main.map(range)).collect();
    (stacks.len() >= usize::try_from(threads).ok()?).then_some(stacks)
}

/// Heaps of the C library's `malloc`: the memory that the program's break has moved over, and the heaps of threads
/// (glibc). Blocks so large that they have a mapping of their own are not among them.
///
/// A heap that has room left is followed by the rest that is reserved for it. One that is full may be in one mapping
/// with the next: it is known by its head, `words_at` an address, of which at most [`MOST_HEADS`] are read.
#[must_use]
pub fn malloc_heaps(
    mappings: &[Mapping],
    words_at: impl Fn(u64) -> Option<[u64; 3]>,
) -> Vec<Range> {
    let of_break = mappings.iter().filter(|it| it.path == "[heap]");
    let mut heaps: Vec<Range> = of_break.map(range).collect();
    let mut heads = 0;
    for (index, used) in mappings.iter().enumerate() {
        if !is_ours_to_write(used) {
            continue;
        }
        let rest = mappings.get(index + 1).filter(|it| is_reserved(it));
        let rest = rest.filter(|rest| rest.start == used.end);
        let mut start = used.start.next_multiple_of(ARENA_BYTES);
        while start < used.end && heads < MOST_HEADS {
            heads += 1;
            let end = start.saturating_add(ARENA_BYTES);
            let has_rest = used.end < end && rest.is_some_and(|rest| rest.end == end);
            if has_rest || words_at(start).is_some_and(|words| is_head(start, words)) {
                heaps.push((start, used.end.min(end) - start));
            }
            start = end;
        }
    }
    heaps
}

/// Whether these are the first words of a heap of a thread (glibc): its arena, which lies behind the head of such a
/// heap, the heap before it of that arena, if any, and its length.
fn is_head(start: u64, [arena, before, length]: [u64; 3]) -> bool {
    let in_heap = arena % ARENA_BYTES;
    let is_first = arena - in_heap == start;
    arena > ARENA_BYTES
        && (3 * 8..=MAX_HEAD_BYTES).contains(&in_heap)
        && before.is_multiple_of(ARENA_BYTES)
        && before != start
        && is_first == (before == 0)
        && (PAGE_BYTES..=ARENA_BYTES).contains(&length)
        && length.is_multiple_of(PAGE_BYTES)
}

/// The mappings that hold one of the addresses, and those of the same memory: code that was made is mapped once
/// to be written and once to be run.
#[must_use]
pub fn mappings_of(mappings: &[Mapping], addresses: impl Iterator<Item = u64>) -> Vec<Range> {
    let (mut starts, mut memories) = (BTreeSet::new(), BTreeSet::new());
    for mapping in addresses.filter_map(|address| mapping_at(mappings, address)) {
        starts.insert(mapping.start);
        // Without an inode it has no name by which another mapping of it could be known.
        memories.extend((mapping.inode != 0).then_some((mapping.device, mapping.inode)));
    }
    let is_one =
        |it: &&Mapping| starts.contains(&it.start) || memories.contains(&(it.device, it.inode));
    mappings.iter().filter(is_one).map(range).collect()
}

/// The parts of `ranges` that are in none of `others`; neither overlap among themselves.
#[must_use]
pub fn without(ranges: &[Range], others: &[Range]) -> Vec<Range> {
    let mut others: Vec<Range> = others.to_vec();
    others.shared_sort();
    let mut left = Vec::new();
    for (start, length) in ranges {
        let end = start.saturating_add(*length);
        let mut at = *start;
        let first = others.partition_point(|(other, bytes)| other.saturating_add(*bytes) <= at);
        for (other, bytes) in others.iter().skip(first) {
            if *other >= end {
                break;
            }
            if *other > at {
                left.push((at, other - at));
            }
            at = at.max(other.saturating_add(*bytes));
        }
        if at < end {
            left.push((at, end - at));
        }
    }
    left
}

fn range(mapping: &Mapping) -> Range {
    (mapping.start, mapping.len())
}

/// Anonymous memory that nothing may be done with.
fn is_reserved(mapping: &Mapping) -> bool {
    let permissions = mapping.permissions;
    mapping.path.is_empty()
        && !(permissions.read || permissions.write || permissions.exec || permissions.shared)
}

/// Private anonymous memory to read and write.
fn is_ours_to_write(mapping: &Mapping) -> bool {
    let permissions = mapping.permissions;
    mapping.path.is_empty() && permissions.read && permissions.write && !permissions.shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps::parse_maps;
    use proptest::prelude::*;

    /// Three threads: a stack that runs into a carrier, one that is followed by another guard; two heaps, one of
    /// them a thread's; code mapped twice; memory reserved for carriers.
    const TEXT: &str = "\
55f4e599c000-55f4e5c00000 rw-p 00000000 00:00 0 [heap]
7f9d0c000000-7f9d0c260000 rw-p 00000000 00:00 0 
7f9d0c260000-7f9d10000000 ---p 00000000 00:00 0 
7f9d16ef6000-7f9d16ef7000 ---p 00000000 00:00 0 
7f9d16ef7000-7f9d16ff9000 rw-p 00000000 00:00 0 
7f9d16ff9000-7f9d16ffa000 ---p 00000000 00:00 0 
7f9d16ffa000-7f9d171fc000 rw-p 00000000 00:00 0 
7f9d171ff000-7f9d179ff000 rw-s 00000000 00:01 77 /memfd:vmem (deleted)
7f9d179ff000-7f9d181ff000 r-xs 00000000 00:01 77 /memfd:vmem (deleted)
7f9d19758000-7f9d19d10000 rw-p 00000000 00:00 0 
7f9d19d10000-7f9d59c00000 ---p 00000000 00:00 0 
7ffc68fef000-7ffc69010000 rw-p 00000000 00:00 0 [stack]
";

    #[test]
    fn stacks_lie_behind_a_guard_and_there_is_one_for_each_thread() {
        let maps = parse_maps(TEXT.as_bytes()).unwrap();
        let stacks = thread_stacks(&maps, &[], 3).unwrap();
        let starts: Vec<u64> = stacks.iter().map(|(start, _)| *start).collect();
        assert_eq!(
            starts,
            [0x7f9d_16ef_7000, 0x7f9d_16ff_a000, 0x7ffc_68fe_f000]
        );
        assert_eq!(thread_stacks(&maps, &[], 4), None, "one is nowhere");
        assert!(thread_stacks(&maps, &[], 2).is_some(), "a thread has ended");
        let guards = [0x7f9d_1980_0000, 0x7f9d_1990_0000, 0x7f9d_19d1_0000];
        let hidden = thread_stacks(&maps, &guards, 5).unwrap();
        assert!(
            hidden.contains(&(0x7f9d_1980_0000, 0x10_0000)),
            "{hidden:x?}"
        );
        assert!(
            hidden.contains(&(0x7f9d_1990_0000, 0x41_0000)),
            "{hidden:x?}"
        );
        assert_eq!(hidden.len(), 5, "what nobody may write to is no stack");
        let carrier = (0x7f9d_170f_c000, 0x10_0000);
        let left = without(&stacks, &[carrier]);
        assert!(left.contains(&(0x7f9d_16ff_a000, 0x10_2000)), "{left:x?}");
    }

    #[test]
    fn heaps_of_malloc_are_the_break_and_what_fills_an_arena() {
        let maps = parse_maps(TEXT.as_bytes()).unwrap();
        let heaps = [(0x55f4_e599_c000, 0x26_4000), (0x7f9d_0c00_0000, 0x26_0000)];
        assert_eq!(malloc_heaps(&maps, |_| None), heaps);
    }

    #[test]
    fn heaps_of_malloc_that_are_full_are_known_by_their_heads() {
        // Two full ones and the one in use in one mapping, and as much memory of something else.
        let text = "\
7f9d04000000-7f9d0c260000 rw-p 00000000 00:00 0 
7f9d0c260000-7f9d10000000 ---p 00000000 00:00 0 
7f9d14000000-7f9d1c000000 rw-p 00000000 00:00 0 
";
        let maps = parse_maps(text.as_bytes()).unwrap();
        let words = |address| match address {
            0x7f9d_0400_0000 => Some([0x7f9d_0400_0030, 0, 64 << 20]),
            0x7f9d_0800_0000 => Some([0x7f9d_0400_0030, 0x7f9d_0400_0000, 64 << 20]),
            0x7f9d_1400_0000 => Some([0x7f9d_1400_0010, 0, 64 << 20]),
            0x7f9d_1800_0000 => Some([0x7f9d_1400_0030, 0x7f9d_1800_0000, 64 << 20]),
            _ => None,
        };
        let heaps = [
            (0x7f9d_0400_0000, 64 << 20),
            (0x7f9d_0800_0000, 64 << 20),
            (0x7f9d_0c00_0000, 0x26_0000),
        ];
        assert_eq!(malloc_heaps(&maps, words), heaps);
        assert_eq!(malloc_heaps(&maps, |_| None), heaps[2..]);
    }

    #[test]
    fn code_is_in_both_mappings_of_its_memory() {
        let maps = parse_maps(TEXT.as_bytes()).unwrap();
        let both = [(0x7f9d_171f_f000, 0x80_0000), (0x7f9d_179f_f000, 0x80_0000)];
        let code = [0x7f9d_179f_f010, 0x7f9d_17a0_0000, 8];
        assert_eq!(mappings_of(&maps, code.into_iter()), both);
        let anonymous = mappings_of(&maps, [0x7f9d_1975_8000].into_iter());
        assert_eq!(anonymous, [(0x7f9d_1975_8000, 0x5b_8000)]);
        assert_eq!(mappings_of(&maps, [0].into_iter()), []);
    }

    proptest! {
        #[test]
        fn what_is_left_is_what_no_other_has(cuts in prop::collection::vec((0_u64..64, 1_u64..16), 0..8)) {
            let mut others = Vec::new();
            let mut at = 0;
            for (gap, length) in cuts {
                others.push((at + gap, length));
                at += gap + length;
            }
            let ranges = [(3, 20), (40, 1), (64, 100)];
            let has = |ranges: &[Range], address: u64| ranges.iter().any(|(start, length)| (*start..start + length).contains(&address));
            let left = without(&ranges, &others);
            for address in 0..400 {
                prop_assert_eq!(has(&left, address), has(&ranges, address) && !has(&others, address));
            }
        }
    }
}
