//! How much captures of one and the same program differ, beyond the spread that their blocks of
//! time show.
//!
//! Where code and data happen to lie, which processes were collected when, which programs ran
//! beside: a run is not like another (Kalibera and Jones, *Rigorous Benchmarking in Reasonable
//! Time*, 2013), and no length of one capture shows it. Three captures a side show it badly for one
//! function, but there are many functions: each one's own spread is moderated by that of all
//! (Smyth, *Linear Models and Empirical Bayes Methods*, 2004), and their agreement determines how
//! much.

use crate::estimate::SideEstimate;
use crate::measure::Measure;
use crate::special_functions::{median_of_scaled_chi_square, trigamma, trigamma_inverse};

/// Standard deviation of a share from run to run, relative, where nothing is known: with one capture a
/// side. Measured: `docs/compare-method.md`.
pub const ASSUMED: f64 = 0.05;
/// The same of processor time, which the machine's speed is in, too.
const ASSUMED_OF_TIME: f64 = 0.1;
/// The same of the whole program, which the kernel's part and all that runs beside are in. Measured as well.
const ASSUMED_OF_WHOLE: f64 = 0.2;
/// The worth of such an assumption, in degrees of freedom.
pub const ASSUMED_DEGREES: f64 = 6.0;
/// Fewer captures beyond the first of each side show nothing by themselves.
const LEAST_DEGREES: f64 = 2.0;
/// Who differs from run to run by so much more than the others, in variance, is not like them.
const UNLIKE_OTHERS: f64 = 3.0;
/// No two runs are more alike than this.
pub const LEAST: f64 = 0.02;
/// Functions with fewer samples in some capture show nothing of the spread.
pub const ENOUGH_SAMPLES: f64 = 50.0;
const ENOUGH_FUNCTIONS: usize = 8;
const MOST_DEGREES: f64 = 6.0;

/// A factor, as a logarithm.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Factor {
    pub log: f64,
    pub variance: f64,
}

/// The known spread between runs in one comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Variance of the logarithm of a value from run to run, of a typical function.
    variance: f64,
    /// How many captures' worth of knowledge that is for any one function.
    degrees: f64,
    /// It was measured, not assumed.
    pub is_measured: bool,
    /// The first captures of both sides were taken one after the other, and the second, and so on: the
    /// part that both of a pair have in common is left out.
    is_paired: bool,
    /// By so much all functions changed for the machine: it is taken out of each.
    pub machine: Factor,
}

/// How the captures of one pair of sides differ.
#[derive(Debug, Clone, Copy)]
struct Repetitions {
    /// Captures beyond the first of each side.
    degrees: f64,
    /// Variance of their logarithms around the mean of their side.
    variance: f64,
    /// The variance to expect by their blocks.
    within: f64,
}

impl Repetitions {
    fn of(base: &SideEstimate, new: &SideEstimate, is_paired: bool) -> Self {
        match is_paired {
            true => Self::of_pairs(base, new),
            false => Self::of_sides(base, new),
        }
    }

    /// By how the difference varies from pair to pair; each side has half of that.
    fn of_pairs(base: &SideEstimate, new: &SideEstimate) -> Self {
        let both = base.captures.iter().zip(&new.captures);
        let have_value = both.filter(|(a, b)| a.has_value() && b.has_value());
        let pairs = || have_value.clone();
        let count = pairs().count() as f64;
        let mean = pairs().map(|(a, b)| b.log - a.log).sum::<f64>() / count.max(1.0);
        let squares: f64 = pairs().map(|(a, b)| (b.log - a.log - mean).powi(2)).sum();
        let within: f64 = pairs().map(|(a, b)| a.within + b.within).sum();
        let degrees = (count - 1.0).max(0.0);
        Self {
            degrees,
            variance: match degrees > 0.0 {
                true => squares / degrees / 2.0,
                false => 0.0,
            },
            within: within / f64::max(2.0 * count, 1.0),
        }
    }

    fn of_sides(base: &SideEstimate, new: &SideEstimate) -> Self {
        let (mut degrees, mut squares, mut within, mut captures) = (0.0, 0.0, 0.0, 0.0);
        for side in [base, new] {
            let count = side.with_value().count() as f64;
            let mean = side.with_value().map(|each| each.log).sum::<f64>() / count.max(1.0);
            degrees += (count - 1.0).max(0.0);
            captures += count;
            for each in side.with_value() {
                squares += (each.log - mean).powi(2);
                within += each.within;
            }
        }
        Self {
            degrees,
            variance: if degrees > 0.0 {
                squares / degrees
            } else {
                0.0
            },
            within: within / f64::max(captures, 1.0),
        }
    }
}

