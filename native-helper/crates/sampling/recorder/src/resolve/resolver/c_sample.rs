//! Samples in C code on a normal scheduler: the Erlang stack was read right after them.

use arch::StackPointerHome;
use capture::classify::RunContext;
use capture::marks::Mark;
use capture::sample::Trust;
use erlang_stack::{
    CopiedEvidence, CopiedProof, ErlangFrame, LateReadEvidence, StackProof, WalkEnd, WalkRules,
    exchanged_top_bytes, prove_copied, prove_late_read,
};
use native_code::unwind_c::{Registers, UnwindEnd};
use target_memory::TargetMemory;
use vm_layout::{Flavor, STATE_ENDING, STATE_GC};
use vm_tables::processes::ProcessFields;

use super::proven_frames::ProvenFrames;
use super::{ErlangPart, Outcome, Resolver, SampleScratch};
use crate::read::raw_sample::{RawSampleRef, ReadFlags};
use crate::resolve::erlang_code::{CodeAddress, JitFrame, first_function};

/// A read done later than this after its sample proves nothing: equal values may have come back.
const MAX_SKID_NS: u64 = 1_000_000;
/// The walk of a stack that is not there.
pub(super) const NO_STACK: WalkEnd = WalkEnd::WHOLE;
/// Fewer bytes of C stack and X registers than this can be equal by chance.
pub(super) const MIN_COMPARED_BYTES: u64 = 256;

/// Where C code was called from.
pub(super) struct Crossing {
    /// Address in JIT code, and whether it is a return address.
    pub pc: u64,
    pub is_return_address: bool,
    /// The frame pointer as the JIT code left it, when the C frames could be unwound.
    frame_pointer: Option<u64>,
    /// The C stack where the JIT code called, when the C frames could be unwound.
    pub stack_pointer: Option<u64>,
    /// The register of the reductions as the JIT code left it.
    pub reductions: Option<u64>,
    /// The register of the process as the JIT code left it.
    process: Option<u64>,
}

impl<M: TargetMemory> Resolver<M> {
    /// A sample in C code on a normal scheduler.
    pub(super) fn push_c_sample(
        &mut self,
        sample: &RawSampleRef<'_>,
        scratch: &mut SampleScratch,
    ) -> Outcome {
        let (registers, end) = self.push_native(sample, scratch);
        let in_jit = scratch.native.is_empty() && end == UnwindEnd::ReachedJit;
        let crossing = self.crossing(sample, &registers, end, in_jit);
        let truncated = !matches!(end, UnwindEnd::ReachedJit | UnwindEnd::EndOfStack);
        if truncated {
            scratch.frames.push(self.table.mark(Mark::NotUnwound));
        }
        let caller = crossing.as_ref().map(|crossing| {
            let address = match crossing.is_return_address {
                true => CodeAddress::ReturnsTo(crossing.pc),
                false => CodeAddress::Runs(crossing.pc),
            };
            let (code, memory) = (&self.vm.code, &self.vm.memory);
            self.erlang_code
                .frame_at(code, memory, &mut self.table, address)
        });
        let is_called_by_process = crossing
            .as_ref()
            .is_some_and(|crossing| crossing.is_return_address && crossing.process.is_some())
            && caller.is_some_and(|caller| !caller.schedules);
        let context = match &crossing {
            _ if runs_port_task(sample, is_called_by_process) => RunContext::Port,
            None => RunContext::NoProcess,
            Some(_) if runs_nothing(sample, is_called_by_process) => RunContext::NoProcess,
            Some(_) => RunContext::Process,
        };
        let is_freed = context == RunContext::NoProcess
            && is_called_by_process
            && sample.flags.has(ReadFlags::COPIED);
        if let Some(caller) = caller.filter(|caller| is_freed && caller.is_known) {
            // Code of a process has called, and at the sample itself its scheduler had let go of it: that process has
            // ended, and its heap and messages are freed. Which one it was is no longer to be seen. (Code that is not
            // known may be the scheduler's.)
            scratch.frames.push(caller.frame);
            return Outcome::native_in_process(whole_part(sample), truncated);
        }
        let (Some(crossing), Some(caller), RunContext::Process) = (crossing, caller, context)
        else {
            if in_jit {
                self.push_scheduling(registers.program_counter, scratch);
            }
            let schedules = caller.is_some_and(|caller| caller.schedules);
            return match context == RunContext::Port || schedules || is_known_idle(sample, end) {
                true => Outcome::without_process(context, truncated),
                false => Outcome::unattributed(context, truncated),
            };
        };
        if caller.schedules {
            if in_jit {
                scratch.frames.push(caller.frame);
            }
            return Outcome::without_process(RunContext::NoProcess, truncated);
        }
        if caller.is_bottom && crossing.reductions.is_some() {
            // The C stack in the sample shows that the Erlang stack is empty: nothing to read.
            scratch.frames.push(caller.frame);
            return Outcome::native_in_process(whole_part(sample), truncated);
        }
        let part = self.push_stack_below(sample, scratch, &crossing, &caller);
        Outcome::native_in_process(part, truncated)
    }

