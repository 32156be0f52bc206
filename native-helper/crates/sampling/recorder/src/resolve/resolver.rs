//! One raw sample to one stack with its labels.

mod built_in;
mod c_sample;
mod dirty_sample;
mod erlang_sample;
mod interpreted_sample;
mod interpreter_state;
mod moved_stack;
mod native_stack;
mod outcome;
mod proven_frames;
mod stay_sight;

use std::collections::HashMap;

use attach::{AttachedVm, destructor_marker};
use capture::class_split::IDLE_MARKER;
use capture::classify::RunContext;
use capture::groups::cause_marker;
use capture::marks::Mark;
use capture::sample::{FrameKind, FunctionFacts, SampleClass, SampleLabels, SchedulerId, Trust};
use capture::sample_types::TypeIndex;
use capture::writer::{CaptureWriter, LocationId};
use erlang_stack::ErlangFrame;
use native_code::unwind_c::{NativeFrame, NativeUnwinder, UnwindEnd};
use target_memory::{LiveMemory, TargetMemory};
use vm_code::generations::{Look, Moment, Running};
use vm_layout::process_details::{ProcessDetails, details_for};
use vm_layout::{STATE_ENDING, TableError};
use vm_tables::ports::PortFacts;
use vm_tables::processes::ProcessFields;

use super::builds::Builds;
use super::destructors::{Destructors, destructor_called};
use super::erlang_code::ErlangCode;
use super::frames::{Frame, FrameTable, Naming};
use super::identity::{PortMarkers, ProcessNames, SampledProcess, ThreadIdentity};
use super::native_frames::NativeFrames;
use super::tally::{CountedAs, Tally};
use c_sample::is_recent;
use outcome::{ErlangPart, Outcome};

use crate::read::raw_sample::{RawSampleRef, ReadFlags};
use crate::stays::{Sight, Stays};
use vm_layout::Flavor;

/// Turns raw samples into samples of a capture.
#[derive(Debug)]
pub struct Resolver<M = LiveMemory> {
    /// The VM.
    pub vm: AttachedVm<M>,
    /// Functions, locations and the capture's writer.
    pub table: FrameTable,
    /// Counts.
    pub tally: Tally,
    /// Which builds of modules were seen.
    pub builds: Builds,
    /// CLOCK_MONOTONIC at the start of the capture.
    start_ns: u64,
    threads: HashMap<u32, ThreadIdentity>,
    erlang_code: ErlangCode,
    native_frames: NativeFrames,
    unwinder: NativeUnwinder,
    names: ProcessNames,
    ports: PortMarkers,
    destructors: Destructors,
    known_stacks: HashMap<u64, KnownStack>,
    /// Where a process has the counters that prove a stay; `None` where they do not, or that is not known.
    details: Option<&'static ProcessDetails>,
    stays: Stays,
    /// What the sample shows of a collection or a call.
    sight: Sight,
    last_trust: Trust,
    /// The sample shows that calls are traced; the last stack that was walked has traced calls.
    shows_tracing: bool,
    walked_traced: bool,
    /// Of a sample whose stack is longer than its copy, the outer end is shown.
    shows_outer_end: bool,
    scratch: SampleScratch,
}

/// A sample with its names that is not counted yet.
#[derive(Debug, Clone)]
pub struct HeldSample {
    /// All of it but its stack.
    pub labels: SampleLabels,
    /// Its stack, leaf first.
    pub locations: Vec<LocationId>,
    /// No frame of it is missing, or not proven.
    pub is_whole: bool,
}

/// A stack that was proven.
#[derive(Debug, Default)]
struct KnownStack {
    time_ns: u64,
    frames: Vec<ErlangFrame>,
}

/// Buffers for one sample, used again for the next.
#[derive(Debug, Default)]
struct SampleScratch {
    frames: Vec<Frame>,
    locations: Vec<LocationId>,
    leading: Vec<LocationId>,
    native: Vec<NativeFrame>,
    erlang: Vec<ErlangFrame>,
    process: Vec<u8>,
}

