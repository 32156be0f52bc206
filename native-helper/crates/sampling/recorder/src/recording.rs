//! One running capture.

mod chosen;
mod cpus;
mod facts;
mod faults;
mod halted;
mod host;
mod kernel_time;
mod limits;
mod mailboxes;
mod mechanisms;
mod node_watch;
mod overhead;
mod port_programs;
mod process_time;
mod rate;
mod readers;
mod scheduler_threads;
mod standstill;
mod switch_guard;
mod switches;
mod thread_names;
mod threads;

pub use facts::target_facts;
pub use mechanisms::{MECHANISMS, Mechanism, Price};
pub use overhead::MaxOverhead;
pub use readers::RING_PAGES;
pub use scheduler_threads::SchedulerThreads;

use std::collections::{HashMap, HashSet};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use attach::{AttachError, AttachedVm};
use bpf_engine::BpfEngine;
use capture::facts::{OriginFacts, WorkFacts};
use capture::quality::{EngineQuality, QualityRecord, SamplingGaps, ThreadsReason};
use capture::schedulers::SchedulersSeen;
use capture::tracing::{TracedFunctions, TracedProcesses};
use capture::writer::CaptureWriter;
use perf_ring::{EventSettings, KernelFrames, Source, WakeUp};
use permitted_target::PermittedTarget;
use serde::{Deserialize, Serialize};
use target_proc::ProcRights;
use vm_code::generations::Look;
use vm_tables::run_queues::RunQueues;

use crate::code_watch::CodeWatch;
use crate::engine::{Engine, EngineChoice, EngineInUse};
use crate::error::RecordError;
use crate::events::{RingOutput, ThreadEvents};
use crate::read::batch::{BatchCell, RawBatch};
use crate::read::chunk_pool::ChunkPool;
use crate::read::counts::ReaderCounts;
use crate::read::event_sources::EventSources;
use crate::read::plan::{PlanCell, ReadPlan, StackPointer};
use crate::read::raw_sample::{RawSampleRef, SampleSource};
use crate::resolve::Resolver;
use crate::schedulers::schedulers_online;
use crate::source_set::SourceSet;
use crate::tracing::{traced_functions, traced_processes};
use crate::{file_limit, sys, time_namespace};
use chosen::{Chosen, Subject, choose_events, cpus_to_sample, found_or_refused};
use cpus::Cpus;
use facts::{capture_settings, release_facts};
use faults::Faults;
use host::Host;
use kernel_time::ThreadClocks;
use limits::LimitWatch;
use node_watch::NodeWatch;
use overhead::OverheadGuard;
use port_programs::PortPrograms;
use process_time::ProcessClock;
use rate::Rate;
use standstill::StandstillWatch;
use switches::Switches;
use thread_names::ThreadNames;

/// Looks at the list of code that were done so long after a sample are taken in before it is
/// resolved.
const LOOKS_AHEAD_NS: u64 = 500_000_000;
/// How often threads and mappings are looked at again.
const RESCAN_INTERVAL: Duration = Duration::from_millis(200);
/// User stack in a sample. Erlang stacks are mostly shorter, C stacks end at the first absent
/// page anyway, and the rest is read late.
const STACK_BYTES: u32 = 4096;
/// The same where the program copies the stack: the least there can be.
const LEAST_STACK_BYTES: u32 = 8;

/// How to record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordingSettings {
    /// Samples a second of each thread's CPU time.
    pub frequency_hz: u32,
    /// Kernel call chains and names, rather than just `[kernel]`.
    pub include_kernel: bool,
    /// How Erlang stacks under C code are obtained.
    pub engine: EngineChoice,
    /// How often the VM as a whole is looked at: run queues, memory, mailboxes, collections.
    pub look_at_node_every: Duration,
    /// The quality record holds the processor time that the VM has used before sampling begins: for a VM that is
    /// captured from its start.
    pub notes_time_before: bool,
    /// The sources of samples.
    pub sources: SourceSet,
}

/// The usual [`RecordingSettings::look_at_node_every`].
pub const USUAL_NODE_INTERVAL: Duration = Duration::from_secs(1);

