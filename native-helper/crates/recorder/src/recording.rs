//! One running capture.

use std::collections::HashSet;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use attach::AttachedVm;
use bpf_capture::{BpfEngine, BpfRing, ThreadFacts};
use capture::facts::{CaptureSettings, TargetFacts};
use capture::quality::{EngineQuality, QualityRecord};
use capture::writer::CaptureWriter;
use perf_ring::event::best_settings;
use perf_ring::{EventKind, EventSettings, KernelFrames, Ring, WakeUp};
use target_proc::{Mapping, ProcError, ProcFs};
use vm_tables::interpreter::Interpreter;
use vm_tables::schedulers::{Scheduler, SchedulerKind, scheduler_of_thread_name};

use crate::code_watch::CodeWatch;
use crate::engine::{self, Engine, EngineChoice, EngineInUse};
use crate::error::RecordError;
use crate::events::{RingOutput, ThreadEvents};
use crate::read::batch::{BATCH_WORDS, BATCH_WORDS_WITH_STACKS, BatchCell, RawBatch};
use crate::read::collector::{Collector, Lane};
use crate::read::join::Join;
use crate::read::plan::{PlanCell, PlanView, ReadPlan, ThreadRole};
use crate::read::raw_sample::RawSampleRef;
use crate::read::raw_sample::kernel_register;
use crate::read::reader::{Reader, ReaderCounts};
use crate::resolve::Resolver;
use crate::{file_limit, sys};

/// Data pages of one ring: with its header page this is just what `perf_event_mlock_kb` gives
/// every user for each CPU.
const RING_PAGES: usize = 128;
/// How far below its register block the C stack of a scheduler may reach.
const MAX_C_STACK_BYTES: u64 = 8 << 20;
/// How often threads and mappings are looked at again.
const RESCAN_INTERVAL: Duration = Duration::from_millis(200);
/// User stack in a sample. Erlang stacks are mostly shorter, C stacks end at the first absent
/// page anyway, and the rest is read late.
const STACK_BYTES: u32 = 4096;

/// How to record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordingSettings {
    /// Samples a second of each thread's CPU time.
    pub frequency_hz: u32,
    /// Kernel call chains and names, rather than just `[kernel]`.
    pub include_kernel: bool,
    /// How Erlang stacks under C code are obtained.
    pub engine: EngineChoice,
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
    start_ticks: u64,
    event_settings: EventSettings,
    resolver: Resolver,
    plan: Arc<PlanCell>,
    engine: EngineInUse,
    program: Option<BpfEngine>,
    events: ThreadEvents,
    outputs: Vec<RingOutput>,
    readers: Vec<ReaderHandle>,
    threads: Vec<JoinHandle<()>>,
    stop: Arc<OwnedFd>,
    spare: Vec<RawBatch>,
    started: Instant,
    cpu_at_start_ns: u64,
    last_rescan: Instant,
    dropped: u64,
    code_watch: CodeWatch,
}

#[derive(Debug)]
struct ReaderHandle {
    batch: Arc<BatchCell>,
    counts: Arc<ReaderCounts>,
}

