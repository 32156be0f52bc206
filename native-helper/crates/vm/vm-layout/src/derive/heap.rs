//! Where a process keeps the bounds of its heap.
//!
//! They never appear in JIT code, but follow from any process at rest: three of its words satisfy
//! `hend - heap == 8 * size`, and htop and stop lie between them.

/// Offsets of (heap, hend, size in words).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapFields {
    /// Process.heap.
    pub heap: usize,
    /// Process.hend.
    pub hend: usize,
    /// Process.heap_sz.
    pub heap_size_words: usize,
}

/// All triples that hold for every process given (as words from its first byte), with `htop` and
/// `stop` (byte offsets) between the bounds. One answer is proof, several are none.
pub fn heap_fields(processes: &[Vec<u64>], htop: usize, stop: usize) -> Vec<HeapFields> {
    let words = processes.iter().map(Vec::len).min().unwrap_or(0).min(128);
    let mut found = Vec::new();
    for heap in 0..words {
        for hend in 0..words {
            if heap == hend || !processes.iter().all(|p| bounds(p, heap, hend, htop, stop)) {
                continue;
            }
            for size in 0..words {
                let holds = |p: &Vec<u64>| {
                    p[size]
                        .checked_mul(8)
                        .is_some_and(|bytes| bytes == p[hend] - p[heap])
                };
                if size != heap && size != hend && processes.iter().all(holds) {
                    found.push(HeapFields {
                        heap: heap * 8,
                        hend: hend * 8,
                        heap_size_words: size * 8,
                    });
                }
            }
        }
    }
    found
}

fn bounds(process: &[u64], heap: usize, hend: usize, htop: usize, stop: usize) -> bool {
    let (Some(&htop), Some(&stop)) = (process.get(htop / 8), process.get(stop / 8)) else {
        return false;
    };
    let (heap, hend) = (process[heap], process[hend]);
    heap > 4096 && heap.is_multiple_of(8) && heap <= htop && htop <= stop && stop < hend
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn heap_bounds_follow_from_processes_at_rest() {
        let process = |heap: u64, size: u64| {
            let mut words = vec![3; 40];
            words[10] = heap + 16; // htop
            words[11] = heap + size * 8 - 24; // stop
            (words[16], words[17], words[19]) = (heap, heap + size * 8, size);
            words
        };
        let found = heap_fields(&[process(0x7000, 233), process(0x9000, 610)], 80, 88);
        assert_eq!(
            found,
            [HeapFields {
                heap: 128,
                hend: 136,
                heap_size_words: 152
            }]
        );
    }

    proptest! {
        #[test]
        fn garbage_never_panics(
            processes in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..20), 0..3),
        ) {
            heap_fields(&processes, 8, 16);
        }
    }
}