    /// Pushes the JIT code that was interrupted while its scheduler ran no process: there is no C
    /// frame above it.
    fn push_scheduling(&mut self, pc: u64, scratch: &mut SampleScratch) {
        let found = self.erlang_code.frame_at(
            &self.vm.code,
            &self.vm.memory,
            &mut self.table,
            CodeAddress::Runs(pc),
        );
        scratch.frames.push(found.frame);
        if !found.schedules {
            // By the time of a late read the process may just have been put aside.
            self.push_unproven(scratch);
        }
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
                pc: registers.program_counter,
                is_return_address: !in_jit,
                frame_pointer: Some(registers.frame_pointer()),
                stack_pointer: Some(registers.stack_pointer()),
                reductions: Some(registers.jit_reductions()),
                process: Some(registers.jit_process()),
            }),
            UnwindEnd::EndOfStack => None,
            _ => {
                let pc = sample.call_slot;
                let runs_erlang = self.vm.runs_erlang();
                runs_erlang
                    .iter()
                    .any(|(start, end)| (*start..*end).contains(&pc))
                    .then_some(Crossing {
                        pc,
                        is_return_address: true,
                        frame_pointer: None,
                        stack_pointer: None,
                        reductions: None,
                        process: None,
                    })
            }
        }
    }

    /// Pushes the proven frames of an Erlang stack that is not in the sample.
    fn push_stack_below(
        &mut self,
        sample: &RawSampleRef<'_>,
        scratch: &mut SampleScratch,
        crossing: &Crossing,
        caller: &JitFrame,
    ) -> ErlangPart {
        self.shows_tracing |= caller.runs_breakpoint || caller.ends_traced_call;
        let fields = self.process_fields(sample, &mut scratch.process);
        let home = self.erlang_code.stack_pointer_home(
            &self.vm.code,
            &self.vm.memory,
            self.vm.layout.process.stop,
            crossing.pc,
        );
        let top = match (home, fields) {
            (Ok(Some(StackPointerHome::ProcessStop)), Some(fields)) => Some(fields.stop),
            (Ok(Some(StackPointerHome::FramePointer)), _) => crossing.frame_pointer,
            _ => None,
        };
        let top = top.map(|top| {
            let of_trace = self.trace_pointer_bytes(caller, sample.erlang_word(top));
            let of_report = self.reported_bytes(sample, crossing, caller, top);
            top.wrapping_add(of_trace).wrapping_add(of_report)
        });
        scratch.erlang.clear();
        let proven = match top.zip(fields) {
            None => ProvenFrames::Nothing,
            Some((top, fields)) if sample.flags.has(ReadFlags::COPIED) => self
                .prove_copy(sample, scratch, crossing, top, &fields)
                .into(),
            Some((top, fields)) => {
                let walk_end = self.walk_late(sample, top, &fields, &mut scratch.erlang);
                let evidence = self.evidence(sample, crossing, &fields, walk_end);
                let before = self.stack_shortly_before(fields.id, sample.time_ns);
                prove_late_read(&evidence, &scratch.erlang, before).into()
            }
        };
        if let Some(fields) = &fields {
            self.sight = self.sight_of_c(sample, (crossing, proven), fields, scratch);
        }
        let shows_nothing = proven == ProvenFrames::Nothing || scratch.erlang.is_empty();
        if let Some(fields) = fields
            && caller.continues_exit
            && shows_nothing
            && !has_stack(&fields)
            && self.is_its_own_exit(sample, crossing, &fields)
        {
            return self.push_exiting(sample, fields.id, scratch);
        }
        self.push_built_in(sample, fields.as_ref(), (crossing, proven), scratch);
        // Where the C frames could be unwound, their caller was in the sample itself and is known
        // in any case. (A shared fragment shows the callee, not the caller.)
        let is_caller_known = crossing.reductions.is_some();
        if is_caller_known || matches!(proven, ProvenFrames::Whole | ProvenFrames::Upper) {
            scratch.frames.push(caller.frame);
            self.push_function_of_breakpoint(sample, crossing, caller, scratch);
        }
        if let (ProvenFrames::Whole, Some(fields)) = (proven, fields) {
            self.remember_stack(fields.id, sample.time_ns, &scratch.erlang);
        }
        if home.is_err() {
            self.push_in_doubt(scratch);
            return ErlangPart::UNPROVEN;
        }
        self.push_proven_frames(sample, proven, scratch)
    }

    /// Bytes on top of the stack that are no frame while the call of a function with a breakpoint is reported.
    fn reported_bytes(
        &self,
        sample: &RawSampleRef<'_>,
        crossing: &Crossing,
        caller: &JitFrame,
        top: u64,
    ) -> u64 {
        let Some(outermost) = crossing.stack_pointer.filter(|_| caller.runs_breakpoint) else {
            return 0;
        };
        let innermost = sample.register(arch::sample::STACK_POINTER);
        let on_stack = (innermost..outermost)
            .step_by(8)
            .map_while(|address| sample.stack_word(address));
        // A register that calls preserve holds it, until a function that uses the register puts it on the stack.
        let in_registers = arch::sample::PRESERVED.map(|index| sample.register(index));
        let saved = in_registers.into_iter().chain(on_stack);
        let words = erlang_words(sample, top).unwrap_or_default();
        exchanged_top_bytes(&self.vm.code.vm_words(), saved, words)
    }

    /// Whether the process that was read is the one that ended at the sample: as proven as a stack would be.
    fn is_its_own_exit(
        &self,
        sample: &RawSampleRef<'_>,
        crossing: &Crossing,
        fields: &ProcessFields,
    ) -> bool {
        if sample.flags.has(ReadFlags::COPIED) {
            return runs_current(sample, crossing);
        }
        let evidence = LateReadEvidence {
            consistent: sample.flags.has(ReadFlags::SAME_BOUNDS),
            ..self.evidence(sample, crossing, fields, NO_STACK)
        };
        prove_late_read(&evidence, &[], &[]) == StackProof::Validated
    }

    /// A process that continues to end and no longer has an Erlang stack: a mark, and the function that it began with
    /// if an earlier sample had that. (While a process ends, the VM uses the place of the module for something else, on
    /// OTP 23 to 29.)
    pub(super) fn push_exiting(
        &mut self,
        sample: &RawSampleRef<'_>,
        id: u64,
        scratch: &mut SampleScratch,
    ) -> ErlangPart {
        let marker = self.table.mark(Mark::Exiting);
        scratch.frames.push(marker);
        let first = self.names.first_function(sample.current_process, id);
        if let Some(raw_name) = first {
            let first = first_function(&mut self.table, raw_name.to_owned());
            scratch.frames.push(first);
        }
        ErlangPart {
            trust: whole_trust(sample),
            complete: true,
        }
    }

    /// The shared code that runs a breakpoint has taken the address in the traced function from the Erlang stack, and
    /// keeps it in the second word of the C stack.
    fn push_function_of_breakpoint(
        &mut self,
        sample: &RawSampleRef<'_>,
        crossing: &Crossing,
        caller: &JitFrame,
        scratch: &mut SampleScratch,
    ) {
        let stack = crossing.stack_pointer.filter(|_| caller.runs_breakpoint);
        let kept = stack.and_then(|stack| sample.stack_word(stack.wrapping_add(8)));
        let traced = kept.filter(|word| self.vm.code.is_before_function(word.wrapping_sub(1)));
        if let Some(address) = traced {
            let function = self.erlang_code.frame_at(
                &self.vm.code,
                &self.vm.memory,
                &mut self.table,
                CodeAddress::ReturnsTo(address),
            );
            scratch.frames.push(function.frame);
        }
    }

    /// Pushes of the Erlang frames that were walked those that are proven, and a mark in the place
    /// of those that are not.
    pub(super) fn push_proven_frames(
        &mut self,
        sample: &RawSampleRef<'_>,
        proven: ProvenFrames,
        scratch: &mut SampleScratch,
    ) -> ErlangPart {
        self.shows_tracing |= self.walked_traced && proven != ProvenFrames::Nothing;
        match proven {
            ProvenFrames::Whole => {
                self.push_erlang_frames(scratch, 0);
                ErlangPart {
                    trust: whole_trust(sample),
                    complete: true,
                }
            }
            ProvenFrames::Upper => {
                self.push_erlang_frames(scratch, 0);
                let marker = self.table.mark(Mark::NotCopied);
                scratch.frames.push(marker);
                self.push_outer_frames(sample, scratch);
                ErlangPart {
                    trust: Trust::Captured,
                    complete: false,
                }
            }
            ProvenFrames::Deep(from_bottom) => {
                self.push_unproven(scratch);
                let skip = scratch.erlang.len().saturating_sub(from_bottom);
                self.push_erlang_frames(scratch, skip);
                ErlangPart {
                    trust: Trust::Bracketed,
                    complete: false,
                }
            }
            ProvenFrames::Nothing => self.push_unproven(scratch),
        }
    }

    /// The mark in the place of an Erlang stack of which nothing is proven.
    pub(super) fn push_unproven(&mut self, scratch: &mut SampleScratch) -> ErlangPart {
        let marker = self.table.mark(Mark::Unproven);
        scratch.frames.push(marker);
        ErlangPart::UNPROVEN
    }

    fn prove_copy(
        &mut self,
        sample: &RawSampleRef<'_>,
        scratch: &mut SampleScratch,
        crossing: &Crossing,
        top: u64,
        fields: &ProcessFields,
    ) -> CopiedProof {
        let walk = self.walk_copied(sample, top, fields, &mut scratch.erlang);
        let is_inside = !fields.is_consistent() || (fields.heap..fields.hend).contains(&top);
        prove_copied(&CopiedEvidence {
            same_process: runs_current(sample, crossing),
            consistent: is_plausible(fields) && is_inside,
            being_moved: self.is_being_moved(sample, fields, scratch),
            cut: sample.flags.has(ReadFlags::STACK_CUT),
            walk,
        })
    }

    fn evidence(
        &self,
        sample: &RawSampleRef<'_>,
        crossing: &Crossing,
        fields: &ProcessFields,
        walk: WalkEnd,
    ) -> LateReadEvidence {
        let flags = sample.flags;
        let is_enough = sample.compared_bytes >= MIN_COMPARED_BYTES;
        let c_stack_unchanged = flags.has(ReadFlags::SAME_C_STACK) && is_enough;
        // The JIT calls C from a fixed place, but fragments may call each other before they do.
        let same_call = crossing.reductions.is_none()
            || !crossing.is_return_address
            || crossing.pc == sample.call_slot
            || c_stack_unchanged;
        LateReadEvidence {
            recent: is_recent(sample),
            same_process: flags.has(ReadFlags::SAME_PROCESS) && runs_current(sample, crossing),
            process_sampled: crossing.process.is_some(),
            same_call: same_call && flags.has(ReadFlags::SAME_CALL),
            c_stack_unchanged,
            same_arguments: is_enough && !flags.has(ReadFlags::OTHER_OUTERMOST),
            same_reductions: crossing
                .reductions
                .is_some_and(|reductions| self.signed_reductions(reductions) == fields.fcalls),
            consistent: is_plausible(fields) && flags.has(ReadFlags::SAME_BOUNDS),
            walk,
        }
    }

    pub(super) fn signed_reductions(&self, register: u64) -> i64 {
        match self.vm.layout.process.fcalls_bytes {
            4 => i64::from((register as u32).cast_signed()),
            _ => register.cast_signed(),
        }
    }

    /// Walks the late-read Erlang stack from `top`.
    pub(super) fn walk_late(
        &mut self,
        sample: &RawSampleRef<'_>,
        top: u64,
        fields: &ProcessFields,
        frames: &mut Vec<ErlangFrame>,
    ) -> WalkEnd {
        let words = erlang_words(sample, top);
        let is_bare = fields.is_consistent() && top.checked_add(8) == Some(fields.hend);
        if is_bare && sample.flags.has(ReadFlags::COPIED) {
            // One word is the bottom. (When a heap shrinks, its old end is unmapped before the
            // process is updated, so the word itself may not be readable.)
            return WalkEnd::WHOLE;
        }
        // A collector that is at work has moved the stack before it stores the new place.
        let end = if fields.is_consistent() {
            fields.hend
        } else {
            0
        };
        let rules = self.vm.code.vm_words().rules(top, end);
        let words = words.unwrap_or(&[]);
        match words.split_first() {
            Some((first, rest)) if self.is_raised_at(*first, fields) => {
                frames.push(ErlangFrame {
                    return_address: *first,
                    depth_bytes: fields.hend.wrapping_sub(top),
                });
                let rules = WalkRules {
                    top: top.wrapping_add(8),
                    ..rules
                };
                self.walk_words(&rules, rest.iter().copied(), frames)
            }
            _ => self.walk_words(&rules, words.iter().copied(), frames),
        }
    }

    /// Raising an exception leaves the address it was raised at on top of the stack, which does not
    /// need to follow a call. The word there is one if the process stores the same address, or if
    /// the process is ending: nothing else leaves an address of code.
    fn is_raised_at(&mut self, word: u64, fields: &ProcessFields) -> bool {
        let is_known = word == fields.i || fields.state & STATE_ENDING != 0;
        let (memory, jit, loaded) = (&self.vm.memory, self.vm.runs_erlang(), &self.vm.code);
        let is_code = loaded.function_at(word.wrapping_sub(1)).is_some();
        word & 3 == 0
            && is_known
            && is_code
            && word != loaded.normal_exit
            && matches!(self.vm.flavor, Flavor::Jit(_))
            && fields.is_consistent()
            && !self
                .erlang_code
                .is_return_address(loaded, memory, jit, word)
    }
}

