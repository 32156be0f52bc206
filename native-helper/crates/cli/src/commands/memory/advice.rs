//! What the numbers suggest, when they do.

use protocol::memory::AllocatorMemory;

use crate::table::megabytes;

/// Less than this lost is not worth a flag.
const WORTH_BYTES: u64 = 64 << 20;
/// Of what is in memory and in no block, the share that is not in one piece.
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
pub(super) fn advice(allocators: &[AllocatorMemory]) -> Vec<String> {
    let losing = allocators.iter().filter_map(|row| {
        let letter = LETTERS.iter().find(|(name, _)| *name == row.name)?.1;
        let resident = row.resident_bytes?;
        let lost = resident.checked_sub(row.blocks_bytes)?;
        let is_losing =
            lost >= WORTH_BYTES && lost > row.blocks_bytes && row.fragmentation? >= FRAGMENTED;
        is_losing.then_some((lost, letter, row))
    });
    let Some((lost, letter, row)) = losing.max_by_key(|(lost, _, _)| *lost) else {
        return Vec::new();
    };
    let (name, lost, blocks) = (&row.name, megabytes(lost), megabytes(row.blocks_bytes));
    vec![
        String::new(),
        format!(
            "{name} is fragmented: {lost} MB of its carriers are in memory and in no block, beside {blocks} MB that are."
        ),
        format!(
            "If that stays so: erl +M{letter}lmbcs 512 makes its carriers at most 512 KB long (5 MB by default), so that more of them"
        ),
        "become empty and are given back. Its trade: more calls of the operating system, and less room to share.".to_owned(),
    ]
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
        let text = advice(&[
            row("eheap_alloc", 200, 90, 0.9),
            row("binary_alloc", 300, 20, 0.9),
            row("literal_alloc", 900, 1, 0.9),
        ]);
        let text = text.join("\n");
        assert!(
            text.contains("binary_alloc is fragmented: 293.60 MB"),
            "{text}"
        );
        assert!(text.contains("+MBlmbcs 512"), "{text}");
    }

    #[test]
    fn nothing_is_said_where_the_numbers_do_not_suggest_it() {
        let quiet = [
            row("binary_alloc", 60, 1, 0.9),
            row("eheap_alloc", 900, 800, 0.9),
            row("ets_alloc", 900, 100, 0.1),
        ];
        assert!(advice(&quiet).is_empty());
        let unknown = AllocatorMemory {
            resident_bytes: None,
            ..row("binary_alloc", 900, 1, 0.9)
        };
        assert!(advice(&[unknown]).is_empty());
    }
}
