//! Samples on a normal scheduler of an interpreter: all of them in C code, be it the interpreter's
//! main function itself. What runs and where its stack is, is in registers of that function: those
//! of the sample, or what unwinding recovers of them.

use capture::classify::RunContext;
use capture::sample::Trust;
use erlang_stack::{
    CapturedEvidence, CapturedProof, ErlangFrame, Evidence, StackProof, WalkEnd, prove,
    prove_captured,
};
use native_code::unwind_c::{Registers, UnwindEnd};
use target_memory::TargetMemory;
use vm_tables::code::generations::Located;
use vm_tables::interpreter::Interpreter;
use vm_tables::layout::STATE_GC;
use vm_tables::processes::ProcessFields;

use super::c_sample::{MIN_COMPARED_BYTES, UNPROVEN_PART, is_plausible, is_recent, whole_trust};
use super::{ErlangPart, Resolver, Room, no_process};
use crate::read::raw_sample::{RawSampleRef, ReadFlags};
use crate::resolve::frames::Naming;
use crate::resolve::tally::Sort;

/// The longest call instruction that returns, in bytes of interpreted code.
const MAX_CALL_BYTES: u64 = 24;

/// What the interpreter's main function had in its registers.
struct Interpreting {
    process: u64,
    stack_top: u64,
    /// The Erlang instruction, when it is known.
    instruction: Option<u64>,
    /// C code was called, and what comes after it follows from fields of the process alone.
    from_process: bool,
}

impl<M: TargetMemory> Resolver<M> {
    /// A sample on a normal scheduler of an interpreter.
    pub(super) fn push_interpreted_sample(
        &mut self,
        sample: &RawSampleRef<'_>,
        interpreter: &Interpreter,
        room: &mut Room,
    ) -> (Sort, RunContext, ErlangPart, bool) {
        let (registers, end) = self.push_native(sample, room);
        let truncated = !matches!(end, UnwindEnd::ReachedJit | UnwindEnd::EndOfStack);
        if truncated {
            let marker = self.table.marker("[truncated]", Naming::Named);
            room.frames.push(marker);
        }
        let schedules = room
            .native
            .iter()
            .any(|frame| interpreter.is_scheduling(frame.lookup_avma()));
        let runs_nothing = sample.current_process == 0 && !sample.flags.has(ReadFlags::UNMATCHED);
        let context = match end {
            _ if sample.current_port != 0 => RunContext::Port,
            UnwindEnd::EndOfStack => RunContext::NoProcess,
            _ if schedules || runs_nothing => RunContext::NoProcess,
            _ => RunContext::Process,
        };
        let in_main = room.native.is_empty() && end == UnwindEnd::ReachedJit;
        if context != RunContext::Process {
            if in_main {
                self.push_main(registers.rip, room);
            }
            return (Sort::Scheduler, context, no_process(), truncated);
        }
        let part = match end {
            UnwindEnd::ReachedJit => {
                let interpreting = self.interpreting(interpreter, &registers, !in_main);
                self.push_interpreted(sample, &interpreting, room)
            }
            // Without the registers of the main function there is nothing to go by.
            _ => {
                let marker = self.table.marker("[unproven]", Naming::Named);
                room.frames.push(marker);
                UNPROVEN_PART
            }
        };
        let complete = part.complete;
        let sort = match in_main {
            true => Sort::Erlang { complete },
            false => Sort::NativeInProcess { complete },
        };
        (sort, context, part, truncated)
    }

