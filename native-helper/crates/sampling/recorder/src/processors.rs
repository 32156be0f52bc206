//! What kept a process from processors between two looks at its limits.

use capture::processors::{Affinity, LimitsSeen, ProcessorLimits};
use target_proc::cpu_limits::{CpuLimits, QuotaCounts, QuotaGroups};

/// Limits that are noted apart from each other. Of more, the oldest ones are taken together.
const MOST_SEEN: usize = 16;

/// The limits between `before` and `now`, and the counts since `before`. A quota that was lifted since was one.
pub fn processors_since(before: &CpuLimits, now: &CpuLimits) -> ProcessorLimits {
    let now = &now.clone().since(before);
    let since = |now: Option<u64>, before: Option<u64>| now?.checked_sub(before?);
    let ms = |us: Option<u64>| us.map(|us| us / 1000);
    let groups = now.groups.as_ref();
    let counts = most_throttled(before.groups.as_ref(), groups);
    ProcessorLimits {
        groups_known: groups.is_some(),
        whole_tree: groups.is_some_and(|groups| groups.reach_root),
        allowed: groups.and_then(tightest),
        periods: counts.map(|it| it.periods),
        throttled_periods: counts.map(|it| it.throttled_periods),
        throttled_ms: ms(counts.map(|it| it.throttled_us)),
        stolen_ms: since(now.stolen_ms, before.stolen_ms),
        pressure_ms: ms(since(now.pressure_us, before.pressure_us)),
        group_pressure_ms: ms(since(now.group_pressure_us, before.group_pressure_us)),
        affinity: now.affinity.map(affinity),
    }
}

/// Adds the limits that a reading after `at_ms` found to those of the readings before it. Limits that it did not look for, or could
/// not read, are as before.
pub fn note_limits(seen: &mut Vec<LimitsSeen>, found: &CpuLimits, at_ms: u64) {
    let mut now = LimitsSeen {
        until_ms: at_ms,
        allowed: found.groups.as_ref().and_then(tightest),
        affinity: found.affinity.map(affinity),
    };
    if let Some(before) = seen.last_mut() {
        before.until_ms = at_ms;
        if found.groups.is_none() {
            now.allowed = before.allowed;
        }
        now.affinity = now.affinity.or(before.affinity);
        if *before == now {
            return;
        }
    }
    seen.push(now);
    if seen.len() > MOST_SEEN {
        let oldest = seen.remove(0);
        if let Some(next) = seen.first_mut() {
            let quotas = [oldest.allowed, next.allowed].into_iter().flatten();
            next.allowed = quotas.min_by(f64::total_cmp);
            let affinities = [oldest.affinity, next.affinity].into_iter().flatten();
            next.affinity = affinities.min_by_key(|it| it.allowed);
        }
    }
}

/// The processors that the tightest quota of these groups allows.
fn tightest(groups: &QuotaGroups) -> Option<f64> {
    let allowed = groups.limited.iter().map(|it| it.quota.processors());
    allowed.min_by(f64::total_cmp)
}

fn affinity(found: target_proc::affinity::Affinity) -> Affinity {
    Affinity {
        allowed: found.allowed,
        online: found.online,
    }
}

