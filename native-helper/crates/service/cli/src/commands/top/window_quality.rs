//! The quality of the samples of a table that forgets old ones.

use std::collections::VecDeque;
use std::time::Duration;

use capture::quality::QualityRecord;

/// The quality of the last seconds of a recording.
#[derive(Debug)]
pub struct WindowQuality {
    /// `None`: nothing is forgotten.
    window: Option<Duration>,
    /// That of the whole recording at moments: when the window began, or shortly before, and in it.
    known: VecDeque<(Duration, QualityRecord)>,
}

impl WindowQuality {
    /// Of the last `seconds`; 0: of the whole recording.
    pub fn new(seconds: f64) -> Self {
        Self {
            window: (seconds > 0.0).then(|| Duration::from_secs_f64(seconds)),
            known: VecDeque::new(),
        }
    }

    /// Takes that of the whole recording after `elapsed`, and returns that of the window that ends then.
    pub fn add(&mut self, whole: &QualityRecord, elapsed: Duration) -> QualityRecord {
        let Some(window) = self.window else {
            return whole.clone();
        };
        self.known.push_back((elapsed, whole.clone()));
        let begin = elapsed.saturating_sub(window);
        while self.known.get(1).is_some_and(|(at, _)| *at <= begin) {
            self.known.pop_front();
        }
        let Some((at, before)) = self.known.front().filter(|(at, _)| *at <= begin) else {
            return whole.clone();
        };
        let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        QualityRecord {
            // Their sentences name the moments of the recording that they are of.
            tracing: whole.tracing,
            traced_processes: whole.traced_processes,
            schedulers_online: whole.schedulers_online.clone(),
            ..whole.since(before, ns(*at), ns(elapsed))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capture::quality::{SamplingGaps, StandstillReason};
    use capture::tracing::TracedFunctions;

    fn halted(samples: u64, standstill_ms: u64) -> QualityRecord {
        QualityRecord {
            samples,
            tracing: Some(TracedFunctions {
                traced: 1,
                ..TracedFunctions::default()
            }),
            gaps: SamplingGaps {
                standstill_ms,
                standstill_reason: Some(StandstillReason::Stopped),
                ..SamplingGaps::default()
            },
            ..QualityRecord::default()
        }
    }

    #[test]
    fn what_was_before_the_window_is_not_of_it() {
        let mut window = WindowQuality::new(10.0);
        let mut at = |seconds, samples, standstill_ms| {
            let whole = halted(samples, standstill_ms);
            let quality = window.add(&whole, Duration::from_secs(seconds));
            assert_eq!(quality.tracing, whole.tracing);
            quality.standstill_heading()
        };
        let halt = |seconds| {
            format!("the VM did not run for at least {seconds} s (a signal had stopped it)")
        };
        assert_eq!(at(1, 5, 3_000), Some(halt("3.0")));
        assert_eq!(at(5, 9, 3_000), Some(halt("3.0")));
        assert_eq!(at(11, 20, 3_000), None);
        let none = format!("no samples: {}", halt("10.0"));
        assert_eq!(at(21, 20, 13_000), Some(none));
    }

    #[test]
    fn without_a_window_it_is_that_of_the_whole_recording() {
        let mut window = WindowQuality::new(0.0);
        for seconds in [1, 100] {
            let whole = halted(seconds, 3_000);
            assert_eq!(window.add(&whole, Duration::from_secs(seconds)), whole);
        }
    }
}
