//! The history of the VM's code index: seen by readings of the list of code and by samples.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use super::CODE_INDICES;

/// In so short a time the code index hardly goes round: that takes three loads, each of which waits
/// for all schedulers. A VM that catches up has done it in 4 ms, so the growth of the list in that
/// time has to agree, see `loads_after`.
pub(super) const MAX_UNSEEN_NS: u64 = 10_000_000;
/// Observations between two equal ones so close to each other add nothing new.
const CLOSE_NS: u64 = MAX_UNSEEN_NS / 2;
/// Observations are kept for so long: samples may wait to be resolved on a busy machine.
const KEPT_NS: u64 = 60_000_000_000;
/// Most steps from one observation to another that are followed.
const MAX_STEPS: usize = 4096;

/// The code index at some moment.
pub(super) type Observed = (u64, u32);

/// Observations of the code index by time.
#[derive(Debug, Default)]
pub(super) struct IndexHistory {
    seen: BTreeMap<u64, u32>,
}

impl IndexHistory {
    /// Notes that the index was `index`.
    pub fn note(&mut self, (at_ns, index): Observed) {
        if index >= CODE_INDICES {
            return;
        }
        let mut earlier = self.seen.range(..=at_ns).rev();
        let (before, two_before) = (earlier.next(), earlier.next());
        let after = self.seen.range((Excluded(at_ns), Unbounded)).next();
        let is_close = |one: Option<(&u64, &u32)>, other_ns: u64| {
            one.is_some_and(|(seen_ns, seen)| *seen == index && other_ns - seen_ns <= CLOSE_NS)
        };
        if let Some((after_ns, after)) = after
            && *after == index
            && is_close(before, *after_ns)
        {
            return;
        }
        // One of three in a row.
        let redundant = before
            .filter(|(_, seen)| **seen == index && is_close(two_before, at_ns))
            .map(|(seen_ns, _)| *seen_ns);
        if let Some(redundant) = redundant {
            self.seen.remove(&redundant);
        }
        self.seen.insert(at_ns, index);
        let oldest_ns = at_ns.saturating_sub(KEPT_NS);
        while self
            .seen
            .first_key_value()
            .is_some_and(|(seen_ns, _)| *seen_ns < oldest_ns)
        {
            self.seen.pop_first();
        }
    }

    /// How often the index advanced from one observation to another. `None` when it was not seen
    /// for so long in between that it may have gone round.
    pub fn between(&self, from: Observed, to: Observed) -> Option<u32> {
        let (mut at_ns, mut index) = from;
        let mut total = 0;
        let seen = self
            .seen
            .range((Excluded(from.0), Excluded(to.0.max(from.0 + 1))));
        let seen = seen
            .map(|(seen_ns, seen)| (*seen_ns, *seen))
            .take(MAX_STEPS);
        for (seen_ns, seen) in seen.chain([to]) {
            if seen_ns.saturating_sub(at_ns) > MAX_UNSEEN_NS {
                return None;
            }
            total += (seen + CODE_INDICES - index) % CODE_INDICES;
            (at_ns, index) = (seen_ns, seen);
        }
        Some(total)
    }

    /// How often at most the index had advanced at a moment since an observation before it. `None`
    /// when that is not known.
    pub fn at_most_until(&self, from: Observed, at_ns: u64) -> Option<u32> {
        let of = |(seen_ns, seen): (&u64, &u32)| (*seen_ns, *seen);
        let before = self.seen.range(..=at_ns).next_back().map(of);
        let before = before
            .filter(|(seen_ns, _)| *seen_ns > from.0)
            .unwrap_or(from);
        let after = self.seen.range(at_ns..).next().map(of);
        let (before_then, after) = (self.between(from, before)?, after?);
        (after.0.saturating_sub(before.0) <= MAX_UNSEEN_NS)
            .then(|| before_then + (after.1 + CODE_INDICES - before.1) % CODE_INDICES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000;

    fn history(seen: &[Observed]) -> IndexHistory {
        let mut history = IndexHistory::default();
        for observed in seen {
            history.note(*observed);
        }
        history
    }

    #[test]
    fn each_step_counts_and_a_gap_is_unknown() {
        let seen = history(&[(MS, 0), (5 * MS, 1), (9 * MS, 2), (13 * MS, 0)]);
        assert_eq!(seen.between((MS, 0), (13 * MS, 0)), Some(3), "once round");
        assert_eq!(seen.between((0, 2), (9 * MS, 2)), Some(3));
        assert_eq!(seen.between((MS, 0), (24 * MS, 0)), None);
        assert_eq!(seen.between((13 * MS, 0), (23 * MS, 1)), Some(1));
    }

    #[test]
    fn a_moment_is_between_what_was_seen_before_and_after() {
        let seen = history(&[(MS, 0), (3 * MS, 0), (5 * MS, 1), (6 * MS, 1)]);
        let at = |at_ns| seen.at_most_until((MS, 0), at_ns);
        assert_eq!(at(2 * MS), Some(0));
        assert_eq!(at(3 * MS), Some(0));
        assert_eq!(at(4 * MS), Some(1));
        assert_eq!(at(5 * MS), Some(1));
        assert_eq!(at(7 * MS), None, "nobody looked since");
        assert_eq!(at(70 * MS), None);
    }

    #[test]
    fn a_long_quiet_time_takes_little_room() {
        let mut seen = IndexHistory::default();
        for step in 0..200_000 {
            seen.note((step * 100_000, 1));
        }
        assert!(seen.seen.len() < 16_384, "{}", seen.seen.len());
        assert_eq!(seen.between((19_000 * MS, 1), (19_999 * MS, 1)), Some(0));
    }

    proptest! {
        #[test]
        fn what_is_left_out_changes_no_answer(
            steps in prop::collection::vec((1u64..3 * MS, 0u32..2), 1..60),
            shuffled: bool,
        ) {
            let (mut at_ns, mut total) = (MS, 0);
            let mut seen = vec![(at_ns, 0)];
            for (pause_ns, advances) in steps {
                at_ns += pause_ns;
                total += advances;
                seen.push((at_ns, total % CODE_INDICES));
            }
            let (first, last) = (seen[0], (at_ns, total % CODE_INDICES));
            if shuffled {
                seen.reverse();
            }
            prop_assert_eq!(history(&seen).between(first, last), Some(total));
        }
    }
}
