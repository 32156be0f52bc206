//! Samples on a normal scheduler of an interpreter: all of them in C code, be it the interpreter's
//! main function itself. The code that runs and the place of its stack are in registers of that
//! function: those of the sample, or those that unwinding recovers.

use arch::interpreter::MFA_BYTES;
use capture::classify::RunContext;
use capture::marks::Mark;
use capture::sample::Trust;
use erlang_stack::{
    CopiedEvidence, ErlangFrame, LateReadEvidence, StackProof, StackWord, WalkEnd, prove_copied,
    prove_late_read, stack_words,
};
use native_code::unwind_c::UnwindEnd;
use target_memory::{TargetMemory, u64_at};
use vm_code::generations::Located;
use vm_code::interpreter::Interpreter;
use vm_layout::STATE_GC;
use vm_tables::processes::ProcessFields;

use super::c_sample::{
    MIN_COMPARED_BYTES, NO_STACK, has_stack, is_known_idle, is_plausible, is_recent, runs_nothing,
    runs_port_task, whole_trust,
};
use super::interpreter_state::{Interpreting, KnownBy, MainFunction};
use super::proven_frames::ProvenFrames;
use super::{ErlangPart, Outcome, Resolver, SampleScratch};
use crate::read::raw_sample::{RawSampleRef, ReadFlags};
use crate::resolve::erlang_code::CodeAddress;
use crate::resolve::erlang_code::{INTERPRETED_BOTTOM, TRACE_RETURN, own_frame};
use crate::resolve::native_frames::NativeFrames;

/// The longest call instruction that returns, in bytes of interpreted code.
const MAX_CALL_BYTES: u64 = 24;

impl<M: TargetMemory> Resolver<M> {
    /// The main function of a scheduler that runs no process.
    fn push_main_of_none(
        &mut self,
        sample: &RawSampleRef<'_>,
        program_counter: u64,
        scratch: &mut SampleScratch,
    ) {
        if sample.flags.has(ReadFlags::COPIED) {
            self.push_main(program_counter, scratch);
        } else {
            // By the time of a late read the process may just have been put aside.
            self.push_unproven(scratch);
        }
    }

    /// A sample on a normal scheduler of an interpreter.
    pub(super) fn push_interpreted_sample(
        &mut self,
        sample: &RawSampleRef<'_>,
        interpreter: &Interpreter,
        scratch: &mut SampleScratch,
    ) -> Outcome {
        let (registers, end) = self.push_native(sample, scratch);
        let truncated = !matches!(end, UnwindEnd::ReachedJit | UnwindEnd::EndOfStack);
        if truncated {
            let marker = self.table.mark(Mark::NotUnwound);
            scratch.frames.push(marker);
        }
        let schedules = scratch
            .native
            .iter()
            .any(|frame| interpreter.is_scheduling(frame.lookup_avma()));
        let in_main = scratch.native.is_empty() && end == UnwindEnd::ReachedJit;
        let is_called_by_process = end == UnwindEnd::ReachedJit && !in_main && !schedules;
        let context = match end {
            _ if runs_port_task(sample, is_called_by_process) => RunContext::Port,
            UnwindEnd::EndOfStack => RunContext::NoProcess,
            _ if schedules => RunContext::NoProcess,
            _ if runs_nothing(sample, is_called_by_process) => RunContext::NoProcess,
            _ => RunContext::Process,
        };
        if context != RunContext::Process {
            if in_main {
                self.push_main_of_none(sample, registers.program_counter, scratch);
            }
            return match context == RunContext::Port || schedules || is_known_idle(sample, end) {
                true => Outcome::without_process(context, truncated),
                false => Outcome::unattributed(context, truncated),
            };
        }
        let part = match end {
            UnwindEnd::ReachedJit if self.has_ended(interpreter, &registers, in_main) => {
                // The C stack in the sample shows that the Erlang stack is empty: nothing to read.
                let bottom = own_frame(&mut self.table, INTERPRETED_BOTTOM);
                scratch.frames.push(bottom);
                ErlangPart {
                    trust: whole_trust(sample),
                    complete: true,
                }
            }
            UnwindEnd::ReachedJit => {
                let fields = self.process_fields(sample, &mut scratch.process);
                let main = MainFunction {
                    sample,
                    registers: &registers,
                    after_call: !in_main,
                    stop: fields.map(|fields| fields.stop),
                };
                let interpreting = self.interpreting(interpreter, &main);
                self.push_interpreted(sample, (interpreter, &interpreting), fields, scratch)
            }
            // Without the registers of the main function there is no evidence.
            _ => {
                let part = self.push_unproven(scratch);
                match sample.current_process {
                    0 => return Outcome::unproven_of_none(part, truncated),
                    _ => part,
                }
            }
        };
        match in_main {
            true => Outcome::erlang(part, truncated),
            false => Outcome::native_in_process(part, truncated),
        }
    }

