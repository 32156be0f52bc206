//! A tally on both sides, and what can be said of many of them.

use crate::answer::Change;
use crate::counts::{SideCounts, Tally};
use crate::estimate::SideEstimate;
use crate::measure::Measure;
use crate::spread::Spread;
use crate::verdicts::{Tested, verdicts};

/// A tally on both sides, while nothing is decided.
#[derive(Debug, Clone)]
pub struct Pair {
    pub base: SideEstimate,
    pub new: SideEstimate,
}

impl Pair {
    /// `None` where a side has nothing like it.
    pub fn of(
        base: (&SideCounts, Option<Tally>),
        new: (&SideCounts, Option<Tally>),
        measure: Measure,
    ) -> Self {
        Self {
            base: SideEstimate::of_any(base.0, base.1, measure),
            new: SideEstimate::of_any(new.0, new.1, measure),
        }
    }
}

/// Decides on a family of questions.
pub fn changes(pairs: &[&Pair], spread: &Spread) -> Vec<Change> {
    let tested: Vec<Tested> = pairs
        .iter()
        .map(|pair| Tested::of(&pair.base, &pair.new, spread))
        .collect();
    let verdicts = verdicts(&tested);
    let all = pairs.iter().zip(&tested).zip(verdicts);
    all.map(|((pair, tested), verdict)| Change {
        base: pair.base.value,
        new: pair.new.value,
        base_samples: pair.base.samples as u64,
        new_samples: pair.new.samples as u64,
        change_pct: tested.change.map(|change| change * 100.0),
        low_pct: tested.low.map(|low| low * 100.0),
        high_pct: tested.high.map(|high| high * 100.0),
        verdict,
    })
    .collect()
}
