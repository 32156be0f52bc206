//! The sampling rate, which may change while a capture runs, and its effect on samples: each stands
//! for as much time as has passed since the one before.

use crate::error::RecordError;
use crate::sys;

use super::Recording;

/// The rate as it is.
#[derive(Debug)]
pub(super) struct Rate {
    /// The requested samples a second.
    asked_hz: u32,
    /// How many times lower the rate is.
    weight: u32,
    most_weight: u32,
    changes: u64,
    /// Since when the rate is not the requested one, CLOCK_MONOTONIC, and how long it was not before,
    /// nanoseconds.
    lowered_since_ns: Option<u64>,
    lowered_ns: u64,
}

impl Rate {
    pub(super) fn asked(asked_hz: u32) -> Self {
        Self {
            asked_hz: asked_hz.max(1),
            weight: 1,
            most_weight: 1,
            changes: 0,
            lowered_since_ns: None,
            lowered_ns: 0,
        }
    }

    pub(super) fn asked_hz(&self) -> u32 {
        self.asked_hz
    }

    pub(super) fn weight(&self) -> u32 {
        self.weight
    }

    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// Samples a second now, and when they were fewest.
    pub(super) fn now_and_lowest_hz(&self) -> (f64, f64) {
        let hz = |weight| f64::from(self.asked_hz) / f64::from(weight);
        (hz(self.weight), hz(self.most_weight))
    }

    /// How long the rate was not the requested one, seconds.
    pub(super) fn lowered_s(&self, now_ns: u64) -> f64 {
        let since_ns = self
            .lowered_since_ns
            .map_or(0, |it| now_ns.saturating_sub(it));
        (self.lowered_ns + since_ns) as f64 / 1e9
    }

    fn set(&mut self, weight: u32, now_ns: u64) {
        self.lowered_ns += self
            .lowered_since_ns
            .map_or(0, |it| now_ns.saturating_sub(it));
        self.lowered_since_ns = (weight > 1).then_some(now_ns);
        self.weight = weight;
        self.most_weight = self.most_weight.max(weight);
        self.changes += 1;
    }
}

impl Recording {
    /// Samples from now on at a rate `weight` times lower than requested; each sample then stands for
    /// so much more time. A thread's time since its last sample is not counted, so with each change
    /// at most one sample of each CPU is missing.
    ///
    /// # Errors
    /// When the kernel refuses; the rate is then as it was.
    pub fn sample_less_often(&mut self, weight: u32) -> Result<(), RecordError> {
        let weight = weight.clamp(1, self.rate.asked_hz);
        if weight == self.rate.weight {
            return Ok(());
        }
        let before_ns = sys::monotonic_ns();
        self.events
            .set_weight(&self.event_settings, (self.rate.weight, weight))
            .map_err(|source| RecordError::System {
                what: "setting the rate of events",
                source,
            })?;
        // They change one after the other, within a fraction of a period.
        let now_ns = before_ns.midpoint(sys::monotonic_ns());
        self.resolver.set_weight(now_ns, weight);
        self.rate.set(weight, now_ns);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_at_a_lower_rate_is_counted() {
        let mut rate = Rate::asked(99);
        assert_eq!((rate.weight(), rate.lowered_s(5)), (1, 0.0));
        rate.set(4, 1_000_000_000);
        rate.set(2, 3_000_000_000);
        assert_eq!(rate.now_and_lowest_hz(), (49.5, 24.75));
        assert_eq!(rate.lowered_s(4_000_000_000), 3.0);
        rate.set(1, 5_000_000_000);
        assert_eq!(rate.lowered_s(9_000_000_000), 4.0);
        assert_eq!((rate.changes(), rate.weight()), (3, 1));
    }
}
