//! Which events are not those of the clock, and until when their records were read.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use perf_ring::EventId;

use super::raw_sample::SampleSource;

/// The events of other sources than the clock. While there are none, a look at it is one load.
#[derive(Debug, Default)]
pub struct EventSources {
    has_others: AtomicBool,
    others: RwLock<HashMap<EventId, SampleSource>>,
    read_until_ns: AtomicU64,
}

impl EventSources {
    /// Notes events of a source, before they are enabled. Their numbers stay: records of an event that was closed may still
    /// be in a ring, and no other event gets its number.
    pub fn add(&self, source: SampleSource, ids: impl IntoIterator<Item = EventId>) {
        let others = self.others.write();
        let ids = ids.into_iter().map(|id| (id, source));
        others.unwrap_or_else(PoisonError::into_inner).extend(ids);
        self.has_others.store(true, Ordering::Release);
    }

    /// Whether there are any.
    pub fn has_others(&self) -> bool {
        self.has_others.load(Ordering::Acquire)
    }

    /// The source of the samples of an event.
    pub fn of(&self, id: EventId) -> SampleSource {
        if !self.has_others() {
            return SampleSource::Clock;
        }
        let others = self.others.read();
        let others = others.unwrap_or_else(PoisonError::into_inner);
        others.get(&id).copied().unwrap_or(SampleSource::Clock)
    }

    /// Notes that the rings of all CPUs were emptied, beginning at this time: CLOCK_MONOTONIC, nanoseconds.
    pub fn note_read(&self, since_ns: u64) {
        self.read_until_ns.store(since_ns, Ordering::Release);
    }

    /// All records of before are queued.
    pub fn read_until_ns(&self) -> u64 {
        self.read_until_ns.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_is_not_noted_is_of_the_clock() {
        let sources = EventSources::default();
        assert_eq!(sources.of(EventId(7)), SampleSource::Clock);
        assert!(!sources.has_others());
        sources.add(SampleSource::Switches, [EventId(7)]);
        sources.add(SampleSource::Faults, [EventId(8)]);
        assert!(sources.has_others());
        let of = |id| sources.of(EventId(id));
        assert_eq!(
            [7, 8, 9].map(of),
            [
                SampleSource::Switches,
                SampleSource::Faults,
                SampleSource::Clock
            ]
        );
    }
}
