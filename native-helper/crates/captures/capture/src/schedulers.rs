//! Which schedulers of a VM may run, and who keeps the others from it; those of the time of a capture.

use serde::{Deserialize, Serialize};

/// What multi-scheduling is blocked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SchedulersBlocked {
    /// All schedulers: one of any kind runs at a time.
    All,
    /// Normal schedulers: one of them runs.
    Normal,
}

/// Which schedulers may run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SchedulersOnline {
    /// Normal schedulers.
    pub normal: OnlineCount,
    /// Dirty CPU schedulers.
    pub dirty_cpu: OnlineCount,
    /// What multi-scheduling is blocked for; null when it is not blocked.
    pub blocked: Option<SchedulersBlocked>,
    /// The processes that block it, at most 16.
    pub blockers: Vec<SchedulerBlocker>,
}

/// How many of a kind are online.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct OnlineCount {
    /// How many are online, as `erlang:system_info(schedulers_online)` has it.
    pub online: u32,
    /// How many there are.
    pub all: u32,
}

/// A process that blocks multi-scheduling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct SchedulerBlocker {
    /// `<0.79.0>`.
    pub pid: String,
    /// Registered name, label or initial call; null when unknown.
    pub name: Option<String>,
}

/// Blockers that are kept and named; a file may claim more.
pub const MOST_BLOCKERS: usize = 16;

impl SchedulersOnline {
    /// A line if schedulers are offline, and one if a process blocks them.
    pub fn lines(&self) -> Vec<String> {
        let kinds = [
            ("schedulers", self.normal),
            ("dirty CPU schedulers", self.dirty_cpu),
        ];
        let offline = |(kind, OnlineCount { online, all }): &(&str, OnlineCount)| {
            (online < all).then(|| format!("{online} of {all} {kind} online"))
        };
        let offline: Vec<String> = kinds.iter().filter_map(offline).collect();
        let mut lines = Vec::new();
        if !offline.is_empty() {
            lines.push(offline.join(", "));
        }
        if let Some(blocked) = self.blocked {
            let kind = match blocked {
                SchedulersBlocked::All => "multi-scheduling",
                SchedulersBlocked::Normal => "multi-scheduling of normal schedulers",
            };
            let blockers = self.blockers.iter().take(MOST_BLOCKERS);
            let blockers = blockers.map(|it| match &it.name {
                Some(name) => format!("{name} ({})", it.pid),
                None => it.pid.clone(),
            });
            let blockers: Vec<String> = blockers.collect();
            let by = match blockers.is_empty() {
                true => "; by which process is not known".to_owned(),
                false => format!(" by {}", blockers.join(", ")),
            };
            lines.push(format!("{kind} is blocked{by}"));
        }
        lines
    }
}

/// Which schedulers might run when a time began, and when they were last read in it. `null`: not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct SchedulersSeen {
    /// When it began.
    pub at_start: Option<SchedulersOnline>,
    /// At the last reading: at its end, or before it if the VM had ended by then.
    pub at_end: Option<SchedulersOnline>,
}

impl SchedulersSeen {
    /// Those of both moments are known.
    pub fn is_known(&self) -> bool {
        self.at_start.is_some() && self.at_end.is_some()
    }

    /// The sentence above figures of a VM of which not all schedulers might run; `None` where all might, as far as that is
    /// known.
    pub fn heading(&self) -> Option<String> {
        const START: &str = "when the capture began";
        let [start, end] =
            [&self.at_start, &self.at_end].map(|seen| seen.as_ref().map(SchedulersOnline::lines));
        let moments = match start == end {
            true => vec![(format!("{START} and at the last reading"), end?)],
            false => [(START, start), ("at the last reading", end)]
                .into_iter()
                .filter_map(|(when, lines)| Some((when.to_owned(), lines?)))
                .collect(),
        };
        let is_usual = moments.iter().all(|(_, lines)| lines.is_empty());
        let texts = moments.iter().map(|(when, lines)| match lines.is_empty() {
            true => format!("{when}: all schedulers online"),
            false => format!("{when}: {}", lines.join(", ")),
        });
        let texts: Vec<String> = texts.collect();
        (!is_usual).then(|| texts.join("; "))
    }

    /// The same for the time after `earlier`, which ends as that time begins.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        Self {
            at_start: earlier.at_end.clone(),
            at_end: self.at_end.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: OnlineCount = OnlineCount { online: 4, all: 4 };
    const FEW: OnlineCount = OnlineCount { online: 1, all: 4 };

