//! The counts of a reader.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

/// Counts of one reader.
#[derive(Debug, Default)]
pub struct ReaderCounts {
    /// Records the kernel dropped.
    pub lost: AtomicU64,
    /// Times the kernel throttled an event.
    pub throttled: AtomicU64,
    /// Records that could not be parsed.
    pub malformed: AtomicU64,
    /// Samples of schedulers joined with the copy made at them.
    pub matched: AtomicU64,
    /// Samples of schedulers at which nothing was copied.
    pub unmatched: AtomicU64,
    /// Copies without a sample.
    pub orphaned: AtomicU64,
    /// Those of them that were made when a thread was switched out.
    pub orphaned_switches: AtomicU64,
    /// Those that were made at a page fault.
    pub orphaned_faults: AtomicU64,
    /// Times that reading failed and went on: a sample that could not be worked on, or a wait that
    /// the kernel refused.
    pub failures: AtomicU64,
    /// Why this CPU is not read any more; empty while it is.
    pub why_ended: OnceLock<String>,
}

impl ReaderCounts {
    /// Notes that this CPU is not read any more. The first reason stays.
    pub fn end(&self, why: &str) {
        let _ = self.why_ended.set(why.to_owned());
    }
}