    /// The main function as the C function it is: it runs no Erlang code.
    fn push_main(&mut self, pc: u64, scratch: &mut SampleScratch) {
        let vm = &self.vm;
        let found = self.native_frames.frame_at(vm, &mut self.table, pc);
        scratch.frames.extend_from_slice(&found.inlined);
        scratch.frames.push(found.frame);
    }

    /// Pushes the known frames of the Erlang code that is interpreted.
    fn push_interpreted(
        &mut self,
        sample: &RawSampleRef<'_>,
        (interpreter, interpreting): (&Interpreter, &Interpreting),
        fields: Option<ProcessFields>,
        scratch: &mut SampleScratch,
    ) -> ErlangPart {
        scratch.erlang.clear();
        let Some(fields) = fields else {
            self.push_leaf(interpreter, interpreting, None, scratch);
            return self.push_unproven(scratch);
        };
        self.shows_tracing |= interpreting.ends_traced_call;
        let same_process = interpreting.process == sample.current_process;
        let proven = self.prove_interpreted(sample, (interpreter, interpreting), &fields, scratch);
        // The process's record of the function it runs may be read too late, as its stack.
        let is_copy = sample.flags.has(ReadFlags::COPIED);
        let is_proven = proven == ProvenFrames::Whole || is_copy && same_process;
        let own = is_proven.then_some(&fields);
        let shows_nothing = proven == ProvenFrames::Nothing || scratch.erlang.is_empty();
        if interpreting.continues_exit
            && shows_nothing
            && !has_stack(&fields)
            && is_its_own_exit(sample, interpreting, &fields)
        {
            return self.push_exiting(sample, fields.id, scratch);
        }
        let is_leaf_known = match interpreting.ends_traced_call {
            true => {
                scratch
                    .frames
                    .push(own_frame(&mut self.table, TRACE_RETURN));
                true
            }
            false => self.push_leaf(interpreter, interpreting, own, scratch),
        };
        drop_half_made_frame(interpreting, is_leaf_known, scratch);
        self.push_interpreted_built_in(interpreter, proven, scratch);
        let part = self.push_proven_frames(sample, proven, scratch);
        if proven != ProvenFrames::Whole {
            return part;
        }
        self.remember_stack(fields.id, sample.time_ns, &scratch.erlang);
        // The frames below a function that is not known are proven all the same.
        match is_leaf_known {
            true => part,
            false => ErlangPart {
                trust: Trust::Bracketed,
                complete: false,
            },
        }
    }

    /// Walks the Erlang stack into `scratch.erlang` and decides what of it may be shown.
    fn prove_interpreted(
        &mut self,
        sample: &RawSampleRef<'_>,
        (interpreter, interpreting): (&Interpreter, &Interpreting),
        fields: &ProcessFields,
        scratch: &mut SampleScratch,
    ) -> ProvenFrames {
        let mut top = stack_top(interpreting, fields);
        if interpreting.ends_traced_call {
            top = top.wrapping_add(self.trace_frame_bytes(interpreter, sample, top));
        }
        if !sample.flags.has(ReadFlags::COPIED) {
            let walk = self.walk_late(sample, top, fields, &mut scratch.erlang);
            let before = self.stack_shortly_before(fields.id, sample.time_ns);
            let evidence = evidence(sample, interpreting, fields, walk);
            return prove_late_read(&evidence, &scratch.erlang, before).into();
        }
        let walk = self.walk_copied(sample, top, fields, &mut scratch.erlang);
        let proof = prove_copied(&CopiedEvidence {
            same_process: interpreting.process == sample.current_process,
            consistent: is_plausible(fields),
            being_moved: self.is_being_moved(sample, fields, scratch),
            cut: sample.flags.has(ReadFlags::STACK_CUT),
            walk,
        });
        proof.into()
    }

    /// Bytes on top of the stack up to a pointer that is no return address: the rest of the frame of a traced
    /// call, below the word of its return address, which a release may keep in place.
    fn trace_frame_bytes(
        &mut self,
        interpreter: &Interpreter,
        sample: &RawSampleRef<'_>,
        top: u64,
    ) -> u64 {
        let (memory, loaded, code) = (&self.vm.memory, &self.vm.code, &mut self.erlang_code);
        let is_frame = |address| code.is_continuation(memory, loaded, interpreter.main, address);
        let words = [0, 8].into_iter();
        let words = words.map_while(|bytes| sample.erlang_word(top.wrapping_add(bytes)));
        let mut words = stack_words(&loaded.vm_words().rules(top, 0), words, is_frame);
        match words.find(|(_, word)| !matches!(word, StackWord::Variable(_))) {
            Some((address, StackWord::Stray(_))) => address.wrapping_sub(top) + 8,
            _ => 0,
        }
    }

