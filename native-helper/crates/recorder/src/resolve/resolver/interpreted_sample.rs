//! Samples on a normal scheduler of an interpreter: all of them in C code, be it the interpreter's
//! main function itself. What runs and where its stack is, is in registers of that function: those
//! of the sample, or what unwinding recovers of them.

use std::sync::Arc;

use arch::interpreter::MFA_BYTES;
use arch::interpreter::{Holder, Place};
use capture::classify::RunContext;
use capture::sample::Trust;
use erlang_stack::{
    CapturedEvidence, CapturedProof, ErlangFrame, Evidence, StackProof, WalkEnd, prove,
    prove_captured,
};
use native_code::unwind_c::{Registers, UnwindEnd};
use target_memory::{TargetMemory, u64_at};
use vm_code::generations::Located;
use vm_code::interpreter::Interpreter;
use vm_layout::STATE_GC;
use vm_tables::atoms::quoted;
use vm_tables::processes::ProcessFields;

use super::c_sample::{MIN_COMPARED_BYTES, is_plausible, is_recent, whole_trust};
use super::{ErlangPart, Resolver, Room, no_process};
use crate::read::raw_sample::{RawSampleRef, ReadFlags};
use crate::resolve::erlang_code::bottom_frame;
use crate::resolve::frames::Naming;
use crate::resolve::native_frames::NativeFrames;
use crate::resolve::tally::Sort;

/// The longest call instruction that returns, in bytes of interpreted code.
const MAX_CALL_BYTES: u64 = 24;
/// No function has more arguments.
const MAX_ARITY: u64 = 255;
/// The C stack pointer, by DWARF's number.
const RSP: usize = 7;

/// What the interpreter's main function had in its registers.
struct Interpreting {
    process: u64,
    stack_top: u64,
    /// The Erlang instruction, when registers say it.
    instruction: Option<u64>,
    /// Else who knows it.
    otherwise: KnownBy,
}

