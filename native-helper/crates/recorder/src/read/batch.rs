//! Raw samples on their way from a reader to the resolver.

use std::sync::{Mutex, PoisonError};

use super::raw_sample::{RawSample, RawSampleRef};

/// Capacity of a batch of raw samples, words. Only the part ever used takes memory.
pub const BATCH_WORDS: usize = 512 * 1024;
/// The same where whole Erlang stacks come with them, deep ones too.
pub const BATCH_WORDS_WITH_STACKS: usize = 8 << 20;

/// Encoded raw samples, in the order they were taken.
#[derive(Debug)]
pub struct RawBatch {
    words: Vec<u64>,
    /// Samples that did not fit: the resolver is behind.
    pub dropped: u64,
}

impl Default for RawBatch {
    fn default() -> Self {
        Self::with_capacity_words(BATCH_WORDS)
    }
}

impl RawBatch {
    /// An empty batch that holds `words` words.
    pub fn with_capacity_words(words: usize) -> Self {
        Self {
            words: Vec::with_capacity(words),
            dropped: 0,
        }
    }

    fn push(&mut self, sample: &RawSample<'_>) {
        if self.words.len() + sample.len_words() > self.words.capacity() {
            self.dropped += 1;
            return;
        }
        sample.encode(&mut self.words);
    }

    /// The samples.
    pub fn samples(&self) -> impl Iterator<Item = RawSampleRef<'_>> {
        let mut rest = self.words.as_slice();
        std::iter::from_fn(move || {
            let (sample, tail) = RawSampleRef::decode(rest)?;
            rest = tail;
            Some(sample)
        })
    }

    /// Empties the batch, keeping its memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.dropped = 0;
    }
}

/// The batch a reader fills, to be swapped for an empty one.
#[derive(Debug, Default)]
pub struct BatchCell {
    filling: Mutex<RawBatch>,
}

impl BatchCell {
    /// A cell with an empty batch that holds `words` words.
    pub fn with_capacity_words(words: usize) -> Self {
        Self {
            filling: Mutex::new(RawBatch::with_capacity_words(words)),
        }
    }

    /// Adds a sample. Allocates nothing; the lock is only ever held for a copy or a swap.
    pub fn push(&self, sample: &RawSample<'_>) {
        self.filling
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(sample);
    }

    /// Exchanges the filled batch for `empty`.
    pub fn swap(&self, empty: &mut RawBatch) {
        empty.clear();
        std::mem::swap(
            &mut *self.filling.lock().unwrap_or_else(PoisonError::into_inner),
            empty,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_come_back_in_order_and_a_full_batch_counts_what_it_drops() {
        let (cell, mut batch) = (BatchCell::default(), RawBatch::default());
        let stack = [5u8; 4096];
        for time_ns in 0..2000 {
            cell.push(&RawSample {
                time_ns,
                stack: &stack,
                ..RawSample::default()
            });
        }
        cell.swap(&mut batch);
        let times: Vec<u64> = batch.samples().map(|sample| sample.time_ns).collect();
        assert_eq!(times, (0..times.len() as u64).collect::<Vec<_>>());
        assert!(batch.dropped > 0 && batch.dropped + times.len() as u64 == 2000);
        cell.swap(&mut batch);
        assert_eq!(batch.samples().count(), 0);
    }
}