impl<M: TargetMemory> Resolver<M> {
    /// A resolver for a capture that starts at `start_ns`.
    pub fn new(vm: AttachedVm<M>, writer: CaptureWriter, start_ns: u64, kernel: bool) -> Self {
        // An interpreter keeps the reductions that are left where a sample does not show them.
        let details = match vm.flavor {
            Flavor::Jit(_) => details_for(&vm.layout.process),
            Flavor::Interpreter(_) => None,
        };
        Self {
            vm,
            table: FrameTable::new(writer),
            tally: Tally::default(),
            builds: Builds::default(),
            start_ns,
            threads: HashMap::new(),
            erlang_code: ErlangCode::default(),
            native_frames: NativeFrames::new(kernel),
            unwinder: NativeUnwinder::new(),
            names: ProcessNames::default(),
            ports: PortMarkers::default(),
            destructors: Destructors::default(),
            known_stacks: HashMap::new(),
            details,
            stays: Stays::default(),
            sight: Sight::Nothing,
            last_trust: Trust::NoProcess,
            shows_tracing: false,
            walked_traced: false,
            shows_outer_end: false,
            scratch: SampleScratch::default(),
        }
    }

    /// Samples taken from `time_ns` on stand for `weight` times as much time as at the requested
    /// rate.
    pub fn set_weight(&mut self, time_ns: u64, weight: u32) {
        let since_start_ns = time_ns.saturating_sub(self.start_ns);
        self.table.writer.set_weight(since_start_ns, weight);
    }

    /// Notes the processor time that the VM has used before sampling began: a fact beside the samples.
    pub fn note_time_before_sampling(&mut self, used_ns: u64) {
        self.tally.note_time_before(used_ns);
    }

    /// Sets the name of a thread and the scheduler that it is.
    pub fn name_thread(&mut self, tid: u32, name: String, scheduler: Option<SchedulerId>) {
        self.threads.insert(tid, ThreadIdentity { name, scheduler });
    }

    /// Forgets the threads that `is_kept` is false of.
    pub fn retain_threads(&mut self, is_kept: impl Fn(u32) -> bool) {
        self.threads.retain(|tid, _| is_kept(*tid));
        self.stays.retain(is_kept);
    }

    /// Notices loaded and purged code, where no other thread looks; call it after taking a batch
    /// and before resolving it. True after changes.
    pub fn refresh_code(&mut self) -> Result<bool, TableError> {
        let looked = self
            .vm
            .code
            .refresh(&self.vm.memory, &crate::sys::monotonic_ns);
        self.after_look(looked)
    }

    /// Takes in a look at the list of code that was done elsewhere, before the samples are resolved
    /// that were taken until then. True after changes.
    pub fn absorb_look(&mut self, look: Look) -> Result<bool, TableError> {
        let looked = self.vm.code.absorb(look);
        self.after_look(looked)
    }

    fn after_look(&mut self, looked: Result<bool, TableError>) -> Result<bool, TableError> {
        self.erlang_code.forget_doubts();
        // After a look that failed, the known facts about the code count for less.
        if !matches!(looked, Ok(false)) {
            self.erlang_code.forget();
        }
        let changed = looked?;
        if changed && !self.vm.native_tables.unconfirmed.is_empty() {
            self.vm.refresh_native_tables();
            self.native_frames.forget();
        }
        Ok(changed)
    }

    /// Looks up the builds of the modules of which functions were named since the last call.
    pub fn look_up_builds(&mut self) {
        let named = self.erlang_code.named.take();
        self.builds.look_up(&mut self.vm, named);
    }

    /// Notices new executable mappings; true when there were changes.
    pub fn refresh_mappings(&mut self, mappings: &[target_proc::Mapping]) -> bool {
        let changed = self.vm.objects.refresh(&self.vm.memory, mappings);
        if changed {
            self.vm.refresh_native_tables();
            self.native_frames.forget();
            self.erlang_code.forget();
            self.destructors = Destructors::default();
        }
        changed
    }

    /// Resolves one sample into the capture.
    pub fn resolve(&mut self, sample: &RawSampleRef<'_>) {
        self.look_at_moment_of(sample);
        let mut scratch = std::mem::take(&mut self.scratch);
        let outcome = self.push_frames(sample, &mut scratch);
        if outcome.counted_as == CountedAs::Scheduler && self.is_unnamed_work(sample, &scratch) {
            self.tally.add_unnamed_work();
        }
        if self.shows_tracing {
            self.tally.add_traced();
        }
        self.count_failures(sample, &outcome);
        if sample.flags.has(ReadFlags::LATE_READ) && !sample.flags.has(ReadFlags::IN_ERLANG) {
            self.tally.add_skid(sample.time_ns, sample.read_done_ns);
        }
        let (counted_as, trust) = (outcome.counted_as, outcome.trust);
        self.tally
            .add(counted_as, trust, outcome.truncated, &scratch.frames);
        self.emit(sample, &outcome, &mut scratch);
        self.scratch = scratch;
    }

