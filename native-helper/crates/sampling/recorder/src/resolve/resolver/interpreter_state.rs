//! The state of an interpreter at a sample: process, Erlang stack and Erlang instruction, out of
//! the registers that its main function had, those of the sample or those that unwinding recovers.

use std::sync::Arc;

use arch::interpreter::MFA_BYTES;
use arch::interpreter::{Holder, Holders, Place};
use native_code::unwind_c::Registers;
use target_memory::{TargetMemory, u64_at};
use vm_code::generations::Located;
use vm_code::interpreter::Interpreter;
use vm_tables::atoms::quoted;

use super::Resolver;
use crate::read::raw_sample::RawSampleRef;

/// No function has more arguments.
const MAX_ARITY: u64 = 255;

/// The values in the registers of the interpreter's main function.
pub(super) struct Interpreting {
    /// The process.
    pub process: u64,
    /// The top of the Erlang stack.
    pub stack_top: u64,
    /// The Erlang instruction, when registers hold it.
    pub instruction: Option<u64>,
    /// Else its source.
    pub otherwise: KnownBy,
    /// It is the one with which a process continues to end.
    pub continues_exit: bool,
    /// It is the one that a traced call returns to.
    pub ends_traced_call: bool,
}

/// The source of the Erlang instruction when no register holds it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KnownBy {
    /// It is not known.
    Nothing,
    /// The process is just resumed, or put aside: it stores where it goes on.
    SavedInstruction,
    /// A C function was called in the place of an Erlang function; the process stores which.
    CalledFunction,
}

/// The main function's registers at one place of it.
pub(super) struct MainFunction<'a, 's> {
    /// The sample.
    pub sample: &'a RawSampleRef<'s>,
    /// The registers of the function.
    pub registers: &'a Registers,
    /// It has called C code.
    pub after_call: bool,
    /// Where its stack is, as the process stores it.
    pub stop: Option<u64>,
}

impl MainFunction<'_, '_> {
    fn register(&self, number: u8) -> u64 {
        let general = &self.registers.general;
        general.get(usize::from(number)).copied().unwrap_or(0)
    }

    /// The value at `place`, unless that is a field of the process.
    fn value_at(&self, place: Place) -> Option<u64> {
        match place {
            Place::Register(number) => Some(self.register(number)),
            Place::Slot(offset) => {
                let stack_pointer = self.registers.stack_pointer();
                self.sample.stack_word(stack_pointer.wrapping_add(offset))
            }
            Place::Process | Place::ProcessIn(_) => None,
        }
    }
}

/// Addresses that may be of the instruction that is run.
#[derive(Default)]
struct Candidates {
    addresses: Vec<u64>,
    /// Something that may be the instruction points at code that is gone: nothing is known.
    is_gone: bool,
}

impl<M: TargetMemory> Resolver<M> {
    /// True when the first function of the process has returned.
    pub(super) fn has_ended(
        &mut self,
        interpreter: &Interpreter,
        at: &Registers,
        in_main: bool,
    ) -> bool {
        let vm = &self.vm;
        self.erlang_code.ends_process(
            &vm.memory,
            interpreter.main,
            vm.code.normal_exit,
            (at.program_counter, !in_main),
        )
    }

    /// The state of the interpreter where its main function has these registers.
    pub(super) fn interpreting(
        &mut self,
        interpreter: &Interpreter,
        main: &MainFunction<'_, '_>,
    ) -> Interpreting {
        let process = main.value_at(interpreter.registers.process).unwrap_or(0);
        let holders = self.holders_at(interpreter, main, process);
        let candidates = self.candidates(interpreter, main, &holders);
        let otherwise = match candidates.is_gone || !candidates.addresses.is_empty() {
            true => KnownBy::Nothing,
            false => self.known_otherwise(interpreter, main, process, &holders),
        };
        Interpreting {
            process,
            stack_top: main.register(interpreter.registers.stack),
            instruction: self.one_instruction(&candidates),
            otherwise,
            continues_exit: self.instruction_register(interpreter, main)
                == self.vm.code.continue_exit
                && self.vm.code.continue_exit != 0,
            ends_traced_call: candidates.addresses.is_empty()
                && self.ends_traced_call(interpreter, main),
        }
    }

    /// True if the instruction that runs is one of those that a traced call returns to. It no longer needs
    /// its own address, but the register that had it still has it.
    fn ends_traced_call(&self, interpreter: &Interpreter, main: &MainFunction<'_, '_>) -> bool {
        let last = self.instruction_register(interpreter, main);
        self.vm.code.trace_returns.pointer_follows(last).is_some()
    }

