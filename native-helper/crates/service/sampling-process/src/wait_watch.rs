//! Repeated snapshots of where processes wait: time that is not on a processor, by stack; and the processes or
//! ports that those of the last snapshot wait for.

mod calls;
mod edges;
mod frames;
mod graph;
mod groups;
mod handed_on;
mod late;
mod late_cause;
mod spent;

use std::io::Write;
use std::time::{Duration, Instant, SystemTime};

use attach::{AttachError, AttachedVm, WaitLook, WaitingStack};
use capture::facts::WAITS_COMMENT;
use capture::marks::Mark;
use capture::sample::{FunctionFacts, WAITING};
use diagnose::refusal::{Refusal, RefusalKind};
use diagnose::standstill::standstill;
use flate2::Compression;
use flate2::write::GzEncoder;
use process_list::ListedProcess;
use profile_builder::{Bounds, Labels, Measure, ProfileBuilder, TooMany};
use protocol::waits::{WaitsGraph, WaitsLook, WaitsResult};
use recorder::{processors_since, schedulers_online};
use target_proc::ProcFs;
use target_proc::cpu_limits::CpuLimits;
use vm_processes::Status;

use self::edges::Callers;
use self::frames::{Frames, frame_names};
use self::groups::Groups;
use self::late::TimerWatch;
use self::spent::{Found, SpentTime};
use crate::in_c::SleepingThreads;
use crate::process_watch::{ProcessWatch, pause_ms};
use crate::refusals::lost;
use crate::thread_time::thread_time;

/// Processes whose stacks are read without a pause.
const AT_ONCE: usize = 250;
const PAUSE: Duration = Duration::from_millis(1);
/// Snapshots are taken at most four times a second.
const SHORTEST_PAUSE_MS: f64 = 250.0;
/// The limits of a capture.
const BOUNDS: Bounds = Bounds {
    max_samples: 16 << 20,
    max_depth: 1024,
    max_frames: 64 << 20,
};
/// Edges of the graph that a capture contains.
const KEPT_EDGES: usize = 200;
/// The innermost frame of a process that waits only for a scheduler.
const READY: &str = "[ready to run]";

/// A process of which no name, label or initial call is known.
const NAMELESS: &str = "[unknown process]";

/// The findings so far.
pub(crate) struct WaitWatch {
    profile: ProfileBuilder,
    frames: Frames,
    code_changes: u64,
    groups: Groups,
    spent: SpentTime,
    began: Instant,
    last: Option<Instant>,
    looks: u64,
    sums: WaitsLook,
    last_look: WaitsLook,
    callers: Callers,
    sleeping: SleepingThreads,
    timers: TimerWatch,
    /// What limits the VM's processors: at the beginning, and at the last reading.
    limits: [CpuLimits; 2],
    /// The last reading failed because the VM had ended: the readings until then are complete.
    has_ended: bool,
    /// The reason why nothing is added any longer.
    full: Option<TooMany>,
}

impl WaitWatch {
    /// Begins without any snapshot of `pid`.
    pub fn begin(pid: u32) -> Self {
        let mut profile = ProfileBuilder::new(BOUNDS);
        let [name, unit] = WAITING.map(str::to_owned);
        profile.measure = Measure::Other { name, unit };
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        profile.started_unix_ns = since_1970.map_or(0, whole_ns);
        let limits = ProcFs::live().cpu_limits(pid);
        Self {
            profile,
            frames: Frames::default(),
            code_changes: 0,
            groups: Groups::default(),
            spent: SpentTime::default(),
            began: Instant::now(),
            last: None,
            looks: 0,
            sums: WaitsLook::default(),
            last_look: WaitsLook::default(),
            callers: Callers::default(),
            sleeping: SleepingThreads::default(),
            timers: TimerWatch::default(),
            limits: [limits.clone(), limits],
            has_ended: false,
            full: None,
        }
    }

    /// Takes a snapshot of all processes once more. Each that waits has waited since the last
    /// snapshot.
    pub fn look(
        &mut self,
        vm: &mut AttachedVm,
        processes: &mut ProcessWatch,
    ) -> Result<WaitsLook, Refusal> {
        let look = self.snapshot(vm, processes);
        let is_gone = |refusal: &Refusal| refusal.kind == RefusalKind::TargetGone;
        self.has_ended = look.as_ref().is_err_and(is_gone);
        look
    }

