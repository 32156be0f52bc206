//! A reading of the activity of each scheduler: a very short capture, and the last sample of each
//! thread.

use std::time::Duration;

use attach::{AttachError, AttachedVm, SchedulersNow};
use capture::marks::Mark;
use capture::quality::QualityRecord;
use capture::reader::{Capture, Frame, Sample};
use capture::sample::{ERLANG_OBJECT, FrameKind, SampleClass, SchedulerId, Trust};
use diagnose::refusal::{Refusal, RefusalKind, what_became_of};
use diagnose::standstill::standstill;
use protocol::explanation::Explanation;
use protocol::message::texts;
use protocol::pstack::{HaltedTime, PstackFrame, PstackResult, PstackThread};
use protocol::schedulers::SchedulerState;
use recorder::{RecordError, Recording, RecordingSettings, TargetState, schedulers_online};
use shared_map::{HashMap, HashSet};
use shared_sort::SharedSort;
use target_proc::threads::Thread;
use target_proc::{ProcError, ProcFs};

use crate::ending::ends_vm;
use crate::in_c::{InC, sleeping_now};
use crate::processes::{Place, caller};
use crate::schedulers::id_of;
use crate::schedulers::state_of;

/// Samples a second: a thread on a CPU shows within a few milliseconds.
const FREQUENCY_HZ: u32 = 997;
/// How often it is looked whether every busy thread has shown.
const LOOK_INTERVAL: Duration = Duration::from_millis(25);
/// A sleeping thread that was on a CPU longer ago than this is idle. Samples are stamped in steps
/// of 20 ms.
const FRESH_MS: u64 = 60;
/// The fewest readings: a thread that runs now and then gets a chance, too.
const MIN_LOOKS: u32 = 4;
/// The most readings: about a second.
const MAX_LOOKS: u32 = 40;

const SETTINGS: RecordingSettings = RecordingSettings {
    frequency_hz: FREQUENCY_HZ,
    include_kernel: false,
    engine: recorder::EngineChoice::Auto,
    look_at_node_every: recorder::USUAL_NODE_INTERVAL,
    notes_time_before: false,
    sources: recorder::SourceSet::CPU,
};

/// A thread that sleeps in C code, with the frames of the process that called it.
type SleepsInC = (InC, Vec<PstackFrame>);

/// Samples a VM for 0.1 to 1 second. `all`: dirty schedulers and other threads as well as normal
/// schedulers. `start` starts to sample.
pub fn look(
    mut vm: AttachedVm,
    all: bool,
    start: impl Fn(AttachedVm, RecordingSettings) -> Result<Recording, Refusal>,
) -> Result<PstackResult, Refusal> {
    let pid = vm.process.pid;
    let proc_fs = ProcFs::live();
    // Where they cannot be found, all other threads still have their stacks.
    let in_c = sleeping_in_c(&mut vm).unwrap_or_default();
    // Where it is not known, no scheduler is called offline or blocked.
    let online = vm.schedulers_now().map_err(refused)?.ok();
    let mut recording = start(vm, SETTINGS)?;
    let mut capture = Capture::empty();
    let mut state = TargetState::Alive;
    let (mut before, mut unshown) = (HashSet::new(), HashSet::new());
    for look in 1..=MAX_LOOKS {
        recording.wait(LOOK_INTERVAL);
        state = recording.pump();
        take_all(&mut recording, &mut capture)?;
        if state == TargetState::Gone {
            break;
        }
        let is_wanted = |thread: &Thread| all || is_normal(recording.scheduler_of(thread.tid));
        // A look that does not show which threads have something to run does not end the search.
        let Some(now) = busy_without_sample(&proc_fs, pid, is_wanted, &capture) else {
            continue;
        };
        unshown = before.intersection(&now).copied().collect();
        if look >= MIN_LOOKS && now.is_empty() {
            break;
        }
        before = now;
    }
    let standstill = standstill(pid);
    let is_halted = matches!(standstill, Ok(Some(_)));
    let halted_ms = is_halted.then(|| elapsed_ms(&recording));
    if halted_ms.is_some() {
        recording.sample_halted();
    }
    recording.stop();
    take_all(&mut recording, &mut capture)?;
    if state == TargetState::Gone {
        return Err(gone(pid));
    }
    let threads = threads_of(&proc_fs, pid)?;
    let mut samples = last_samples(&capture);
    // A thread of a halted VM is where it was, however long ago that was sampled.
    let now_ms = halted_ms.unwrap_or_else(|| elapsed_ms(&recording));
    samples.retain(|tid, sample| {
        now_ms.saturating_sub(sample.bucket_ms) <= FRESH_MS || proc_fs.is_thread_runnable(pid, *tid)
    });
    let moved_on = drop_moved_on(&mut samples, &capture);
    let scheduler_of = |tid| recording.scheduler_of(tid);
    let mut stacks = stacks(&threads, all, scheduler_of, &samples, &capture);
    fill_sleeping(&mut stacks.threads, &in_c, |it| {
        // It did not run since, so it is where it was.
        let goes_on = it.goes_on(&proc_fs, pid);
        goes_on.then(|| it.facts.seconds + recording.elapsed().as_secs_f64())
    });
    if !is_halted {
        fill_running(&mut recording, &proc_fs, &mut stacks.threads, |tid| {
            unshown.contains(&tid) || moved_on.contains(&tid)
        });
    }
    set_states(&mut stacks, online.as_ref());
    set_limits(&mut stacks, standstill, recording.quality());
    set_ending(&mut stacks);
    Ok(stacks)
}