    /// Resolves one sample and counts it nowhere: the time that it stands for is not known yet.
    pub fn hold(&mut self, sample: &RawSampleRef<'_>) -> HeldSample {
        self.look_at_moment_of(sample);
        let mut scratch = std::mem::take(&mut self.scratch);
        let outcome = self.push_frames(sample, &mut scratch);
        let held = HeldSample {
            labels: self.labels_of(sample, &outcome, &mut scratch),
            locations: scratch.locations.clone(),
            is_whole: outcome.is_whole(),
        };
        self.scratch = scratch;
        held
    }

    /// Adds so many samples of another type than processor time, which stand for `value`.
    pub fn add_held(
        &mut self,
        of: TypeIndex,
        time_ns: u64,
        held: &HeldSample,
        (count, value): (u64, u64),
    ) {
        let time_ns = time_ns.saturating_sub(self.start_ns);
        let (labels, locations) = (&held.labels, &held.locations);
        let writer = &mut self.table.writer;
        writer.add_weighted(of, time_ns, labels, locations, count, value);
    }

    /// A thread that does no work: a mark is its stack.
    pub fn idle(&mut self, tid: u32) -> HeldSample {
        let mark = FunctionFacts::marker(IDLE_MARKER);
        let mark = self.table.frame(mark, 0, Naming::Named);
        let mut held = self.mark_alone(tid, mark, (SampleClass::Idle, Trust::NoProcess));
        held.is_whole = true;
        held
    }

    /// A thread with work that was not sampled: a mark is its stack.
    pub fn left_out(&mut self, tid: u32) -> HeldSample {
        let mark = self.table.mark(Mark::LeftOut);
        self.mark_alone(tid, mark, (SampleClass::Kernel, Trust::Unproven))
    }

    fn mark_alone(
        &self,
        tid: u32,
        mark: Frame,
        (class, trust): (SampleClass, Trust),
    ) -> HeldSample {
        let thread = self.threads.get(&tid);
        HeldSample {
            labels: SampleLabels {
                thread_id: tid,
                thread_name: thread.map(|thread| thread.name.clone()).unwrap_or_default(),
                scheduler: thread.and_then(|thread| thread.scheduler),
                erlang_pid: None,
                process_name: None,
                class,
                trust,
                off_cpu: None,
            },
            locations: vec![mark.location],
            is_whole: false,
        }
    }

    /// Facts about one state of the code prove nothing about another.
    fn look_at_moment_of(&mut self, sample: &RawSampleRef<'_>) {
        let moment = self.moment_of(sample);
        if self.vm.code.look_at(moment) {
            self.erlang_code.forget();
        }
    }

    /// Puts the frames of a sample in place of those of the last one.
    fn push_frames(&mut self, sample: &RawSampleRef<'_>, scratch: &mut SampleScratch) -> Outcome {
        scratch.frames.clear();
        self.push_kernel_frames(sample, &mut scratch.frames);
        let scheduler = self
            .threads
            .get(&sample.tid)
            .and_then(|thread| thread.scheduler);
        (self.shows_tracing, self.walked_traced) = (false, false);
        (self.shows_outer_end, self.sight) = (false, Sight::Nothing);
        let outcome = self.push_user_frames(sample, scheduler, scratch);
        if outcome.context == RunContext::Port {
            self.push_port(sample, scratch);
        }
        if outcome.counted_as == CountedAs::Scheduler && !outcome.truncated {
            self.push_destructor(sample.time_ns, scratch);
            self.push_cause(scratch);
        }
        self.last_trust = outcome.trust;
        outcome
    }

    /// Counts why a stack is not whole.
    fn count_failures(&mut self, sample: &RawSampleRef<'_>, outcome: &Outcome) {
        let flags = sample.flags;
        if flags.has(ReadFlags::STACK_CUT) {
            self.tally.add_cut();
        }
        if flags.has(ReadFlags::COPY_FAILED) && !outcome.is_whole() {
            self.tally.add_failed_copy();
        } else if outcome.truncated
            && !flags.has(ReadFlags::UNMATCHED)
            && !flags.has(ReadFlags::IN_ERLANG)
        {
            self.tally.add_failed_unwind();
        }
    }

