//! Verdicts on many functions at once.
//!
//! Each function is a question of its own, and one in twenty answers is wrong at 95 %. Which of them
//! count is decided by all together, by Benjamini and Hochberg: of the changes that are claimed at
//! most this share is none.

use serde::{Deserialize, Serialize};
use shared_sort::SharedSort;

use crate::estimate::SideEstimate;
use crate::special_functions::{t_quantile, two_sided_p};
use crate::spread::Spread;

/// Of the changes that are claimed, the share that may be none.
pub const FALSE_DISCOVERIES: f64 = 0.05;
/// Of intervals of functions so many miss the truth.
const MISSED: f64 = 0.05;
/// The same of the whole, and how often a change of it is claimed without any: one figure that a gate
/// fails by, at every commit.
pub const MISSED_ALONE: f64 = 0.01;
/// Fewer samples on both sides together answer nothing.
pub const FEWEST_SAMPLES: f64 = 20.0;
/// Changes below are of no interest, however sure.
const SMALLEST_CHANGE: f64 = 0.01;

/// The verdict on a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Takes more.
    Slower,
    /// Takes less.
    Faster,
    /// The older side has none of it.
    New,
    /// The newer side has none of it.
    Gone,
    /// Differs by no more than it may by chance.
    Noise,
    /// Too few samples for a verdict.
    TooFew,
    /// It is not known which function of the other side it is, if any.
    NotMatched,
}

impl Verdict {
    /// As in JSON: `slower`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::New => "new",
            Self::Gone => "gone",
            Self::Noise => "noise",
            Self::TooFew => "too_few",
            Self::NotMatched => "not_matched",
        }
    }

    /// Whether it is a change.
    pub const fn is_change(self) -> bool {
        !matches!(self, Self::Noise | Self::TooFew | Self::NotMatched)
    }
}

/// The change of one tally, before it is tested together with the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tested {
    /// How likely so large a difference is without any change.
    p: f64,
    /// The verdict if that is too unlikely.
    if_real: Verdict,
    has_enough: bool,
    /// New over base, less 1; none where a side has nothing.
    pub change: Option<f64>,
    /// 95 % of such intervals hold the true change; of a question alone 99 %.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl Tested {
    /// One of many questions.
    pub fn of(base: &SideEstimate, new: &SideEstimate, spread: &Spread) -> Self {
        Self::with(base, new, spread, MISSED)
    }

    /// A question that is no part of a family, and its verdict.
    pub fn alone(base: &SideEstimate, new: &SideEstimate, spread: &Spread) -> (Self, Verdict) {
        let tested = Self::with(base, new, spread, MISSED_ALONE);
        (tested, tested.verdict(MISSED_ALONE))
    }

    fn with(base: &SideEstimate, new: &SideEstimate, spread: &Spread, missed: f64) -> Self {
        match (base.samples > 0.0, new.samples > 0.0) {
            (true, true) => Self::both(base, new, spread, missed),
            (false, _) => Self::one_side(new, base, Verdict::New),
            (true, false) => Self::one_side(base, new, Verdict::Gone),
        }
    }

    /// A function of one side whose partner is not known: nothing to decide.
    pub fn not_matched() -> Self {
        Self {
            p: 1.0,
            if_real: Verdict::NotMatched,
            has_enough: false,
            change: None,
            low: None,
            high: None,
        }
    }

    /// A function in the code of both sides is neither new nor gone, however little of it one side
    /// sampled.
    pub fn defined(self, on_both_sides: bool) -> Self {
        let if_real = match (on_both_sides, self.if_real) {
            (true, Verdict::New) => Verdict::Slower,
            (true, Verdict::Gone) => Verdict::Faster,
            (_, other) => other,
        };
        Self { if_real, ..self }
    }

    fn both(base: &SideEstimate, new: &SideEstimate, spread: &Spread, missed: f64) -> Self {
        let machine = spread.machine;
        let log_ratio = new.log() - base.log() - machine.log;
        let (between, degrees) = spread.of(base, new);
        let variance = base.variance(between) + new.variance(between);
        let error = (variance + machine.variance).sqrt();
        let margin = t_quantile(1.0 - missed / 2.0, degrees) * error;
        let if_real = match log_ratio {
            change if change.exp_m1().abs() < SMALLEST_CHANGE => Verdict::Noise,
            change if change > 0.0 => Verdict::Slower,
            _ => Verdict::Faster,
        };
        Self {
            p: two_sided_p(log_ratio / error, degrees),
            if_real,
            has_enough: base.effective + new.effective >= FEWEST_SAMPLES,
            change: Some(log_ratio.exp_m1()),
            low: Some((log_ratio - margin).exp_m1()),
            high: Some((log_ratio + margin).exp_m1()),
        }
    }

    /// A function that one side never has: with equal rates each event would have been on either side
    /// by how long both were watched.
    fn one_side(with: &SideEstimate, without: &SideEstimate, if_real: Verdict) -> Self {
        let events = with.samples / with.clumping;
        let (here, there) = (1.0 / exposure(with), 1.0 / exposure(without));
        let p = (2.0 * (here / (here + there)).powf(events)).min(1.0);
        Self {
            p,
            if_real,
            has_enough: with.effective >= FEWEST_SAMPLES / 2.0,
            change: None,
            low: None,
            high: None,
        }
    }

    fn verdict(&self, largest_p: f64) -> Verdict {
        match (self.if_real, self.has_enough, self.p <= largest_p) {
            (Verdict::NotMatched, ..) => Verdict::NotMatched,
            (_, false, _) => Verdict::TooFew,
            (if_real, true, true) => if_real,
            (_, true, false) => Verdict::Noise,
        }
    }
}

/// The value of one sample on this side, in the unit of the normalisation: its inverse is how closely
/// it was watched.
fn exposure(side: &SideEstimate) -> f64 {
    let parts = side.with_value().map(|each| {
        let of_one_sample = each.log - each.samples.max(0.5).ln();
        each.weight * of_one_sample.exp()
    });
    let all: f64 = parts.sum();
    (all / side.with_value().count().max(1) as f64).max(f64::MIN_POSITIVE)
}

/// The verdict on each, by all of them.
pub fn verdicts(tested: &[Tested]) -> Vec<Verdict> {
    let mut ordered: Vec<f64> = tested
        .iter()
        .filter(|each| each.has_enough)
        .map(|each| each.p)
        .collect();
    ordered.shared_sort_by(f64::total_cmp);
    let count = ordered.len() as f64;
    let allowed = ordered
        .iter()
        .enumerate()
        .rev()
        .find(|(position, p)| **p <= FALSE_DISCOVERIES * (position + 1) as f64 / count);
    // Nothing counts where even the smallest may be chance.
    let largest = allowed.map_or(-1.0, |(_, p)| *p);
    tested.iter().map(|each| each.verdict(largest)).collect()
}
