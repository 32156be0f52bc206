//! Which schedulers may run, as captures and answers have it.

use attach::SchedulersNow;
use capture::schedulers::{
    MOST_BLOCKERS, OnlineCount, SchedulerBlocker, SchedulersBlocked, SchedulersOnline,
};
use vm_tables::schedulers::SchedulerKind;
use vm_tables::scheduling::{BlockedKind, Scheduling};

/// The same of an attached VM.
pub fn schedulers_online(now: &SchedulersNow) -> SchedulersOnline {
    let Scheduling {
        all,
        online,
        blocked,
        ..
    } = &now.scheduling;
    let count = |kind| OnlineCount {
        online: online.of_kind(kind),
        all: all.of_kind(kind),
    };
    let blockers = now.blockers.iter().take(MOST_BLOCKERS);
    let blockers = blockers.map(|blocker| SchedulerBlocker {
        pid: blocker.pid.clone(),
        name: blocker.name.clone(),
    });
    SchedulersOnline {
        normal: count(SchedulerKind::Normal),
        dirty_cpu: count(SchedulerKind::DirtyCpu),
        blocked: blocked.map(|blocked| match blocked {
            BlockedKind::All => SchedulersBlocked::All,
            BlockedKind::Normal => SchedulersBlocked::Normal,
        }),
        blockers: blockers.collect(),
    }
}
