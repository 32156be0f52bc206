//! Which schedulers of a VM may run, in words of the protocol.

use attach::SchedulersNow;
use capture::sample::SchedulerId;
use protocol::schedulers::{
    OnlineCount, SchedulerBlocker, SchedulerState, SchedulersBlocked, SchedulersOnline,
};
use vm_tables::schedulers::SchedulerKind;
use vm_tables::scheduling::{BlockedKind, Scheduling, Standing};

/// The counts and the blockers.
pub(crate) fn online_told(now: &SchedulersNow) -> SchedulersOnline {
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
    let blockers = now.blockers.iter().map(|blocker| SchedulerBlocker {
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

/// Whether this scheduler may run.
pub(crate) fn state_of(now: &SchedulersNow, scheduler: SchedulerId) -> SchedulerState {
    let (kind, number) = match scheduler {
        SchedulerId::Normal(number) => (SchedulerKind::Normal, number),
        SchedulerId::DirtyCpu(number) => (SchedulerKind::DirtyCpu, number),
        SchedulerId::DirtyIo(number) => (SchedulerKind::DirtyIo, number),
    };
    match now.scheduling.standing(kind, number) {
        Standing::Online => SchedulerState::Online,
        Standing::Offline => SchedulerState::Offline,
        Standing::Blocked => SchedulerState::Blocked,
    }
}
