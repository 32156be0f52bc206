//! Processes whose time limit has passed without the scheduler that has to notice that coming to it, and messages of
//! timers that are not sent for that reason: it runs a NIF that takes long, for example, or has no processor
//! ([`super::late_cause`]).
//!
//! The VM's time is not read but proven from below. Each timer wheel has the time up to which its scheduler has come,
//! and since that was read at least as much time has passed for the VM as passed here. A time limit is late when its
//! time is over by that, and its scheduler's wheel has not come to it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use attach::{AttachError, AttachedVm, RunningProcess, SchedulersNow};
use protocol::waits::{LateCause, LateTimeLimits, WaitedProcess};
use shared_sort::SharedSort;
use target_proc::ProcFs;
use vm_processes::{Entry, TimeLimit};
use vm_tables::schedulers::SchedulerKind;
use vm_tables::timers::{MessageTimer, TimerWheels};

use super::late_cause::{ProcessorWatch, Seen, SinceReading, cause_of};
use super::{AT_ONCE, PAUSE};
use crate::in_c::{InC, SleepingThreads};
use crate::processes::caller_name;

/// A scheduler may come to a timer later than that when many wait to run; less is not reported.
const LEAST_LATE_MS: u64 = 100;
/// Names of processes, and frames of the one that keeps the scheduler busy.
const SHOWN_NAMES: usize = 5;
const SHOWN_FRAMES: usize = 16;
/// The VM's clock runs up to one part of a hundred slower than the machine's while it corrects itself.
const SLOWEST_PERCENT: u64 = 98;

/// The VM's time and what its schedulers did, looked at again and again.
#[derive(Default)]
pub(super) struct TimerWatch {
    clock: VmClock,
    processors: ProcessorWatch,
}

impl TimerWatch {
    /// Reads both once more.
    pub fn look(
        &mut self,
        vm: &mut AttachedVm,
        sleeping: &mut SleepingThreads,
    ) -> Result<(), AttachError> {
        self.clock.look(vm);
        self.processors.look(vm, sleeping)
    }
}

/// The VM's time, from below.
#[derive(Default)]
struct VmClock {
    wheels: Option<TimerWheels>,
    /// Milliseconds, and when that was read.
    at_least: Option<(u64, Instant)>,
}