/// Where a thread ends the VM, the others are kept from running: none is idle.
fn set_ending(stacks: &mut PstackResult) {
    stacks.ending = stacks.threads.iter().any(|it| ends_vm(&it.frames));
    if stacks.ending {
        stacks.threads.iter_mut().for_each(|it| it.idle = false);
    }
}

/// Sets what kept the VM from processors during the look, and whether it is halted after it.
fn set_limits(
    stacks: &mut PstackResult,
    standstill: Result<Option<Explanation>, Explanation>,
    quality: QualityRecord,
) {
    stacks.processors = quality.processors;
    if standstill != Ok(None) {
        // Without a sample it is unknown whether the thread would sleep.
        stacks.threads.iter_mut().for_each(|it| it.idle = false);
    }
    if !matches!(standstill, Ok(Some(_))) {
        stacks.halted = HaltedTime::of(&quality.gaps);
    }
    (stacks.standstill, stacks.standstill_unknown) = match standstill {
        Ok(standstill) => (standstill, None),
        Err(why) => (None, Some(why)),
    };
}

/// Everything new since the last time.
fn take_all(recording: &mut Recording, capture: &mut Capture) -> Result<(), Refusal> {
    loop {
        let is_last = !recording.has_waiting();
        let member = recording.take_increment().0;
        capture.extend(&member).map_err(refused)?;
        if is_last {
            return Ok(());
        }
    }
}