impl Spread {
    /// Learnt from functions that both sides have.
    pub fn learn<'e>(
        pairs: impl Iterator<Item = (&'e SideEstimate, &'e SideEstimate)>,
        is_paired: bool,
        measure: Measure,
    ) -> Self {
        let informative = pairs.filter(|(base, new)| {
            let mut captures = base.with_value().chain(new.with_value());
            captures.all(|each| each.effective >= ENOUGH_SAMPLES)
        });
        let seen: Vec<_> = informative
            .map(|(base, new)| Repetitions::of(base, new, is_paired))
            .filter(|each| each.degrees > 0.0 && each.variance > 0.0)
            .collect();
        let degrees = seen.first().map_or(0.0, |first| first.degrees);
        if seen.len() < ENOUGH_FUNCTIONS {
            return Self::assumed(is_paired, measure, degrees);
        }
        let variance = typical_variance(&seen, degrees);
        let logs: Vec<f64> = seen
            .iter()
            .map(|each| (each.variance / (variance + each.within)).ln())
            .collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let varies =
            logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (logs.len() - 1) as f64;
        let unexplained = varies - trigamma(degrees / 2.0);
        let degrees = match unexplained > 0.0 {
            true => (2.0 * trigamma_inverse(unexplained)).clamp(2.0, MOST_DEGREES),
            false => MOST_DEGREES,
        };
        Self {
            variance,
            degrees,
            is_measured: true,
            is_paired,
            machine: Factor::default(),
        }
    }

    /// With captures that repeat each other, their own differences show the rest.
    fn assumed(is_paired: bool, measure: Measure, degrees: f64) -> Self {
        let deviation = match measure {
            Measure::Cpu | Measure::Work if degrees < LEAST_DEGREES => ASSUMED_OF_TIME,
            _ => ASSUMED,
        };
        Self {
            variance: deviation * deviation,
            degrees: ASSUMED_DEGREES,
            is_measured: false,
            is_paired,
            machine: Factor::default(),
        }
    }

    /// Of the whole program: by its own captures alone where they are enough, since no function is like it.
    /// The work at the start and end of a run, the kernel and the machine are in all of it.
    pub fn of_whole(base: &SideEstimate, new: &SideEstimate, is_paired: bool) -> Self {
        let own = Repetitions::of(base, new, is_paired);
        match own.degrees >= LEAST_DEGREES {
            true => Self {
                variance: 0.0,
                degrees: 0.0,
                is_measured: true,
                is_paired,
                machine: Factor::default(),
            },
            false => Self {
                variance: ASSUMED_OF_WHOLE * ASSUMED_OF_WHOLE,
                degrees: ASSUMED_DEGREES,
                is_measured: false,
                is_paired,
                machine: Factor::default(),
            },
        }
    }

    /// Standard deviation of a typical function from run to run, percent.
    pub fn pct(&self) -> f64 {
        self.variance.sqrt() * 100.0
    }

    /// For one function: variance between its runs, beyond that within them, and the degrees of
    /// freedom that stand behind it.
    pub fn of(&self, base: &SideEstimate, new: &SideEstimate) -> (f64, f64) {
        let own = Repetitions::of(base, new, self.is_paired);
        let expected = self.variance + own.within;
        let is_unlike = own.degrees >= LEAST_DEGREES && own.variance > UNLIKE_OTHERS * expected;
        if is_unlike {
            return ((own.variance - own.within).max(LEAST * LEAST), own.degrees);
        }
        let degrees = self.degrees + own.degrees;
        let moderated = (self.degrees * expected + own.degrees * own.variance) / degrees;
        ((moderated - own.within).max(LEAST * LEAST), degrees)
    }
}

/// Up to where a condition holds that holds at `low` and not at `high`, closely.
pub fn last_that_holds((mut low, mut high): (f64, f64), holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..40 {
        let middle = f64::sqrt(low * high);
        match holds(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// The variance between runs with which the captures of a typical function differ as much as they do:
/// half of the functions differ more than by chance alone, half less.
fn typical_variance(seen: &[Repetitions], degrees: f64) -> f64 {
    let expected = median_of_scaled_chi_square(degrees);
    let differ_more = |variance: f64| {
        let more = seen
            .iter()
            .filter(|each| each.variance > expected * (variance + each.within));
        more.count() * 2 > seen.len()
    };
    last_that_holds((LEAST * LEAST, 1.0), differ_more)
}
