//! One raw sample to one stack with its labels.

mod c_sample;
mod dirty_sample;
mod erlang_sample;
mod interpreted_sample;
mod moved_stack;
mod native_stack;

use std::collections::HashMap;

use attach::AttachedVm;
use capture::classify::RunContext;
use capture::sample::{FrameKind, SampleLabels, SchedulerId, Trust};
use capture::writer::{CaptureWriter, LocationId};
use erlang_stack::ErlangFrame;
use native_code::unwind_c::{NativeFrame, NativeUnwinder, UnwindEnd};
use target_memory::{LiveMemory, TargetMemory};
use vm_code::generations::Running;
use vm_layout::TableError;
use vm_tables::processes::ProcessFields;

use super::erlang_code::ErlangCode;
use super::frames::{Frame, FrameTable, Naming};
use super::identity::{ProcessNames, ThreadIdentity};
use super::native_frames::NativeFrames;
use super::tally::{Sort, Tally};
use crate::read::raw_sample::{RawSampleRef, ReadFlags, register};

/// Turns raw samples into samples of a capture.
#[derive(Debug)]
pub struct Resolver<M = LiveMemory> {
    /// The VM.
    pub vm: AttachedVm<M>,
    /// Functions, locations and the capture's writer.
    pub table: FrameTable,
    /// Counts.
    pub tally: Tally,
    /// CLOCK_MONOTONIC at the start of the capture.
    start_ns: u64,
    threads: HashMap<u32, ThreadIdentity>,
    erlang_code: ErlangCode,
    native_frames: NativeFrames,
    unwinder: NativeUnwinder,
    names: ProcessNames,
    known_stacks: HashMap<u64, KnownStack>,
    last_trust: Trust,
    room: Room,
}

/// A stack that was proven.
#[derive(Debug, Default)]
struct KnownStack {
    time_ns: u64,
    frames: Vec<ErlangFrame>,
}

/// Room for one sample, reused.
#[derive(Debug, Default)]
struct Room {
    frames: Vec<Frame>,
    locations: Vec<LocationId>,
    native: Vec<NativeFrame>,
    erlang: Vec<ErlangFrame>,
    process: Vec<u8>,
}

/// What became of the Erlang part of a sample.
struct ErlangPart {
    trust: Trust,
    complete: bool,
}

impl<M: TargetMemory> Resolver<M> {
    /// A resolver for a capture that starts at `start_ns`.
    pub fn new(vm: AttachedVm<M>, writer: CaptureWriter, start_ns: u64, kernel: bool) -> Self {
        Self {
            vm,
            table: FrameTable::new(writer),
            tally: Tally::default(),
            start_ns,
            threads: HashMap::new(),
            erlang_code: ErlangCode::default(),
            native_frames: NativeFrames::new(kernel),
            unwinder: NativeUnwinder::new(),
            names: ProcessNames::default(),
            known_stacks: HashMap::new(),
            last_trust: Trust::NoProcess,
            room: Room::default(),
        }
    }

    /// Tells the name of a thread.
    pub fn name_thread(&mut self, tid: u32, name: String) {
        self.threads.insert(tid, ThreadIdentity::from_name(name));
    }