/// The words of the Erlang stack from `top` on, from wherever they were copied.
fn erlang_words<'a>(sample: &RawSampleRef<'a>, top: u64) -> Option<&'a [u64]> {
    let offset = top.checked_sub(sample.erlang_top)?;
    let words = sample.erlang.get((offset / 8) as usize..);
    words.filter(|_| top.is_multiple_of(8))
}

/// A port was executed as a task of the scheduler. A process that calls a port runs the driver's code itself: then the
/// scheduler has both, and the work is the process's. A late read finds what the thread runs by then, but not who called
/// the C functions in the sample.
pub(super) fn runs_port_task(sample: &RawSampleRef<'_>, is_called_by_process: bool) -> bool {
    sample.current_port != 0 && runs_no_process(sample, is_called_by_process)
}

/// It is known that the scheduler runs neither a process nor a port.
pub(super) fn runs_nothing(sample: &RawSampleRef<'_>, is_called_by_process: bool) -> bool {
    let is_read = !sample.flags.has(ReadFlags::UNMATCHED);
    is_read && sample.current_port == 0 && runs_no_process(sample, is_called_by_process)
}

/// The scheduler ran no process at the sample itself, where its C stack ends in `end` and no scheduling shows in it.
/// A stack that comes from Erlang code was a process's, and a late read shows only what runs by then.
pub(super) fn is_known_idle(sample: &RawSampleRef<'_>, end: UnwindEnd) -> bool {
    if sample.flags.has(ReadFlags::COPIED) {
        return sample.current_process == 0;
    }
    match end {
        UnwindEnd::EndOfStack => true,
        UnwindEnd::ReachedJit => false,
        _ => sample.flags.has(ReadFlags::SCHEDULER_READ) && sample.current_process == 0,
    }
}