impl RecordingSettings {
    /// The event to sample with, where the machine has it.
    fn wanted_events(&self, engine: Engine) -> EventSettings {
        EventSettings {
            source: Source::CpuClock,
            rate: perf_ring::Rate::Hz(self.frequency_hz.max(1)),
            stack_bytes: STACK_BYTES,
            kernel: match self.include_kernel {
                true => KernelFrames::Chain,
                false => KernelFrames::Leaf,
            },
            wake_up: match engine {
                Engine::Bpf => WakeUp::HalfFull,
                Engine::Readv => WakeUp::EverySample,
            },
        }
    }
}

/// Whether there still is something to sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetState {
    /// It runs, or is stopped by someone.
    Alive,
    /// It has ended.
    Gone,
}

/// A running capture. Dropping it stops the sampling.
#[derive(Debug)]
pub struct Recording {
    pid: u32,
    target: PermittedTarget,
    event_settings: EventSettings,
    resolver: Resolver,
    plan: Arc<PlanCell>,
    engine: EngineInUse,
    program: Option<BpfEngine>,
    events: ThreadEvents,
    scheduler_threads: SchedulerThreads,
    run_queues: Option<RunQueues>,
    thread_names: ThreadNames,
    /// The threads there were at the last look.
    alive: HashSet<u32>,
    /// The threads that the program knows, and their numbers in the target's pid namespace.
    known_to_program: HashMap<u32, u32>,
    /// The requested sources that can be recorded.
    sources: SourceSet,
    /// The events that are not those of the clock.
    event_sources: Arc<EventSources>,
    switches: Option<Switches>,
    /// Why there are no switches, where they were requested.
    switches_refused: Option<String>,
    faults: Option<Faults>,
    /// The same of page faults.
    faults_refused: Option<String>,
    outputs: Vec<RingOutput>,
    readers: Vec<ReaderHandle>,
    threads: Vec<JoinHandle<()>>,
    stop: Arc<OwnedFd>,
    /// Memory of all batches.
    chunks: Arc<ChunkPool>,
    spare: Vec<RawBatch>,
    started: Instant,
    /// How long it ran, when it has ended.
    ran: Option<Duration>,
    cpu_at_start_ns: u64,
    last_rescan: Instant,
    dropped: u64,
    /// The same of switches.
    dropped_switches: u64,
    /// And of page faults.
    dropped_faults: u64,
    failed_looks: u64,
    standstill: StandstillWatch,
    limits: LimitWatch,
    schedulers_online: SchedulersSeen,
    tracing: Option<TracedFunctions>,
    traced_processes: Option<TracedProcesses>,
    code_watch: Option<CodeWatch>,
    host: Host,
    node_watch: NodeWatch,
    cpus: Cpus,
    rate: Rate,
    guard: Option<OverheadGuard>,
    clocks: ThreadClocks,
    process_clock: ProcessClock,
    port_programs: PortPrograms,
}

#[derive(Debug)]
struct ReaderHandle {
    cpu: u32,
    batch: Arc<BatchCell>,
    counts: Arc<ReaderCounts>,
}

/// Starts the thread that sees code come and go, where loaded code can be read.
fn watch_code(vm: &mut AttachedVm) -> Result<Option<CodeWatch>, RecordError> {
    let watch = |reader| CodeWatch::start(reader, vm.memory.clone());
    let started = vm.code.take_reader().map(watch).transpose();
    started.map_err(|source| RecordError::System {
        what: "starting a thread",
        source,
    })
}

/// The signal on which readers wait for their end.
fn stop_signal() -> Result<Arc<OwnedFd>, RecordError> {
    let stop = sys::stop_signal().map_err(|source| RecordError::System {
        what: "making an eventfd",
        source,
    })?;
    Ok(Arc::new(stop))
}

