//! What processes have together.

use crate::listed::ListedProcess;

/// What processes have together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Sums {
    pub mailbox: u64,
    pub is_mailbox_at_least: bool,
    pub memory_bytes: u64,
    pub is_memory_at_least: bool,
    pub message_bytes: u64,
    pub heap_words: u64,
    pub heap_used_words: u64,
    pub binary_bytes: Option<u64>,
    pub reductions_per_second: Option<f64>,
    pub collections_per_second: Option<f64>,
}

impl Sums {
    pub fn of<'p>(processes: impl Iterator<Item = &'p ListedProcess>) -> Self {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        processes.fold(Self::default(), |mut sums, process| {
            add(&mut sums.mailbox, process.mailbox);
            add(&mut sums.memory_bytes, process.memory_bytes);
            add(&mut sums.message_bytes, process.message_bytes);
            sums.is_mailbox_at_least |= process.is_mailbox_at_least;
            sums.is_memory_at_least |= process.is_memory_at_least;
            add(&mut sums.heap_words, process.heap_words);
            add(&mut sums.heap_used_words, process.heap_used_words);
            if let Some(bytes) = process.binary_bytes {
                add(sums.binary_bytes.get_or_insert(0), bytes);
            }
            for (sum, more) in [
                (
                    &mut sums.reductions_per_second,
                    process.reductions_per_second,
                ),
                (
                    &mut sums.collections_per_second,
                    process.collections_per_second,
                ),
            ] {
                if let Some(more) = more {
                    *sum.get_or_insert(0.0) += more;
                }
            }
            sums
        })
    }
}

/// Processes of a kind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// Their common value; `None` when that is unknown.
    pub title: Option<String>,
    /// Their places, in order.
    pub members: Vec<usize>,
    pub sums: Sums,
    pub alarming: bool,
}

impl Group {
    /// Distinguishes it from other groups, and from processes.
    pub fn key(&self) -> String {
        self.title
            .as_ref()
            .map_or_else(|| "groups:".to_owned(), |title| format!("group:{title}"))
    }
}
