//! One raw sample to one stack with its labels.

use std::collections::HashMap;

use attach::AttachedVm;
use capture::classify::RunContext;
use capture::sample::{FrameKind, SampleLabels, SchedulerId, Trust};
use capture::writer::{CaptureWriter, LocationId};
use erlang_stack::{ErlangFrame, Evidence, StackProof, WalkEnd, WalkRules, prove, walk};
use native_code::unwind_c::{NativeFrame, NativeUnwinder, Registers, UnwindEnd};
use vm_tables::TableError;
use vm_tables::code::instructions::StackPointerHome;
use vm_tables::processes::ProcessFields;

use super::erlang_code::ErlangCode;
use super::frames::{Frame, FrameTable, Naming};
use super::identity::{ProcessNames, ThreadIdentity};
use super::native_frames::NativeFrames;
use super::tally::{Sort, Tally};
use crate::read::raw_sample::{RawSampleRef, ReadFlags, register};

/// Processes whose last proven stack is remembered.
const MAX_KNOWN_STACKS: usize = 4096;
/// A BIF's C function is at most this many frames from the JIT code that called it.
const BIF_DEPTH: usize = 3;
/// A read done later than this after its sample proves nothing: equal values may have come back.
const MAX_SKID_NS: u64 = 1_000_000;
/// Fewer bytes of C stack than this can be equal by chance.
const MIN_C_STACK_BYTES: u64 = 64;

/// Turns raw samples into samples of a capture.
#[derive(Debug)]
pub struct Resolver {
    /// The VM.
    pub vm: AttachedVm,
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
    known_stacks: HashMap<u64, Vec<ErlangFrame>>,
    code_changed: bool,
    room: Room,
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

/// Where C code was called from.
struct Crossing {
    /// Address in JIT code, and whether it is a return address.
    pc: u64,
    is_return_address: bool,
    /// rbp as the JIT code left it, when the C frames could be unwound.
    rbp: Option<u64>,
    /// r14 as the JIT code left it.
    reductions: Option<u64>,
    /// r13 as the JIT code left it.
    process: Option<u64>,
}

impl Resolver {
    /// A resolver for a capture that starts at `start_ns`.
    pub fn new(vm: AttachedVm, writer: CaptureWriter, start_ns: u64, kernel: bool) -> Self {
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
            code_changed: false,
            room: Room::default(),
        }
    }

    /// Tells the name of a thread.
    pub fn name_thread(&mut self, tid: u32, name: String) {
        self.threads.insert(tid, ThreadIdentity::from_name(name));
    }

    /// Notices loaded and purged code; call it once per batch, before [`Resolver::resolve`].
    pub fn refresh_code(&mut self) -> Result<(), TableError> {
        let changed = self.vm.code.refresh(&self.vm.memory)?;
        // What was learnt while two generations were in play is forgotten with them.
        if changed || self.code_changed {
            self.erlang_code.forget();
        }
        self.code_changed = changed;
        Ok(())
    }

    /// Notices new executable mappings; true when there were changes.
    pub fn refresh_mappings(&mut self, mappings: &[target_proc::Mapping]) -> bool {
        let changed = self.vm.objects.refresh(&self.vm.memory, mappings);
        if changed {
            self.native_frames.forget();
            self.erlang_code.forget();
        }
        changed
    }