impl Recording {
    /// Starts sampling `vm`. The calling thread has to live as long as the recording: the rings
    /// belong to it, and when it ends the kernel wakes their readers without end.
    pub fn start(mut vm: AttachedVm, settings: RecordingSettings) -> Result<Self, RecordError> {
        file_limit::raise();
        time_namespace::learn();
        let pid = vm.process.pid;
        let target = vm.target.take();
        let target = target.map_or_else(|| PermittedTarget::open(pid), Ok)?;
        let cpus = cpus_to_sample()?;
        let chosen = choose_events(Subject::Vm(&target, &vm), settings, &cpus)?;
        let mut recording = Self::made(vm, target, settings, chosen, &cpus)?;
        recording.begin(&cpus, settings.notes_time_before)?;
        recording.why_none().map_or(Ok(recording), Err)
    }

    /// Why not one thread is sampled by its clock, or where that is not wanted, by any other source.
    fn why_none(&mut self) -> Option<RecordError> {
        if self.sources.cpu {
            return self.events.why_none();
        }
        let switches = self.switches.as_mut().map(|it| &mut it.events);
        let faults = self.faults.as_mut().map(|it| &mut it.events);
        let mut all: Vec<_> = switches.into_iter().chain(faults).collect();
        if all.iter().any(|it| it.thread_ids().next().is_some()) {
            return None;
        }
        all.iter_mut().find_map(|it| it.why_none())
    }

    /// One that has opened nothing yet.
    fn made(
        mut vm: AttachedVm,
        target: PermittedTarget,
        settings: RecordingSettings,
        chosen: Chosen,
        cpus: &[u32],
    ) -> Result<Self, RecordError> {
        let pid = vm.process.pid;
        let (host, start_ns) = (Host::look(pid, cpus), sys::monotonic_ns());
        let mut writer = CaptureWriter::new(
            target_facts(&vm),
            capture_settings(&chosen.events, settings, chosen.engine.engine),
        );
        let sources = chosen.sources(settings.sources);
        writer.set_types(sources.types());
        writer.set_host(host.facts());
        let (switches, switches_refused) = found_or_refused(chosen.switches);
        let (faults, faults_refused) = found_or_refused(chosen.faults);
        Ok(Self {
            plan: Arc::new(PlanCell::new(plan_of(&vm))),
            code_watch: watch_code(&mut vm)?,
            // Where they are not found, whether a normal scheduler waits is not known.
            run_queues: RunQueues::find(&vm.memory, &vm.schedulers).ok(),
            node_watch: NodeWatch::of(&vm, &target, settings.look_at_node_every),
            pid,
            target,
            event_settings: chosen.events,
            resolver: Resolver::new(vm, writer, start_ns, settings.include_kernel),
            engine: chosen.engine,
            program: chosen.program,
            events: ThreadEvents::default(),
            scheduler_threads: SchedulerThreads::default(),
            thread_names: ThreadNames::default(),
            alive: HashSet::new(),
            known_to_program: HashMap::new(),
            sources,
            event_sources: Arc::default(),
            switches: switches.and_then(|it| Switches::new(it, sources, start_ns)),
            switches_refused,
            faults: faults.and_then(|it| Faults::new(it, sources, start_ns)),
            faults_refused,
            outputs: Vec::new(),
            readers: Vec::new(),
            threads: Vec::new(),
            stop: stop_signal()?,
            chunks: Arc::default(),
            spare: Vec::new(),
            started: Instant::now(),
            ran: None,
            cpu_at_start_ns: sys::own_cpu_ns(),
            last_rescan: Instant::now(),
            dropped: 0,
            dropped_switches: 0,
            dropped_faults: 0,
            failed_looks: 0,
            standstill: StandstillWatch::default(),
            limits: LimitWatch::begin(pid),
            schedulers_online: SchedulersSeen::default(),
            tracing: None,
            traced_processes: None,
            host,
            cpus: Cpus::sampled(cpus),
            rate: Rate::asked(settings.frequency_hz),
            guard: None,
            clocks: ThreadClocks::default(),
            process_clock: ProcessClock::default(),
            port_programs: PortPrograms::default(),
        })
    }