    /// What the main function has in `registers`; `after_call` when it has called C code.
    fn interpreting(
        &mut self,
        interpreter: &Interpreter,
        registers: &Registers,
        after_call: bool,
    ) -> Interpreting {
        let value = |number: u8| {
            let general = &registers.general;
            general.get(usize::from(number)).copied().unwrap_or(0)
        };
        let (memory, code) = (&self.vm.memory, &self.vm.code);
        let main = interpreter.main;
        let holders = self
            .erlang_code
            .instruction_holders(memory, interpreter, registers.rip, after_call)
            .to_vec();
        let mut candidates = Vec::new();
        for holder in &holders {
            let held = value(holder.register);
            // Within an instruction a register may hold a place between two of them.
            let next = holder.plus.map(|plus| held.wrapping_add(plus));
            let known = &mut self.erlang_code;
            if known.is_instruction(memory, code, main, held) {
                candidates.push(held);
            } else if let Some(next) =
                next.filter(|next| known.is_instruction(memory, code, main, *next))
            {
                candidates.push(next.wrapping_sub(1));
            }
        }
        // Paths that are not taken here may lead elsewhere: then nothing is known.
        let functions = candidates.iter().map(|address| code.function_at(*address));
        let is_one = functions
            .collect::<Vec<_>>()
            .windows(2)
            .all(|pair| pair[0] == pair[1]);
        Interpreting {
            process: value(interpreter.registers.process),
            stack_top: value(interpreter.registers.stack),
            instruction: candidates.into_iter().min().filter(|_| is_one),
            from_process: after_call
                && holders
                    .iter()
                    .all(|holder| holder.register == interpreter.registers.process),
        }
    }

    /// The main function as the C function it is: it runs no Erlang code.
    fn push_main(&mut self, pc: u64, room: &mut Room) {
        let vm = &self.vm;
        let found = self.native_frames.frame_at(vm, &mut self.table, pc);
        room.frames.push(found.frame);
    }

    /// Pushes what is known of the Erlang code that is interpreted.
    fn push_interpreted(
        &mut self,
        sample: &RawSampleRef<'_>,
        interpreting: &Interpreting,
        room: &mut Room,
    ) -> ErlangPart {
        room.erlang.clear();
        let fields = self.process_fields(sample, &mut room.process);
        let leaf = self.push_leaf(interpreting, fields.as_ref(), room);
        let Some(fields) = fields else {
            let marker = self.table.marker("[unproven]", Naming::Named);
            room.frames.push(marker);
            return UNPROVEN_PART;
        };
        let top = stack_top(interpreting, &fields);
        let captured = sample.flags.has(ReadFlags::CAPTURED);
        let walk = match captured {
            true => self.walk_captured(sample, top, &fields, &mut room.erlang),
            false => self.walk_late(sample, top, &fields, &mut room.erlang),
        };
        let proof = if captured {
            let proof = prove_captured(&CapturedEvidence {
                same_process: interpreting.process == sample.current_process,
                consistent: is_plausible(&fields),
                being_moved: self.is_being_moved(sample, &fields, room),
                cut: sample.flags.has(ReadFlags::STACK_CUT),
                walk,
            });
            match proof {
                CapturedProof::Whole => StackProof::Validated,
                CapturedProof::Upper => {
                    self.push_erlang_frames(room, 0);
                    let marker = self.table.marker("[truncated]", Naming::Named);
                    room.frames.push(marker);
                    return ErlangPart {
                        trust: Trust::Captured,
                        complete: false,
                    };
                }
                CapturedProof::Unproven => StackProof::Unproven,
            }
        } else {
            let before = self.stack_shortly_before(fields.id, sample.time_ns);
            prove(
                &evidence(sample, interpreting, &fields, walk),
                &room.erlang,
                before,
            )
        };
        drop_half_made_frame(interpreting, room);
        match proof {
            StackProof::Validated => {
                self.push_erlang_frames(room, 0);
                self.remember_stack(fields.id, sample.time_ns, &room.erlang);
                // What lies below a function that is not known is proven all the same.
                let trust = match leaf {
                    true => whole_trust(sample),
                    false => Trust::Bracketed,
                };
                ErlangPart {
                    trust,
                    complete: leaf,
                }
            }
            StackProof::Bracketed(from_bottom) => {
                let marker = self.table.marker("[unproven]", Naming::Named);
                room.frames.push(marker);
                let skip = room.erlang.len().saturating_sub(from_bottom);
                self.push_erlang_frames(room, skip);
                ErlangPart {
                    trust: Trust::Bracketed,
                    complete: false,
                }
            }
            StackProof::Unproven => {
                let marker = self.table.marker("[unproven]", Naming::Named);
                room.frames.push(marker);
                UNPROVEN_PART
            }
        }
    }