/// Who knows the Erlang instruction when no register holds it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KnownBy {
    /// Nobody.
    Nobody,
    /// The process is just resumed, or put aside: it says where it goes on.
    SavedInstruction,
    /// A C function was called in the place of an Erlang function; the process says which.
    CalledFunction,
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
            if in_main && sample.flags.has(ReadFlags::CAPTURED) {
                self.push_main(registers.rip, room);
            } else if in_main {
                // By the time of a late read the process may just have been put aside.
                self.push_unproven(room);
            }
            return (Sort::Scheduler, context, no_process(), truncated);
        }
        let part = match end {
            UnwindEnd::ReachedJit if self.has_ended(interpreter, &registers, in_main) => {
                // The C stack in the sample shows that the Erlang stack is empty: nothing to read.
                room.frames.push(bottom_frame(&mut self.table));
                ErlangPart {
                    trust: whole_trust(sample),
                    complete: true,
                }
            }
            UnwindEnd::ReachedJit => {
                let fields = self.process_fields(sample, &mut room.process);
                let stop = fields.map(|fields| fields.stop);
                let interpreting =
                    self.interpreting(sample, interpreter, (&registers, !in_main), stop);
                self.push_interpreted(sample, (interpreter, &interpreting), fields, room)
            }
            // Without the registers of the main function there is nothing to go by.
            _ => self.push_unproven(room),
        };
        let complete = part.complete;
        let sort = match in_main {
            true => Sort::Erlang { complete },
            false => Sort::NativeInProcess { complete },
        };
        (sort, context, part, truncated)
    }

    /// True when the first function of the process has returned.
    fn has_ended(&mut self, interpreter: &Interpreter, at: &Registers, in_main: bool) -> bool {
        let vm = &self.vm;
        self.erlang_code.ends_process(
            &vm.memory,
            interpreter.main,
            vm.code.normal_exit,
            (at.rip, !in_main),
        )
    }

    /// What the main function has in `registers`; `after_call` when it has called C code. `stop`
    /// is where the process says its stack is.
    fn interpreting(
        &mut self,
        sample: &RawSampleRef<'_>,
        interpreter: &Interpreter,
        (registers, after_call): (&Registers, bool),
        stop: Option<u64>,
    ) -> Interpreting {
        let value = |number: u8| {
            let general = &registers.general;
            general.get(usize::from(number)).copied().unwrap_or(0)
        };
        let in_slot = |offset: u64| sample.stack_word(registers.general[RSP].wrapping_add(offset));
        let process = match interpreter.registers.process {
            Place::Register(number) => value(number),
            Place::Slot(offset) => in_slot(offset).unwrap_or(0),
            Place::Process | Place::ProcessIn(_) => 0,
        };
        let roles = interpreter.roles(&self.vm.layout.process);
        let mut holders = self
            .erlang_code
            .instruction_holders(
                &self.vm.memory,
                (interpreter.main, roles),
                registers.rip,
                after_call,
            )
            .clone();
        for holder in &mut holders.found {
            if let Place::ProcessIn(number) = holder.place {
                *holder = match process != 0 && value(number) == process {
                    true => Holder {
                        place: Place::Process,
                        ..*holder
                    },
                    false => Holder {
                        place: Place::Register(number),
                        plus: None,
                    },
                };
            }
        }
        let mut candidates = Vec::new();
        // Something that may be it points at code that is gone.
        let mut is_gone = false;
        for holder in &holders.found {
            let held = match holder.place {
                Place::Register(number) => Some(value(number)),
                Place::Slot(offset) => in_slot(offset),
                Place::Process | Place::ProcessIn(_) => None,
            };
            let Some(held) = held else { continue };
            // Within an instruction a register may hold a place between two of them.
            let next = holder.plus.map(|plus| held.wrapping_add(plus));
            let places = [Some(held), next].into_iter().flatten();
            is_gone |= places
                .into_iter()
                .any(|place| self.is_gone(interpreter, place));
            if self.is_interpreted(interpreter, held) {
                candidates.push(held);
            } else if let Some(next) = next.filter(|next| self.is_interpreted(interpreter, *next)) {
                candidates.push(next.wrapping_sub(1));
            }
        }
        // Where none of that is needed any more, the register that had it at the jump to the
        // instruction that runs, or has it for the next one, may have it still.
        let role = value(roles.instruction);
        if candidates.is_empty() && holders.is_known && self.is_interpreted(interpreter, role) {
            candidates.push(role);
        }
        let is_unknown = is_gone || holders.is_cut;
        if is_unknown {
            candidates.clear();
        }
        // Paths that are not taken here, or not followed to their end, may lead elsewhere: then
        // nothing is known.
        let code = &self.vm.code;
        let functions = candidates.iter().map(|address| code.function_at(*address));
        let is_one = functions
            .collect::<Vec<_>>()
            .windows(2)
            .all(|pair| pair[0] == pair[1]);
        let of_process = |holder: &Holder| match holder.place {
            Place::Process => true,
            Place::Slot(_) | Place::ProcessIn(_) => holder.place == roles.process,
            Place::Register(number) => {
                let is_stack = number == interpreter.registers.stack || Some(value(number)) == stop;
                let is_process = holder.place == roles.process
                    || matches!(roles.process, Place::Slot(_)) && value(number) == process;
                is_process || is_stack && holder.plus.is_none()
            }
        };
        let is_saved = |holder: &Holder| holder.place == Place::Process;
        let otherwise = match holders.found.as_slice() {
            _ if is_unknown || !candidates.is_empty() => KnownBy::Nobody,
            [] if holders.schedules && !after_call => KnownBy::SavedInstruction,
            [] => KnownBy::Nobody,
            found if found.iter().all(is_saved) && !after_call => KnownBy::SavedInstruction,
            found if found.iter().all(of_process) => KnownBy::CalledFunction,
            _ => KnownBy::Nobody,
        };
        Interpreting {
            process,
            stack_top: value(interpreter.registers.stack),
            instruction: candidates.into_iter().min().filter(|_| is_one),
            otherwise,
        }
    }

    /// True for an address in loaded code whose word cannot be read any more.
    fn is_gone(&mut self, interpreter: &Interpreter, address: u64) -> bool {
        let (memory, code) = (&self.vm.memory, &self.vm.code);
        self.erlang_code
            .is_instruction(memory, code, interpreter.main, address)
            .is_none()
    }

    /// True for an instruction of loaded code, and for that of a function without a module.
    fn is_interpreted(&mut self, interpreter: &Interpreter, address: u64) -> bool {
        let (memory, code) = (&self.vm.memory, &self.vm.code);
        // Where the word cannot be read any more, it is not known that there is an instruction.
        self.erlang_code
            .is_instruction(memory, code, interpreter.main, address)
            .unwrap_or(false)
            || self.stub_name(interpreter, address).is_some()
    }

    /// The function of which `address` is the only instruction, one that calls C code: built-in
    /// functions, and what they go on with after an interruption, have those outside of modules.
    pub(super) fn stub_name(
        &mut self,
        interpreter: &Interpreter,
        address: u64,
    ) -> Option<Arc<str>> {
        if !address.is_multiple_of(8) || address < MFA_BYTES {
            return None;
        }
        let vm = &mut self.vm;
        let is_located = !matches!(vm.code.locate(address), Located::Unknown);
        let (memory, objects, atoms) = (&vm.memory, &vm.objects, &mut vm.atoms);
        self.erlang_code.stub_name(address, || {
            let mut bytes = [0; MFA_BYTES as usize + 16];
            let start = address.wrapping_sub(MFA_BYTES);
            if is_located || memory.read(start, &mut bytes).is_err() {
                return None;
            }
            let word = |index: usize| u64_at(&bytes, index * 8).unwrap_or(0);
            let is_call = interpreter.is_main(word(3)) && objects.map.object_at(word(4)).is_some();
            if !is_call || word(2) > MAX_ARITY {
                return None;
            }
            let module = quoted(atoms.name(memory, word(0)).ok()?);
            let function = quoted(atoms.name(memory, word(1)).ok()?);
            Some(format!("{module}:{function}/{}", word(2)).into())
        })
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
        (interpreter, interpreting): (&Interpreter, &Interpreting),
        fields: Option<ProcessFields>,
        room: &mut Room,
    ) -> ErlangPart {
        room.erlang.clear();
        let Some(fields) = fields else {
            self.push_leaf(interpreter, interpreting, None, room);
            return self.push_unproven(room);
        };
        let top = stack_top(interpreting, &fields);
        let captured = sample.flags.has(ReadFlags::CAPTURED);
        let walk = match captured {
            true => self.walk_captured(sample, top, &fields, &mut room.erlang),
            false => self.walk_late(sample, top, &fields, &mut room.erlang),
        };
        let same_process = interpreting.process == sample.current_process;
        let proof = if captured {
            let proof = prove_captured(&CapturedEvidence {
                same_process,
                consistent: is_plausible(&fields),
                being_moved: self.is_being_moved(sample, &fields, room),
                cut: sample.flags.has(ReadFlags::STACK_CUT),
                walk,
            });
            match proof {
                CapturedProof::Whole => StackProof::Validated,
                CapturedProof::Upper => {
                    let leaf = self.push_leaf(interpreter, interpreting, Some(&fields), room);
                    drop_half_made_frame(interpreting, leaf, room);
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
        // What the process says of the function it runs may be read too late, as its stack.
        let says_so = match proof {
            StackProof::Validated => true,
            _ => captured && same_process,
        };
        let own = says_so.then_some(&fields);
        let leaf = self.push_leaf(interpreter, interpreting, own, room);
        drop_half_made_frame(interpreting, leaf, room);
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
            StackProof::Bracketed(from_bottom) => self.push_deep_frames(room, from_bottom),
            StackProof::Unproven => self.push_unproven(room),
        }
    }

    /// The function whose instruction is run. True when it is known. `fields` are what the process
    /// may be believed.
    fn push_leaf(
        &mut self,
        interpreter: &Interpreter,
        interpreting: &Interpreting,
        fields: Option<&ProcessFields>,
        room: &mut Room,
    ) -> bool {
        let called = interpreter.registers.current;
        let own = match interpreting.otherwise {
            KnownBy::Nobody => None,
            KnownBy::SavedInstruction => fields.map(|fields| fields.i),
            KnownBy::CalledFunction => called
                .filter(|_| fields.is_some())
                .and_then(|offset| u64_at(&room.process, offset))
                .and_then(|function| function.checked_add(MFA_BYTES)),
        };
        let own = own.filter(|own| self.is_interpreted(interpreter, *own));
        let address = interpreting.instruction.or(own);
        // The C function stands for it already.
        let is_called = address.map_or(
            interpreting.otherwise == KnownBy::CalledFunction,
            |address| self.is_of_c_function(interpreter, address),
        );
        if is_called && self.is_named_after_erlang(room) {
            return true;
        }
        let Some(address) = address else {
            let marker = self.table.marker("[unknown function]", Naming::Unresolved);
            room.frames.push(marker);
            return false;
        };
        let frame = match self.stub_name(interpreter, address) {
            Some(name) => NativeFrames::built_in(&self.vm, &mut self.table, &name),
            None => {
                let code = &self.vm.code;
                self.erlang_code
                    .frame_at(code, &mut self.table, address)
                    .frame
            }
        };
        room.frames.push(frame);
        true
    }

    /// True for the instruction of a function that is written in C: one without a module, or one
    /// whose place in its module says no more than what to call.
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
    fn is_named_after_erlang(&mut self, room: &Room) -> bool {
        let called = room.native.last().map(|frame| frame.lookup_avma());
        called.is_some_and(|address| {
            let vm = &self.vm;
            self.native_frames
                .frame_at(vm, &mut self.table, address)
                .is_erlang_function
        })
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
/// Without that instruction it cannot be told; the mark that stands above it then stands for both.
fn drop_half_made_frame(interpreting: &Interpreting, is_known: bool, room: &mut Room) {
    let is_own = |frame: &ErlangFrame| match interpreting.instruction {
        Some(instruction) => frame.return_address.wrapping_sub(instruction) <= MAX_CALL_BYTES,
        None => !is_known,
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
        same_arguments: false,
        same_reductions: false,
        consistent: is_plausible(fields) && flags.has(ReadFlags::SAME_BOUNDS),
        walk,
    }
}
