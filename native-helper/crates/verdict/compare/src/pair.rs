//! A tally on both sides, and the verdicts on many of them.

use crate::answer::{Change, EachCapture};
use crate::counts::{SideCounts, Tally};
use crate::estimate::{CaptureEstimate, SideEstimate};
use crate::measure::Measure;
use crate::spread::Spread;
use crate::verdicts::{Tested, Verdict, verdicts};

/// A tally on both sides, while nothing is decided.
#[derive(Debug, Clone)]
pub struct Pair {
    pub base: SideEstimate,
    pub new: SideEstimate,
    /// It is not known which tally of the other side it is.
    pub is_unmatched: bool,
    /// A side that has no sample of it has it in its code: it is neither new nor gone.
    pub is_defined_there: bool,
}

impl Pair {
    /// `None` where a side has nothing like it.
    pub fn of(
        base: (&SideCounts, Option<Tally>),
        new: (&SideCounts, Option<Tally>),
        measure: Measure,
    ) -> Self {
        Self {
            base: SideEstimate::of(base.0, base.1, measure),
            new: SideEstimate::of(new.0, new.1, measure),
            is_unmatched: false,
            is_defined_there: false,
        }
    }

    fn change(&self, tested: &Tested, verdict: Verdict, each_capture: bool) -> Change {
        let values =
            |side: &SideEstimate| side.captures.iter().map(CaptureEstimate::value).collect();
        Change {
            base: self.base.value,
            new: self.new.value,
            base_samples: self.base.effective.round() as u64,
            new_samples: self.new.effective.round() as u64,
            change_pct: tested.change.map(|change| change * 100.0),
            low_pct: tested.low.map(|low| low * 100.0),
            high_pct: tested.high.map(|high| high * 100.0),
            verdict,
            captures: each_capture.then(|| {
                Box::new(EachCapture {
                    base: values(&self.base),
                    new: values(&self.new),
                })
            }),
        }
    }
}

/// Decides on a family of questions, and returns the value of each capture if requested.
pub fn changes(pairs: &[&Pair], spread: &Spread, each_capture: bool) -> Vec<Change> {
    let tested: Vec<Tested> = pairs
        .iter()
        .map(|pair| match pair.is_unmatched {
            true => Tested::not_matched(),
            false => Tested::of(&pair.base, &pair.new, spread).defined(pair.is_defined_there),
        })
        .collect();
    let verdicts = verdicts(&tested);
    let all = pairs.iter().zip(&tested).zip(verdicts);
    all.map(|((pair, tested), verdict)| pair.change(tested, verdict, each_capture))
        .collect()
}

/// Decides on one question that is no part of a family.
pub fn change_alone(pair: &Pair, spread: &Spread, each_capture: bool) -> Change {
    let (tested, verdict) = Tested::alone(&pair.base, &pair.new, spread);
    pair.change(&tested, verdict, each_capture)
}
