//! Processes whose time limit has passed while the scheduler that has to notice that is kept busy: by a NIF that takes
//! long, for example.
//!
//! The VM's time is not read but proven from below. Each timer wheel has the time up to which its scheduler has come,
//! and since that was read at least as much time has passed for the VM as passed here. A time limit is late when its
//! time is over by that, and its scheduler's wheel has not come to it.

use std::collections::BTreeMap;
use std::time::Instant;

use attach::{AttachError, AttachedVm, RunningProcess};
use protocol::waits::{LateTimeLimits, WaitedProcess};
use shared_sort::SharedSort;
use target_proc::ProcFs;
use vm_processes::{Entry, TimeLimit};
use vm_tables::schedulers::SchedulerKind;
use vm_tables::timers::TimerWheels;

use super::{AT_ONCE, PAUSE};
use crate::in_c::InC;
use crate::processes::caller_name;

/// A scheduler may come to a timer later than that when many wait to run; less is not reported.
const LEAST_LATE_MS: u64 = 100;
/// Names of processes, and frames of the one that keeps the scheduler busy.
const SHOWN_NAMES: usize = 5;
const SHOWN_FRAMES: usize = 16;
/// The VM's clock runs up to one part of a hundred slower than the machine's while it corrects itself.
const SLOWEST_PERCENT: u64 = 98;

/// The VM's time, from below.
#[derive(Default)]
pub(super) struct VmClock {
    wheels: Option<TimerWheels>,
    /// Milliseconds, and when that was read.
    at_least: Option<(u64, Instant)>,
}

impl VmClock {
    /// Reads the times of the wheels, in the order of the normal schedulers; `None` where they are not known.
    pub fn look(&mut self, vm: &mut AttachedVm) -> Option<Vec<u64>> {
        if self.wheels.is_none() {
            self.wheels = vm.timer_wheels().ok()?.ok();
        }
        let times = vm.wheel_times(self.wheels.as_ref()?).ok()?;
        self.add(&times, Instant::now());
        Some(times)
    }

    fn add(&mut self, times: &[u64], read: Instant) {
        let latest = times.iter().max().copied();
        let known = [latest, self.at_least_at(read)];
        if let Some(most) = known.into_iter().flatten().max() {
            self.at_least = Some((most, read));
        }
    }

    /// The VM's time then, at least, milliseconds.
    fn at_least_at(&self, then: Instant) -> Option<u64> {
        let (known, read) = self.at_least?;
        let passed = u64::try_from((then - read).as_millis()).unwrap_or(u64::MAX);
        Some(known.saturating_add(passed.saturating_mul(SLOWEST_PERCENT) / 100))
    }
}

/// A process that waits with a time limit.
pub(super) struct Timed {
    /// Its struct as it was when its stack was read.
    pub entry: Entry,
}

/// One whose time limit is late.
struct Late {
    id: u64,
    limit: TimeLimit,
}

/// Names of processes.
pub(super) trait Names {
    /// By its pid term.
    fn of(&self, id: u64) -> WaitedProcess;
    /// The pid term of the process with its struct there.
    fn at(&self, address: u64) -> Option<u64>;
}

/// Those of `timed` that are late, by scheduler.
pub(super) fn late(
    vm: &mut AttachedVm,
    clock: &mut VmClock,
    timed: &[Timed],
    in_c: &[InC],
    names: &impl Names,
) -> Result<Vec<LateTimeLimits>, AttachError> {
    // No timer of a halted VM is noticed.
    if timed.is_empty() || ProcFs::live().standstill(vm.process.pid).is_some() {
        return Ok(Vec::new());
    }
    let Some(times) = clock.look(vm) else {
        return Ok(Vec::new());
    };
    let late = late_by_scheduler(vm, clock, timed, &times)?;
    if late.is_empty() {
        return Ok(Vec::new());
    }
    let running = vm.running()?;
    let mut told = Vec::new();
    for (scheduler, mut of_scheduler) in late {
        of_scheduler.shared_sort_by_key(|it| (it.limit.due_ms, it.id));
        let runs = running.iter().find(|it| is_of(it, scheduler));
        let held = match runs {
            Some(runs) => held_by(vm, *runs, in_c, names)?,
            None => Held::default(),
        };
        let first = of_scheduler.iter().take(SHOWN_NAMES);
        let first: Vec<WaitedProcess> = first.map(|it| names.of(it.id)).collect();
        let now = clock.at_least_at(Instant::now()).unwrap_or(0);
        let due = of_scheduler.first().map_or(now, |it| it.limit.due_ms);
        #[expect(clippy::cast_precision_loss, reason = "seconds, for people")]
        let late_s = now.saturating_sub(due) as f64 / 1000.0;
        told.push(LateTimeLimits {
            scheduler,
            processes: of_scheduler.len() as u64,
            names: first
                .iter()
                .map(|it| it.name.clone().unwrap_or_default())
                .collect(),
            pids: first.into_iter().map(|it| it.pid).collect(),
            late_s,
            holder: held.by.map(|id| names.of(id)),
            function: held.function,
            stack: held.stack,
        });
    }
    // Both readings belong together if neither the schedulers nor their wheels went on since.
    let (after, running_after) = (clock.look(vm), vm.running()?);
    told.retain(|it| {
        let after = after.as_ref().and_then(|after| wheel(after, it.scheduler));
        after.is_some() && after == wheel(&times, it.scheduler)
    });
    for it in &mut told {
        let runs = |running: &[RunningProcess]| {
            let mut of_scheduler = running.iter().filter(|one| is_of(one, it.scheduler));
            of_scheduler.next().copied()
        };
        if runs(&running) != runs(&running_after) {
            (it.holder, it.function, it.stack) = (None, None, Vec::new());
        }
    }
    told.shared_sort_by(|a, b| b.late_s.total_cmp(&a.late_s));
    Ok(told)
}