    /// Notices loaded and purged code; call it after taking a batch and before resolving it, and
    /// the more often the fewer samples of replaced code are left unnamed. True after changes.
    pub fn refresh_code(&mut self) -> Result<bool, TableError> {
        let looked = self
            .vm
            .code
            .refresh(&self.vm.memory, &crate::sys::monotonic_ns);
        // After a look that failed, what is known of the code counts for less.
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

    /// Notices new executable mappings; true when there were changes.
    pub fn refresh_mappings(&mut self, mappings: &[target_proc::Mapping]) -> bool {
        let changed = self.vm.objects.refresh(&self.vm.memory, mappings);
        if changed {
            self.vm.refresh_native_tables();
            self.native_frames.forget();
            self.erlang_code.forget();
        }
        changed
    }

    /// Resolves one sample into the capture.
    pub fn resolve(&mut self, sample: &RawSampleRef<'_>) {
        // What was learnt of one state of the code says nothing about another.
        let running = sample.flags.has(ReadFlags::IN_ERLANG).then(|| Running {
            pc: sample.register(register::RIP),
            code_index: sample.register(register::R12),
        });
        if self.vm.code.look_at(sample.time_ns, running) {
            self.erlang_code.forget();
        }
        let mut room = std::mem::take(&mut self.room);
        room.frames.clear();
        self.push_kernel_frames(sample, &mut room.frames);
        let scheduler = self
            .threads
            .get(&sample.tid)
            .and_then(|thread| thread.scheduler);
        let (sort, context, part, truncated) = match scheduler {
            _ if !sample.flags.has(ReadFlags::REGISTERS) => {
                let frame = self.table.marker("[no user registers]", Naming::Named);
                room.frames.push(frame);
                (Sort::Other, RunContext::OtherThread, no_process(), false)
            }
            None => {
                let end = self.push_native(sample, &mut room).1;
                let truncated = end != UnwindEnd::EndOfStack;
                (
                    Sort::Other,
                    RunContext::OtherThread,
                    no_process(),
                    truncated,
                )
            }
            Some(_) if sample.flags.has(ReadFlags::IN_ERLANG) => {
                let part = self.push_erlang_sample(sample, &mut room);
                let sort = Sort::Erlang {
                    complete: part.complete,
                };
                let truncated = !part.complete;
                (sort, RunContext::Process, part, truncated)
            }
            Some(SchedulerId::Normal(_)) => match self.vm.interpreter {
                Some(interpreter) => self.push_interpreted_sample(sample, &interpreter, &mut room),
                None => self.push_c_sample(sample, &mut room),
            },
            Some(_) => self.push_dirty_sample(sample, &mut room),
        };
        if sample.flags.has(ReadFlags::STACK_CUT) {
            self.tally.add_cut();
        }
        if sample.flags.has(ReadFlags::LATE_READ) && !sample.flags.has(ReadFlags::IN_ERLANG) {
            self.tally.add_skid(sample.time_ns, sample.read_done_ns);
        }
        self.tally.add(sort, part.trust, truncated, &room.frames);
        self.last_trust = part.trust;
        self.emit(sample, context, part.trust, &mut room);
        self.room = room;
    }

    /// The stack of the last sample resolved: kind, name and line of each frame, leaf first.
    pub fn last_stack(&self) -> impl Iterator<Item = (FrameKind, &str, u32)> {
        self.room.frames.iter().map(|frame| self.table.shown(frame))
    }

    /// How the Erlang part of the last sample resolved is known.
    pub fn last_trust(&self) -> Trust {
        self.last_trust
    }

    fn emit(
        &mut self,
        sample: &RawSampleRef<'_>,
        context: RunContext,
        trust: Trust,
        room: &mut Room,
    ) {
        room.locations.clear();
        room.locations
            .extend(room.frames.iter().map(|frame| frame.location));
        let is_erlang = |frame: &Frame| frame.kind == FrameKind::Erlang;
        let above = room
            .frames
            .iter()
            .position(is_erlang)
            .unwrap_or(room.frames.len());
        // The first Erlang frame tells Erlang code from C code called by nothing known.
        let leading = &room.locations[..room.locations.len().min(above + 1)];
        let class = self.table.class_of(leading, context);
        // Read late, and not proven: it may be another process by then.
        let is_its_own = trust != Trust::Unproven || sample.flags.has(ReadFlags::CAPTURED);
        let identity = match context {
            RunContext::Process if is_its_own => self.identify(sample, &mut room.process),
            _ => None,
        };
        let thread = self.threads.get(&sample.tid);
        let (erlang_pid, process_name) = identity.unzip();
        let labels = SampleLabels {
            thread_id: sample.tid,
            thread_name: thread.map(|thread| thread.name.clone()).unwrap_or_default(),
            scheduler: thread.and_then(|thread| thread.scheduler),
            erlang_pid,
            process_name: process_name.flatten(),
            class,
            trust,
        };
        let time_ns = sample.time_ns.saturating_sub(self.start_ns);
        self.table
            .writer
            .add_sample(time_ns, &labels, &room.locations, 1);
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
            (sample.current_process, fields.id),
            bytes,
        );
        Some((identity.pid.clone(), identity.name.clone()))
    }
}

fn no_process() -> ErlangPart {
    ErlangPart {
        trust: Trust::NoProcess,
        complete: false,
    }
}