    /// The function whose instruction is run. True when it is known. `fields` are what the process
    /// may be believed.
    fn push_leaf(
        &mut self,
        interpreter: &Interpreter,
        interpreting: &Interpreting,
        fields: Option<&ProcessFields>,
        scratch: &mut SampleScratch,
    ) -> bool {
        let called = interpreter.registers.current;
        let own = match interpreting.otherwise {
            KnownBy::Nothing => None,
            KnownBy::SavedInstruction => fields.map(|fields| fields.i),
            KnownBy::CalledFunction => called
                .filter(|_| fields.is_some())
                .and_then(|offset| u64_at(&scratch.process, offset))
                .and_then(|function| function.checked_add(MFA_BYTES)),
        };
        let own = own.filter(|own| self.is_interpreted(interpreter, *own));
        let address = interpreting.instruction.or(own);
        // The C function stands for it already.
        let is_called = address.map_or(
            interpreting.otherwise == KnownBy::CalledFunction,
            |address| self.is_of_c_function(interpreter, address),
        );
        if is_called && self.is_named_after_erlang(scratch) {
            return true;
        }
        let Some(address) = address else {
            let marker = self.table.mark(Mark::UnknownFunction);
            scratch.frames.push(marker);
            return false;
        };
        let frame = match self.stub_name(interpreter, address) {
            Some(name) => NativeFrames::built_in(&self.vm, &mut self.table, &name),
            None => {
                let code = &self.vm.code;
                self.erlang_code
                    .frame_at(
                        code,
                        &self.vm.memory,
                        &mut self.table,
                        CodeAddress::Runs(address),
                    )
                    .frame
            }
        };
        scratch.frames.push(frame);
        true
    }

    /// True for the instruction of a function that is written in C: one without a module, or one
    /// whose place in its module shows only what to call.
    fn is_of_c_function(&mut self, interpreter: &Interpreter, address: u64) -> bool {
        if self.stub_name(interpreter, address).is_some() {
            return true;
        }
        let vm = &self.vm;
        let Located::Known(found) = vm.code.locate(address) else {
            return false;
        };
        let is_nif = || {
            let function = vm.memory.read_u64(address.wrapping_add(8)).ok();
            let native = function.and_then(|function| vm.native_tables.name_of(function));
            native.is_some_and(|native| *native.shown == *found.name.raw())
        };
        vm.bifs.start_of(found.name.raw()).is_some() || is_nif()
    }

    /// True when the C function that the main function called has the name of the Erlang function
    /// it is the code of.
    fn is_named_after_erlang(&mut self, scratch: &SampleScratch) -> bool {
        let called = scratch.native.last().map(|frame| frame.lookup_avma());
        called.is_some_and(|address| {
            let vm = &self.vm;
            self.native_frames
                .frame_at(vm, &mut self.table, address)
                .is_erlang_function
        })
    }
}

/// The top of the stack. The register is right unless the collector has given the process another
/// heap since; then the process itself stores where its stack is.
fn stack_top(interpreting: &Interpreting, fields: &ProcessFields) -> u64 {
    let is_inside = (fields.heap..fields.hend).contains(&interpreting.stack_top);
    match fields.state & STATE_GC == 0 && is_inside {
        true => interpreting.stack_top,
        false => fields.stop,
    }
}

/// The top word of the stack is where a function puts the address that its callee returns to; at
/// any other time it is no address. So an address there belongs to a call that is just being made,
/// or to one that is just over, when it is the address of the instruction that runs or of the next.
/// Without that instruction this cannot be determined; the mark that stands above it then stands
/// for both.
fn drop_half_made_frame(interpreting: &Interpreting, is_known: bool, scratch: &mut SampleScratch) {
    let is_own = |frame: &ErlangFrame| match interpreting.instruction {
        Some(instruction) => frame.return_address.wrapping_sub(instruction) <= MAX_CALL_BYTES,
        None => !is_known,
    };
    if scratch.erlang.first().is_some_and(is_own) {
        scratch.erlang.remove(0);
    }
}

/// Whether the process that was read is the one that ended at the sample: as proven as a stack would be.
fn is_its_own_exit(
    sample: &RawSampleRef<'_>,
    interpreting: &Interpreting,
    fields: &ProcessFields,
) -> bool {
    if sample.flags.has(ReadFlags::COPIED) {
        return interpreting.process == sample.current_process;
    }
    let evidence = LateReadEvidence {
        consistent: sample.flags.has(ReadFlags::SAME_BOUNDS),
        ..evidence(sample, interpreting, fields, NO_STACK)
    };
    prove_late_read(&evidence, &[], &[]) == StackProof::Validated
}

fn evidence(
    sample: &RawSampleRef<'_>,
    interpreting: &Interpreting,
    fields: &ProcessFields,
    walk: WalkEnd,
) -> LateReadEvidence {
    let flags = sample.flags;
    LateReadEvidence {
        recent: is_recent(sample),
        same_process: flags.has(ReadFlags::SAME_PROCESS)
            && interpreting.process == sample.current_process,
        process_sampled: true,
        same_call: flags.has(ReadFlags::SAME_CALL),
        // The C stack alone proves little here: the main function hardly writes to it.
        c_stack_unchanged: flags.has(ReadFlags::SAME_C_STACK | ReadFlags::HELD)
            && sample.compared_bytes >= MIN_COMPARED_BYTES,
        same_arguments: false,
        same_reductions: false,
        consistent: is_plausible(fields) && flags.has(ReadFlags::SAME_BOUNDS),
        walk,
    }
}
