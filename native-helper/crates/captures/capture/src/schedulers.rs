//! Which schedulers of a VM may run, and who keeps the others from it.

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
}