impl Recording {
    /// Starts sampling `vm`. The calling thread has to live as long as the recording: the rings
    /// belong to it, and when it ends the kernel wakes their readers without end.
    pub fn start(vm: AttachedVm, settings: RecordingSettings) -> Result<Self, RecordError> {
        file_limit::raise();
        let pid = vm.process.pid;
        let cpus = online_cpus();
        let (engine, program) = engine::choose(settings.engine, &vm, cpus.len())?;
        let kernel = if settings.include_kernel {
            KernelFrames::Chain
        } else {
            KernelFrames::Leaf
        };
        let wanted = EventSettings {
            kind: EventKind::Cycles,
            frequency_hz: u64::from(settings.frequency_hz.max(1)),
            stack_bytes: STACK_BYTES,
            kernel,
            wake_up: match engine.engine {
                Engine::Bpf => WakeUp::HalfFull,
                Engine::Readv => WakeUp::EverySample,
            },
        };
        let event_settings = best_settings(wanted, pid)?;
        let writer = CaptureWriter::new(
            target_facts(&vm),
            capture_settings(&event_settings, settings, engine.engine),
        );
        let plan = Arc::new(PlanCell::new(ReadPlan {
            layout: *vm.layout,
            normal_exit: vm.code.normal_exit,
            jit: vm.objects.jit.clone(),
            stack_register: vm.interpreter.map(stack_register),
            roles: Default::default(),
        }));
        let stop = Arc::new(sys::stop_signal().map_err(|source| RecordError::System {
            what: "making an eventfd",
            source,
        })?);
        let start_ticks = vm.process.start_ticks;
        let start_ns = sys::monotonic_ns();
        let mut recording = Self {
            pid,
            start_ticks,
            event_settings,
            resolver: Resolver::new(vm, writer, start_ns, settings.include_kernel),
            plan,
            engine,
            program,
            events: ThreadEvents::default(),
            outputs: Vec::new(),
            readers: Vec::new(),
            threads: Vec::new(),
            stop,
            spare: Vec::new(),
            started: Instant::now(),
            cpu_at_start_ns: sys::own_cpu_ns(),
            last_rescan: Instant::now(),
            dropped: 0,
            code_watch: CodeWatch::default(),
        };
        recording.start_readers(&cpus)?;
        recording.rescan()?;
        Ok(recording)
    }

    fn start_readers(&mut self, cpus: &[u32]) -> Result<(), RecordError> {
        let mut rings = Vec::with_capacity(cpus.len());
        let room = match self.engine.engine {
            Engine::Bpf => BATCH_WORDS_WITH_STACKS,
            Engine::Readv => BATCH_WORDS,
        };
        for cpu in cpus {
            let ring = Ring::new(*cpu, RING_PAGES)?;
            self.outputs.push(RingOutput::new(*cpu, &ring)?);
            self.readers.push(ReaderHandle {
                batch: Arc::new(BatchCell::with_room(room)),
                counts: Arc::default(),
            });
            self.spare.push(RawBatch::with_room(room));
            rings.push((*cpu, ring));
        }
        match self.program.as_mut().map(BpfEngine::take_rings) {
            Some(records) => self.start_collector(rings, records),
            None => self.start_late_readers(rings),
        }
    }

    fn start_late_readers(&mut self, rings: Vec<(u32, Ring)>) -> Result<(), RecordError> {
        for ((cpu, ring), handle) in rings.into_iter().zip(&self.readers) {
            let reader = Reader {
                cpu,
                ring,
                settings: self.event_settings,
                memory: self.resolver.vm.memory,
                plan: PlanView::new(Arc::clone(&self.plan)),
                batch: Arc::clone(&handle.batch),
                counts: Arc::clone(&handle.counts),
                stop: Arc::clone(&self.stop),
            };
            self.threads
                .push(spawn(format!("reader-{cpu}"), || reader.run())?);
        }
        Ok(())
    }

    fn start_collector(
        &mut self,
        rings: Vec<(u32, Ring)>,
        records: Vec<BpfRing>,
    ) -> Result<(), RecordError> {
        let lanes = rings.into_iter().zip(records).zip(&self.readers);
        let lanes = lanes.map(|(((_, samples), records), handle)| Lane {
            samples,
            records,
            batch: Arc::clone(&handle.batch),
            counts: Arc::clone(&handle.counts),
            join: Join::new(self.resolver.vm.layout.process.read_bytes),
        });
        let collector = Collector {
            lanes: lanes.collect(),
            settings: self.event_settings,
            plan: PlanView::new(Arc::clone(&self.plan)),
            stop: Arc::clone(&self.stop),
        };
        self.threads
            .push(spawn("collector".to_owned(), || collector.run())?);
        Ok(())
    }

