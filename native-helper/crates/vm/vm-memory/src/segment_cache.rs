//! Segments that the VM has freed and keeps: `mseg_alloc` gives large pieces of memory back to the operating system
//! late, and hands them out again until then. They are in no carrier.
//!
//! It notes each in a node of four words: its address and its length, in whichever order, the next node and the one
//! before. The nodes lie in memory that it had of `malloc` when the VM began, so near the start of the program's
//! break. A node counts when its neighbours point back at it and its segment is whole pages of memory that may be one.

use std::collections::BTreeMap;

/// Bytes of the program's break that are looked through, from its start on.
pub const MOST_NODE_BYTES: usize = 4 << 20;
/// Words of a node.
const NODE_WORDS: usize = 4;
const NEXT: usize = 2;
const PREVIOUS: usize = 3;
const PAGE_BYTES: u64 = 4096;
/// The VM keeps no shorter one.
const SHORTEST_BYTES: u64 = 64 << 10;
const LONGEST_BYTES: u64 = 1 << 40;

/// The segments that are kept, by the `words` of memory from `start` on: address and length, bytes; none overlaps
/// another. `may_be` returns whether a range is memory of the VM that is in no carrier.
pub fn cached_segments(
    words: &[u64],
    start: u64,
    may_be: impl Fn(u64, u64) -> bool,
) -> Vec<(u64, u64)> {
    let at = |address: u64| -> Option<&[u64]> {
        let distance = address.checked_sub(start)?;
        let index = usize::try_from(distance / 8).ok()?;
        let node = words.get(index..index.checked_add(NODE_WORDS)?)?;
        distance.is_multiple_of(8).then_some(node)
    };
    let mut found: BTreeMap<u64, u64> = BTreeMap::new();
    for (index, node) in words.windows(NODE_WORDS).enumerate() {
        let Some((address, bytes)) = segment(node).filter(|(at, bytes)| may_be(*at, *bytes)) else {
            continue;
        };
        let own = start.wrapping_add(index as u64 * 8);
        let is_between = at(node[NEXT]).is_some_and(|next| next[PREVIOUS] == own)
            && at(node[PREVIOUS]).is_some_and(|previous| previous[NEXT] == own);
        if is_between {
            found.insert(address, bytes);
        }
    }
    let mut end = 0;
    found.retain(|address, bytes| {
        let is_behind = *address >= end;
        end = end.max(address.saturating_add(*bytes));
        is_behind
    });
    found.into_iter().collect()
}

/// Which of two words is an address and which a length.
fn segment(node: &[u64]) -> Option<(u64, u64)> {
    let (first, second) = (node[0], node[1]);
    let (bytes, address) = (first.min(second), first.max(second));
    let is_whole = address.is_multiple_of(PAGE_BYTES) && bytes.is_multiple_of(PAGE_BYTES);
    let is_one = is_whole && (SHORTEST_BYTES..LONGEST_BYTES).contains(&bytes);
    is_one.then_some((address, bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: u64 = 0x5555_0000_1000;
    const SEGMENT: u64 = 0x7f00_0010_0000;
    const BYTES: u64 = 256 << 10;

    fn node(index: u64) -> u64 {
        START + index * 32
    }

    /// A circle of a head and two nodes.
    fn circle() -> Vec<u64> {
        [
            [0, 0, node(1), node(2)],
            [BYTES, SEGMENT, node(2), node(0)],
            [SEGMENT + BYTES, BYTES * 2, node(0), node(1)],
        ]
        .concat()
    }

    #[test]
    fn nodes_whose_neighbours_know_them_are_segments() {
        let found = cached_segments(&circle(), START, |_, _| true);
        assert_eq!(found, [(SEGMENT, BYTES), (SEGMENT + BYTES, BYTES * 2)]);
    }

    #[test]
    fn whatever_else_lies_there_is_none() {
        let found = |change: fn(&mut Vec<u64>)| {
            let mut words = circle();
            change(&mut words);
            cached_segments(&words, START, |_, _| true).len()
        };
        assert_eq!(
            found(|words| words[6] = node(1)),
            0,
            "neither knows the other"
        );
        assert_eq!(found(|words| words[4] = BYTES + 1), 1, "no whole pages");
        assert_eq!(found(|words| words[4] = 4096), 1, "too short");
        assert_eq!(found(|words| words[8] = SEGMENT), 1, "two at one place");
        let in_carriers = cached_segments(&circle(), START, |_, _| false);
        assert_eq!(in_carriers, []);
    }

    proptest! {
        #[test]
        fn any_words_are_read(words in prop::collection::vec(any::<u64>(), 0..60), start: u64) {
            cached_segments(&words, start, |_, _| true);
        }
    }
}
