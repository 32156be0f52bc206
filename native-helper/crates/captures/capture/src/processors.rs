//! What kept the target from processors: quotas of its control groups, time that a hypervisor took, threads that waited
//! for a processor.

use serde::{Deserialize, Serialize};

/// Limits in a time, and counts of that time. `null`: not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct ProcessorLimits {
    /// The control groups of the target were read; if not, it is not known whether it has a quota.
    pub groups_known: bool,
    /// They were read up to the root of the tree; if not, a group around them may have a tighter quota.
    pub whole_tree: bool,
    /// As many processors all the time have the time that the tightest quota of that time allows; null without one.
    pub allowed: Option<f64>,
    /// Periods of the quota in which the group ran that was throttled the longest; null without a quota, too.
    pub periods: Option<u64>,
    /// Of these, periods in which it was throttled.
    pub throttled_periods: Option<u64>,
    /// For how long, of all processors together, milliseconds.
    pub throttled_ms: Option<u64>,
    /// Time of all processors that a hypervisor took while there was work, milliseconds.
    pub stolen_ms: Option<u64>,
    /// Time in which a thread of the machine waited for a processor, milliseconds (pressure).
    pub pressure_ms: Option<u64>,
    /// The same of the target's own control group; version 2 only.
    pub group_pressure_ms: Option<u64>,
    /// Where it might run, at the least; absent where that is not known, and in captures of helpers that did not look.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub affinity: Option<Affinity>,
}

/// The processors of a target: by the affinity of its threads, or the set of its control group (`cpuset`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct Affinity {
    /// Those on which a thread of it may run.
    pub allowed: u32,
    /// Those of the machine that are online.
    pub online: u32,
}

/// Limits of a part of a recording, during which they changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct LimitsSeen {
    /// When others were found; of the last ones, when they were. Milliseconds after the recording began, in a later file of
    /// it after that file began.
    pub until_ms: u64,
    /// As of [`ProcessorLimits::allowed`].
    pub allowed: Option<f64>,
    /// As of [`ProcessorLimits::affinity`].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub affinity: Option<Affinity>,
}

/// The limits of the time after `earlier_ns`, when others may have been found. The last ones are those of its end.
pub(crate) fn limits_after(seen: &[LimitsSeen], earlier_ns: u64) -> Vec<LimitsSeen> {
    let earlier_ms = earlier_ns / 1_000_000;
    let last = seen.len().saturating_sub(1);
    let of_then = seen.iter().enumerate();
    let of_then = of_then.filter(|(index, it)| *index == last || it.until_ms > earlier_ms);
    let moved = of_then.map(|(_, it)| LimitsSeen {
        until_ms: it.until_ms.saturating_sub(earlier_ms),
        ..*it
    });
    moved.collect()
}

/// Less stolen time than this in the time of a capture is no reason to doubt it: the kernel counts ticks of 10 ms.
const LEAST_STOLEN_MS: u64 = 100;
/// A busy machine makes each thread wait now and then: less than this is no reason to name the processors of a target.
const LEAST_WAITED_MS: u64 = 1000;

impl ProcessorLimits {
    /// The sentence above figures of a target that was kept from processors; `None` where it was not, and where nothing is
    /// known of it.
    pub fn heading(&self) -> Option<String> {
        let mut parts = Vec::new();
        if let Some((throttled, periods, ms)) = self.throttled().filter(|it| it.0 > 0) {
            let least = self.least();
            parts.push(format!(
                "its control group's quota throttled the VM in {least}{throttled} of {periods} periods, for {least}{:.1} s",
                ms as f64 / 1000.0
            ));
        }
        if let Some(ms) = self.stolen_ms.filter(|ms| *ms >= LEAST_STOLEN_MS) {
            parts.push(format!(
                "a hypervisor took {:.1} s of this machine's processor time",
                ms as f64 / 1000.0
            ));
        }
        parts.extend(self.waited_text());
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The processors of a target that may not run on all: `2 of 8 processors`; `None` also where that is not known.
    pub fn affinity_text(&self) -> Option<String> {
        let Affinity { allowed, online } = self.affinity?;
        (allowed < online).then(|| format!("{allowed} of {online} processors"))
    }

    /// How long threads waited for processors that are not all of the machine: those of its control group, otherwise of the
    /// machine. Waiting for all of them is the load of the machine.
    fn waited_text(&self) -> Option<String> {
        let processors = self.affinity_text()?;
        let (whose, seconds) = self.waited()?;
        Some(format!(
            "the VM may run on {processors}, and threads of {whose} waited {seconds:.1} s for one"
        ))
    }

    /// How long threads waited for a processor, where no heading has that.
    pub fn pressure_clause(&self) -> Option<String> {
        if self.waited_text().is_some() {
            return None;
        }
        let (whose, seconds) = self.waited()?;
        Some(format!(
            "threads of {whose} waited {seconds:.1} s for a processor"
        ))
    }

    /// Whose threads waited, and for how many seconds; `None` where that is little or not known.
    fn waited(&self) -> Option<(&'static str, f64)> {
        let (whose, ms) = match self.group_pressure_ms {
            Some(ms) => ("its control group", ms),
            None => ("the machine", self.pressure_ms?),
        };
        (ms >= LEAST_WAITED_MS).then_some((whose, ms as f64 / 1000.0))
    }

    /// The word before throttled periods and their time: a group that is not in sight may have throttled it, too.
    pub fn least(&self) -> &'static str {
        match self.whole_tree {
            true => "",
            false => "at least ",
        }
    }

