//! Many ranges of which some may not be there: structures that were freed between two reads.

use crate::{Range, TargetMemory};

/// Reads each of `ranges` with as few system calls as possible; `None` where one cannot be read. A bad
/// address costs a few more calls, not the others.
///
/// `max_bytes` is the most all of them may have: beyond it, ranges are not read.
pub fn read_each(
    memory: &impl TargetMemory,
    ranges: &[Range],
    max_bytes: usize,
) -> Vec<Option<Vec<u8>>> {
    let mut found = Vec::with_capacity(ranges.len());
    let mut left_bytes = max_bytes;
    let within = ranges.iter().take_while(|range| {
        let rest = left_bytes.checked_sub(range.len_bytes);
        left_bytes = rest.unwrap_or(0);
        rest.is_some()
    });
    let count = within.count();
    let read_bytes = max_bytes - left_bytes;
    if let Ok(_held) = memory.budget().hold("memory", read_bytes) {
        read_halves(memory, &ranges[..count], &mut found);
    }
    found.resize(ranges.len(), None);
    found
}

fn read_halves(memory: &impl TargetMemory, ranges: &[Range], found: &mut Vec<Option<Vec<u8>>>) {
    let total = ranges.iter().map(|range| range.len_bytes).sum();
    let mut bytes = vec![0; total];
    match memory.read_many(ranges, &mut bytes) {
        Ok(()) => {
            let mut rest = &*bytes;
            found.extend(ranges.iter().map(|range| {
                let (part, tail) = rest.split_at(range.len_bytes);
                rest = tail;
                Some(part.to_vec())
            }));
        }
        Err(_) if ranges.len() <= 1 => found.extend(ranges.iter().map(|_| None)),
        Err(_) => {
            let (first, second) = ranges.split_at(ranges.len() / 2);
            read_halves(memory, first, found);
            read_halves(memory, second, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SnapshotMemory;

    #[test]
    fn what_is_not_there_costs_only_itself() {
        let mut memory = SnapshotMemory::new();
        memory.map_words(0x1000, &[1, 2, 3, 4, 5]);
        let at = |address| Range {
            address,
            len_bytes: 8,
        };
        let ranges = [at(0x1000), at(0x9000), at(0x1010), at(0x1020), at(0x1028)];
        let word = |value: u64| Some(value.to_le_bytes().to_vec());
        assert_eq!(
            read_each(&memory, &ranges, 4096),
            [word(1), None, word(3), word(5), None]
        );
        assert_eq!(
            read_each(&memory, &ranges, 8)[1..],
            [None, None, None, None]
        );
        assert!(read_each(&memory, &[], 8).is_empty());
    }
}