fn elapsed_ms(recording: &Recording) -> u64 {
    u64::try_from(recording.elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn gone(pid: u32) -> Refusal {
    let fix = texts::TO_SEE_VMS.text();
    Refusal::new(RefusalKind::TargetGone, what_became_of(pid), fix)
}

/// Fills in those of the threads without a sample that sleep in C code; `seconds` is how long one sleeps by now.
fn fill_sleeping(
    threads: &mut [PstackThread],
    in_c: &[SleepsInC],
    seconds: impl Fn(&InC) -> Option<f64>,
) {
    for thread in threads.iter_mut().filter(|thread| thread.idle) {
        let is_it = |it: &&SleepsInC| it.0.facts.thread_id == thread.thread_id;
        let Some((it, frames)) = in_c.iter().find(is_it) else {
            continue;
        };
        if let Some(seconds) = seconds(it) {
            thread.idle = false;
            thread.sleeps_in_c_s = Some(seconds);
            thread.erlang_pid = Some(it.facts.pid.clone());
            thread.process_name.clone_from(&it.facts.name);
            thread.frames.clone_from(frames);
        }
    }
}

/// A thread that has no sample and of which it is not known that it had nothing to run: it is not idle.
fn call_unknown(threads: &mut [PstackThread], is_it: impl Fn(&PstackThread) -> bool) {
    for thread in threads.iter_mut().filter(|it| it.idle) {
        if is_it(thread) {
            thread.idle = false;
            thread.trust = Some(Trust::Unproven);
            thread.frames = vec![marker_frame(Mark::Unproven.name().to_owned())];
        }
    }
}

/// What a scheduler runs, by the VM's own data: a process, by its pid and name, or a port, by its marker.
enum AtWork {
    Process(String, Option<String>),
    Port(String),
    /// A process that could not be read, or a port.
    Unknown,
}

/// Fills in the threads without a sample of a VM that runs, as far as possible. `is_elsewhere`: those of which no sample shows
/// where they are.
fn fill_running(
    recording: &mut Recording,
    proc_fs: &ProcFs,
    threads: &mut [PstackThread],
    is_elsewhere: impl Fn(u32) -> bool,
) {
    fill_at_work(recording, proc_fs, threads);
    let pid = recording.vm().process.pid;
    // Without a processor, as one that a quota throttles, or in the kernel all the time; or with another process.
    call_unknown(threads, |thread| {
        let tid = thread.thread_id;
        is_elsewhere(tid) && proc_fs.is_thread_runnable(pid, tid)
    });
}

/// Fills in those of the other threads without a sample that sleep while they run a process or a port: one that began
/// only during the samples, or that slept before in another call. They are not idle.
fn fill_at_work(recording: &mut Recording, proc_fs: &ProcFs, threads: &mut [PstackThread]) {
    let pid = recording.vm().process.pid;
    let asleep = |thread: &PstackThread| {
        let sleep = proc_fs.thread_sleep(pid, thread.thread_id);
        sleep.filter(|sleep| thread.idle && sleep.is_asleep)
    };
    let before: Vec<_> = threads.iter().map(asleep).collect();
    let Some(at_work) = recording.look_again(schedulers_at_work) else {
        return call_unknown(threads, |thread| {
            thread.scheduler.is_some() && asleep(thread).is_some()
        });
    };
    let found = threads.iter().zip(&before).map(|(thread, before)| {
        // The reading is of its sleep.
        let is_same = before.is_some() && asleep(thread) == *before;
        let work = at_work.iter().find(|(it, _)| thread.scheduler == Some(*it));
        work.filter(|_| is_same).map(|(_, work)| work)
    });
    let found: Vec<Option<&AtWork>> = found.collect();
    let mut at_work_here = found.iter().flatten();
    if at_work_here.any(|work| matches!(work, AtWork::Process(..)))
        && let Some(in_c) = recording.look_again(sleeping_in_c)
    {
        fill_sleeping(threads, &in_c, |it| Some(it.facts.seconds));
    }
    let unfilled = threads.iter_mut().zip(found).filter(|(it, _)| it.idle);
    for (thread, work) in unfilled {
        let Some(work) = work else { continue };
        thread.idle = false;
        let marker = match work {
            AtWork::Process(pid, name) => {
                thread.trust = Some(Trust::Unproven);
                thread.erlang_pid = Some(pid.clone());
                thread.process_name.clone_from(name);
                Mark::Unproven.name().to_owned()
            }
            AtWork::Port(marker) => {
                thread.class = Some(SampleClass::Port);
                marker.clone()
            }
            AtWork::Unknown => {
                thread.trust = Some(Trust::Unproven);
                Mark::Unproven.name().to_owned()
            }
        };
        thread.frames = vec![marker_frame(marker)];
    }
}

/// The schedulers that run something.
fn schedulers_at_work(vm: &mut AttachedVm) -> Result<Vec<(SchedulerId, AtWork)>, AttachError> {
    let mut found = Vec::new();
    for running in vm.running()? {
        let work = match vm.pid_of_process(running.process) {
            Ok(Some(pid)) => {
                let name = vm.name_of_process(running.process).ok().flatten();
                AtWork::Process(pid, name)
            }
            Ok(None) | Err(_) => AtWork::Unknown,
        };
        found.push((id_of(&running.scheduler), work));
    }
    for running in vm.running_ports()? {
        let marker = vm.port_marker_at(running.port);
        let work = marker.map_or(AtWork::Unknown, AtWork::Port);
        found.push((id_of(&running.scheduler), work));
    }
    Ok(found)
}

/// Sets which schedulers may run. One that may not is not idle.
fn set_states(stacks: &mut PstackResult, online: Option<&SchedulersNow>) {
    stacks.schedulers = online.map(schedulers_online);
    for thread in &mut stacks.threads {
        let known = online.zip(thread.scheduler);
        thread.state = known.map(|(now, scheduler)| state_of(now, scheduler));
        thread.idle &= !matches!(
            thread.state,
            Some(SchedulerState::Offline | SchedulerState::Blocked)
        );
    }
}

/// Threads that sleep in C code, with the frames of the process that called it.
fn sleeping_in_c(vm: &mut AttachedVm) -> Result<Vec<SleepsInC>, AttachError> {
    let in_c = sleeping_now(vm)?;
    let with_frames = in_c.into_iter().map(|it| {
        let frames = frames_in_c(vm, &it);
        (it, frames)
    });
    Ok(with_frames.collect())
}

/// The function that it is in, and its callers.
fn frames_in_c(vm: &AttachedVm, in_c: &InC) -> Vec<PstackFrame> {
    let called = in_c.facts.function.clone();
    let called = called.map(|function| erlang_frame(function, None, None));
    let callers = in_c
        .callers
        .iter()
        .map(|address| match caller(vm, *address) {
            Ok(code) => {
                let function = code.name.display();
                let place = Place::from(code);
                erlang_frame(function, place.file, place.line)
            }
            Err(mark) => marker_frame(mark.name().to_owned()),
        });
    called.into_iter().chain(callers).collect()
}

fn marker_frame(marker: String) -> PstackFrame {
    PstackFrame {
        kind: FrameKind::Marker,
        ..erlang_frame(marker, None, None)
    }
}

fn erlang_frame(function: String, file: Option<String>, line: Option<u32>) -> PstackFrame {
    PstackFrame {
        function,
        kind: FrameKind::Erlang,
        file,
        line,
        object: ERLANG_OBJECT.to_owned(),
    }
}

fn refused<E>(error: E) -> Refusal
where
    Refusal: for<'a> From<&'a E>,
{
    Refusal::from(&error)
}

/// A process runs on one scheduler at a time: it no longer is on those where it was seen before, which are returned.
fn drop_moved_on(samples: &mut HashMap<u32, Sample>, capture: &Capture) -> HashSet<u32> {
    let mut newest: HashMap<&str, u32> = HashMap::new();
    let mut moved_on = HashSet::new();
    for sample in capture.samples() {
        let labels = capture.labels(sample.labels);
        let (Some(process), Some(tid)) = (labels.erlang_pid, labels.thread_id) else {
            continue;
        };
        if samples.get(&tid) != Some(sample) {
            continue;
        }
        if let Some(before) = newest.insert(process, tid)
            && before != tid
        {
            moved_on.insert(before);
        }
    }
    samples.retain(|tid, _| !moved_on.contains(tid));
    moved_on
}

/// All threads: without those that cannot be listed, none would be shown.
fn threads_of(proc_fs: &ProcFs, pid: u32) -> Result<Vec<Thread>, Refusal> {
    proc_fs.threads(pid).map_err(|error| match error {
        ProcError::NoSuchProcess { .. } => gone(pid),
        error => refused(RecordError::from(error)),
    })
}

/// Threads that have something to run, and no sample so far; `None` where that cannot be found out.
fn busy_without_sample(
    proc_fs: &ProcFs,
    pid: u32,
    is_wanted: impl Fn(&Thread) -> bool,
    capture: &Capture,
) -> Option<HashSet<u32>> {
    let shown = last_samples(capture);
    let threads = proc_fs.threads(pid).ok()?;
    let wanted = threads.iter().filter(|thread| is_wanted(thread));
    let busy = wanted
        .map(|thread| thread.tid)
        .filter(|tid| !shown.contains_key(tid) && proc_fs.is_thread_runnable(pid, *tid));
    Some(busy.collect())
}

fn is_normal(scheduler: Option<SchedulerId>) -> bool {
    matches!(scheduler, Some(SchedulerId::Normal(_)))
}

/// The last sample of each thread. Samples are in the order in which they were taken, except equal
/// ones of the same 20 ms.
fn last_samples(capture: &Capture) -> HashMap<u32, Sample> {
    let samples = capture.samples().iter();
    samples
        .filter_map(|sample| Some((capture.labels(sample.labels).thread_id?, *sample)))
        .collect()
}

/// Normal schedulers by number, then dirty ones, then other threads by id.
fn stacks(
    threads: &[Thread],
    all: bool,
    scheduler_of: impl Fn(u32) -> Option<SchedulerId>,
    samples: &HashMap<u32, Sample>,
    capture: &Capture,
) -> PstackResult {
    let with_schedulers = threads
        .iter()
        .map(|thread| (thread, scheduler_of(thread.tid)));
    let mut stacks: Vec<PstackThread> = with_schedulers
        .filter(|(_, scheduler)| all || is_normal(*scheduler))
        .map(|(thread, scheduler)| PstackThread {
            scheduler,
            ..stack(thread, samples.get(&thread.tid), capture)
        })
        .collect();
    stacks
        .shared_sort_by_key(|stack| (stack.scheduler.is_none(), stack.scheduler, stack.thread_id));
    PstackResult {
        threads: stacks,
        ..PstackResult::default()
    }
}

fn stack(thread: &Thread, sample: Option<&Sample>, capture: &Capture) -> PstackThread {
    let labels = sample
        .map(|sample| capture.labels(sample.labels))
        .unwrap_or_default();
    PstackThread {
        thread_id: thread.tid,
        thread_name: thread.comm.clone(),
        scheduler: None,
        state: None,
        idle: sample.is_none(),
        sleeps_in_c_s: None,
        erlang_pid: labels.erlang_pid.map(ToOwned::to_owned),
        process_name: labels.process_name.map(ToOwned::to_owned),
        class: labels.class,
        trust: labels.trust,
        frames: sample.map_or_else(Vec::new, |sample| {
            capture
                .frames(sample.stack)
                .map(|at| frame(at, capture))
                .collect()
        }),
    }
}

fn frame(at: Frame, capture: &Capture) -> PstackFrame {
    let function = capture.function(at.function);
    PstackFrame {
        function: function.name.to_owned(),
        kind: function.kind,
        file: (!function.file.is_empty()).then(|| function.file.to_owned()),
        line: (at.line > 0).then_some(at.line),
        object: function.object.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use capture::processors::ProcessorLimits;
    use capture::quality::StandstillReason;
    use protocol::message::Text;

    use super::*;

    fn thread(tid: u32, comm: &str) -> Thread {
        Thread {
            tid,
            comm: comm.to_owned(),
        }
    }

    #[test]
    fn a_thread_that_may_have_something_to_run_is_not_idle() {
        let threads = [thread(2, "erts_sched_1"), thread(3, "erts_sched_2")];
        let scheduler_of = |tid| Some(SchedulerId::Normal(tid - 1));
        let no_samples = HashMap::new();
        let mut shown = stacks(
            &threads,
            false,
            scheduler_of,
            &no_samples,
            &Capture::empty(),
        );
        call_unknown(&mut shown.threads, |thread| thread.thread_id == 3);
        let [idle, unknown] = &shown.threads[..] else {
            panic!("not two threads");
        };
        assert!(idle.idle && idle.frames.is_empty() && idle.trust.is_none());
        assert!(!unknown.idle && unknown.trust == Some(Trust::Unproven));
        assert_eq!(unknown.frames[0].function, "[unproven]");
    }

    #[test]
    fn a_freeze_during_the_look_is_known_after_it() {
        let threads = [thread(2, "erts_sched_1")];
        let scheduler_of = |tid| Some(SchedulerId::Normal(tid - 1));
        let no_samples = HashMap::new();
        let shown = || {
            stacks(
                &threads,
                false,
                scheduler_of,
                &no_samples,
                &Capture::empty(),
            )
        };
        let quality = || {
            let mut quality = QualityRecord::default();
            quality.gaps.standstill_reason = Some(StandstillReason::Frozen);
            quality.gaps.standstill_ms = 250;
            quality.processors = Some(ProcessorLimits::default());
            quality
        };
        let mut thawed = shown();
        set_limits(&mut thawed, Ok(None), quality());
        assert_eq!(
            thawed.halted,
            Some(HaltedTime {
                reason: StandstillReason::Frozen,
                ms: 250,
            })
        );
        assert!(thawed.processors.is_some() && thawed.threads[0].idle);
        let mut frozen = shown();
        let why = Explanation::new(Text::plain("frozen"), Text::default());
        set_limits(&mut frozen, Ok(Some(why.clone())), quality());
        assert!(frozen.halted.is_none() && frozen.standstill.is_some());
        assert!(!frozen.threads[0].idle);
        // Threads of a VM that may be halted are called neither idle nor halted.
        let mut unknown = shown();
        set_limits(&mut unknown, Err(why.clone()), quality());
        assert_eq!(
            (unknown.standstill, unknown.standstill_unknown),
            (None, Some(why))
        );
        assert!(unknown.halted.is_some() && !unknown.threads[0].idle);
    }

    #[test]
    fn no_thread_of_a_vm_that_is_ending_is_idle() {
        let threads = [thread(2, "erts_sched_1"), thread(3, "erts_sched_2")];
        let scheduler_of = |tid| Some(SchedulerId::Normal(tid - 1));
        let no_samples = HashMap::new();
        let mut shown = stacks(
            &threads,
            false,
            scheduler_of,
            &no_samples,
            &Capture::empty(),
        );
        set_ending(&mut shown);
        assert!(!shown.ending && shown.threads.iter().all(|it| it.idle));
        shown.threads[0].frames = vec![erlang_frame("erlang:halt/1".to_owned(), None, None)];
        set_ending(&mut shown);
        assert!(shown.ending && shown.threads.iter().all(|it| !it.idle));
    }

    #[test]
    fn threads_that_cannot_be_listed_are_not_taken_for_none() {
        let nothing = ProcFs::at("/nowhere");
        let busy = busy_without_sample(&nothing, 7, |_| true, &Capture::empty());
        assert_eq!(busy, None);
        assert_eq!(
            threads_of(&nothing, 7).unwrap_err().kind,
            RefusalKind::TargetGone
        );
        let own = std::process::id();
        assert!(!threads_of(&ProcFs::live(), own).unwrap().is_empty());
    }

    #[test]
    fn threads_without_samples_are_idle_and_in_order() {
        let threads = [
            thread(9, "erts_aux"),
            thread(3, "erts_dcpus_1"),
            thread(2, "erts_sched_2"),
            thread(5, "erts_sched_1"),
            // A thread that a NIF has started on a scheduler.
            thread(12, "erts_sched_1"),
        ];
        let scheduler_of = |tid| match tid {
            2 => Some(SchedulerId::Normal(2)),
            3 => Some(SchedulerId::DirtyCpu(1)),
            5 => Some(SchedulerId::Normal(1)),
            _ => None,
        };
        let shown = |all| {
            let result = stacks(
                &threads,
                all,
                scheduler_of,
                &HashMap::new(),
                &Capture::empty(),
            );
            assert!(
                result
                    .threads
                    .iter()
                    .all(|stack| stack.idle && stack.frames.is_empty())
            );
            result
                .threads
                .iter()
                .map(|stack| stack.thread_id)
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(false), [5, 2]);
        assert_eq!(shown(true), [5, 2, 3, 9, 12]);
    }
}
