//! One look at a VM as a whole: its schedulers are looked at again and again for a while.

use std::time::{Duration, Instant};

use attach::{AttachError, AttachedVm};
use capture::sample::SchedulerId;
use protocol::node::{NodeResult, RunQueues, SchedulerShare, TableFill};
use vm_tables::fill::Fill;
use vm_tables::scheduler_use::SchedulerUse;
use vm_tables::schedulers::{Scheduler, SchedulerKind};

/// Schedulers are looked at for no longer.
const LONGEST_MS: u32 = 1000;
/// Pauses between looks, one after the other: their lengths have no common measure, so that work that comes
/// at regular times is neither met each time nor missed.
const PAUSES_US: [u64; 7] = [3_109, 7_351, 4_027, 6_143, 4_801, 5_557, 3_919];

pub(crate) fn node_result(vm: &mut AttachedVm, look_ms: u32) -> Result<NodeResult, AttachError> {
    let counts = vm.node_counts()?;
    let began = Instant::now();
    let schedulers = match look_ms.min(LONGEST_MS) {
        0 => Vec::new(),
        look_ms => scheduler_shares(vm, Duration::from_millis(look_ms.into()))?,
    };
    Ok(NodeResult {
        schedulers,
        looked_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        run_queues: counts.run_queues.map(|queues| RunQueues {
            normal: queues.normal,
            dirty_cpu: queues.dirty_cpu,
            dirty_io: queues.dirty_io,
        }),
        processes: fill(counts.processes),
        ports: counts.ports.map(fill),
        atoms: fill(counts.atoms),
    })
}

fn scheduler_shares(
    vm: &mut AttachedVm,
    longest: Duration,
) -> Result<Vec<SchedulerShare>, AttachError> {
    let mut seen = vm.look(|vm| Ok(SchedulerUse::of(&vm.schedulers, &vm.layout.scheduler)?))?;
    let began = Instant::now();
    for pause_us in PAUSES_US.into_iter().cycle() {
        if began.elapsed() >= longest {
            break;
        }
        vm.look_at_schedulers(&mut seen)?;
        std::thread::sleep(Duration::from_micros(pause_us));
    }
    let shares = vm.schedulers.iter().zip(seen.shares());
    let shares = shares.map(|(scheduler, busy)| SchedulerShare {
        scheduler: id_of(scheduler),
        busy,
    });
    Ok(shares.collect())
}

fn fill(Fill { count, limit }: Fill) -> TableFill {
    TableFill { count, limit }
}

fn id_of(scheduler: &Scheduler) -> SchedulerId {
    match scheduler.kind {
        SchedulerKind::Normal => SchedulerId::Normal(scheduler.number),
        SchedulerKind::DirtyCpu => SchedulerId::DirtyCpu(scheduler.number),
        SchedulerKind::DirtyIo => SchedulerId::DirtyIo(scheduler.number),
    }
}
