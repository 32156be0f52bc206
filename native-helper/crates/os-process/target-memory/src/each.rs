//! Many ranges of which some may not be there: structures that were freed between two reads.

use crate::{Range, TargetMemory};

/// Reads each of `ranges` with as few system calls as possible; `None` where one cannot be read. A bad
/// address costs one more call, not the others.
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
        read_all(memory, &ranges[..count], vec![0; read_bytes], &mut found);
    }
    found.resize(ranges.len(), None);
    found
}

/// The same of the ranges that begin somewhere: nothing is at address 0, so those there are not requested.
pub fn read_each_not_null(
    memory: &impl TargetMemory,
    ranges: &[Range],
    max_bytes: usize,
) -> Vec<Option<Vec<u8>>> {
    let asked: Vec<Range> = ranges
        .iter()
        .copied()
        .filter(|range| range.address != 0)
        .collect();
    let mut found = read_each(memory, &asked, max_bytes).into_iter();
    let each = ranges.iter().map(|range| match range.address {
        0 => None,
        _ => found.next().flatten(),
    });
    each.collect()
}

fn read_all(
    memory: &impl TargetMemory,
    mut ranges: &[Range],
    mut bytes: Vec<u8>,
    found: &mut Vec<Option<Vec<u8>>>,
) {
    let mut rest = &mut *bytes;
    while !ranges.is_empty() {
        let count = memory.read_leading(ranges, rest);
        let (read, others) = ranges.split_at(count);
        let mut part_of = |range: &Range| {
            let (part, tail) = std::mem::take(&mut rest).split_at_mut(range.len_bytes);
            rest = tail;
            part.to_vec()
        };
        found.extend(read.iter().map(|range| Some(part_of(range))));
        let Some((missing, others)) = others.split_first() else {
            return;
        };
        part_of(missing);
        found.push(None);
        ranges = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LiveMemory, SnapshotMemory};

    #[test]
    fn a_bad_address_costs_one_call() {
        let memory = LiveMemory::new(std::process::id());
        let words = [1u64, 2, 3];
        let good = Range {
            address: words.as_ptr() as u64,
            len_bytes: 24,
        };
        let bad = Range {
            address: 0,
            len_bytes: 24,
        };
        let mut bytes = [0; 24 * 600];
        let mut ranges = vec![good; 600];
        assert_eq!(memory.read_leading(&ranges, &mut bytes), 600);
        assert_eq!(bytes[24 * 599 + 16], 3);
        // More than one call takes.
        ranges[550] = bad;
        assert_eq!(memory.read_leading(&ranges, &mut bytes), 550);
        ranges[0] = bad;
        assert_eq!(memory.read_leading(&ranges, &mut bytes), 0);
        let found = read_each(&memory, &ranges, bytes.len());
        let missing: Vec<usize> = (0..600).filter(|at| found[*at].is_none()).collect();
        assert_eq!(missing, [0, 550]);
        assert_eq!(found[1].as_deref().map(|bytes| bytes[8]), Some(2));
    }

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
