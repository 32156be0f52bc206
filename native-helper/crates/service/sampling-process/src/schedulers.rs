//! Whether a scheduler of a VM may run, in words of the protocol.

use attach::SchedulersNow;
use capture::sample::SchedulerId;
use protocol::schedulers::SchedulerState;
use vm_tables::schedulers::{Scheduler, SchedulerKind};
use vm_tables::scheduling::Standing;

/// As answers name it.
pub(crate) fn id_of(scheduler: &Scheduler) -> SchedulerId {
    match scheduler.kind {
        SchedulerKind::Normal => SchedulerId::Normal(scheduler.number),
        SchedulerKind::DirtyCpu => SchedulerId::DirtyCpu(scheduler.number),
        SchedulerKind::DirtyIo => SchedulerId::DirtyIo(scheduler.number),
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
