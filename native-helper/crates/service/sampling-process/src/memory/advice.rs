//! Advice from the figures, if there is any. The only place that judges: the command line and the
//! editor only word it.

use protocol::memory::{AllocatorMemory, MemoryAdvice, MemoryAdviceCode};

/// Less than this lost is not worth a flag.
const WORTH_BYTES: u64 = 64 << 20;
/// The share of resident memory outside of blocks that is not in one piece.
const FRAGMENTED: f64 = 0.5;

/// The letter of an allocator in the emulator's flags; none where they would not help.
const LETTERS: [(&str, char); 7] = [
    ("binary_alloc", 'B'),
    ("eheap_alloc", 'H'),
    ("ets_alloc", 'E'),
    ("std_alloc", 'D'),
    ("ll_alloc", 'L'),
    ("driver_alloc", 'R'),
    ("sl_alloc", 'S'),
];

/// About the allocator that loses most: more than it uses, in pieces.
pub(super) fn advice(allocators: &[AllocatorMemory]) -> Option<MemoryAdvice> {
    let losing = allocators.iter().filter_map(|row| {
        let letter = LETTERS.iter().find(|(name, _)| *name == row.name)?.1;
        let lost = row.resident_bytes?.checked_sub(row.blocks_bytes)?;
        let is_losing =
            lost >= WORTH_BYTES && lost > row.blocks_bytes && row.fragmentation? >= FRAGMENTED;
        is_losing.then_some((lost, letter, row))
    });
    let (lost_bytes, letter, row) = losing.max_by_key(|(lost, _, _)| *lost)?;
    Some(MemoryAdvice {
        code: MemoryAdviceCode::Fragmented,
        allocator: row.name.clone(),
        lost_bytes,
        blocks_bytes: row.blocks_bytes,
        flag: format!("+M{letter}lmbcs 512"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, resident: u64, blocks: u64, fragmentation: f64) -> AllocatorMemory {
        AllocatorMemory {
            name: name.to_owned(),
            resident_bytes: Some(resident << 20),
            blocks_bytes: blocks << 20,
            fragmentation: Some(fragmentation),
            ..AllocatorMemory::default()
        }
    }

    #[test]
    fn the_one_that_loses_most_is_named_with_its_flag() {
        let lines = advice(&[
            row("eheap_alloc", 200, 90, 0.9),
            row("binary_alloc", 300, 20, 0.9),
            row("literal_alloc", 900, 1, 0.9),
        ]);
        assert_eq!(
            lines,
            Some(MemoryAdvice {
                code: MemoryAdviceCode::Fragmented,
                allocator: "binary_alloc".to_owned(),
                lost_bytes: 280 << 20,
                blocks_bytes: 20 << 20,
                flag: "+MBlmbcs 512".to_owned(),
            })
        );
    }

    #[test]
    fn there_is_no_advice_where_the_numbers_do_not_suggest_it() {
        let quiet = [
            row("binary_alloc", 60, 1, 0.9),
            row("eheap_alloc", 900, 800, 0.9),
            row("ets_alloc", 900, 100, 0.1),
        ];
        assert_eq!(advice(&quiet), None);
        let unknown = AllocatorMemory {
            resident_bytes: None,
            ..row("binary_alloc", 900, 1, 0.9)
        };
        assert_eq!(advice(&[unknown]), None);
    }
}
