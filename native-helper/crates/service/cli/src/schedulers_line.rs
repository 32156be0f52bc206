//! Which schedulers of a VM may run, as lines for people.

use protocol::schedulers::{OnlineCount, SchedulersBlocked, SchedulersOnline};

/// A line if schedulers are offline, and one if a process blocks them.
pub fn schedulers_lines(schedulers: &SchedulersOnline) -> Vec<String> {
    let kinds = [
        ("schedulers", schedulers.normal),
        ("dirty CPU schedulers", schedulers.dirty_cpu),
    ];
    let offline = |(kind, OnlineCount { online, all }): &(&str, OnlineCount)| {
        (online < all).then(|| format!("{online} of {all} {kind} online"))
    };
    let offline: Vec<String> = kinds.iter().filter_map(offline).collect();
    let mut lines = Vec::new();
    if !offline.is_empty() {
        lines.push(offline.join(", "));
    }
    if let Some(blocked) = schedulers.blocked {
        let kind = match blocked {
            SchedulersBlocked::All => "multi-scheduling",
            SchedulersBlocked::Normal => "multi-scheduling of normal schedulers",
        };
        let blockers = schedulers.blockers.iter().map(|it| match &it.name {
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

/// The same, or that it is not known.
pub fn schedulers_lines_if_known(schedulers: Option<&SchedulersOnline>, pid: u32) -> Vec<String> {
    schedulers.map_or_else(
        || {
            vec![format!(
                "which schedulers are online is not known: `extrospect node {pid}` has the reason"
            )]
        },
        schedulers_lines,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::schedulers::SchedulerBlocker;

    #[test]
    fn only_what_is_not_usual_has_a_line() {
        let usual = SchedulersOnline {
            normal: OnlineCount { online: 4, all: 4 },
            dirty_cpu: OnlineCount { online: 4, all: 4 },
            blocked: None,
            blockers: Vec::new(),
        };
        assert!(schedulers_lines(&usual).is_empty());
        assert!(schedulers_lines_if_known(Some(&usual), 7).is_empty());
        assert_eq!(
            schedulers_lines_if_known(None, 7),
            ["which schedulers are online is not known: `extrospect node 7` has the reason"]
        );
        let offline = SchedulersOnline {
            normal: OnlineCount { online: 1, all: 4 },
            dirty_cpu: OnlineCount { online: 1, all: 4 },
            ..usual.clone()
        };
        assert_eq!(
            schedulers_lines(&offline),
            ["1 of 4 schedulers online, 1 of 4 dirty CPU schedulers online"]
        );
        let blocker = |name: Option<&str>| SchedulerBlocker {
            pid: "<0.79.0>".to_owned(),
            name: name.map(ToOwned::to_owned),
        };
        let blocked = SchedulersOnline {
            blocked: Some(SchedulersBlocked::All),
            blockers: vec![blocker(Some("blocker")), blocker(None)],
            ..usual.clone()
        };
        assert_eq!(
            schedulers_lines(&blocked),
            ["multi-scheduling is blocked by blocker (<0.79.0>), <0.79.0>"]
        );
        let by_none = SchedulersOnline {
            blocked: Some(SchedulersBlocked::Normal),
            ..usual
        };
        assert_eq!(
            schedulers_lines(&by_none),
            ["multi-scheduling of normal schedulers is blocked; by which process is not known"]
        );
    }
}