    /// The function whose instruction is run. True when it is known.
    fn push_leaf(
        &mut self,
        interpreting: &Interpreting,
        fields: Option<&ProcessFields>,
        room: &mut Room,
    ) -> bool {
        // A built-in function that is called like any other has an Erlang function of its own,
        // whose instruction is kept in the process meanwhile.
        let own = fields
            .map(|fields| fields.i)
            .filter(|i| interpreting.from_process && self.is_built_in(*i));
        let Some(address) = interpreting.instruction.or(own) else {
            let marker = self.table.marker("[unknown function]", Naming::Unresolved);
            room.frames.push(marker);
            return false;
        };
        // The C function stands for it already.
        if !room.native.is_empty() && self.is_built_in(address) {
            return true;
        }
        let code = &self.vm.code;
        let found = self.erlang_code.frame_at(code, &mut self.table, address);
        room.frames.push(found.frame);
        true
    }

    /// True for the instruction that calls a built-in function: that of a function in the module
    /// itself, or the one each export has, which is followed by the C function.
    fn is_built_in(&self, address: u64) -> bool {
        if let Located::Known(found) = self.vm.code.locate(address) {
            return self.vm.bifs.start_of(found.name.raw()).is_some();
        }
        let word = |offset: u64| self.vm.memory.read_u64(address.wrapping_add(offset));
        let (Ok(instruction), Ok(function)) = (word(0), word(8)) else {
            return false;
        };
        let is_main = |interpreter: Interpreter| interpreter.is_main(instruction);
        // Where a built-in function goes on after it was interrupted is in no table of them.
        let is_emulator = self
            .vm
            .objects
            .emulator()
            .is_some_and(|code| (code.start_avma..code.end_avma).contains(&function));
        self.vm.interpreter.is_some_and(is_main) && is_emulator
    }
}

/// The top of the stack. The register is right unless the collector has given the process another
/// heap since; then the process itself says where its stack is.
fn stack_top(interpreting: &Interpreting, fields: &ProcessFields) -> u64 {
    let is_inside = (fields.heap..fields.hend).contains(&interpreting.stack_top);
    match fields.state & STATE_GC == 0 && is_inside {
        true => interpreting.stack_top,
        false => fields.stop,
    }
}

/// The top word of the stack is where a function puts the address that its callee returns to; at
/// any other time it is no address. So what is there belongs to a call that is just being made, or
/// to one that is just over, when it is the address of the instruction that runs or of the next.
fn drop_half_made_frame(interpreting: &Interpreting, room: &mut Room) {
    let is_own = |frame: &ErlangFrame| {
        interpreting.instruction.is_some_and(|instruction| {
            frame.return_address.wrapping_sub(instruction) <= MAX_CALL_BYTES
        })
    };
    if room.erlang.first().is_some_and(is_own) {
        room.erlang.remove(0);
    }
}

fn evidence(
    sample: &RawSampleRef<'_>,
    interpreting: &Interpreting,
    fields: &ProcessFields,
    walk: WalkEnd,
) -> Evidence {
    let flags = sample.flags;
    Evidence {
        recent: is_recent(sample),
        same_process: flags.has(ReadFlags::SAME_PROCESS)
            && interpreting.process == sample.current_process,
        same_call: flags.has(ReadFlags::SAME_CALL),
        // The C stack alone says little here: the main function hardly writes to it.
        c_stack_unchanged: flags.has(ReadFlags::SAME_C_STACK | ReadFlags::HELD)
            && sample.compared_bytes >= MIN_COMPARED_BYTES,
        same_reductions: false,
        consistent: is_plausible(fields) && flags.has(ReadFlags::SAME_BOUNDS),
        walk,
    }
}