fn runs_no_process(sample: &RawSampleRef<'_>, is_called_by_process: bool) -> bool {
    let is_of_sample = sample.flags.has(ReadFlags::COPIED) || !is_called_by_process;
    sample.current_process == 0 && is_of_sample
}

/// The C code was called for the process that was read. Where the C frames could be unwound, the
/// register that holds it in JIT code shows that.
pub(super) fn runs_current(sample: &RawSampleRef<'_>, crossing: &Crossing) -> bool {
    match crossing.process {
        Some(process) => process == sample.current_process,
        None => !sample.flags.has(ReadFlags::GUESSED_PROCESS),
    }
}

/// The Erlang part of a sample whose stack is known without a read of it.
fn whole_part(sample: &RawSampleRef<'_>) -> ErlangPart {
    ErlangPart {
        trust: whole_trust(sample),
        complete: true,
    }
}

/// How a stack is known that is known as a whole.
pub(super) fn whole_trust(sample: &RawSampleRef<'_>) -> Trust {
    if sample.flags.has(ReadFlags::COPIED) {
        Trust::Captured
    } else {
        Trust::Validated
    }
}

/// There are frames on the stack of the process, whether they were read or not: more than the word at its bottom.
pub(super) fn has_stack(fields: &ProcessFields) -> bool {
    fields.is_consistent() && fields.hend - fields.stop > 8
}

/// Heap and stack bounds agree, or a collector is about to make them.
pub(super) fn is_plausible(fields: &ProcessFields) -> bool {
    fields.is_consistent() || fields.state & STATE_GC != 0
}

pub(super) fn is_recent(sample: &RawSampleRef<'_>) -> bool {
    sample.read_done_ns.saturating_sub(sample.time_ns) <= MAX_SKID_NS
}
