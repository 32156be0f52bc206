//! Counting while a capture is taken.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use capture::facts::WorkFacts;

use crate::counter::Counter;
use crate::error::CountError;

/// A counter that was read when a capture began.
#[derive(Debug)]
pub struct Counting {
    counter: Counter,
    facts: WorkFacts,
    started: Instant,
}

impl Counting {
    /// Reads the counter for the first time.
    ///
    /// # Errors
    /// See [`CountError`]: no capture should start then, since its work would be unknown.
    pub fn begin(
        counter: Counter,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, CountError> {
        let reading = Reading::of(&counter, cancelled);
        let at_start = reading.value?;
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
        let since_1970 = since_1970.unwrap_or_default();
        let facts = WorkFacts {
            name: counter.name().to_owned(),
            at_start,
            start_unix_ms: ms(since_1970.saturating_sub(reading.at.elapsed())),
            ..WorkFacts::default()
        };
        Ok(Self {
            counter,
            facts,
            started: reading.at,
        })
    }

    /// The facts known until the end.
    pub fn facts(&self) -> WorkFacts {
        self.facts.clone()
    }

    /// Reads the counter for the last time, unless `cancelled`. A user who ends a capture early wants its work, too:
    /// that should not cancel it. When it cannot be read, the facts contain the reason.
    pub fn end(self, cancelled: &(dyn Fn() -> bool + Sync)) -> WorkFacts {
        let reading = Reading::of(&self.counter, cancelled);
        let (at_end, problem) = match reading.value {
            Ok(value) => (Some(value), String::new()),
            Err(error) => (None, error.to_string()),
        };
        // By a clock that is never set.
        let passed = reading.at.saturating_duration_since(self.started);
        WorkFacts {
            at_end,
            end_unix_ms: at_end.map_or(0, |_| self.facts.start_unix_ms.saturating_add(ms(passed))),
            problem,
            ..self.facts
        }
    }
}

/// A value, and when it was so: in the middle of the time that reading it took.
struct Reading {
    value: Result<f64, CountError>,
    at: Instant,
}

impl Reading {
    fn of(counter: &Counter, cancelled: &(dyn Fn() -> bool + Sync)) -> Self {
        let begun = Instant::now();
        let value = counter.read(cancelled);
        let at = begun + begun.elapsed() / 2;
        Self { value, at }
    }
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