    fn begin(&mut self, cpus: &[u32], notes_time_before: bool) -> Result<(), RecordError> {
        // Before the first event is opened, so that no time is counted twice, or not at all.
        let used_ns = sys::process_cpu_ns(self.pid);
        self.process_clock = ProcessClock::from(used_ns);
        if let Some(used_ns) = used_ns.filter(|_| notes_time_before) {
            self.resolver.note_time_before_sampling(used_ns);
        }
        let release = self.target.within(|| release_facts(self.vm()));
        self.resolver.builds.set_release(release);
        self.look_at_tracing();
        self.look_at_schedulers();
        let at_start = self.schedulers_online.at_end.clone();
        self.schedulers_online.at_start = at_start;
        self.start_readers(cpus)?;
        self.rescan()?;
        self.look_at_clocks(true);
        self.begin_port_programs();
        Ok(())
    }

    /// Waits, as callers do between two calls of [`Recording::pump`].
    pub fn wait(&mut self, duration: Duration) {
        let end = Instant::now() + duration;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            match &self.code_watch {
                // Replaced code stays in memory until the next load: until then it shows more about
                // the samples taken in it.
                Some(watch) if watch.wait_for_change(left) => self.resolve_batches(),
                Some(_) => {}
                None => std::thread::sleep(left),
            }
        }
    }

    /// The looks at the list of code, which is looked at once more for that; and whether that look
    /// was done.
    fn look_at_code(&mut self) -> (Vec<Look>, bool) {
        let Some(watch) = &self.code_watch else {
            return (Vec::new(), true);
        };
        let is_seen = watch.look_now();
        (watch.looks().collect(), is_seen)
    }

    /// Resolves the samples since the last call; call it some 20 times a second. Samples of all
    /// CPUs are resolved in the order they were taken. CPUs and threads that cannot be sampled any
    /// more are counted in [`Recording::quality`]; the rest goes on.
    pub fn pump(&mut self) -> TargetState {
        let mut state = TargetState::Alive;
        if self.last_rescan.elapsed() >= RESCAN_INTERVAL {
            self.chunks.trim();
            match self.rescan() {
                Ok(seen) => state = seen,
                // Sampling of the known threads goes on, and the next look may succeed.
                Err(_) => self.failed_looks += 1,
            }
        }
        self.look_at_clocks(false);
        self.look_at_process_clock(false);
        self.look_at_port_programs(false);
        self.host.look_at_clock_at_times();
        self.resolve_batches();
        self.thin_out_switches();
        self.thin_out_faults();
        self.look_at_node();
        self.keep_overhead();
        state
    }

    fn look_at_node(&mut self) {
        let now = self.started.elapsed();
        if let Some(reading) = self.node_watch.look(&mut self.resolver.vm, now) {
            self.resolver.table.writer.add_node_reading(reading);
        }
    }

    /// Hands out the samples since the last call as they were read, in the order they were taken,
    /// without resolving them: for recording samples that are to be resolved again and again.
    pub fn pump_raw(&mut self, mut each: impl FnMut(&RawSampleRef<'_>)) -> Result<(), RecordError> {
        self.rescan()?;
        // Samples that are not resolved need no code.
        drop(self.look_at_code());
        self.take_batches();
        let mut samples: Vec<_> = self.spare.iter().flat_map(RawBatch::samples).collect();
        samples.sort_by_key(|sample| sample.time_ns);
        samples.iter().for_each(&mut each);
        Ok(())
    }

    fn take_batches(&mut self) {
        let mut dropped_of = Vec::new();
        for (reader, batch) in self.readers.iter().zip(&mut self.spare) {
            reader.batch.swap(batch);
            self.dropped += batch.dropped - batch.dropped_switches - batch.dropped_faults;
            self.dropped_switches += batch.dropped_switches;
            self.dropped_faults += batch.dropped_faults;
            if batch.dropped > 0 {
                let first_ns = batch.samples().next().map_or(0, |it| it.time_ns);
                dropped_of.push((reader.cpu, first_ns));
            }
        }
        for (cpu, since_ns) in dropped_of {
            self.note_dropped_records(cpu, since_ns);
        }
    }

    fn resolve_batches(&mut self) {
        // Before the batches are taken: all of it is in them.
        let switches_until_ns = self.switches_read_until_ns();
        self.take_batches();
        let (looks, is_seen) = self.look_at_code();
        let mut looks = looks.into_iter();
        let mut seen_until_ns = 0;
        let batches = std::mem::take(&mut self.spare);
        let mut samples: Vec<_> = batches.iter().flat_map(RawBatch::samples).collect();
        samples.sort_by_key(|sample| sample.time_ns);
        for sample in &samples {
            let code = &mut self.resolver.vm.code;
            code.note_code_index(sample.time_ns, sample.code_index);
        }
        for sample in &samples {
            // Later looks at the code show more about the code of this sample. But not much later
            // ones: states of the past are kept for a while only.
            while seen_until_ns <= sample.time_ns.saturating_add(LOOKS_AHEAD_NS)
                && let Some(look) = looks.next()
            {
                seen_until_ns = look.time_ns();
                // A list that cannot be read is tried again; until then samples are named by the
                // known code.
                let _ = self.resolver.absorb_look(look);
            }
            if !is_seen && looks.len() == 0 {
                self.resolver.vm.code.lose_sight();
            }
            self.keep(sample);
        }
        drop(samples);
        self.spare = batches;
        self.spare.iter_mut().for_each(RawBatch::clear);
        for look in looks {
            let _ = self.resolver.absorb_look(look);
        }
        self.resolver.look_up_builds();
        self.settle_switches(switches_until_ns);
    }

    /// Resolves a sample into the capture, if there is room for it.
    fn keep(&mut self, sample: &RawSampleRef<'_>) {
        match sample.flags.source() {
            SampleSource::Switches => return self.note_switch(sample),
            SampleSource::Faults => return self.note_fault(sample),
            SampleSource::Clock => {}
        }
        if self.resolver.table.writer.is_full() {
            self.resolver.tally.unwritten += 1;
            return;
        }
        self.resolver.resolve(sample);
        self.end_increment_if_due();
    }

    fn end_increment_if_due(&mut self) {
        if self.resolver.table.writer.is_due() {
            let (now_ns, quality) = (self.elapsed().as_nanos() as u64, self.quality());
            self.resolver.table.writer.end_increment(now_ns, &quality);
        }
    }

    /// Sets the commit that the capture records from the next increment on.
    pub fn set_origin(&mut self, origin: OriginFacts) {
        self.resolver.table.writer.set_origin(origin);
    }

    /// The functions seen so far: the bytes of a capture without samples.
    pub fn functions(&self) -> Vec<u8> {
        self.resolver.table.writer.functions()
    }

    /// Sets the work done that the capture records from the next increment on.
    pub fn set_work(&mut self, work: WorkFacts) {
        self.resolver.table.writer.set_work(work);
    }

    /// Processor time of all samples of work so far, nanoseconds.
    pub fn busy_ns(&self) -> u64 {
        self.resolver.table.writer.busy_ns()
    }

    /// How long the capture has run. Lookups after its end are no part of it.
    pub fn elapsed(&self) -> Duration {
        self.ran.unwrap_or_else(|| self.started.elapsed())
    }

    /// Descriptors that are written to until it has ended.
    pub fn descriptors_written(&self) -> Vec<RawFd> {
        vec![self.stop.as_raw_fd()]
    }

    /// The VM that is sampled.
    pub fn vm(&self) -> &AttachedVm {
        &self.resolver.vm
    }

    /// Reads the VM once more, with all that the recording knows of it. `None` if that fails, or the process is another
    /// by then.
    pub fn look_again<T>(
        &mut self,
        look: impl FnOnce(&mut AttachedVm) -> Result<T, AttachError>,
    ) -> Option<T> {
        let found = look(&mut self.resolver.vm).ok()?;
        self.target.check().ok()?;
        Some(found)
    }

    /// How Erlang stacks under C code are obtained, and why so.
    pub fn engine(&self) -> &EngineInUse {
        &self.engine
    }

    /// The quality of the capture so far.
    pub fn quality(&self) -> QualityRecord {
        let mut record = self.resolver.tally.record();
        record.engine = EngineQuality {
            name: self.engine.engine.name().to_owned(),
            reason: self.engine.reason.clone(),
            reason_code: Some(self.engine.reason_code),
            ..record.engine
        };
        if let Some(program) = &self.program {
            let _raised = self.target.raise_to_sample();
            let (dropped, is_all) = program.dropped();
            record.engine.dropped = dropped;
            record.engine.dropped_at_least = !is_all;
        }
        let (mut lost, mut orphaned_switches, mut orphaned_faults) = (0, 0, 0);
        for reader in &self.readers {
            let engine = &mut record.engine;
            engine.matched += reader.counts.matched.load(Ordering::Relaxed);
            engine.unmatched += reader.counts.unmatched.load(Ordering::Relaxed);
            engine.orphaned += reader.counts.orphaned.load(Ordering::Relaxed);
            orphaned_switches += reader.counts.orphaned_switches.load(Ordering::Relaxed);
            orphaned_faults += reader.counts.orphaned_faults.load(Ordering::Relaxed);
            lost += reader.counts.lost.load(Ordering::Relaxed)
                + reader.counts.malformed.load(Ordering::Relaxed);
            record.throttled += reader.counts.throttled.load(Ordering::Relaxed);
        }
        let orphaned_others = orphaned_switches + orphaned_faults;
        let orphaned_ticks = record.engine.orphaned.saturating_sub(orphaned_others);
        let of_others = self.lost_of_others(lost, orphaned_ticks);
        let of_faults = self.lost_of_faults(of_others, orphaned_faults);
        record.lost = (lost - of_others) + self.dropped;
        record.gaps = self.gaps();
        record.self_cpu_pct = self.own_cpu_pct();
        record.self_rss_bytes = sys::own_peak_rss_bytes();
        if self.sources.cpu {
            record.event = self.event_settings.source.name().to_owned();
        }
        record.off_cpu = self.off_cpu_quality(of_others - of_faults);
        record.faults = self.faults_quality(of_faults);
        record.overhead = self.overhead();
        record.processors = Some(self.limits.since_beginning());
        record.limits_seen = self.limits.changes();
        record.schedulers_online = Some(self.schedulers_online.clone());
        record.tracing = self.tracing;
        record.traced_processes = self.traced_processes;
        // A lost record of which the source is not known may be of either.
        let not_seen = record.lost + of_others + record.gaps.unwritten;
        let not_seen_ns = self.not_seen_ns(not_seen, record.throttled);
        // What no samples of a clock are compared with is not known of it.
        if self.sources.cpu {
            record.kernel = Some(self.kernel_time(not_seen_ns));
            record.process_time = self.process_time(not_seen_ns);
            let (_, lowest_hz) = self.rate.now_and_lowest_hz();
            record.stays = self.resolver.stays_quality(lowest_hz);
        }
        record.port_programs_ms = self.port_programs_ms();
        record.port_programs = self.programs_by_port();
        record.beside_ports_ms = self.beside_ports_ms();
        if self.ran.is_some() {
            record.not_known = record.unknown_facts();
        }
        record
    }

    fn own_cpu_pct(&self) -> f64 {
        let used_ns = sys::own_cpu_ns().saturating_sub(self.cpu_at_start_ns);
        let elapsed_ns = self.elapsed().as_nanos().max(1) as f64;
        (used_ns as f64 / elapsed_ns * 10_000.0).round() / 100.0
    }

    fn gaps(&self) -> SamplingGaps {
        let mut gaps = SamplingGaps {
            failed_looks: self.failed_looks,
            unwritten: self.resolver.tally.unwritten,
            ..self.events.gaps()
        };
        if gaps.threads_reason_code == Some(ThreadsReason::TooManyFiles) {
            let (threads, cpus) = (self.events.threads(), self.outputs.len());
            let watched = self.switches.as_ref().map_or(0, |it| it.events.threads());
            let faulting = self.faults.as_ref().map_or(0, |it| it.events.threads());
            gaps.threads_reason = format!(
                "too many open files: {threads} threads on {cpus} CPUs take {}, and {} are allowed; raise the limit \
                 with `ulimit -n`",
                (threads + watched + faulting) * cpus,
                file_limit::allowed()
            );
        }
        self.standstill.add_to(&mut gaps);
        for cpu in self.cpus.late() {
            gaps.cpus.push(cpu);
            "it was switched on after the capture began".clone_into(&mut gaps.cpus_reason);
        }
        for reader in &self.readers {
            gaps.reader_failures += reader.counts.failures.load(Ordering::Relaxed);
            if let Some(why) = reader.counts.why_ended.get() {
                gaps.cpus.push(reader.cpu);
                gaps.cpus_reason.clone_from(why);
            }
        }
        gaps
    }

    /// Whether increments wait that ended because of their size.
    pub fn has_waiting(&self) -> bool {
        self.resolver.table.writer.has_waiting()
    }

    /// The oldest increment that waits, else everything new since the last call, as one member of a capture file.
    pub fn take_increment(&mut self) -> (Vec<u8>, QualityRecord) {
        self.hand_out_switches();
        let now_ns = self.ran.is_none().then(sys::monotonic_ns);
        self.resolver.end_stays(now_ns);
        if self.ran.is_none() {
            let elapsed = self.elapsed();
            self.limits.look(self.pid, false, elapsed);
            // Where it was not found, the VM's variable would be searched for again.
            if self.schedulers_online.at_start.is_some() {
                self.look_at_schedulers();
            }
        }
        let quality = self.quality();
        if let Some(build) = self.resolver.builds.news(self.ran.is_some()) {
            self.resolver.table.writer.set_build(build);
        }
        let now_ns = self.elapsed().as_nanos() as u64;
        (
            self.resolver.table.writer.take_increment(now_ns, &quality),
            quality,
        )
    }

    /// When it begins and ends: a look at all functions and processes is too much work to be done all the time.
    fn look_at_tracing(&mut self) {
        let found = self.look_again(AttachedVm::traced_functions).flatten();
        let both = [self.tracing, found.map(traced_functions)].into_iter();
        self.tracing = both.flatten().max_by_key(|found| found.traced);
        let found = self.look_again(AttachedVm::traced_processes).flatten();
        let both = [self.traced_processes, found.map(traced_processes)].into_iter();
        self.traced_processes = both.flatten().max_by_key(|found| found.traced);
    }

    /// A look that fails, as one at a VM that has ended, leaves what the last one found.
    fn look_at_schedulers(&mut self) {
        let now = self.look_again(AttachedVm::schedulers_now);
        if let Some(now) = now.and_then(Result::ok) {
            self.schedulers_online.at_end = Some(schedulers_online(&now));
        }
    }

    /// Stops sampling and resolves the remaining samples; [`Recording::take_increment`] then gives
    /// the last increment.
    pub fn stop(&mut self) {
        self.look_at_clocks(true);
        self.look_at_process_clock(true);
        self.look_at_port_programs(true);
        self.look_whether_it_runs();
        let elapsed = self.elapsed();
        self.limits.look(self.pid, true, elapsed);
        self.look_at_schedulers();
        self.end_switches();
        self.end_faults();
        self.disable_events();
        self.ran = Some(self.elapsed());
        sys::raise(self.stop.as_fd());
        for thread in self.threads.drain(..) {
            // A reader that panicked is among the gaps; the samples that it queued are still good.
            let _ = thread.join();
        }
        self.resolve_batches();
        self.settle_ended_switches();
        self.look_at_tracing();
        self.host.look_at_clock();
        let host = self.host.facts_by_now();
        self.resolver.table.writer.set_host(host);
    }
}

impl Recording {
    fn disable_events(&self) {
        self.events.disable();
        if let Some(switches) = &self.switches {
            switches.events.disable();
        }
        if let Some(faults) = &self.faults {
            faults.events.disable();
        }
    }
}

/// The plan for the readers of a VM, before any of its threads is known.
fn plan_of(vm: &AttachedVm) -> ReadPlan {
    ReadPlan {
        layout: *vm.layout,
        normal_exit: vm.code.normal_exit,
        runs_erlang: vm.runs_erlang().to_vec(),
        stack_pointer: StackPointer::of(&vm.flavor),
        code_index: vm.code.code_index_address(),
        roles: Default::default(),
        waiting: Default::default(),
        numbered_from_ns: Default::default(),
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.disable_events();
        sys::raise(self.stop.as_fd());
    }
}