    /// Pushes the frames of C and Erlang code of a sample on `scheduler`, if its thread is one.
    fn push_user_frames(
        &mut self,
        sample: &RawSampleRef<'_>,
        scheduler: Option<SchedulerId>,
        scratch: &mut SampleScratch,
    ) -> Outcome {
        match scheduler {
            _ if !sample.flags.has(ReadFlags::REGISTERS) => {
                let frame = self.table.mark(Mark::NoRegisters);
                scratch.frames.push(frame);
                match scheduler {
                    Some(_) => Outcome::unattributed(RunContext::OtherThread, false),
                    None => Outcome::other_thread(false),
                }
            }
            None => {
                let end = self.push_native(sample, scratch).1;
                Outcome::other_thread(end != UnwindEnd::EndOfStack)
            }
            Some(_) if sample.flags.has(ReadFlags::IN_ERLANG) => {
                let part = self.push_erlang_sample(sample, scratch);
                let truncated = !part.complete && !self.shows_outer_end;
                Outcome::erlang(part, truncated)
            }
            Some(SchedulerId::Normal(_)) => match self.vm.flavor {
                Flavor::Jit(_) => self.push_c_sample(sample, scratch),
                Flavor::Interpreter(interpreter) => {
                    self.push_interpreted_sample(sample, &interpreter, scratch)
                }
            },
            Some(_) => self.push_dirty_sample(sample, scratch),
        }
    }

    /// The marker of the port that a scheduler executes as a task: whose time it is. Read late, it is the sample's only
    /// if that was soon; the reader has compared the rest.
    fn push_port(&mut self, sample: &RawSampleRef<'_>, scratch: &mut SampleScratch) {
        sample.port_bytes(&mut scratch.process);
        let is_its_own = sample.flags.has(ReadFlags::COPIED) || is_recent(sample);
        let port = PortFacts::from_bytes(&scratch.process).filter(|_| is_its_own);
        let Some(port) = port else { return };
        let vm = &mut self.vm;
        let marker = self
            .ports
            .marker(port, sample.time_ns, || vm.port_marker(port));
        let facts = FunctionFacts::marker(marker);
        let frame = self.table.frame(facts, 0, Naming::Named);
        scratch.frames.push(frame);
    }

    /// The marker of the type of resources whose destructor a scheduler calls, for no process. The VM has called it, and it
    /// is the destructor of no other type.
    fn push_destructor(&mut self, time_ns: u64, scratch: &mut SampleScratch) {
        let (vm, table) = (&mut self.vm, &mut self.table);
        let types = self.destructors.types(time_ns, || vm.resource_types());
        if types.is_empty() {
            return;
        }
        let calls = self.native_frames.calls(vm, table, &scratch.native);
        if let Some(found) = destructor_called(calls, types) {
            let facts = FunctionFacts::marker(&destructor_marker(found));
            scratch.frames.push(table.frame(facts, 0, Naming::Named));
        }
    }

    /// The marker of the cause of a search for literals that will be freed, or of a collection because of them, for no
    /// process. Who replaced the persistent term, or purged the code, is no longer in the memory of the VM by then.
    fn push_cause(&mut self, scratch: &mut SampleScratch) {
        let table = &mut self.table;
        let marker = scratch
            .frames
            .iter()
            .find_map(|frame| match table.shown(frame) {
                (FrameKind::Native, name, _) => cause_marker(name),
                _ => None,
            });
        let has_owner = |frame: &Frame| frame.kind == FrameKind::Marker;
        if let Some(marker) = marker.filter(|_| !scratch.frames.last().is_some_and(has_owner)) {
            let facts = FunctionFacts::marker(marker);
            scratch.frames.push(table.frame(facts, 0, Naming::Named));
        }
    }

    /// Whether functions of a scheduler have no names that would show whether it works for others, and no frame shows that.
    /// One that waits by the VM's own word works for none.
    fn is_unnamed_work(&mut self, sample: &RawSampleRef<'_>, scratch: &SampleScratch) -> bool {
        let last = scratch.frames.last();
        !sample.flags.has(ReadFlags::WAITS)
            && last.is_none_or(|frame| frame.kind != FrameKind::Marker)
            && self
                .native_frames
                .lack_names(&self.vm, &mut self.table, &scratch.native)
    }

    fn moment_of(&mut self, sample: &RawSampleRef<'_>) -> Moment {
        let running = sample.flags.has(ReadFlags::IN_ERLANG).then(|| Running {
            pc: sample.register(arch::sample::PROGRAM_COUNTER),
            code_index: sample.register(arch::sample::CODE_INDEX),
        });
        // The same is there all the time unless code was replaced.
        let is_ending = self.vm.code.has_changed() && {
            sample.process_bytes(&mut self.scratch.process);
            ProcessFields::from_bytes(&self.vm.layout.process, &self.scratch.process)
                .is_some_and(|fields| fields.state & STATE_ENDING != 0)
        };
        Moment {
            time_ns: sample.time_ns,
            running,
            is_ending,
        }
    }