    /// Waits, as callers do between two calls of [`Recording::pump`]. While code is being loaded
    /// the list of code is looked at all the time, so that samples of both generations are named.
    pub fn wait(&mut self, duration: Duration) {
        let end = Instant::now() + duration;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Some(interval) = self.code_watch.interval() else {
                std::thread::sleep(left);
                return;
            };
            std::thread::sleep(left.min(interval));
            if left <= interval {
                return;
            }
            if self.look_at_code() {
                // What was replaced stays in memory until the next load: until then it tells
                // more about the samples taken in it.
                self.resolve_batches();
            }
        }
    }

    /// True when code was loaded since the last look.
    fn look_at_code(&mut self) -> bool {
        let begun = Instant::now();
        // A target that is gone has no code to read; what was sampled is named by what is known.
        let changed = self.resolver.refresh_code().unwrap_or(false);
        self.code_watch.looked(changed, begun);
        changed
    }

    /// Resolves what was sampled since the last call; call it some 20 times a second. Samples
    /// of all CPUs are resolved in the order they were taken.
    pub fn pump(&mut self) -> Result<TargetState, RecordError> {
        let state = if self.last_rescan.elapsed() >= RESCAN_INTERVAL {
            self.rescan()?
        } else {
            TargetState::Alive
        };
        self.resolve_batches();
        Ok(state)
    }

    /// Hands out what was sampled since the last call as it was read, in the order it was taken,
    /// without resolving it: for recording samples that are to be resolved again and again.
    pub fn pump_raw(&mut self, mut each: impl FnMut(&RawSampleRef<'_>)) -> Result<(), RecordError> {
        self.rescan()?;
        self.take_batches();
        let mut samples: Vec<_> = self.spare.iter().flat_map(RawBatch::samples).collect();
        samples.sort_by_key(|sample| sample.time_ns);
        samples.iter().for_each(&mut each);
        Ok(())
    }

    fn take_batches(&mut self) {
        for (reader, batch) in self.readers.iter().zip(&mut self.spare) {
            reader.batch.swap(batch);
            self.dropped += batch.dropped;
        }
    }

    fn resolve_batches(&mut self) {
        self.take_batches();
        self.look_at_code();
        let batches = std::mem::take(&mut self.spare);
        let mut samples: Vec<_> = batches.iter().flat_map(RawBatch::samples).collect();
        samples.sort_by_key(|sample| sample.time_ns);
        for sample in &samples {
            self.resolver.resolve(sample);
        }
        drop(samples);
        self.spare = batches;
    }

    /// Looks for new threads and mappings, and whether the target is still there.
    fn rescan(&mut self) -> Result<TargetState, RecordError> {
        self.last_rescan = Instant::now();
        let proc_fs = ProcFs::live();
        let ids = match proc_fs.thread_ids(self.pid) {
            Ok(ids) => ids,
            Err(ProcError::NoSuchProcess { .. }) => return Ok(TargetState::Gone),
            Err(error) => return Err(error.into()),
        };
        let same = proc_fs
            .start_ticks(self.pid)
            .is_ok_and(|ticks| ticks == self.start_ticks);
        let ended = proc_fs
            .status(self.pid)
            .map_or(true, |status| status.is_zombie());
        if !same || ended {
            return Ok(TargetState::Gone);
        }
        let alive: HashSet<u32> = ids.iter().copied().collect();
        self.events.retain(&alive);
        if ids.iter().any(|tid| !self.events.has(*tid)) {
            self.add_threads(&proc_fs)?;
        }
        self.refresh_mappings(&proc_fs);
        Ok(TargetState::Alive)
    }

    fn add_threads(&mut self, proc_fs: &ProcFs) -> Result<(), RecordError> {
        let threads = match proc_fs.threads(self.pid) {
            Ok(threads) => threads,
            Err(ProcError::NoSuchProcess { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let mappings = proc_fs.maps(self.pid).unwrap_or_default();
        let mut plan = ReadPlan::clone(&self.plan.get());
        for thread in &threads {
            if let Some(role) = role_of(&self.resolver.vm.schedulers, &mappings, &thread.comm) {
                plan.roles.insert(thread.tid, role);
            }
        }
        // The readers have to know a scheduler before its first sample arrives.
        self.plan.replace(plan);
        for thread in threads {
            if !self.events.has(thread.tid) {
                self.tell_program(thread.tid)?;
                self.resolver.name_thread(thread.tid, thread.comm);
                self.events.add(
                    &self.event_settings,
                    thread.tid,
                    &self.outputs,
                    self.program.as_ref(),
                )?;
            }
        }
        Ok(())
    }

    /// The program has to know a scheduler before its first sample.
    fn tell_program(&self, tid: u32) -> Result<(), RecordError> {
        let (Some(program), Some(role)) = (&self.program, self.plan.get().roles.get(&tid).copied())
        else {
            return Ok(());
        };
        let facts = match role {
            ThreadRole::Normal {
                data, registers, ..
            } => ThreadFacts {
                scheduler: data,
                registers,
            },
            ThreadRole::Dirty { data } => ThreadFacts {
                scheduler: data,
                registers: 0,
            },
        };
        Ok(program.add_thread(tid, facts)?)
    }

    fn refresh_mappings(&mut self, proc_fs: &ProcFs) {
        if let Ok(mappings) = proc_fs.maps(self.pid)
            && self.resolver.refresh_mappings(&mappings)
        {
            let mut plan = ReadPlan::clone(&self.plan.get());
            plan.jit.clone_from(&self.resolver.vm.objects.jit);
            self.plan.replace(plan);
        }
    }

    /// How long the capture has run.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The VM that is sampled.
    pub fn vm(&self) -> &AttachedVm {
        &self.resolver.vm
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
            ..record.engine
        };
        record.engine.dropped = self.program.as_ref().map_or(0, BpfEngine::dropped);
        for reader in &self.readers {
            let engine = &mut record.engine;
            engine.matched += reader.counts.matched.load(Ordering::Relaxed);
            engine.unmatched += reader.counts.unmatched.load(Ordering::Relaxed);
            engine.orphaned += reader.counts.orphaned.load(Ordering::Relaxed);
            record.lost += reader.counts.lost.load(Ordering::Relaxed)
                + reader.counts.malformed.load(Ordering::Relaxed);
            record.throttled += reader.counts.throttled.load(Ordering::Relaxed);
        }
        record.lost += self.dropped;
        let used_ns = sys::own_cpu_ns().saturating_sub(self.cpu_at_start_ns);
        let elapsed_ns = self.elapsed().as_nanos().max(1) as f64;
        record.self_cpu_pct = (used_ns as f64 / elapsed_ns * 10_000.0).round() / 100.0;
        record.self_rss_bytes = sys::own_peak_rss_bytes();
        record.event = self.event_settings.kind.name().to_owned();
        record
    }

    /// Everything new since the last call, as one member of a capture file.
    pub fn take_increment(&mut self) -> (Vec<u8>, QualityRecord) {
        let quality = self.quality();
        let now_ns = self.elapsed().as_nanos() as u64;
        (
            self.resolver.table.writer.take_increment(now_ns, &quality),
            quality,
        )
    }

    /// Stops sampling and resolves what is left; [`Recording::take_increment`] then gives the
    /// last increment.
    pub fn stop(&mut self) {
        self.events.disable();
        sys::raise(self.stop.as_fd());
        for thread in self.threads.drain(..) {
            // A reader that panicked has said so on stderr; what it queued is still good.
            let _ = thread.join();
        }
        self.resolve_batches();
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.events.disable();
        sys::raise(self.stop.as_fd());
    }
}

/// The register with the Erlang stack pointer, as an index into the registers of a sample.
fn stack_register(interpreter: Interpreter) -> usize {
    kernel_register(interpreter.registers.stack)
}

fn spawn(
    name: String,
    body: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, RecordError> {
    std::thread::Builder::new()
        .name(name)
        .stack_size(256 << 10)
        .spawn(body)
        .map_err(|source| RecordError::System {
            what: "starting a thread",
            source,
        })
}

fn role_of(
    schedulers: &[Scheduler],
    mappings: &[Mapping],
    thread_name: &str,
) -> Option<ThreadRole> {
    let (kind, number) = scheduler_of_thread_name(thread_name)?;
    let scheduler = schedulers
        .iter()
        .find(|s| s.kind == kind && s.number == number)?;
    Some(match kind {
        SchedulerKind::Normal => ThreadRole::Normal {
            data: scheduler.data,
            registers: scheduler.registers,
            c_stack_low: c_stack_low(mappings, scheduler.registers),
        },
        SchedulerKind::DirtyCpu | SchedulerKind::DirtyIo => ThreadRole::Dirty {
            data: scheduler.data,
        },
    })
}

/// Where the stack that holds `registers` begins: Erlang heaps may lie right below it.
fn c_stack_low(mappings: &[Mapping], registers: u64) -> u64 {
    let holds = |mapping: &&Mapping| mapping.start <= registers && registers < mapping.end;
    let low = mappings.iter().find(holds).map(|mapping| mapping.start);
    low.unwrap_or(registers)
        .max(registers.saturating_sub(MAX_C_STACK_BYTES))
}

/// The CPUs that are online; with none listed, the first.
fn online_cpus() -> Vec<u32> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let cpus = parse_cpu_list(text.trim());
    if cpus.is_empty() { vec![0] } else { cpus }
}

/// `0-3,8` as numbers.
fn parse_cpu_list(text: &str) -> Vec<u32> {
    const MAX_CPUS: u32 = 8192;
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse().ok()?, last.parse::<u32>().ok()?);
        (last < MAX_CPUS).then_some(first..=last)
    };
    text.split(',').filter_map(range).flatten().collect()
}

