use std::cell::Cell;

use proptest::prelude::*;
use target_memory::{ByteBudget, ReadError, SnapshotMemory, u64_at};

use super::*;

const AT: u64 = 0x10_0000;
const EACH: u64 = 24;
const LIMITS: ChainLimits = ChainLimits {
    elements: 1 << 20,
    rounds: 1 << 20,
};

const ELEMENT: Element = Element {
    len_bytes: 24,
    least_bytes: 16,
};

/// Memory that counts how often it is read.
struct Counted(SnapshotMemory, Cell<usize>);

impl TargetMemory for Counted {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.0.read(address, buffer)
    }

    fn budget(&self) -> &ByteBudget {
        self.0.budget()
    }

    fn read_many(&self, ranges: &[Range], buffer: &mut [u8]) -> Result<(), ReadError> {
        self.1.set(self.1.get() + 1);
        self.0.read_many(ranges, buffer)
    }
}

const fn at(element: u64) -> u64 {
    AT + element * EACH
}

/// Elements by which one comes next; each has its number.
fn memory(next: &[u64]) -> Counted {
    let words: Vec<u64> = next
        .iter()
        .enumerate()
        .flat_map(|(number, next)| [*next, number as u64, 0])
        .collect();
    let mut memory = SnapshotMemory::new();
    memory.map_words(AT, &words);
    Counted(memory, Cell::new(0))
}

/// The visited elements of each list, and the lists that have no end.
fn visited(
    memory: &Counted,
    firsts: &[u64],
    mut limits: ChainLimits,
) -> (Vec<Vec<u64>>, Vec<usize>) {
    let chains = firsts.iter().enumerate();
    let chains = chains
        .map(|(owner, first)| Chain::new(owner, *first))
        .collect();
    let mut seen = vec![Vec::new(); firsts.len()];
    let unfinished = walk(memory, chains, ELEMENT, &mut limits, |owner, _, element| {
        seen[owner].push(u64_at(element, 8)?);
        u64_at(element, 0)
    });
    (seen, unfinished)
}

#[test]
fn lists_are_followed_to_their_ends_and_do_not_mix() {
    let memory = memory(&[at(2), at(3), at(4), 0, 0, 0]);
    let (seen, unfinished) = visited(&memory, &[at(0), at(1), 0, at(5)], LIMITS);
    assert_eq!(seen, [vec![0, 2, 4], vec![1, 3], vec![], vec![5]]);
    assert_eq!(unfinished, [0; 0]);
}

#[test]
fn what_lies_close_together_takes_few_reads_in_either_direction() {
    let mut rising: Vec<u64> = (1..=100_000).map(at).collect();
    rising[99_999] = 0;
    let mut falling: Vec<u64> = (0..100_000_u64).map(|it| at(it.max(1) - 1)).collect();
    falling[0] = 0;
    for (next, first) in [(rising, at(0)), (falling, at(99_999))] {
        let memory = memory(&next);
        let (seen, unfinished) = visited(&memory, &[first], LIMITS);
        assert_eq!((seen[0].len(), unfinished.len()), (100_000, 0));
        assert!(memory.1.get() < 300, "{} reads", memory.1.get());
    }
}

#[test]
fn a_list_without_an_end_and_one_that_leads_nowhere_are_unfinished() {
    for back_to in [0, 1, 50, 98, 99] {
        let mut next: Vec<u64> = (1..=100).map(at).collect();
        next[99] = at(back_to);
        let (seen, unfinished) = visited(&memory(&next), &[at(0)], LIMITS);
        assert_eq!(unfinished, [0], "{back_to}");
        assert!(seen[0].len() <= 400, "{}", seen[0].len());
    }
    let memory = memory(&[0x66_0000, at(2), u64::MAX - 3]);
    assert_eq!(visited(&memory, &[at(0), at(1)], LIMITS).1.len(), 2);
}

#[test]
fn what_is_beyond_the_limits_is_unfinished() {
    let mut next: Vec<u64> = (1..=1000).map(at).collect();
    next[999] = 0;
    let memory = memory(&next);
    let limits = |elements, rounds| ChainLimits { elements, rounds };
    assert_eq!(visited(&memory, &[at(0)], limits(1000, 1000)).1, [0; 0]);
    let (seen, unfinished) = visited(&memory, &[at(0)], limits(999, 1000));
    assert_eq!((seen[0].len(), unfinished), (999, vec![0]));
    assert_eq!(visited(&memory, &[at(0), at(5)], limits(1000, 1)).1, [0, 1]);
}

proptest! {
    #[test]
    fn garbage_is_followed_to_an_end(next in prop::collection::vec(0u64..40, 1..32), first in any::<[u8; 3]>()) {
        let next: Vec<u64> = next.iter().map(|it| at(*it)).collect();
        let firsts = first.map(|it| at(u64::from(it) % 33));
        let limits = ChainLimits { elements: 5000, rounds: 5000 };
        let (seen, _) = visited(&memory(&next), &firsts, limits);
        prop_assert!(seen.iter().map(Vec::len).sum::<usize>() <= 5000);
    }
}

#[test]
fn a_short_element_at_the_end_of_what_is_mapped_does_not_end_its_list() {
    let mut memory = SnapshotMemory::new();
    let (low, high) = (AT, AT + 0x10_0000);
    // It has two words, and nothing behind them.
    memory.map_words(high, &[low, 1]);
    memory.map_words(low, &[0, 2, 7]);
    let memory = Counted(memory, Cell::new(0));
    let (seen, unfinished) = visited(&memory, &[high], LIMITS);
    assert_eq!(seen, [vec![1, 2]]);
    assert_eq!(unfinished, [0; 0]);
}