    fn snapshot(
        &mut self,
        vm: &mut AttachedVm,
        processes: &mut ProcessWatch,
    ) -> Result<WaitsLook, Refusal> {
        let cpu_began = thread_time();
        processes.look(vm).map_err(|error| Refusal::from(&error))?;
        let sleeping = self.sleeping.look(vm);
        let looked = sleeping.and_then(|()| self.timers.look(vm, &mut self.sleeping));
        looked.map_err(|error| Refusal::from(&error))?;
        if processes.code_changes() != self.code_changes {
            self.code_changes = processes.code_changes();
            self.frames.forget();
        }
        // No stack can be read reliably. The next snapshot with readable stacks counts the time since the last
        // such one.
        if processes.is_code_unclear() {
            return Ok(WaitsLook {
                next_ms: pause_ms(thread_time().saturating_sub(cpu_began), SHORTEST_PAUSE_MS),
                ..self.sums
            });
        }
        let now = Instant::now();
        let first = Duration::from_secs_f64(SHORTEST_PAUSE_MS / 1000.0);
        let waited = self.last.map_or(first, |last| now - last);
        self.last = Some(now);
        self.looks += 1;
        self.spent.look(waited);
        self.groups.begin_look();
        let mut before = std::mem::take(&mut self.callers);
        let is_still = matches!(ProcFs::live().standstill(vm.process.pid), Ok(Some(_)));
        let mut look = WaitsLook::default();
        let all: Vec<((u64, u64), &ListedProcess)> = processes.each().collect();
        for page in all.chunks(AT_ONCE) {
            let places: Vec<(u64, u64)> = page.iter().map(|(place, _)| *place).collect();
            // Of a VM that has ended, the callers of the snapshot before are known.
            let stacks =
                read(vm, &places).inspect_err(|_| self.callers = std::mem::take(&mut before))?;
            for (stack, (_, process)) in stacks.into_iter().zip(page) {
                look.processes += 1;
                let called = process.called().unwrap_or(NAMELESS);
                self.spent
                    .add(process, called, found(process.status, is_still), waited);
                match stack {
                    WaitLook::Restless => look.restless += 1,
                    WaitLook::Unproven => look.unproven += 1,
                    WaitLook::Waits(stack) => {
                        look.waiting += 1;
                        look.cut += u64::from(stack.is_cut);
                        look.full |= self.add(vm, process, *stack, waited).is_err();
                    }
                }
            }
            std::thread::sleep(PAUSE);
        }
        let [_, now] = &mut self.limits;
        *now = ProcFs::live().cpu_limits(vm.process.pid).since(now);
        look.next_ms = pause_ms(thread_time().saturating_sub(cpu_began), SHORTEST_PAUSE_MS);
        self.note(look);
        Ok(look)
    }

    /// A capture of all that was seen, compressed, and the same in words.
    pub fn finish(
        mut self,
        vm: &mut AttachedVm,
        processes: &ProcessWatch,
    ) -> Result<(WaitsResult, Vec<u8>), Refusal> {
        let callers = std::mem::take(&mut self.callers);
        // A VM that has ended no longer has such processes.
        let in_c = self.sleeping.long_asleep(vm).unwrap_or_default();
        let online = vm.schedulers_now().ok().and_then(Result::ok);
        let schedulers = online.as_ref().map(schedulers_online);
        let seen = (processes, &self.groups);
        let graph = callers.graph(vm, seen, &mut self.timers, in_c);
        let until = self.last.map_or(Duration::ZERO, |last| last - self.began);
        let spent = std::mem::take(&mut self.spent).json(until);
        let WaitsLook {
            processes,
            waiting,
            restless,
            unproven,
            cut,
            ..
        } = self.sums;
        let last = self.last_look;
        let [before, now] = &self.limits;
        let processors = processors_since(before, now);
        let facts = serde_json::json!({
            "otp": vm.version.otp_release, "node": vm.node, "pid": vm.process.pid, "looks": self.looks,
            "processes": processes, "waiting": waiting, "restless": restless, "unproven": unproven, "cut": cut,
            "last": { "processes": last.processes, "waiting": last.waiting }, "full": self.full.is_some(),
            "ended": self.has_ended, "graph": kept(&graph), "spent": spent, "schedulers": schedulers,
            "processors": processors,
        });
        self.profile
            .comments
            .push(format!("{WAITS_COMMENT}{facts}"));
        self.profile.duration_ns = whole_ns(self.began.elapsed());
        let (waits, left_out) = self.groups.largest();
        let (standstill, standstill_unknown) = match standstill(vm.process.pid) {
            Ok(standstill) => (standstill, None),
            Err(why) => (None, Some(why)),
        };
        let result = WaitsResult {
            waits,
            left_out,
            graph,
            schedulers,
            processors: Some(processors),
            standstill,
            standstill_unknown,
        };
        let message = self.profile.finish();
        let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
        let member = compressed
            .write_all(&message)
            .and_then(|()| compressed.finish());
        Ok((result, member.map_err(|error| lost(&error))?))
    }