impl VmClock {
    /// Reads the times of the wheels, in the order of the normal schedulers; `None` where they are not known.
    fn look(&mut self, vm: &mut AttachedVm) -> Option<Vec<u64>> {
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

    /// The timers of messages of a scheduler whose time is over at `until`.
    fn overdue(
        &self,
        vm: &mut AttachedVm,
        scheduler: u32,
        until: u64,
    ) -> Result<Vec<MessageTimer>, AttachError> {
        match &self.wheels {
            Some(wheels) => vm.overdue_timers(wheels, scheduler, until),
            None => Ok(Vec::new()),
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

/// What a scheduler does not come to.
#[derive(Default)]
struct OfScheduler {
    limits: Vec<Late>,
    timers: Vec<MessageTimer>,
}

impl OfScheduler {
    /// When the first of both was due, milliseconds.
    fn due_ms(&self) -> Option<u64> {
        let limits = self.limits.iter().map(|it| it.limit.due_ms);
        limits.chain(self.timers.iter().map(|it| it.due_ms)).min()
    }

    /// The processes that the first timers are for, each once, by where their structs are.
    fn receivers(&self) -> Vec<u64> {
        let mut receivers = Vec::new();
        for receiver in self.timers.iter().filter_map(|it| it.receiver) {
            if !receivers.contains(&receiver) && receivers.len() < SHOWN_NAMES {
                receivers.push(receiver);
            }
        }
        receivers
    }
}

/// Names of processes.
pub(super) trait Names {
    /// By its pid term.
    fn of(&self, id: u64) -> WaitedProcess;
    /// The pid term of the process with its struct there.
    fn at(&self, address: u64) -> Option<u64>;
}

/// Those of `timed` and the timers of messages that are late, by scheduler; `None` where the times of the wheels are not
/// known.
pub(super) fn late(
    vm: &mut AttachedVm,
    timers: &mut TimerWatch,
    timed: &[Timed],
    in_c: &[InC],
    names: &impl Names,
) -> Result<Option<Vec<LateTimeLimits>>, AttachError> {
    let pid = vm.process.pid;
    // No timer of a halted VM is noticed.
    if matches!(ProcFs::live().standstill(pid), Ok(Some(_))) {
        return Ok(Some(Vec::new()));
    }
    let TimerWatch { clock, processors } = timers;
    let Some(times) = clock.look(vm) else {
        return Ok(None);
    };
    let late = late_by_scheduler(vm, clock, timed, &times)?;
    if late.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let running = vm.running()?;
    let facts = Facts {
        running: &running,
        online: vm.schedulers_now()?.ok(),
        since: processors.since(pid),
        in_c,
    };
    let mut reports = Vec::new();
    for (scheduler, of_scheduler) in late {
        let now = clock.at_least_at(Instant::now()).unwrap_or(0);
        reports.push(report_of(vm, scheduler, of_scheduler, now, &facts, names)?);
    }
    // Both readings belong together if neither the schedulers nor their wheels went on since.
    let Some(after) = clock.look(vm) else {
        return Ok(None);
    };
    let running_after = vm.running()?;
    reports.retain(|it| {
        let after = wheel(&after, it.scheduler);
        after.is_some() && after == wheel(&times, it.scheduler)
    });
    for it in &mut reports {
        let did_change = runs_on(&running, it.scheduler) != runs_on(&running_after, it.scheduler);
        forget_unproven(it, did_change);
    }
    reports.shared_sort_by(|a, b| b.late_s.total_cmp(&a.late_s));
    Ok(Some(reports))
}

/// What one scheduler does not come to, at this time of the VM, and why.
fn report_of(
    vm: &mut AttachedVm,
    scheduler: u32,
    mut of_scheduler: OfScheduler,
    now: u64,
    facts: &Facts<'_>,
    names: &impl Names,
) -> Result<LateTimeLimits, AttachError> {
    let by_due = |it: &Late| (it.limit.due_ms, it.id);
    of_scheduler.limits.shared_sort_by_key(by_due);
    let by_due = |it: &MessageTimer| (it.due_ms, it.receiver);
    of_scheduler.timers.shared_sort_by_key(by_due);
    let due = of_scheduler.due_ms().unwrap_or(now);
    let late = Duration::from_millis(now.saturating_sub(due));
    let (cause, runs) = facts.cause(scheduler, late);
    let held = match runs.filter(|_| cause == LateCause::Process) {
        Some(runs) => held_by(vm, runs, facts.in_c, names)?,
        None => Held::default(),
    };
    let first = of_scheduler.limits.iter().take(SHOWN_NAMES);
    let first: Vec<WaitedProcess> = first.map(|it| names.of(it.id)).collect();
    let receivers = of_scheduler.receivers().into_iter();
    // One that is newer than the snapshot is not known.
    let receivers = receivers.filter_map(|address| names.at(address));
    Ok(LateTimeLimits {
        scheduler,
        processes: of_scheduler.limits.len() as u64,
        names: first
            .iter()
            .map(|it| it.name.clone().unwrap_or_default())
            .collect(),
        pids: first.into_iter().map(|it| it.pid).collect(),
        timers: Some(of_scheduler.timers.len() as u64),
        receivers: receivers.map(|id| names.of(id)).collect(),
        late_s: late.as_secs_f64(),
        cause,
        holder: held.by.map(|id| names.of(id)),
        function: held.function,
        stack: held.stack,
    })
}

/// A process is the cause only if it was on the scheduler at both readings.
fn forget_unproven(limits: &mut LateTimeLimits, did_change: bool) {
    if did_change {
        (limits.holder, limits.function, limits.stack) = (None, None, Vec::new());
    }
    if limits.cause == LateCause::Process && limits.holder.is_none() {
        limits.cause = LateCause::Unknown;
    }
}

/// What decides on the causes, of all schedulers.
struct Facts<'a> {
    running: &'a [RunningProcess],
    online: Option<SchedulersNow>,
    since: Option<SinceReading>,
    in_c: &'a [InC],
}

impl Facts<'_> {
    /// Why a scheduler does not come to limits that are late by so much, and the process that it runs.
    fn cause(&self, scheduler: u32, late: Duration) -> (LateCause, Option<RunningProcess>) {
        let runs = runs_on(self.running, scheduler);
        let sleeps = |runs: &RunningProcess| self.in_c.iter().any(|it| it.address == runs.process);
        let standing =
            |now: &SchedulersNow| now.scheduling.standing(SchedulerKind::Normal, scheduler);
        let since = self.since.as_ref();
        let cause = cause_of(&Seen {
            standing: self.online.as_ref().map(standing),
            runs_process: runs.is_some(),
            sleeps_in_c: runs.as_ref().is_some_and(sleeps),
            is_throttled: since.and_then(|it| it.is_throttled),
            thread: since.and_then(|it| it.threads.get(&scheduler).copied()),
            window: since.map_or(Duration::ZERO, |it| it.window),
            late,
        });
        (cause, runs)
    }
}

/// Those that are late, by the number of the scheduler.
fn late_by_scheduler(
    vm: &mut AttachedVm,
    clock: &VmClock,
    timed: &[Timed],
    times: &[u64],
) -> Result<BTreeMap<u32, OfScheduler>, AttachError> {
    let mut late: BTreeMap<u32, OfScheduler> = BTreeMap::new();
    for page in timed.chunks(AT_ONCE) {
        let entries: Vec<Entry> = page.iter().map(|it| it.entry).collect();
        let limits = vm.time_limits(&entries)?;
        let now = clock.at_least_at(Instant::now()).unwrap_or(0);
        for (entry, limit) in entries.iter().zip(limits) {
            let Some(limit) = limit.filter(|limit| is_late(*limit, times, now)) else {
                continue;
            };
            let of_scheduler = late.entry(limit.scheduler).or_default();
            of_scheduler.limits.push(Late {
                id: entry.id,
                limit,
            });
        }
        std::thread::sleep(PAUSE);
    }
    let now = clock.at_least_at(Instant::now()).unwrap_or(0);
    let until = now.saturating_sub(LEAST_LATE_MS);
    for (scheduler, time) in (1..).zip(times) {
        if *time >= until {
            continue;
        }
        let timers = clock.overdue(vm, scheduler, until)?;
        if !timers.is_empty() {
            late.entry(scheduler).or_default().timers = timers;
        }
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

/// The process that a normal scheduler runs.
fn runs_on(running: &[RunningProcess], scheduler: u32) -> Option<RunningProcess> {
    let is_it = |it: &&RunningProcess| {
        it.scheduler.kind == SchedulerKind::Normal && it.scheduler.number == scheduler
    };
    running.iter().find(is_it).copied()
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
            function: asleep.facts.function.clone(),
            stack: asleep.facts.stack.clone(),
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
    fn the_first_of_limits_and_timers_is_the_latest_and_receivers_are_named_once() {
        let timer = |due_ms, receiver| MessageTimer { due_ms, receiver };
        let mut late = OfScheduler::default();
        assert_eq!((late.due_ms(), late.receivers()), (None, Vec::new()));
        late.timers = vec![timer(700, Some(8)), timer(800, None), timer(900, Some(8))];
        assert_eq!((late.due_ms(), late.receivers()), (Some(700), vec![8]));
        late.limits.push(Late {
            id: 1,
            limit: TimeLimit {
                scheduler: 1,
                due_ms: 600,
            },
        });
        late.timers.extend((10..30).map(|it| timer(950, Some(it))));
        assert_eq!(late.due_ms(), Some(600));
        assert_eq!(late.receivers(), [8, 10, 11, 12, 13]);
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