    /// The stack of the last sample resolved: kind, name and line of each frame, leaf first.
    pub fn last_stack(&self) -> impl Iterator<Item = (FrameKind, &str, u32)> {
        self.scratch
            .frames
            .iter()
            .map(|frame| self.table.shown(frame))
    }

    /// How the Erlang part of the last sample resolved is known.
    pub fn last_trust(&self) -> Trust {
        self.last_trust
    }

    fn emit(&mut self, sample: &RawSampleRef<'_>, outcome: &Outcome, scratch: &mut SampleScratch) {
        let labels = self.labels_of(sample, outcome, scratch);
        let time_ns = sample.time_ns.saturating_sub(self.start_ns);
        let writer = &mut self.table.writer;
        if let Some(mark) = writer.add_sample(time_ns, &labels, &scratch.locations, 1) {
            self.tally.add_shortened(mark);
        }
        let runs_c = !sample.flags.has(ReadFlags::IN_ERLANG);
        let sight = match outcome.context {
            RunContext::Process if runs_c => self.sight,
            _ => Sight::Other,
        };
        self.note_stay(sample, sight, &labels, &scratch.frames);
    }

    /// The labels of a sample whose frames are in `scratch`, and the locations of these there.
    fn labels_of(
        &mut self,
        sample: &RawSampleRef<'_>,
        outcome: &Outcome,
        scratch: &mut SampleScratch,
    ) -> SampleLabels {
        let (context, trust) = (outcome.context, outcome.trust);
        scratch.locations.clear();
        scratch
            .locations
            .extend(scratch.frames.iter().map(|frame| frame.location));
        let is_erlang = |frame: &Frame| frame.kind == FrameKind::Erlang;
        let above = scratch
            .frames
            .iter()
            .position(is_erlang)
            .unwrap_or(scratch.frames.len());
        // The first Erlang frame distinguishes Erlang code from C code called by nothing known.
        // Inlined frames are left out: the class of a sample must not depend on debug information.
        scratch.leading.clear();
        let leading = scratch.frames.iter().take(above + 1);
        let leading = leading.filter(|frame| !frame.is_inlined);
        scratch.leading.extend(leading.map(|frame| frame.location));
        let class_context = match context {
            RunContext::NoProcess if sample.flags.has(ReadFlags::WAITS) => RunContext::Waits,
            RunContext::NoProcess if sample.flags.has(ReadFlags::WAIT_KNOWN) => {
                RunContext::Schedules
            }
            other => other,
        };
        let class = self.table.class_of(&scratch.leading, class_context);
        // Read late, and not proven: it may be another process by then.
        let is_read_then =
            sample.flags.has(ReadFlags::COPIED) || sample.flags.has(ReadFlags::HALTED);
        let is_its_own = trust != Trust::Unproven || is_read_then;
        let identity = match context {
            RunContext::Process if is_its_own => self.identify(sample, &mut scratch.process),
            _ => None,
        };
        let thread = self.threads.get(&sample.tid);
        let (erlang_pid, process_name) = identity.unzip();
        SampleLabels {
            thread_id: sample.tid,
            thread_name: thread.map(|thread| thread.name.clone()).unwrap_or_default(),
            scheduler: thread.and_then(|thread| thread.scheduler),
            erlang_pid,
            process_name: process_name.flatten(),
            class,
            trust,
            off_cpu: None,
        }
    }

    fn identify(
        &mut self,
        sample: &RawSampleRef<'_>,
        bytes: &mut Vec<u8>,
    ) -> Option<(String, Option<String>)> {
        sample.process_bytes(bytes);
        let fields = ProcessFields::from_bytes(&self.vm.layout.process, bytes)?;
        if !vm_tables::processes::is_local_pid(fields.id) {
            return None;
        }
        let identity = self.names.identify(
            &self.vm.memory,
            &mut self.vm.atoms,
            &self.vm.layout.process,
            self.vm.pids?,
            SampledProcess {
                address: sample.current_process,
                id: fields.id,
                bytes,
                time_ns: sample.time_ns,
            },
        );
        Some((identity.pid.clone(), identity.name.clone()))
    }
}
