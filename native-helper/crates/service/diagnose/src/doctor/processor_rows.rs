//! The rows about what keeps one VM from processors: a quota of its control group, schedulers that may not run.

use capture::processors::ProcessorLimits;
use capture::schedulers::{SchedulerBlocker, SchedulersOnline};
use protocol::discovery::DoctorStatus::{Ok as Good, Warn};
use protocol::message::texts;

use super::check::DoctorCheck;
use super::checked_row::{CheckedRow, Mend, row};

/// The quota of a VM, a warning where it throttled the VM during the check, and where it is not known.
pub fn quota_row(limits: &ProcessorLimits) -> CheckedRow {
    let mut mend = None;
    let (status, found) = match (limits.allowed, limits.throttled()) {
        _ if !limits.groups_known => (Warn, texts::FOUND_QUOTA_UNKNOWN.text()),
        (None, _) if limits.whole_tree => (Good, texts::FOUND_NO_QUOTA.text()),
        (None, _) => (Good, texts::FOUND_NO_QUOTA_IN_SIGHT.text()),
        (Some(allowed), Some((throttled, periods, _))) if throttled > 0 => {
            mend = Some(Mend::Advice(texts::TO_RAISE_QUOTA.text()));
            let found = texts::FOUND_THROTTLED.with(&[
                ("processors", &processors(allowed, limits)),
                ("throttled", &throttled),
                ("periods", &periods),
            ]);
            (Warn, found)
        }
        (Some(allowed), _) => (
            Good,
            texts::FOUND_QUOTA.with(&[("processors", &processors(allowed, limits))]),
        ),
    };
    let needed = texts::NEED_QUOTA.text();
    row(DoctorCheck::Quota, status, found, needed, mend)
}

/// `0.3`, `≤ 0.3` where a group that is not in sight may have a tighter quota.
fn processors(allowed: f64, limits: &ProcessorLimits) -> String {
    // The kernel's least quota is a thousandth.
    let rounded = (allowed * 1000.0).round() / 1000.0;
    match limits.whole_tree {
        true => rounded.to_string(),
        false => format!("≤ {rounded}"),
    }
}

/// How many schedulers are online, a warning where a process blocks the others, and where that is not known.
pub fn schedulers_row(schedulers: Result<SchedulersOnline, String>) -> CheckedRow {
    let (status, found) = match schedulers {
        Err(why) => (
            Warn,
            texts::FOUND_SCHEDULERS_UNKNOWN.with(&[("detail", &why)]),
        ),
        Ok(SchedulersOnline {
            normal,
            dirty_cpu,
            blocked: None,
            ..
        }) => (
            Good,
            texts::FOUND_SCHEDULERS.with(&[
                ("online", &normal.online),
                ("all", &normal.all),
                ("dirty_online", &dirty_cpu.online),
                ("dirty_all", &dirty_cpu.all),
            ]),
        ),
        Ok(SchedulersOnline {
            normal, blockers, ..
        }) => (
            Warn,
            texts::FOUND_SCHEDULERS_BLOCKED.with(&[
                ("online", &normal.online),
                ("all", &normal.all),
                ("blockers", &names(&blockers)),
            ]),
        ),
    };
    let needed = texts::NEED_SCHEDULERS.text();
    row(DoctorCheck::SchedulersOnline, status, found, needed, None)
}

/// `<0.79.0> (blocker)`; `?` where none could be read.
fn names(blockers: &[SchedulerBlocker]) -> String {
    let names = blockers.iter().map(|SchedulerBlocker { pid, name }| {
        let name = name.as_ref().map(|name| format!(" ({name})"));
        format!("{pid}{}", name.unwrap_or_default())
    });
    let names: Vec<String> = names.collect();
    match names.is_empty() {
        true => "?".to_owned(),
        false => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use capture::schedulers::{OnlineCount, SchedulersBlocked};
    use protocol::discovery::DoctorStatus;

    use super::*;

    fn shown(checked: CheckedRow) -> (DoctorStatus, String) {
        (checked.shown.status, checked.shown.found)
    }

    #[test]
    fn a_quota_is_named_and_one_that_throttles_the_vm_is_a_warning() {
        let whole = ProcessorLimits {
            groups_known: true,
            whole_tree: true,
            ..ProcessorLimits::default()
        };
        let of = |limits: ProcessorLimits| {
            let (status, found) = shown(quota_row(&limits));
            (
                status,
                found.replace("processors that its control group allows it: ", ""),
            )
        };
        let quota = ProcessorLimits {
            allowed: Some(0.3),
            periods: Some(4),
            throttled_periods: Some(0),
            throttled_ms: Some(0),
            ..whole
        };
        let throttled = ProcessorLimits {
            throttled_periods: Some(3),
            ..quota
        };
        let in_part = |limits: ProcessorLimits| ProcessorLimits {
            whole_tree: false,
            ..limits
        };
        for (limits, status, found) in [
            (whole, Good, "none"),
            (in_part(whole), Good, "none in the control groups in sight"),
            (quota, Good, "0.3"),
            (in_part(quota), Good, "≤ 0.3"),
            (
                throttled,
                Warn,
                "0.3; it was throttled in 3 of 4 periods of this check",
            ),
            (
                ProcessorLimits::default(),
                Warn,
                "not known: its control group is not in sight",
            ),
        ] {
            assert_eq!(of(limits), (status, found.to_owned()), "{limits:?}");
        }
    }

    #[test]
    fn schedulers_that_are_offline_are_counted_and_who_blocks_them_is_a_warning() {
        let online = SchedulersOnline {
            normal: OnlineCount { online: 2, all: 4 },
            dirty_cpu: OnlineCount { online: 2, all: 4 },
            ..SchedulersOnline::default()
        };
        let blocked = |blockers| SchedulersOnline {
            blocked: Some(SchedulersBlocked::All),
            blockers,
            ..online.clone()
        };
        let blocker = SchedulerBlocker {
            pid: "<0.79.0>".to_owned(),
            name: Some("blocker".to_owned()),
        };
        for (schedulers, status, found) in [
            (
                Ok(online.clone()),
                Good,
                "2 of 4; dirty CPU schedulers 2 of 4",
            ),
            (
                Ok(blocked(vec![blocker])),
                Warn,
                "2 of 4; multi-scheduling is blocked by <0.79.0> (blocker)",
            ),
            (
                Ok(blocked(Vec::new())),
                Warn,
                "2 of 4; multi-scheduling is blocked by ?",
            ),
            (
                Err("it contradicts itself".to_owned()),
                Warn,
                "not known: it contradicts itself",
            ),
        ] {
            assert_eq!(
                shown(schedulers_row(schedulers)),
                (status, found.to_owned())
            );
        }
    }
}
