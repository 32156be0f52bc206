//! Finds growth between snapshots, as opposed to mere swings.
//!
//! The memory of a process is a saw: it grows until a collection and falls. Two snapshots of it prove nothing. A leak
//! shows in the teeth's lower ends: the snapshots are cut into six stretches of time, and the least of each has to be
//! more than the least of the one before. A mere swing does that by chance in one of 720 orders, so growth also has
//! to be large enough to be reported ([`Least`]). Where a stretch has no value, the others are compared: a process
//! that works whenever it is looked at may leak all the same.
//!
//! Things that come and go have no saw: for processes that are not there in every snapshot, their number
//! counts.

mod tracked;

pub use tracked::{Found, Grown, Tracked};

/// Fewer snapshots prove nothing.
pub const FEWEST_SNAPSHOTS: usize = 8;
/// Stretches of time that are compared.
const STRETCHES: usize = 6;
/// Of them so many need a value: a mere swing rises through five by chance in one of 120 orders.
const FEWEST_STRETCHES: usize = 5;

/// How something grew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growth {
    /// The least of the first stretch of time.
    pub before: u64,
    /// The least of the last one.
    pub after: u64,
    /// Which snapshots these were, from 0 on: the time between them is how long that growth took.
    pub between: (usize, usize),
}

/// The least growth that is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Least {
    /// By so much in all.
    pub difference: u64,
    /// By so many parts of a hundred.
    pub percent: u64,
}

/// What a series shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// It grew.
    Grown(Growth),
    /// It did not, or has too few values.
    Steady,
    /// Too many stretches of time have no value: it may have grown or not.
    Unknown,
}

/// Whether a series grew, which has a value for each snapshot; `None` where it is unknown. Stretches without any
/// value are passed over.
pub fn growth(values: &[Option<u64>], least: Least) -> Shown {
    if values.len() < FEWEST_SNAPSHOTS {
        return Shown::Steady;
    }
    let count = values.len();
    // The first of several that are as low, in each.
    let lows: Vec<(u64, usize)> = (0..STRETCHES)
        .filter_map(|index| {
            let first = index * count / STRETCHES;
            let stretch = &values[first..(index + 1) * count / STRETCHES];
            let numbered = stretch.iter().zip(first..);
            numbered
                .filter_map(|(value, at)| Some(((*value)?, at)))
                .min()
        })
        .collect();
    let (Some(&(before, first)), Some(&(after, last))) = (lows.first(), lows.last()) else {
        return Shown::Unknown;
    };
    if lows.len() < 2 {
        return Shown::Unknown;
    }
    let difference = after.saturating_sub(before);
    let is_worth_it = difference >= least.difference
        && u128::from(difference) * 100 >= u128::from(before) * u128::from(least.percent);
    if !is_worth_it || !lows.windows(2).all(|pair| pair[0].0 < pair[1].0) {
        return Shown::Steady;
    }
    if lows.len() < FEWEST_STRETCHES {
        return Shown::Unknown;
    }
    Shown::Grown(Growth {
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

    /// Of a series without unknown values.
    fn grown(values: &[u64], least: Least) -> Option<Growth> {
        let values: Vec<Option<u64>> = values.iter().copied().map(Some).collect();
        match growth(&values, least) {
            Shown::Grown(grown) => Some(grown),
            Shown::Steady => None,
            Shown::Unknown => panic!("it is unknown"),
        }
    }

    #[test]
    fn a_saw_that_rises_grows() {
        let leak: Vec<u64> = (0..24).map(|at| 1000 + at * 10 + at % 4 * 400).collect();
        let expected = Growth {
            before: 1000,
            after: 1200,
            between: (0, 20),
        };
        assert_eq!(grown(&leak, ANY), Some(expected));
        let large = Least {
            difference: 201,
            percent: 0,
        };
        assert_eq!(grown(&leak, large), None);
        let share = Least {
            difference: 1,
            percent: 21,
        };
        assert_eq!(grown(&leak, share), None);
    }

    #[test]
    fn what_grows_steadily_took_as_long_as_lies_between_the_snapshots_with_the_least() {
        for count in [8, 12, 24] {
            let steady: Vec<u64> = (0..count).map(|at| 100 * at).collect();
            let found = grown(&steady, ANY).unwrap();
            let took = (found.between.1 - found.between.0) as u64;
            assert_eq!(found.after - found.before, 100 * took, "{count} snapshots");
        }
    }

    #[test]
    fn a_saw_that_does_not_rise_and_a_single_step_do_not_grow() {
        let saw: Vec<u64> = (0..24).map(|at| 1000 + at % 4 * 500).collect();
        assert_eq!(grown(&saw, ANY), None);
        let step: Vec<u64> = (0..16).map(|at| if at < 8 { 10 } else { 99 }).collect();
        assert_eq!(grown(&step, ANY), None);
        assert_eq!(grown(&[1, 2, 3, 4, 5, 6, 7], ANY), None, "too few");
    }

    #[test]
    fn where_a_stretch_is_unknown_the_others_are_compared() {
        let known_where = |is_known: fn(u64) -> bool| -> Vec<Option<u64>> {
            (0..24).map(|at| is_known(at).then_some(100 * at)).collect()
        };
        let expected = Growth {
            before: 0,
            after: 2000,
            between: (0, 20),
        };
        let four_in_a_row = known_where(|at| !(8..12).contains(&at));
        assert_eq!(growth(&four_in_a_row, ANY), Shown::Grown(expected));
        let half = known_where(|at| !(4..20).contains(&at));
        assert_eq!(growth(&half, ANY), Shown::Unknown);
        assert_eq!(growth(&known_where(|_| false), ANY), Shown::Unknown);
        assert_eq!(
            growth(&known_where(|at| at < 4), ANY),
            Shown::Unknown,
            "nothing to compare it with"
        );
        let as_it_was: Vec<Option<u64>> = (0..24).map(|at| (at % 11 == 0).then_some(5)).collect();
        assert_eq!(
            growth(&as_it_was, ANY),
            Shown::Steady,
            "the known values do not grow"
        );
    }

    proptest! {
        #[test]
        fn any_values_grow_or_not(values in prop::collection::vec(any::<Option<u64>>(), 0..40), difference: u64, percent: u64) {
            if let Shown::Grown(grown) = growth(&values, Least { difference, percent }) {
                prop_assert!(grown.after > grown.before);
            }
        }
    }
}
