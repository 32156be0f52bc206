//! What grows between snapshots, and what only swings.
//!
//! The memory of a process is a saw: it grows until a collection and falls. Two snapshots of it say nothing.
//! What leaks shows in the teeth's lower ends: the snapshots are cut into six stretches of time, and the
//! least of each has to be more than the least of the one before. What only swings does that by chance in
//! one of 720 orders, so what is said to grow has to be worth it as well ([`Least`]).
//!
//! What comes and goes has no saw: of processes that are not there in every snapshot, their number counts.

mod tracked;

pub use tracked::{Grown, Tracked};

/// Fewer snapshots say nothing.
pub const FEWEST_SNAPSHOTS: usize = 8;
/// Stretches of time that are compared.
const STRETCHES: usize = 6;

/// How something grew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growth {
    /// The least of the first stretch of time.
    pub before: u64,
    /// The least of the last one.
    pub after: u64,
    /// Which snapshots these were, from 0 on: what lies between them is how long that growth took.
    pub between: (usize, usize),
}

/// What growth has to be to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Least {
    /// By so much in all.
    pub difference: u64,
    /// By so many parts of a hundred.
    pub percent: u64,
}

/// How a series grew, which has a value for each snapshot; `None` when it did not, or has too few.
pub fn growth(values: &[u64], least: Least) -> Option<Growth> {
    if values.len() < FEWEST_SNAPSHOTS {
        return None;
    }
    let count = values.len();
    let stretch =
        |index: usize| &values[index * count / STRETCHES..(index + 1) * count / STRETCHES];
    // The first of several that are as low, in each.
    let lows: Option<Vec<(u64, usize)>> = (0..STRETCHES)
        .map(|index| {
            let first = index * count / STRETCHES;
            let numbered = stretch(index).iter().zip(first..);
            numbered.map(|(value, at)| (*value, at)).min()
        })
        .collect();
    let lows = lows?;
    let ((before, first), (after, last)) = (*lows.first()?, *lows.last()?);
    let grows = lows.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let difference = after.saturating_sub(before);
    let is_worth_it = difference >= least.difference
        && u128::from(difference) * 100 >= u128::from(before) * u128::from(least.percent);
    (grows && is_worth_it).then_some(Growth {
        before,
        after,
        between: (first, last),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ANY: Least = Least {
        difference: 1,
        percent: 0,
    };

    #[test]
    fn a_saw_that_rises_grows() {
        let leak: Vec<u64> = (0..24).map(|at| 1000 + at * 10 + at % 4 * 400).collect();
        let expected = Growth {
            before: 1000,
            after: 1200,
            between: (0, 20),
        };
        assert_eq!(growth(&leak, ANY), Some(expected));
        let large = Least {
            difference: 201,
            percent: 0,
        };
        assert_eq!(growth(&leak, large), None);
        let share = Least {
            difference: 1,
            percent: 21,
        };
        assert_eq!(growth(&leak, share), None);
    }

    #[test]
    fn what_grows_steadily_took_as_long_as_lies_between_the_snapshots_with_the_least() {
        for count in [8, 12, 24] {
            let steady: Vec<u64> = (0..count).map(|at| 100 * at).collect();
            let grown = growth(&steady, ANY).unwrap();
            let took = (grown.between.1 - grown.between.0) as u64;
            assert_eq!(grown.after - grown.before, 100 * took, "{count} snapshots");
        }
    }

    #[test]
    fn a_saw_that_does_not_rise_and_a_single_step_do_not_grow() {
        let saw: Vec<u64> = (0..24).map(|at| 1000 + at % 4 * 500).collect();
        assert_eq!(growth(&saw, ANY), None);
        let step: Vec<u64> = (0..16).map(|at| if at < 8 { 10 } else { 99 }).collect();
        assert_eq!(growth(&step, ANY), None);
        assert_eq!(growth(&[1, 2, 3, 4, 5, 6, 7], ANY), None, "too few");
    }

    proptest! {
        #[test]
        fn any_values_grow_or_not(values in prop::collection::vec(any::<u64>(), 0..40), difference: u64, percent: u64) {
            if let Some(grown) = growth(&values, Least { difference, percent }) {
                prop_assert!(grown.after > grown.before);
            }
        }
    }
}