    /// Resolves one sample into the capture.
    pub fn resolve(&mut self, sample: &RawSampleRef<'_>) {
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
            Some(SchedulerId::Normal(_)) => self.push_c_sample(sample, &mut room),
            Some(_) => self.push_dirty_sample(sample, &mut room),
        };
        if sample.flags.has(ReadFlags::LATE_READ) && !sample.flags.has(ReadFlags::IN_ERLANG) {
            self.tally.add_skid(sample.time_ns, sample.read_done_ns);
        }
        self.tally.add(sort, part.trust, truncated, &room.frames);
        self.emit(sample, context, part.trust, &mut room);
        self.room = room;
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
        let identity = match context {
            RunContext::Process => self.identify(sample, &mut room.process),
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
            (sample.current_process, fields.id),
            bytes,
        );
        Some((identity.pid.clone(), identity.name.clone()))
    }

    fn push_kernel_frames(&mut self, sample: &RawSampleRef<'_>, frames: &mut Vec<Frame>) {
        const USER_MAX: u64 = i64::MAX as u64;
        if sample.ip <= USER_MAX {
            return;
        }
        // Values at the very top of a chain announce a context and are no addresses.
        let is_address = |address: &&u64| **address > USER_MAX && **address < u64::MAX - 4094;
        let first = frames.len();
        for address in sample.chain.iter().filter(is_address) {
            frames.push(
                self.native_frames
                    .kernel_frame_at(&mut self.table, *address),
            );
        }
        if frames.len() == first {
            frames.push(
                self.native_frames
                    .kernel_frame_at(&mut self.table, sample.ip),
            );
        }
    }

    /// Unwinds the C frames of a sample and pushes them. Returns the registers and why it ended.
    fn push_native(
        &mut self,
        sample: &RawSampleRef<'_>,
        room: &mut Room,
    ) -> (Registers, UnwindEnd) {
        let mut registers = user_registers(sample);
        room.native.clear();
        let jit = &self.vm.objects.jit;
        let end = self.unwinder.unwind(
            &self.vm.objects.map,
            &mut registers,
            |pc| jit.iter().any(|(start, end)| (*start..*end).contains(&pc)),
            |address| sample.stack_word(address),
            &mut room.native,
        );
        let from_jit = room.native.len().saturating_sub(BIF_DEPTH);
        let mut bif = None;
        for (index, frame) in room.native.iter().enumerate() {
            let found = self.native_frames.frame_at(
                &self.vm.objects.map,
                &self.vm.bifs,
                &mut self.table,
                frame.lookup_avma(),
            );
            room.frames.push(found.frame);
            if index >= from_jit {
                bif = found.bif.or(bif);
            }
        }
        if end == UnwindEnd::ReachedJit {
            room.frames.extend(bif);
        }
        (registers, end)
    }

    /// A sample in JIT code on the Erlang stack: everything was captured with it.
    fn push_erlang_sample(&mut self, sample: &RawSampleRef<'_>, room: &mut Room) -> ErlangPart {
        let pc = sample.register(register::RIP);
        let leaf = self
            .erlang_code
            .frame_at(&self.vm.code, &mut self.table, pc);
        room.frames.push(leaf.frame);
        if leaf.is_bottom {
            // What rsp points at by now belongs to whatever lies behind this heap.
            return ErlangPart {
                trust: Trust::Captured,
                complete: true,
            };
        }
        let fields = self.process_fields(sample, &mut room.process);
        let rules = WalkRules {
            normal_exit: self.vm.code.normal_exit,
            top: sample.register(register::RSP),
            end: fields.map_or(0, |fields| fields.hend),
        };
        let words = sample.stack.iter().chain(sample.erlang).copied();
        room.erlang.clear();
        let end = self.walk_words(&rules, words, &mut room.erlang);
        self.push_erlang_frames(room, 0);
        if !end.complete {
            room.frames
                .push(self.table.marker("[truncated]", Naming::Named));
        } else if let Some(fields) = fields {
            self.remember_stack(fields.id, &room.erlang);
        }
        ErlangPart {
            trust: Trust::Captured,
            complete: end.complete && end.stray_words == 0,
        }
    }

    /// A sample in C code on a normal scheduler.
    fn push_c_sample(
        &mut self,
        sample: &RawSampleRef<'_>,
        room: &mut Room,
    ) -> (Sort, RunContext, ErlangPart, bool) {
        let (registers, end) = self.push_native(sample, room);
        let crossing = self.crossing(sample, &registers, end, room.native.is_empty());
        let truncated = !matches!(end, UnwindEnd::ReachedJit | UnwindEnd::EndOfStack);
        if truncated {
            room.frames
                .push(self.table.marker("[truncated]", Naming::Named));
        }
        let context = match &crossing {
            _ if sample.current_port != 0 => RunContext::Port,
            _ if sample.current_process == 0 => RunContext::NoProcess,
            None => RunContext::NoProcess,
            Some(_) => RunContext::Process,
        };
        let (Some(crossing), RunContext::Process) = (crossing, context) else {
            return (Sort::Scheduler, context, no_process(), truncated);
        };
        let address = crossing
            .pc
            .wrapping_sub(u64::from(crossing.is_return_address));
        let caller = self
            .erlang_code
            .frame_at(&self.vm.code, &mut self.table, address);
        if caller.schedules {
            return (
                Sort::Scheduler,
                RunContext::NoProcess,
                no_process(),
                truncated,
            );
        }
        if caller.is_bottom && crossing.reductions.is_some() {
            // The C stack in the sample shows that the Erlang stack is empty: nothing to read.
            room.frames.push(caller.frame);
            let part = ErlangPart {
                trust: Trust::Validated,
                complete: true,
            };
            return (Sort::NativeInProcess, RunContext::Process, part, truncated);
        }
        let part = self.push_late_stack(sample, room, &crossing, caller.frame);
        (Sort::NativeInProcess, RunContext::Process, part, truncated)
    }

    /// Finds where C code was called from: by unwinding, or failing that by the word where the
    /// JIT always leaves the return address.
    fn crossing(
        &self,
        sample: &RawSampleRef<'_>,
        registers: &Registers,
        end: UnwindEnd,
        in_jit: bool,
    ) -> Option<Crossing> {
        match end {
            UnwindEnd::ReachedJit => Some(Crossing {
                pc: registers.rip,
                is_return_address: !in_jit,
                rbp: Some(registers.rbp()),
                reductions: Some(registers.r14()),
                process: Some(registers.r13()),
            }),
            UnwindEnd::EndOfStack => None,
            _ => {
                let pc = sample.call_slot;
                let jit = &self.vm.objects.jit;
                jit.iter()
                    .any(|(start, end)| (*start..*end).contains(&pc))
                    .then_some(Crossing {
                        pc,
                        is_return_address: true,
                        rbp: None,
                        reductions: None,
                        process: None,
                    })
            }
        }
    }

    /// Pushes what is proven of an Erlang stack that was read after the sample.
    fn push_late_stack(
        &mut self,
        sample: &RawSampleRef<'_>,
        room: &mut Room,
        crossing: &Crossing,
        caller: Frame,
    ) -> ErlangPart {
        let fields = self.process_fields(sample, &mut room.process);
        let home = self.erlang_code.stack_pointer_home(
            &self.vm.memory,
            self.vm.layout.process.stop,
            crossing.pc,
        );
        let top = match (home, fields) {
            (Some(StackPointerHome::ProcessStop), Some(fields)) => Some(fields.stop),
            (Some(StackPointerHome::Rbp), _) => crossing.rbp,
            _ => None,
        };
        room.erlang.clear();
        let mut proof = StackProof::Unproven;
        if let (Some(top), Some(fields)) = (top, fields) {
            let walk_end = self.walk_late(sample, top, fields.hend, &mut room.erlang);
            let evidence = self.evidence(sample, crossing, &fields, walk_end);
            let before = self
                .known_stacks
                .get(&fields.id)
                .map_or(&[][..], Vec::as_slice);
            proof = prove(&evidence, &room.erlang, before);
        }
        match proof {
            StackProof::Validated => {
                room.frames.push(caller);
                self.push_erlang_frames(room, 0);
                if let Some(fields) = fields {
                    self.remember_stack(fields.id, &room.erlang);
                }
                ErlangPart {
                    trust: Trust::Validated,
                    complete: true,
                }
            }
            StackProof::Bracketed(from_bottom) => {
                push_known_caller(room, crossing, caller);
                room.frames
                    .push(self.table.marker("[unproven]", Naming::Named));
                let skip = room.erlang.len().saturating_sub(from_bottom);
                self.push_erlang_frames(room, skip);
                ErlangPart {
                    trust: Trust::Bracketed,
                    complete: false,
                }
            }
            StackProof::Unproven => {
                push_known_caller(room, crossing, caller);
                room.frames
                    .push(self.table.marker("[unproven]", Naming::Named));
                ErlangPart {
                    trust: Trust::Unproven,
                    complete: false,
                }
            }
        }
    }

    fn evidence(
        &self,
        sample: &RawSampleRef<'_>,
        crossing: &Crossing,
        fields: &ProcessFields,
        walk: WalkEnd,
    ) -> Evidence {
        let flags = sample.flags;
        let same_call = match (crossing.is_return_address, crossing.reductions) {
            (true, Some(_)) => crossing.pc == sample.call_slot,
            _ => true,
        };
        Evidence {
            recent: is_recent(sample),
            same_process: flags.has(ReadFlags::SAME_PROCESS)
                && crossing
                    .process
                    .is_none_or(|process| process == sample.current_process),
            same_call: same_call && flags.has(ReadFlags::SAME_CALL),
            c_stack_unchanged: flags.has(ReadFlags::SAME_C_STACK)
                && sample.compared_bytes >= MIN_C_STACK_BYTES,
            same_reductions: crossing
                .reductions
                .is_some_and(|reductions| self.signed_reductions(reductions) == fields.fcalls),
            consistent: fields.is_consistent() && flags.has(ReadFlags::SAME_BOUNDS),
            walk,
        }
    }

    fn signed_reductions(&self, register: u64) -> i64 {
        match self.vm.layout.process.fcalls_bytes {
            4 => i64::from((register as u32).cast_signed()),
            _ => register.cast_signed(),
        }
    }

    /// A sample on a dirty scheduler: all C, for a process that runs nowhere else meanwhile.
    fn push_dirty_sample(
        &mut self,
        sample: &RawSampleRef<'_>,
        room: &mut Room,
    ) -> (Sort, RunContext, ErlangPart, bool) {
        let (_, end) = self.push_native(sample, room);
        let truncated = end != UnwindEnd::EndOfStack;
        let fields = self.process_fields(sample, &mut room.process);
        let Some(fields) = fields.filter(|_| sample.current_process != 0) else {
            return (
                Sort::Scheduler,
                RunContext::NoProcess,
                no_process(),
                truncated,
            );
        };
        room.erlang.clear();
        let walk = self.walk_late(sample, fields.stop, fields.hend, &mut room.erlang);
        let proven = fields.is_consistent()
            && is_recent(sample)
            && sample
                .flags
                .has(ReadFlags::SAME_PROCESS | ReadFlags::SAME_BOUNDS)
            && walk.complete
            && walk.stray_words == 0;
        if !proven {
            room.frames
                .push(self.table.marker("[unproven]", Naming::Named));
            let part = ErlangPart {
                trust: Trust::Unproven,
                complete: false,
            };
            return (Sort::NativeInProcess, RunContext::Process, part, truncated);
        }
        // While a process runs dirty, its saved program counter is valid.
        let is_jit = |pc: u64| {
            self.vm
                .objects
                .jit
                .iter()
                .any(|(a, b)| (*a..*b).contains(&pc))
        };
        if is_jit(fields.i) {
            let called = self
                .erlang_code
                .frame_at(&self.vm.code, &mut self.table, fields.i);
            room.frames.push(called.frame);
        }
        self.push_erlang_frames(room, 0);
        let part = ErlangPart {
            trust: Trust::Validated,
            complete: true,
        };
        (Sort::NativeInProcess, RunContext::Process, part, truncated)
    }

    /// Walks the late-read Erlang stack from `top`.
    fn walk_late(
        &mut self,
        sample: &RawSampleRef<'_>,
        top: u64,
        hend: u64,
        frames: &mut Vec<ErlangFrame>,
    ) -> WalkEnd {
        let index = top
            .checked_sub(sample.erlang_top)
            .map(|offset| (offset / 8) as usize);
        let aligned = top.is_multiple_of(8);
        let words = index
            .filter(|_| aligned)
            .and_then(|index| sample.erlang.get(index..));
        let rules = WalkRules {
            normal_exit: self.vm.code.normal_exit,
            top,
            end: hend,
        };
        self.walk_words(&rules, words.unwrap_or(&[]).iter().copied(), frames)
    }

    fn walk_words(
        &mut self,
        rules: &WalkRules,
        words: impl Iterator<Item = u64>,
        frames: &mut Vec<ErlangFrame>,
    ) -> WalkEnd {
        let (memory, jit) = (&self.vm.memory, &self.vm.objects.jit);
        let code = &mut self.erlang_code;
        walk(
            rules,
            words,
            |address| code.is_return_address(memory, jit, address),
            frames,
        )
    }

    /// Pushes the frames of `room.erlang` from index `skip` on.
    fn push_erlang_frames(&mut self, room: &mut Room, skip: usize) {
        for frame in room.erlang.iter().skip(skip) {
            let call = frame.return_address.wrapping_sub(1);
            let found = self
                .erlang_code
                .frame_at(&self.vm.code, &mut self.table, call);
            room.frames.push(found.frame);
        }
    }

    fn process_fields(
        &self,
        sample: &RawSampleRef<'_>,
        bytes: &mut Vec<u8>,
    ) -> Option<ProcessFields> {
        sample.process_bytes(bytes);
        ProcessFields::from_bytes(&self.vm.layout.process, bytes)
    }

    fn remember_stack(&mut self, id: u64, frames: &[ErlangFrame]) {
        if self.known_stacks.len() >= MAX_KNOWN_STACKS && !self.known_stacks.contains_key(&id) {
            self.known_stacks.clear();
        }
        let known = self.known_stacks.entry(id).or_default();
        known.clear();
        known.extend_from_slice(frames);
    }
}

/// Where the C frames could be unwound, their caller was in the sample itself and is known in any
/// case. (A shared fragment says what was called, not who called.)
fn push_known_caller(room: &mut Room, crossing: &Crossing, caller: Frame) {
    if crossing.reductions.is_some() {
        room.frames.push(caller);
    }
}

fn is_recent(sample: &RawSampleRef<'_>) -> bool {
    sample.read_done_ns.saturating_sub(sample.time_ns) <= MAX_SKID_NS
}

fn no_process() -> ErlangPart {
    ErlangPart {
        trust: Trust::NoProcess,
        complete: false,
    }
}

/// The kernel's register order (ax bx cx dx si di bp sp ip r8..r15) into DWARF's.
fn user_registers(sample: &RawSampleRef<'_>) -> Registers {
    const DWARF_TO_KERNEL: [usize; 16] = [0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16];
    Registers {
        general: DWARF_TO_KERNEL.map(|index| sample.register(index)),
        rip: sample.register(register::RIP),
    }
}