    fn online(normal: OnlineCount, dirty_cpu: OnlineCount) -> SchedulersOnline {
        SchedulersOnline {
            normal,
            dirty_cpu,
            ..SchedulersOnline::default()
        }
    }

    fn blocker(name: Option<&str>) -> SchedulerBlocker {
        SchedulerBlocker {
            pid: "<0.79.0>".to_owned(),
            name: name.map(ToOwned::to_owned),
        }
    }

    #[test]
    fn only_what_is_not_usual_has_a_line() {
        assert!(online(USUAL, USUAL).lines().is_empty());
        assert_eq!(
            online(FEW, FEW).lines(),
            ["1 of 4 schedulers online, 1 of 4 dirty CPU schedulers online"]
        );
        let blocked = SchedulersOnline {
            blocked: Some(SchedulersBlocked::All),
            blockers: vec![blocker(Some("blocker")), blocker(None)],
            ..online(USUAL, USUAL)
        };
        assert_eq!(
            blocked.lines(),
            ["multi-scheduling is blocked by blocker (<0.79.0>), <0.79.0>"]
        );
        let by_none = SchedulersOnline {
            blocked: Some(SchedulersBlocked::Normal),
            ..online(USUAL, USUAL)
        };
        assert_eq!(
            by_none.lines(),
            ["multi-scheduling of normal schedulers is blocked; by which process is not known"]
        );
    }

    #[test]
    fn a_file_that_claims_more_blockers_than_are_kept_has_no_longer_line() {
        let of = |blockers: usize| SchedulersOnline {
            blocked: Some(SchedulersBlocked::All),
            blockers: vec![blocker(None); blockers],
            ..online(USUAL, USUAL)
        };
        assert_eq!(of(100_000).lines(), of(MOST_BLOCKERS).lines());
    }

    fn seen(at_start: Option<OnlineCount>, at_end: Option<OnlineCount>) -> SchedulersSeen {
        SchedulersSeen {
            at_start: at_start.map(|normal| online(normal, USUAL)),
            at_end: at_end.map(|normal| online(normal, USUAL)),
        }
    }

    #[test]
    fn schedulers_that_might_not_run_have_a_heading_with_when_that_was() {
        let heading = |at_start, at_end| seen(at_start, at_end).heading();
        assert_eq!(heading(Some(USUAL), Some(USUAL)), None);
        assert_eq!(
            heading(Some(FEW), Some(FEW)).unwrap(),
            "when the capture began and at the last reading: 1 of 4 schedulers online"
        );
        assert_eq!(
            heading(Some(USUAL), Some(FEW)).unwrap(),
            "when the capture began: all schedulers online; at the last reading: 1 of 4 schedulers online"
        );
        assert_eq!(
            heading(Some(FEW), Some(USUAL)).unwrap(),
            "when the capture began: 1 of 4 schedulers online; at the last reading: all schedulers online"
        );
        let blocked = SchedulersOnline {
            blocked: Some(SchedulersBlocked::All),
            blockers: vec![blocker(Some("blocker"))],
            ..online(FEW, USUAL)
        };
        let blocked = SchedulersSeen {
            at_start: Some(blocked.clone()),
            at_end: Some(blocked),
        };
        assert_eq!(
            blocked.heading().unwrap(),
            "when the capture began and at the last reading: 1 of 4 schedulers online, \
             multi-scheduling is blocked by blocker (<0.79.0>)"
        );
    }

    #[test]
    fn a_moment_that_is_not_known_is_left_out() {
        assert_eq!(SchedulersSeen::default().heading(), None);
        assert_eq!(seen(None, Some(USUAL)).heading(), None);
        assert_eq!(
            seen(None, Some(FEW)).heading().unwrap(),
            "at the last reading: 1 of 4 schedulers online"
        );
        assert!(seen(Some(USUAL), Some(USUAL)).is_known());
        for unknown in [seen(None, Some(USUAL)), seen(Some(USUAL), None)] {
            assert!(!unknown.is_known());
        }
        let read: SchedulersSeen = serde_json::from_str("{}").unwrap();
        assert_eq!(read, SchedulersSeen::default());
    }

    #[test]
    fn a_later_time_begins_as_the_one_before_it_ended() {
        let later = seen(Some(USUAL), Some(USUAL)).since(&seen(Some(USUAL), Some(FEW)));
        assert_eq!(later, seen(Some(FEW), Some(USUAL)));
        let unknown = seen(Some(USUAL), Some(USUAL)).since(&SchedulersSeen::default());
        assert_eq!(unknown, seen(None, Some(USUAL)));
    }
}