/// The counts of the group that was throttled the longest. Those of several groups are no sum: they are throttled at
/// the same time. `None` without a quota, and where the counts of one are not known: a group that is new, or that the
/// process has entered, had no count before.
fn most_throttled(before: Option<&QuotaGroups>, now: Option<&QuotaGroups>) -> Option<QuotaCounts> {
    let (before, now) = (&before?.limited, &now?.limited);
    let counts = now.iter().map(|group| {
        let earlier = before.iter().find(|it| it.folder == group.folder)?.counts?;
        let now = group.counts?;
        Some(QuotaCounts {
            periods: now.periods.checked_sub(earlier.periods)?,
            throttled_periods: now
                .throttled_periods
                .checked_sub(earlier.throttled_periods)?,
            throttled_us: now.throttled_us.checked_sub(earlier.throttled_us)?,
        })
    });
    let counts: Option<Vec<QuotaCounts>> = counts.collect();
    let order = |counts: &QuotaCounts| (counts.throttled_us, counts.periods);
    counts?.into_iter().max_by_key(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_proc::cpu_limits::{Quota, QuotaGroup};

    fn group(folder: &str, quota_us: u64, counts: [u64; 3]) -> QuotaGroup {
        QuotaGroup {
            folder: folder.into(),
            quota: Quota {
                quota_us,
                period_us: 100_000,
            },
            counts: Some(QuotaCounts {
                periods: counts[0],
                throttled_periods: counts[1],
                throttled_us: counts[2],
            }),
        }
    }

    fn limits(limited: Vec<QuotaGroup>) -> CpuLimits {
        CpuLimits {
            groups: Some(QuotaGroups {
                own: "/pod/vm".into(),
                limited,
                reach_root: true,
            }),
            stolen_ms: Some(30),
            pressure_us: None,
            group_pressure_us: Some(7_500),
            affinity: None,
        }
    }

    #[test]
    fn the_tightest_quota_binds_and_the_group_that_was_throttled_longest_counts() {
        let before = limits(vec![
            group("/pod/vm", 200_000, [10, 1, 900]),
            group("/pod", 50_000, [10, 2, 5_000]),
        ]);
        let now = limits(vec![
            group("/pod/vm", 200_000, [14, 1, 900]),
            group("/pod", 50_000, [16, 5, 47_000]),
        ]);
        let found = processors_since(&before, &now);
        assert_eq!(found.allowed, Some(0.5));
        let counts = (found.periods, found.throttled_periods, found.throttled_ms);
        assert_eq!(counts, (Some(6), Some(3), Some(42)));
        assert!(found.groups_known && found.whole_tree);
        assert_eq!((found.stolen_ms, found.pressure_ms), (Some(0), None));
        assert_eq!(found.group_pressure_ms, Some(0));
    }

    #[test]
    fn a_quota_that_was_lifted_or_loosened_is_the_one_that_was_there() {
        let before = limits(vec![group("/pod", 30_000, [10, 2, 5_000])]);
        // Its counters cannot be read here any more.
        let lifted = processors_since(&before, &limits(vec![]));
        assert_eq!((lifted.allowed, lifted.throttled_ms), (Some(0.3), None));
        let now = limits(vec![group("/pod", 100_000, [40, 9, 95_000])]);
        let loosened = processors_since(&before, &now);
        assert_eq!(loosened.allowed, Some(0.3));
        assert_eq!(loosened.throttled(), Some((7, 30, 90)));
    }

    #[test]
    fn the_fewest_processors_that_it_might_run_on_count() {
        let on = |allowed| CpuLimits {
            affinity: Some(target_proc::affinity::Affinity { allowed, online: 8 }),
            ..limits(vec![])
        };
        let fewest = |before: &CpuLimits, now: &CpuLimits| {
            let found = processors_since(before, now).affinity;
            found.map(|it| (it.allowed, it.online))
        };
        assert_eq!(fewest(&on(1), &on(8)), Some((1, 8)));
        assert_eq!(fewest(&on(8), &on(2)), Some((2, 8)));
        assert_eq!(fewest(&on(4), &limits(vec![])), Some((4, 8)));
        assert_eq!(fewest(&limits(vec![]), &limits(vec![])), None);
    }

    #[test]
    fn limits_that_change_are_noted_until_others_are_found() {
        let quota = |us| limits(vec![group("/pod", us, [0, 0, 0])]);
        let on = |allowed| {
            let affinity = target_proc::affinity::Affinity { allowed, online: 8 };
            CpuLimits {
                affinity: Some(affinity),
                ..quota(30_000)
            }
        };
        let mut seen = Vec::new();
        // A reading without affinity or groups leaves these as they were.
        for (found, at_ms) in [
            (on(8), 0),
            (quota(30_000), 1000),
            (CpuLimits::default(), 2000),
            (limits(vec![]), 3000),
            (on(2), 4000),
            (quota(30_000), 5000),
        ] {
            note_limits(&mut seen, &found, at_ms);
        }
        let noted = |seen: &[LimitsSeen]| -> Vec<_> {
            let each = seen.iter();
            each.map(|it| (it.until_ms, it.allowed, it.affinity.map(|it| it.allowed)))
                .collect()
        };
        assert_eq!(
            noted(&seen),
            [
                (3000, Some(0.3), Some(8)),
                (4000, None, Some(8)),
                (5000, Some(0.3), Some(2)),
            ]
        );
        // Many changes are no reason to forget a tight one.
        for at in 0..40 {
            note_limits(&mut seen, &quota(50_000 + (at % 2) * 50_000), 6000 + at);
        }
        assert_eq!(seen.len(), MOST_SEEN);
        assert_eq!(noted(&seen)[0].1, Some(0.3));
        assert_eq!(noted(&seen)[MOST_SEEN - 1], (6039, Some(1.0), Some(2)));
    }

    #[test]
    fn counters_that_fall_and_limits_that_are_not_known_are_no_counts() {
        let before = limits(vec![group("/vm", u64::MAX, [u64::MAX; 3])]);
        let now = limits(vec![group("/vm", u64::MAX, [1, 1, 1])]);
        let found = processors_since(&before, &now);
        assert_eq!((found.periods, found.throttled_ms), (None, None));
        assert_eq!(found.allowed, Some(u64::MAX as f64 / 100_000.0));
        let entered = limits(vec![group("/new", 400_000, [99, 99, 99_000_000])]);
        assert_eq!(processors_since(&before, &entered).periods, None);
        let free = processors_since(&limits(vec![]), &limits(vec![]));
        assert_eq!((free.allowed, free.throttled_periods), (None, None));
        let unknown = processors_since(&before, &CpuLimits::default());
        assert_eq!(unknown, ProcessorLimits::default());
    }
}