    fn add(
        &mut self,
        vm: &AttachedVm,
        process: &ListedProcess,
        stack: WaitingStack,
        waited: Duration,
    ) -> Result<(), TooMany> {
        // Stacks that no sample would have are not kept.
        if let Some(full) = self.full {
            return Err(full);
        }
        let mut at = match stack.is_cut {
            true => {
                let cut = self
                    .profile
                    .frame(FunctionFacts::marker(Mark::NotCopied.name()), 0);
                self.profile.call(ProfileBuilder::EMPTY, cut)
            }
            false => ProfileBuilder::EMPTY,
        };
        for address in stack.callers.iter().rev() {
            let frame = self.frames.caller(&mut self.profile, vm, *address);
            at = self.profile.call(at, frame);
        }
        let frames = &mut self.frames;
        let innermost = frames.innermost(&mut self.profile, vm, stack.goes_on_at, &process.current);
        at = self.profile.call(at, innermost);
        let is_ready = Status::of(stack.waiter.entry.state) == Status::Runnable;
        if is_ready {
            let ready = self.profile.frame(FunctionFacts::marker(READY), 0);
            at = self.profile.call(at, ready);
        }
        let called = process.called().unwrap_or(NAMELESS);
        let labels = self.profile.labels(Labels {
            process_name: called.to_owned(),
            ..Labels::default()
        });
        let at_ns = whole_ns(self.began.elapsed());
        let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
        if let Err(full) = self.profile.add(at, labels, at_ns, waited_ms, 0) {
            self.full = Some(full);
            return Err(full);
        }
        let names = || {
            let ready = is_ready.then(|| READY.into());
            let frames = frame_names(vm, &stack, &process.current);
            ready.into_iter().chain(frames).collect()
        };
        let who = (process.id, called);
        let group = self.groups.add(who, at, whole_ns(waited), names);
        self.callers.note(stack.waiter, called, &group.stack);
        Ok(())
    }

    fn note(&mut self, look: WaitsLook) {
        self.last_look = look;
        let sums = &mut self.sums;
        for (sum, more) in [
            (&mut sums.processes, look.processes),
            (&mut sums.waiting, look.waiting),
            (&mut sums.restless, look.restless),
            (&mut sums.unproven, look.unproven),
            (&mut sums.cut, look.cut),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

/// The graph in the capture: the first edges of the reported one.
fn kept(graph: &WaitsGraph) -> WaitsGraph {
    let mut kept = graph.clone();
    kept.more += kept.edges.len().saturating_sub(KEPT_EDGES) as u64;
    kept.edges.truncate(KEPT_EDGES);
    kept
}

fn read(vm: &mut AttachedVm, places: &[(u64, u64)]) -> Result<Vec<WaitLook>, Refusal> {
    let looked: Result<Vec<WaitLook>, AttachError> = vm.waiting_stacks(places);
    looked.map_err(|error| Refusal::from(&error))
}

/// The state of a process in a snapshot: at one moment, as its struct was read. A decision by its stack, for
/// which it has to rest a little longer, would miss those that run.
fn found(status: Status, is_still: bool) -> Found {
    match status {
        Status::Waiting | Status::Suspended => Found::Waiting,
        Status::Runnable => Found::Ready,
        // It has a processor only in the VM's own data.
        Status::Running | Status::GarbageCollecting if is_still => Found::Ready,
        Status::Running | Status::GarbageCollecting => Found::Running,
        Status::Exiting | Status::Free => Found::Ending,
    }
}

fn whole_ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_process_of_a_vm_that_stands_still_runs() {
        for status in [Status::Running, Status::GarbageCollecting] {
            assert_eq!(found(status, false), Found::Running);
            assert_eq!(found(status, true), Found::Ready);
        }
        assert_eq!(found(Status::Waiting, true), Found::Waiting);
    }
}
