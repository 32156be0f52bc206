//! Functions that the commit touched and that take next to nothing, or that no sample has.

use super::{Captures, Certainty, Gate, LEAST_TOUCHED_PCT, doubts};
use crate::answer::Comparison;
use crate::judgement::{Answer, Doubt, Reason};

/// Of so many samples, a function with [`LEAST_TOUCHED_PCT`] of the time has none one time in twenty: fewer do not show
/// that it has less.
const FEWEST_BUSY: u64 = 300;

impl Gate {
    /// Functions that are too rare for an answer each have one together where they take next to nothing, and none of
    /// them is claimed to have changed.
    pub(super) fn of_little(self) -> Self {
        let is_little = self.touched_pct.is_some_and(|pct| pct < LEAST_TOUCHED_PCT);
        let are_unknown = |doubt: &Doubt| doubt.reason == Reason::MostlyUnknown;
        if !is_little || !self.doubts.iter().all(are_unknown) || self.doubts.is_empty() {
            return self;
        }
        Self {
            answer: Answer::DoesNotHold,
            doubts: Vec::new(),
            ..self
        }
    }

    /// That functions take next to nothing, or that none was sampled, is no answer where a side has too few samples to
    /// show it.
    pub(super) fn beside_few_samples(self, comparison: &Comparison, captures: Captures) -> Self {
        let samples = comparison.base.busy.min(comparison.new.busy);
        let rests_on_little = self.touched == Some(0) || self.is_of_little();
        let is_proven = samples >= FEWEST_BUSY || !rests_on_little;
        if is_proven || self.answer != Answer::DoesNotHold {
            return self;
        }
        Self {
            answer: Answer::CannotTell,
            certainty: Certainty::Unknown,
            doubts: vec![doubts::too_few_for_little(samples, FEWEST_BUSY, captures)],
            ..self
        }
    }
}
