//! Memory for raw samples, shared by the readers of all CPUs.
//!
//! It grows with the samples in flight and not with the number of CPUs: a CPU holds a chunk only
//! while samples of it wait to be resolved. One limit holds for all of them together. Beyond it, and
//! where the system has no memory, there is no chunk, and samples are counted as lost.

use std::sync::{Mutex, PoisonError};

/// Encoded samples; its capacity is fixed.
pub type Chunk = Vec<u64>;

/// Length of a chunk, words.
const CHUNK_WORDS: usize = 16 << 10;
/// Length of a chunk for samples that are longer than that, words: any sample fits into it.
const LONG_CHUNK_WORDS: usize = 128 << 10;
/// The most that a pool holds: an eighth of all that the sampling process may have.
pub const MAX_POOL_BYTES: usize = 256 << 20;

/// The chunks of all readers.
#[derive(Debug)]
pub struct ChunkPool {
    chunks: Mutex<Chunks>,
    limit_words: usize,
}

#[derive(Debug, Default)]
struct Chunks {
    free: [Vec<Chunk>; 2],
    /// Words of all chunks, free or not.
    held: usize,
    /// Words of those that are not free.
    in_use: usize,
    /// The most of them since the pool was last trimmed.
    peak: usize,
}

impl Default for ChunkPool {
    fn default() -> Self {
        Self::of(MAX_POOL_BYTES)
    }
}

/// Which of the two lengths a chunk has.
fn class_of(capacity_words: usize) -> usize {
    usize::from(capacity_words > CHUNK_WORDS)
}

impl ChunkPool {
    /// An empty pool that never holds more than `limit_bytes`.
    pub fn of(limit_bytes: usize) -> Self {
        Self {
            chunks: Mutex::default(),
            limit_words: limit_bytes / 8,
        }
    }

    /// An empty chunk with room for a sample of `sample_words`. `None` when the limit is reached, the
    /// system has no memory, or no sample is that long.
    pub fn take(&self, sample_words: usize) -> Option<Chunk> {
        let class = class_of(sample_words);
        let words = [CHUNK_WORDS, LONG_CHUNK_WORDS][class];
        if sample_words > words {
            return None;
        }
        let mut chunks = self.lock();
        let chunk = match chunks.free[class].pop() {
            Some(chunk) => chunk,
            None => chunks.allocate(words, self.limit_words)?,
        };
        chunks.in_use += chunk.capacity();
        chunks.peak = chunks.peak.max(chunks.in_use);
        Some(chunk)
    }

    /// Takes chunks back; `used` is empty afterwards.
    pub fn give_back(&self, used: &mut Vec<Chunk>) {
        let mut chunks = self.lock();
        for mut chunk in used.drain(..) {
            chunk.clear();
            chunks.in_use = chunks.in_use.saturating_sub(chunk.capacity());
            let free = &mut chunks.free[class_of(chunk.capacity())];
            match free.try_reserve(1) {
                Ok(()) => free.push(chunk),
                Err(_) => chunks.held = chunks.held.saturating_sub(chunk.capacity()),
            }
        }
    }

    /// Gives memory that was not needed since the last call back to the system.
    pub fn trim(&self) {
        let mut chunks = self.lock();
        let needed = chunks.peak;
        chunks.shrink_to(needed);
        chunks.peak = chunks.in_use;
    }

    /// Bytes of all chunks, those that are free among them.
    pub fn held_bytes(&self) -> usize {
        self.lock().held * 8
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Chunks> {
        self.chunks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Chunks {
    fn allocate(&mut self, words: usize, limit_words: usize) -> Option<Chunk> {
        if self.held + words > limit_words {
            // Free chunks of the other length are in the way.
            self.shrink_to(limit_words.saturating_sub(words));
        }
        let mut chunk = Chunk::new();
        (self.held + words <= limit_words).then_some(())?;
        chunk.try_reserve_exact(words).ok()?;
        self.held += chunk.capacity();
        Some(chunk)
    }

    /// Frees unused chunks, long ones first, until no more than `words` are held.
    fn shrink_to(&mut self, words: usize) {
        for free in self.free.iter_mut().rev() {
            while self.held > words {
                let Some(chunk) = free.pop() else { break };
                self.held = self.held.saturating_sub(chunk.capacity());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNK_BYTES: usize = CHUNK_WORDS * 8;

    #[test]
    fn one_limit_holds_for_chunks_of_both_lengths() {
        let pool = ChunkPool::of(LONG_CHUNK_WORDS * 8 + 2 * CHUNK_BYTES);
        let mut taken: Vec<Chunk> = std::iter::from_fn(|| pool.take(100)).collect();
        assert_eq!(taken.len(), LONG_CHUNK_WORDS / CHUNK_WORDS + 2);
        assert!(pool.take(CHUNK_WORDS + 1).is_none());
        pool.give_back(&mut taken);
        // Those that are free make room for one of the other length.
        let long = pool.take(LONG_CHUNK_WORDS).unwrap();
        assert!(long.capacity() >= LONG_CHUNK_WORDS);
        assert!(pool.take(LONG_CHUNK_WORDS).is_none());
        assert!(pool.take(CHUNK_WORDS).is_some());
        assert!(
            pool.take(LONG_CHUNK_WORDS + 1).is_none(),
            "no sample is that long"
        );
    }

    #[test]
    fn what_is_not_needed_any_more_goes_back_to_the_system() {
        let pool = ChunkPool::default();
        let mut burst: Vec<Chunk> = (0..64).filter_map(|_| pool.take(1)).collect();
        pool.give_back(&mut burst);
        // It was needed since the last time.
        pool.trim();
        assert_eq!(pool.held_bytes(), 64 * CHUNK_BYTES);
        let mut few: Vec<Chunk> = (0..2).filter_map(|_| pool.take(1)).collect();
        pool.give_back(&mut few);
        pool.trim();
        assert_eq!(pool.held_bytes(), 2 * CHUNK_BYTES);
        pool.trim();
        assert_eq!(pool.held_bytes(), 0);
    }

    #[test]
    fn a_system_without_memory_gives_no_chunk() {
        let mut chunks = Chunks::default();
        assert!(chunks.allocate(usize::MAX / 16, usize::MAX).is_none());
        assert_eq!(chunks.held, 0);
    }
}