    /// Periods that were throttled, all periods, and milliseconds.
    pub fn throttled(&self) -> Option<(u64, u64, u64)> {
        Some((self.throttled_periods?, self.periods?, self.throttled_ms?))
    }

    /// The limit in words: `0.5 processors`; `None` without a quota that is known.
    pub fn allowed_text(&self) -> Option<String> {
        // The kernel's least quota is a thousandth.
        let rounded = (self.allowed? * 1000.0).round() / 1000.0;
        let processors = match rounded == 1.0 {
            true => "1 processor".to_owned(),
            false => format!("{rounded} processors"),
        };
        // A group that is not in sight may have a tighter one.
        Some(match self.whole_tree {
            true => processors,
            false => format!("at most {processors}"),
        })
    }

    /// The same with the tightest of `seen`, the limits of its time, where they are known.
    pub(crate) fn bound_by(self, seen: &[LimitsSeen]) -> Self {
        if seen.is_empty() {
            return self;
        }
        let affinities = seen.iter().filter_map(|it| it.affinity);
        Self {
            allowed: seen
                .iter()
                .filter_map(|it| it.allowed)
                .min_by(f64::total_cmp),
            affinity: affinities.min_by_key(|it| it.allowed),
            ..self
        }
    }

    /// The same for the time after `earlier`. Without the limits of that time they are those until then, too.
    pub(crate) fn since(self, earlier: &Self) -> Self {
        let rest = |now: Option<u64>, before: Option<u64>| now?.checked_sub(before?);
        Self {
            periods: rest(self.periods, earlier.periods),
            throttled_periods: rest(self.throttled_periods, earlier.throttled_periods),
            throttled_ms: rest(self.throttled_ms, earlier.throttled_ms),
            stolen_ms: rest(self.stolen_ms, earlier.stolen_ms),
            pressure_ms: rest(self.pressure_ms, earlier.pressure_ms),
            group_pressure_ms: rest(self.group_pressure_ms, earlier.group_pressure_ms),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_that_was_not_kept_from_processors_has_no_heading() {
        let quiet = ProcessorLimits {
            groups_known: true,
            whole_tree: true,
            allowed: Some(0.5),
            periods: Some(20),
            throttled_periods: Some(0),
            throttled_ms: Some(0),
            stolen_ms: Some(90),
            pressure_ms: Some(5000),
            ..ProcessorLimits::default()
        };
        assert_eq!(quiet.heading(), None);
        assert_eq!(ProcessorLimits::default().heading(), None);
        let throttled = ProcessorLimits {
            throttled_periods: Some(12),
            throttled_ms: Some(1250),
            stolen_ms: Some(400),
            ..quiet
        };
        assert_eq!(
            throttled.heading().unwrap(),
            "its control group's quota throttled the VM in 12 of 20 periods, for 1.2 s; \
             a hypervisor took 0.4 s of this machine's processor time"
        );
        let in_container = ProcessorLimits {
            whole_tree: false,
            stolen_ms: None,
            ..throttled
        };
        assert_eq!(
            in_container.heading().unwrap(),
            "its control group's quota throttled the VM in at least 12 of 20 periods, for at least 1.2 s"
        );
        let later = ProcessorLimits {
            throttled_periods: Some(15),
            ..throttled
        };
        let rest = later.since(&throttled);
        assert_eq!((rest.throttled_periods, rest.stolen_ms), (Some(3), Some(0)));
        assert_eq!(throttled.since(&later).throttled_periods, None);
    }

    #[test]
    fn waiting_is_named_where_the_target_may_not_run_on_all_processors() {
        let heading = |allowed, pressure_ms, group_pressure_ms| {
            let limits = ProcessorLimits {
                affinity: Some(Affinity { allowed, online: 8 }),
                pressure_ms,
                group_pressure_ms,
                ..ProcessorLimits::default()
            };
            limits.heading()
        };
        assert_eq!(heading(8, Some(9000), Some(9000)), None);
        assert_eq!(heading(1, None, None), None);
        assert_eq!(heading(1, Some(9000), Some(900)), None);
        assert_eq!(
            heading(1, Some(9000), Some(5130)).unwrap(),
            "the VM may run on 1 of 8 processors, and threads of its control group waited 5.1 s for one"
        );
        assert_eq!(
            heading(2, Some(9000), None).unwrap(),
            "the VM may run on 2 of 8 processors, and threads of the machine waited 9.0 s for one"
        );
        let json = serde_json::to_string(&ProcessorLimits::default()).unwrap();
        assert!(!json.contains("affinity"), "{json}");
        // Once in a line that has headings, too.
        let clause = |allowed, pressure_ms, group_pressure_ms| {
            let limits = ProcessorLimits {
                affinity: Some(Affinity { allowed, online: 8 }),
                pressure_ms,
                group_pressure_ms,
                ..ProcessorLimits::default()
            };
            limits.pressure_clause()
        };
        assert_eq!(clause(1, Some(9000), None), None);
        assert_eq!(clause(8, None, None), None);
        assert_eq!(clause(8, Some(9000), Some(900)), None);
        assert_eq!(
            clause(8, Some(9000), None).unwrap(),
            "threads of the machine waited 9.0 s for a processor"
        );
        assert_eq!(
            clause(8, Some(9000), Some(5130)).unwrap(),
            "threads of its control group waited 5.1 s for a processor"
        );
    }

    #[test]
    fn limits_of_an_earlier_time_are_not_those_of_a_later_one() {
        let seen = |until_ms, allowed, processors| LimitsSeen {
            until_ms,
            allowed,
            affinity: Some(Affinity {
                allowed: processors,
                online: 8,
            }),
        };
        let all = [
            seen(4000, Some(0.3), 8),
            seen(9000, None, 2),
            seen(11_000, Some(2.0), 8),
        ];
        let whole = ProcessorLimits {
            allowed: Some(0.3),
            affinity: Some(Affinity {
                allowed: 2,
                online: 8,
            }),
            ..ProcessorLimits::default()
        };
        let after = |earlier_ms: u64| {
            let then = limits_after(&all, earlier_ms * 1_000_000);
            let found = whole.bound_by(&then);
            let until: Vec<u64> = then.iter().map(|it| it.until_ms).collect();
            (found.allowed, found.affinity.map(|it| it.allowed), until)
        };
        assert_eq!(after(0), (Some(0.3), Some(2), vec![4000, 9000, 11_000]));
        assert_eq!(after(3000), (Some(0.3), Some(2), vec![1000, 6000, 8000]));
        // When others were found, they were no longer there.
        assert_eq!(after(4000), (Some(2.0), Some(2), vec![5000, 7000]));
        assert_eq!(after(9500), (Some(2.0), Some(8), vec![1500]));
        // No reading since.
        assert_eq!(after(12_000), (Some(2.0), Some(8), vec![0]));
        // A helper that did not note them.
        assert_eq!(whole.bound_by(&[]), whole);
    }

    #[test]
    fn a_limit_is_a_number_of_processors() {
        let text = |allowed| {
            let limits = ProcessorLimits {
                allowed,
                whole_tree: true,
                ..ProcessorLimits::default()
            };
            limits.allowed_text()
        };
        assert_eq!(text(None), None);
        assert_eq!(text(Some(1.0)).as_deref(), Some("1 processor"));
        assert_eq!(text(Some(0.333_333)).as_deref(), Some("0.333 processors"));
        assert_eq!(text(Some(0.001)).as_deref(), Some("0.001 processors"));
        let in_container = ProcessorLimits {
            allowed: Some(0.5),
            ..ProcessorLimits::default()
        };
        let at_most = in_container.allowed_text();
        assert_eq!(at_most.as_deref(), Some("at most 0.5 processors"));
        assert_eq!(text(Some(2.5)).as_deref(), Some("2.5 processors"));
    }

    #[test]
    fn members_that_are_missing_are_not_known() {
        let limits: ProcessorLimits = serde_json::from_str("{}").unwrap();
        assert_eq!(limits, ProcessorLimits::default());
    }
}
