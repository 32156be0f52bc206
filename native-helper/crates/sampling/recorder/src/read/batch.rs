//! Raw samples on their way from a reader to the resolver.

use std::sync::{Arc, Mutex, PoisonError};

use super::chunk_pool::{Chunk, ChunkPool};
use super::raw_sample::{RawSample, RawSampleRef, SampleSource};

/// Encoded raw samples, in the order they were taken. Their memory comes from a pool and goes back to it.
#[derive(Debug, Default)]
pub struct RawBatch {
    pool: Arc<ChunkPool>,
    chunks: Vec<Chunk>,
    /// Samples for which there was no memory: the resolver is behind.
    pub dropped: u64,
    /// Those of them, and records, that are of switches.
    pub dropped_switches: u64,
    /// Those of page faults.
    pub dropped_faults: u64,
}

impl RawBatch {
    /// An empty batch, which holds no memory yet.
    pub fn of(pool: &Arc<ChunkPool>) -> Self {
        Self {
            pool: Arc::clone(pool),
            chunks: Vec::new(),
            dropped: 0,
            dropped_switches: 0,
            dropped_faults: 0,
        }
    }

    fn push(&mut self, sample: &RawSample<'_>) {
        let len_words = sample.len_words();
        let has_room = |chunk: &&mut Chunk| chunk.capacity() - chunk.len() >= len_words;
        if let Some(chunk) = self.chunks.last_mut().filter(has_room) {
            return sample.encode(chunk);
        }
        let chunk = match self.chunks.try_reserve(1) {
            Ok(()) => self.pool.take(len_words),
            Err(_) => None,
        };
        let Some(mut chunk) = chunk else {
            let is_of = |source| u64::from(sample.flags.source() == source);
            self.dropped += 1;
            self.dropped_switches += is_of(SampleSource::Switches);
            self.dropped_faults += is_of(SampleSource::Faults);
            return;
        };
        sample.encode(&mut chunk);
        self.chunks.push(chunk);
    }

    /// The samples.
    pub fn samples(&self) -> impl Iterator<Item = RawSampleRef<'_>> {
        self.chunks.iter().flat_map(|chunk| {
            let mut rest = chunk.as_slice();
            std::iter::from_fn(move || {
                let (sample, tail) = RawSampleRef::decode(rest)?;
                rest = tail;
                Some(sample)
            })
        })
    }

    /// Empties the batch and gives its memory back to the pool.
    pub fn clear(&mut self) {
        self.pool.give_back(&mut self.chunks);
        self.dropped = 0;
        self.dropped_switches = 0;
        self.dropped_faults = 0;
    }
}

impl Drop for RawBatch {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The batch a reader fills, to be swapped for an empty one.
#[derive(Debug, Default)]
pub struct BatchCell {
    filling: Mutex<RawBatch>,
}

impl BatchCell {
    /// A cell with an empty batch.
    pub fn of(pool: &Arc<ChunkPool>) -> Self {
        Self {
            filling: Mutex::new(RawBatch::of(pool)),
        }
    }

    /// Adds a sample. Takes a chunk of the pool where the last one is full, and allocates nothing else;
    /// the lock is only ever held for that, a copy or a swap.
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
    use crate::read::raw_sample::ReadFlags;

    #[test]
    fn samples_come_back_in_order_and_what_has_no_room_is_counted() {
        let pool = Arc::new(ChunkPool::of(1 << 20));
        let (cell, mut batch) = (BatchCell::of(&pool), RawBatch::of(&pool));
        let stack = [5u8; 4096];
        let push_all = || {
            for time_ns in 0..2000 {
                cell.push(&RawSample {
                    time_ns,
                    stack: &stack,
                    ..RawSample::default()
                });
            }
        };
        push_all();
        cell.swap(&mut batch);
        let times: Vec<u64> = batch.samples().map(|sample| sample.time_ns).collect();
        assert_eq!(times, (0..times.len() as u64).collect::<Vec<_>>());
        assert!(batch.dropped > 0 && batch.dropped + times.len() as u64 == 2000);
        // The samples that are still held leave no room for more; once they are given back, there
        // is room again.
        for source in [SampleSource::Switches, SampleSource::Faults] {
            cell.push(&RawSample {
                flags: ReadFlags(source.flags()),
                ..RawSample::default()
            });
        }
        batch.clear();
        push_all();
        cell.swap(&mut batch);
        assert_eq!(batch.samples().count(), times.len());
        assert_eq!((batch.dropped_switches, batch.dropped_faults), (1, 1));
        cell.swap(&mut batch);
        assert_eq!(batch.samples().count(), 0);
    }

    #[test]
    fn short_samples_come_after_long_ones_in_their_order() {
        let pool = Arc::default();
        let (cell, mut batch) = (BatchCell::of(&pool), RawBatch::of(&pool));
        let long = vec![7u8; 512 << 10];
        for time_ns in 0..100 {
            let erlang = if time_ns % 3 == 0 {
                &long[..]
            } else {
                &long[..64]
            };
            cell.push(&RawSample {
                time_ns,
                erlang,
                ..RawSample::default()
            });
        }
        cell.swap(&mut batch);
        assert_eq!(batch.dropped, 0);
        let times: Vec<u64> = batch.samples().map(|sample| sample.time_ns).collect();
        assert_eq!(times, (0..100).collect::<Vec<_>>());
    }
}