/// Those that are late, by the number of the scheduler.
fn late_by_scheduler(
    vm: &mut AttachedVm,
    clock: &VmClock,
    timed: &[Timed],
    times: &[u64],
) -> Result<BTreeMap<u32, Vec<Late>>, AttachError> {
    let mut late: BTreeMap<u32, Vec<Late>> = BTreeMap::new();
    for page in timed.chunks(AT_ONCE) {
        let entries: Vec<Entry> = page.iter().map(|it| it.entry).collect();
        let limits = vm.time_limits(&entries)?;
        let now = clock.at_least_at(Instant::now()).unwrap_or(0);
        for (entry, limit) in entries.iter().zip(limits) {
            let Some(limit) = limit.filter(|limit| is_late(*limit, times, now)) else {
                continue;
            };
            let of_scheduler = late.entry(limit.scheduler).or_default();
            of_scheduler.push(Late {
                id: entry.id,
                limit,
            });
        }
        std::thread::sleep(PAUSE);
    }
    Ok(late)
}

/// Whether a limit has passed without its scheduler's wheel having come to it.
fn is_late(limit: TimeLimit, times: &[u64], now: u64) -> bool {
    wheel(times, limit.scheduler).is_some_and(|time| time < limit.due_ms)
        && limit.due_ms.saturating_add(LEAST_LATE_MS) <= now
}

/// The time of a scheduler's wheel.
fn wheel(times: &[u64], scheduler: u32) -> Option<u64> {
    let index = (scheduler as usize).checked_sub(1)?;
    times.get(index).copied()
}

fn is_of(running: &RunningProcess, scheduler: u32) -> bool {
    running.scheduler.kind == SchedulerKind::Normal && running.scheduler.number == scheduler
}

/// What keeps a scheduler busy.
#[derive(Default)]
struct Held {
    by: Option<u64>,
    function: Option<String>,
    stack: Vec<String>,
}

fn held_by(
    vm: &mut AttachedVm,
    runs: RunningProcess,
    in_c: &[InC],
    names: &impl Names,
) -> Result<Held, AttachError> {
    if let Some(asleep) = in_c.iter().find(|it| it.address == runs.process) {
        return Ok(Held {
            by: Some(asleep.id),
            function: asleep.told.function.clone(),
            stack: asleep.told.stack.clone(),
        });
    }
    let by = names.at(runs.process);
    // While a NIF has a process, its stack stands still; else it is not known where it is.
    let stack = match runs.is_in_nif {
        true => vm.stack_in_c(runs.process)?,
        false => None,
    };
    let Some(stack) = stack else {
        return Ok(Held {
            by,
            ..Held::default()
        });
    };
    let name = |address: &u64| caller_name(vm, *address);
    let frames = stack.callers.iter().take(SHOWN_FRAMES);
    Ok(Held {
        by: Some(stack.id),
        stack: frames.map(name).collect(),
        function: stack.noted,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_vms_time_is_at_least_what_a_wheel_had_and_what_passed_since() {
        let began = Instant::now();
        let at = |ms| began + Duration::from_millis(ms);
        let mut clock = VmClock::default();
        assert_eq!(clock.at_least_at(began), None);
        clock.add(&[5_000, 7_000], began);
        assert_eq!(clock.at_least_at(began), Some(7_000));
        assert_eq!(clock.at_least_at(at(1000)), Some(7_980), "it may be slow");
        // All wheels stand still: time passes.
        clock.add(&[5_000, 7_000], at(1000));
        assert_eq!(clock.at_least_at(at(1000)), Some(7_980));
        clock.add(&[8_001, 7_000], at(1001));
        assert_eq!(clock.at_least_at(at(1001)), Some(8_001));
        clock.add(&[], at(1001));
        assert_eq!(clock.at_least_at(at(1001)), Some(8_001));
    }

    #[test]
    fn a_limit_is_late_when_its_time_is_over_and_its_wheel_has_not_come_to_it() {
        let late = |scheduler, due_ms| is_late(TimeLimit { scheduler, due_ms }, &[500, 900], 1000);
        assert!(late(1, 501) && late(1, 900));
        assert!(!late(1, 500), "its wheel has come to it");
        assert!(!late(1, 901), "not by much");
        assert!(!late(2, 880));
        assert!(!late(0, 600) && !late(3, 600), "no such scheduler");
    }
}