/// What the capture says about its target.
pub fn target_facts(vm: &AttachedVm) -> TargetFacts {
    let build_id = vm
        .objects
        .emulator()
        .and_then(|emulator| emulator.image.build_id());
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    TargetFacts {
        pid: vm.process.pid,
        otp_release: vm.version.otp_release.clone(),
        erts_version: vm.version.erts_version.clone(),
        flavor: vm.version.flavor().to_owned(),
        node: vm.node.clone().unwrap_or_default(),
        build_id: build_id.map(ToString::to_string).unwrap_or_default(),
        host: host.trim().to_owned(),
        command: vm.process.command_line.join(" "),
    }
}

fn capture_settings(
    event: &EventSettings,
    settings: RecordingSettings,
    engine: Engine,
) -> CaptureSettings {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    CaptureSettings {
        frequency_hz: settings.frequency_hz,
        event: event.kind.name().to_owned(),
        engine: engine.name().to_owned(),
        include_kernel: settings.include_kernel && event.kernel == KernelFrames::Chain,
        helper_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_ns: since_1970.map_or(0, |since| since.as_nanos() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_lists_as_the_kernel_prints_them() {
        assert_eq!(parse_cpu_list("0-1"), [0, 1]);
        assert_eq!(parse_cpu_list("0,2-3,7"), [0, 2, 3, 7]);
        assert!(parse_cpu_list("").is_empty());
        assert!(parse_cpu_list("0-4000000000,x").is_empty());
    }

    #[test]
    fn a_heap_right_below_the_stack_is_not_stack() {
        let mapping = |start, end| Mapping {
            start,
            end,
            permissions: Default::default(),
            file_offset: 0,
            device: (0, 0),
            inode: 0,
            path: String::new(),
        };
        let mappings = [mapping(0x10_0000, 0x20_0000), mapping(0x20_1000, 0x30_0000)];
        assert_eq!(c_stack_low(&mappings, 0x2f_0000), 0x20_1000);
        // Not known: nothing but the block itself counts as stack.
        assert_eq!(c_stack_low(&[], 0x2f_0000), 0x2f_0000);
        let huge = [mapping(0x1000, 0x7000_0000_0000)];
        assert_eq!(
            c_stack_low(&huge, 0x6000_0000_0000),
            0x6000_0000_0000 - MAX_C_STACK_BYTES
        );
    }
}
