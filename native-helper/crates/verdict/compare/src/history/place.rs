//! Between which commits a step of a series lies: its place has an interval, as its height has.
//!
//! The change may be at any commit with which the values are not much less likely than with the likeliest one. How much is
//! the limit of Hansen (*Sample Splitting and Threshold Estimation*, 2000) for such a ratio: with it, 95 of 100 intervals
//! hold the true place of a small step, and more those of a large one.

use super::answer::{HistoryStep, Series, SeriesOf};
use super::steps::{Segment, Value, cost};

/// Solves `(1 - exp(-x / 2))² = 0.95`.
const LIMIT: f64 = 7.35;

/// The commits beside a step, by their positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The last one before it.
    pub from: usize,
    /// The first one behind it.
    pub to: usize,
}

impl Place {
    /// Of the step between two segments of these values.
    pub fn of(values: &[Value], before: &Segment, after: &Segment) -> Self {
        let cost_at = |at: usize| cost(&values[before.first..at]) + cost(&values[at..after.end]);
        let least = cost_at(after.first);
        // Values that differ by more than is known of them place a step less surely, too.
        let degrees = (after.end - before.first).saturating_sub(2).max(1) as f64;
        let limit = LIMIT * (least / degrees).max(1.0);
        let is_possible = |at: &usize| cost_at(*at) - least <= limit;
        let earlier = (before.first + 1..after.first).find(is_possible);
        let later = (after.first + 1..after.end).rev().find(is_possible);
        Self {
            from: earlier.unwrap_or(after.first).saturating_sub(1),
            to: later.unwrap_or(after.first),
        }
    }

    fn of_step(step: &HistoryStep) -> Self {
        Self {
            from: step.from,
            to: step.to,
        }
    }

    const fn width(self) -> usize {
        self.to.saturating_sub(self.from)
    }
}

/// Functions decide before the whole: where one of them steps in the same direction at a place that the whole's may have,
/// and shows it more surely, the whole's step is there.
pub fn by_functions(series: &mut [Series]) {
    let of_functions: Vec<(String, HistoryStep)> = series
        .iter()
        .filter_map(|each| Some((each.function.clone()?, &each.steps)))
        .flat_map(|(function, steps)| {
            steps
                .iter()
                .map(move |step| (function.clone(), step.clone()))
        })
        .collect();
    let whole = series.iter_mut().filter(|each| each.of == SeriesOf::Whole);
    for step in whole.flat_map(|whole| &mut whole.steps) {
        let place = Place::of_step(step);
        let is_it = |other: &HistoryStep| {
            let is_there = (place.from + 1..=place.to).contains(&other.at);
            let is_alike = (other.change_pct > 0.0) == (step.change_pct > 0.0);
            is_there && is_alike && Place::of_step(other).width() < place.width()
        };
        let found = of_functions.iter().filter(|(_, other)| is_it(other));
        let surest = found.min_by_key(|(_, other)| Place::of_step(other).width());
        if let Some((function, other)) = surest {
            (step.at, step.from, step.to) = (other.at, other.from, other.to);
            step.notes.clone_from(&other.notes);
            step.placed_by = Some(function.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::noise::Noise;
    use super::super::steps::segments;
    use super::*;

    const NOISE: Noise = Noise {
        of_runs: 0.0,
        of_commits: 0.0,
        degrees: 30.0,
        is_measured: true,
    };

    fn value(log: f64) -> Value {
        Value {
            log,
            variance: 0.01,
            captures: 2,
        }
    }

    fn places(values: &[Value]) -> Vec<Place> {
        let segments = segments(values, &NOISE);
        let steps = segments.windows(2);
        steps
            .map(|two| Place::of(values, &two[0], &two[1]))
            .collect()
    }

    #[test]
    fn a_value_between_both_levels_may_be_of_either() {
        let of = |logs: &[f64]| places(&logs.iter().map(|log| value(*log)).collect::<Vec<_>>());
        let sure = of(&[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(sure, [Place { from: 3, to: 4 }]);
        let between = of(&[0.0, 0.0, 0.0, 0.0, 0.21, 0.4, 0.4, 0.4]);
        assert_eq!(between, [Place { from: 3, to: 5 }]);
    }

    #[test]
    fn the_place_of_a_step_is_in_its_interval() {
        let mut state = 0x1234_5678_9abc_def1_u64;
        let mut uniform = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for height in [0.15, 0.25, 0.4] {
            let (mut steps, mut held) = (0, 0);
            for _ in 0..1_000 {
                let values: Vec<Value> = (0..24)
                    .map(|at| {
                        let normal = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
                        value(0.1 * normal + if at < 11 { 0.0 } else { height })
                    })
                    .collect();
                if let [place] = places(&values)[..] {
                    steps += 1;
                    held += u32::from(place.from < 11 && 11 <= place.to);
                }
            }
            println!("{height}: {held} of {steps}");
            assert!(held * 100 >= steps * 95, "{height}: {held} of {steps}");
        }
    }
}
