//! For how long nothing of the target ran, since it was stopped or frozen: there are no samples of that time.

use std::time::Instant;

use capture::quality::{SamplingGaps, StandstillReason};
use target_proc::standstill::{Standstill, StandstillNotShown};

/// The results of the looks at the target.
#[derive(Debug, Default)]
pub(super) struct StandstillWatch {
    /// When the last look found it so.
    still_at: Option<Instant>,
    total_ms: u64,
    reason: Option<StandstillReason>,
    /// A look did not show whether it ran.
    is_unknown: bool,
}

impl StandstillWatch {
    /// Takes what a look at `now` has found. Time counts between two looks that both found it so.
    pub(super) fn look(
        &mut self,
        found: Result<Option<Standstill>, StandstillNotShown>,
        now: Instant,
    ) {
        let still_at = self.still_at.take();
        self.is_unknown |= found.is_err();
        let Ok(Some(found)) = found else { return };
        let since = still_at.map_or(0, |at| now.saturating_duration_since(at).as_millis() as u64);
        self.total_ms += since;
        self.still_at = Some(now);
        self.reason = Some(match found {
            Standstill::Stopped => StandstillReason::Stopped,
            Standstill::Traced { .. } => StandstillReason::Traced,
            Standstill::Frozen { .. } => StandstillReason::Frozen,
        });
    }

    /// Adds it to the gaps of a capture.
    pub(super) fn add_to(&self, gaps: &mut SamplingGaps) {
        gaps.standstill_ms = self.total_ms;
        gaps.standstill_reason = self.reason;
        gaps.standstill_unknown = self.is_unknown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn time_between_looks_that_found_it_still_is_counted_and_what_runs_again_is_not() {
        let mut watch = StandstillWatch::default();
        let begin = Instant::now();
        let looks = [
            (0, None),
            (200, Some(Standstill::Stopped)),
            (400, Some(Standstill::Stopped)),
            (650, Some(Standstill::Frozen { thaw: None })),
            (900, None),
            (1100, None),
            (1300, Some(Standstill::Traced { by: 1 })),
        ];
        let mut reported = Vec::new();
        for (ms, found) in looks {
            watch.look(Ok(found), begin + Duration::from_millis(ms));
            let mut gaps = SamplingGaps::default();
            watch.add_to(&mut gaps);
            reported.push((gaps.standstill_ms, gaps.standstill_reason));
        }
        use StandstillReason::{Frozen, Stopped, Traced};
        let expected = [
            (0, None),
            (0, Some(Stopped)),
            (200, Some(Stopped)),
            (450, Some(Frozen)),
            (450, Some(Frozen)),
            (450, Some(Frozen)),
            (450, Some(Traced)),
        ];
        assert_eq!(reported, expected);
    }

    #[test]
    fn a_time_that_a_look_did_not_show_is_not_counted_and_is_not_known() {
        let mut watch = StandstillWatch::default();
        let begin = Instant::now();
        let reported = |watch: &StandstillWatch| {
            let mut gaps = SamplingGaps::default();
            watch.add_to(&mut gaps);
            (gaps.standstill_ms, gaps.standstill_unknown)
        };
        watch.look(Ok(Some(Standstill::Stopped)), begin);
        assert_eq!(reported(&watch), (0, false));
        watch.look(Err(StandstillNotShown), begin + Duration::from_millis(200));
        watch.look(
            Ok(Some(Standstill::Stopped)),
            begin + Duration::from_millis(400),
        );
        watch.look(Ok(None), begin + Duration::from_millis(600));
        assert_eq!(reported(&watch), (0, true));
    }
}