    /// The register that had the instruction at the jump to it.
    fn instruction_register(&self, interpreter: &Interpreter, main: &MainFunction<'_, '_>) -> u64 {
        main.register(interpreter.roles(&self.vm.layout.process).instruction)
    }

    /// The holders of the Erlang instruction at this place of the main function. Of a register that
    /// holds some process it is decided whether that is the one that runs.
    fn holders_at(
        &mut self,
        interpreter: &Interpreter,
        main: &MainFunction<'_, '_>,
        process: u64,
    ) -> Holders {
        let roles = interpreter.roles(&self.vm.layout.process);
        let holders = self.erlang_code.instruction_holders(
            &self.vm.memory,
            (interpreter.main, roles),
            main.registers.program_counter,
            main.after_call,
        );
        let mut holders = holders.clone();
        for holder in &mut holders.found {
            if let Place::ProcessIn(number) = holder.place {
                *holder = match process != 0 && main.register(number) == process {
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
        holders
    }

    fn candidates(
        &mut self,
        interpreter: &Interpreter,
        main: &MainFunction<'_, '_>,
        holders: &Holders,
    ) -> Candidates {
        let mut candidates = Candidates::default();
        for holder in &holders.found {
            let Some(held) = main.value_at(holder.place) else {
                continue;
            };
            // Within an instruction a register may hold a place between two of them.
            let next = holder.plus.map(|plus| held.wrapping_add(plus));
            let places = [Some(held), next].into_iter().flatten();
            candidates.is_gone |= places
                .into_iter()
                .any(|place| self.is_gone(interpreter, place));
            if self.is_interpreted(interpreter, held) {
                candidates.addresses.push(held);
            } else if let Some(next) = next.filter(|next| self.is_interpreted(interpreter, *next)) {
                candidates.addresses.push(next.wrapping_sub(1));
            }
        }
        // Where none of that is needed any more, the register that had it at the jump to the
        // instruction that runs, or has it for the next one, may have it still.
        let role = main.register(interpreter.roles(&self.vm.layout.process).instruction);
        if candidates.addresses.is_empty()
            && holders.is_known
            && self.is_interpreted(interpreter, role)
        {
            candidates.addresses.push(role);
        }
        // Paths that are not followed may use something else.
        candidates.is_gone |= holders.is_cut;
        if candidates.is_gone {
            candidates.addresses.clear();
        }
        candidates
    }

    /// The instruction, if all candidates lie in one function. Paths that are not taken here may
    /// lead elsewhere: then nothing is known.
    fn one_instruction(&self, candidates: &Candidates) -> Option<u64> {
        let code = &self.vm.code;
        let addresses = candidates.addresses.iter();
        let functions: Vec<_> = addresses
            .map(|address| code.function_at(*address))
            .collect();
        let is_one = functions.windows(2).all(|pair| pair[0] == pair[1]);
        candidates
            .addresses
            .iter()
            .copied()
            .min()
            .filter(|_| is_one)
    }

    /// Who knows the instruction where no register and no word of the C stack holds it.
    fn known_otherwise(
        &self,
        interpreter: &Interpreter,
        main: &MainFunction<'_, '_>,
        process: u64,
        holders: &Holders,
    ) -> KnownBy {
        let roles = interpreter.roles(&self.vm.layout.process);
        let is_of_process = |holder: &Holder| match holder.place {
            Place::Process => true,
            Place::Slot(_) | Place::ProcessIn(_) => holder.place == roles.process,
            Place::Register(number) => {
                let value = main.register(number);
                let is_stack = number == interpreter.registers.stack || Some(value) == main.stop;
                let is_process = holder.place == roles.process
                    || matches!(roles.process, Place::Slot(_)) && value == process;
                is_process || is_stack && holder.plus.is_none()
            }
        };
        let is_saved = |holder: &Holder| holder.place == Place::Process;
        match holders.found.as_slice() {
            [] if holders.schedules && !main.after_call => KnownBy::SavedInstruction,
            [] => KnownBy::Nothing,
            found if found.iter().all(is_saved) && !main.after_call => KnownBy::SavedInstruction,
            found if found.iter().all(is_of_process) => KnownBy::CalledFunction,
            _ => KnownBy::Nothing,
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
    pub(super) fn is_interpreted(&mut self, interpreter: &Interpreter, address: u64) -> bool {
        let (memory, code) = (&self.vm.memory, &self.vm.code);
        // Where the word cannot be read any more, it is not known that there is an instruction.
        self.erlang_code
            .is_instruction(memory, code, interpreter.main, address)
            .unwrap_or(false)
            || self.stub_name(interpreter, address).is_some()
    }

    /// The function of which `address` is the only instruction, one that calls C code: built-in
    /// functions, and the code that they continue with after an interruption, have those outside of
    /// modules.
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
}
