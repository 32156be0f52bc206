//! Which register holds what in the interpreter's main function.
//!
//! The function loads and stores the stack pointer, the heap pointer, the program counter and the
//! reductions of the current process through one base register all the time (or through copies of
//! one word of its stack: [`super::process_home`]), and it goes from one
//! Erlang instruction to the next by a jump through the word that the program counter points at;
//! just before, the program counter is set, if it is another register than that of the jump.
//! Each such place is a vote; roles are taken when the votes are clear and agree.

use std::collections::BTreeMap;

use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register,
};

use super::calling_convention::{dwarf_number, is_kept};
use super::process_home::{ProcessBase, slot_of};
use crate::UnclearCode;
use crate::facts::interpreter::{InterpreterRegisters, MFA_BYTES, Place, ProcessOffsets};

const TABLE: &str = "the interpreter's main function";
/// A role needs this many votes.
const MIN_VOTES: u32 = 4;
/// The callers of the VM's C functions and those of the libraries' C functions have to agree.
const MIN_CURRENT_VOTES: usize = 2;
/// How many instructions before a jump the program counter is set.
const INSTRUCTIONS_BEFORE_JUMP: usize = 4;

/// Represents the base of accesses through a process on the stack.
const IN_SLOT: Register = Register::RSP;

/// (base, register) to votes.
type Pairs = BTreeMap<(Register, Register), u32>;

/// Decodes the function. `code` may be any bytes. `schedule` is start and end of the scheduling
/// function, which gives the process to run.
pub fn from_process_main(
    code: &[u8],
    address: u64,
    process: ProcessOffsets,
    schedule: Option<(u64, u64)>,
) -> Result<InterpreterRegisters, UnclearCode> {
    let slot = schedule.and_then(|schedule| Some((slot_of(code, address, schedule)?, schedule)));
    let in_slot = slot.map(|(slot, schedule)| ProcessBase::in_slot(slot, schedule));
    let votes = Votes::count(code, address, process, in_slot);
    let (base, stack) = clear_winner(&votes.stop)
        .ok_or_else(|| UnclearCode::new(TABLE, "it does not say where the stack top is"))?;
    let (jump, _) = clear_winner(&votes.jumps)
        .ok_or_else(|| UnclearCode::new(TABLE, "it does not show its instructions"))?;
    // The same base has to carry the other fields, and the resumed value has to be the one that
    // jumps use.
    let of_base = |pairs: &Pairs| -> Pairs {
        let own = pairs.iter().filter(|((other, _), _)| *other == base);
        // Collecting them would sort them first, by code of its own.
        let mut kept = Pairs::new();
        kept.extend(own.map(|(pair, count)| (*pair, *count)));
        kept
    };
    if of_base(&votes.htop).values().sum::<u32>() < MIN_VOTES
        || of_base(&votes.fcalls).values().sum::<u32>() < MIN_VOTES
    {
        return Err(UnclearCode::new(
            TABLE,
            format!("{base:?} holds the stack top but no process"),
        ));
    }
    let resumed = of_base(&votes.resumed);
    if !resumed.contains_key(&(base, jump)) {
        return Err(UnclearCode::new(
            TABLE,
            format!("it interprets what {jump:?} points at but resumes a process elsewhere"),
        ));
    }
    let number = |register: Register| {
        dwarf_number(register).ok_or_else(|| UnclearCode::new(TABLE, "an odd register"))
    };
    let process = match slot {
        Some((slot, _)) => Place::Slot(slot),
        None => Place::Register(number(base)?),
    };
    let home = in_slot.unwrap_or(ProcessBase::in_register(base));
    let found = InterpreterRegisters {
        process,
        stack: number(stack)?,
        instruction: number(jump)?,
        current: current_offset(code, address, home, jump),
    };
    // A sample in C code does not give the registers that C code does not preserve.
    let is_kept_or_slot = slot.is_some() || is_kept(base);
    let distinct = base != stack && stack != jump && base != jump;
    if !distinct || !is_kept_or_slot || !is_kept(stack) || !is_kept(jump) {
        return Err(UnclearCode::new(
            TABLE,
            format!("process, stack and program counter in {base:?}, {stack:?}, {jump:?}"),
        ));
    }
    Ok(found)
}

#[derive(Debug, Default)]
struct Votes {
    stop: Pairs,
    htop: Pairs,
    fcalls: Pairs,
    /// Loads of Process.i.
    resumed: Pairs,
    /// What points at the word that is jumped through, by jump; the second of the pair is the same.
    jumps: Pairs,
}

/// The last values set that are the address of something: the register, and base and offset.
#[derive(Debug, Default)]
struct AddressesSet([Option<(Register, (Register, u64))>; INSTRUCTIONS_BEFORE_JUMP]);

impl AddressesSet {
    fn note(&mut self, instruction: &Instruction) {
        self.0.rotate_right(1);
        let to = instruction.op0_register();
        self.0[0] = match (instruction.mnemonic(), instruction.op1_kind()) {
            (Mnemonic::Mov, OpKind::Register) if instruction.op0_kind() == OpKind::Register => {
                Some((to, (instruction.op1_register(), 0)))
            }
            (Mnemonic::Lea, OpKind::Memory) if instruction.memory_index() == Register::None => {
                let offset = instruction.memory_displacement64();
                Some((to, (instruction.memory_base(), offset)))
            }
            _ => None,
        };
    }

    /// The register that was set to this address; without one the base itself, when it is that.
    fn holder(&self, base: Register, offset: u64) -> Option<Register> {
        let set = self.0.iter().flatten();
        set.filter(|(to, address)| *to != base && *address == (base, offset))
            .map(|(to, _)| *to)
            .next()
            .or_else(|| (offset == 0).then_some(base))
    }
}

impl Votes {
    /// `in_slot`: the process is on the stack; then only accesses through it count, and [`IN_SLOT`]
    /// is the base.
    fn count(
        code: &[u8],
        address: u64,
        process: ProcessOffsets,
        mut in_slot: Option<ProcessBase>,
    ) -> Self {
        let mut votes = Self::default();
        let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        let mut set = AddressesSet::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            set.note(&instruction);
            let before = in_slot;
            if let Some(home) = &mut in_slot {
                home.step(&instruction);
            }
            if instruction.code() == Code::INVALID || instruction.memory_index() != Register::None {
                continue;
            }
            let (base, offset) = (
                instruction.memory_base(),
                usize::try_from(instruction.memory_displacement64()).unwrap_or(usize::MAX),
            );
            match instruction.mnemonic() {
                Mnemonic::Jmp if instruction.op0_kind() == OpKind::Memory => {
                    let offset = instruction.memory_displacement64();
                    if let Some(holder) = set.holder(base, offset) {
                        *votes.jumps.entry((holder, holder)).or_insert(0) += 1;
                    }
                }
                Mnemonic::Mov if base != Register::None && base != Register::RSP => {
                    let is_load = instruction.op1_kind() == OpKind::Memory;
                    let register = match is_load {
                        true => instruction.op0_register(),
                        false if instruction.op1_kind() == OpKind::Register => {
                            instruction.op1_register()
                        }
                        false => continue,
                    };
                    let is_fcalls = offset == process.fcalls;
                    let bytes = if is_fcalls { process.fcalls_bytes } else { 8 };
                    let pairs = match offset {
                        _ if register.size() != bytes => continue,
                        _ if before.is_some_and(|home| !home.is(base)) => continue,
                        _ if offset == process.stop => {
                            // What C code does not preserve holds its values for a moment only.
                            let is_base_kept = before.is_some() || is_kept(base);
                            if !(is_base_kept && is_kept(register)) {
                                continue;
                            }
                            &mut votes.stop
                        }
                        _ if offset == process.htop => &mut votes.htop,
                        _ if is_fcalls => &mut votes.fcalls,
                        _ if offset == process.i && is_load => &mut votes.resumed,
                        _ => continue,
                    };
                    let base = if before.is_some() { IN_SLOT } else { base };
                    *pairs.entry((base, register)).or_insert(0) += 1;
                }
                _ => {}
            }
        }
        votes
    }
}

/// The field of the process that is set to [`MFA_BYTES`] before the program counter, when there is
/// just one.
fn current_offset(
    code: &[u8],
    address: u64,
    mut process: ProcessBase,
    pc: Register,
) -> Option<usize> {
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let mut set = None;
    let mut stored = Vec::new();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        let is_process = process.is(instruction.memory_base());
        process.step(&instruction);
        let (mnemonic, base) = (instruction.mnemonic(), instruction.memory_base());
        let is_bare = instruction.memory_index() == Register::None;
        let displacement = instruction.memory_displacement64();
        let to = instruction.op0_register();
        if mnemonic == Mnemonic::Lea && is_bare && base == pc {
            set = (displacement == MFA_BYTES.wrapping_neg()).then_some(to);
        } else if mnemonic == Mnemonic::Mov
            && instruction.op0_kind() == OpKind::Memory
            && instruction.op1_kind() == OpKind::Register
            && is_bare
            && is_process
            && set == Some(instruction.op1_register())
        {
            stored.push(displacement);
            set = None;
        } else if instruction.flow_control() != FlowControl::Next
            || instruction.op0_kind() == OpKind::Register && Some(to) == set
        {
            set = None;
        }
    }
    let first = *stored.first()?;
    let agrees = stored.len() >= MIN_CURRENT_VOTES && stored.iter().all(|other| *other == first);
    usize::try_from(first).ok().filter(|_| agrees)
}

/// The pair with two thirds of the votes and at least [`MIN_VOTES`].
fn clear_winner(pairs: &Pairs) -> Option<(Register, Register)> {
    let (pair, count) = pairs.iter().max_by_key(|(_, count)| **count)?;
    let all: u32 = pairs.values().sum();
    (*count >= MIN_VOTES && u64::from(*count) * 3 >= u64::from(all) * 2).then_some(*pair)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Those of OTP 23.
    const OFFSETS: ProcessOffsets = ProcessOffsets {
        htop: 0x50,
        stop: 0x58,
        fcalls: 0xf0,
        fcalls_bytes: 8,
        i: 0xe0,
    };

    /// Resumes a process in r12 with its program counter in rbx and its stack top in r13.
    const RESUME: [u8; 26] = [
        0x49, 0x8b, 0x9c, 0x24, 0xe0, 0, 0, 0, // mov rbx,[r12+0xe0]
        0x4d, 0x8b, 0x54, 0x24, 0x50, // mov r10,[r12+0x50]
        0x4d, 0x8b, 0x6c, 0x24, 0x58, // mov r13,[r12+0x58]
        0x4d, 0x89, 0xb4, 0x24, 0xf0, 0, 0, 0, // mov [r12+0xf0],r14
    ];
    const DISPATCH: [u8; 2] = [0xff, 0x23]; // jmp [rbx]

    #[test]
    fn roles_follow_from_the_code() {
        let code = [RESUME.as_slice(), &DISPATCH].concat().repeat(5);
        let found = from_process_main(&code, 0x1000, OFFSETS, None).unwrap();
        assert_eq!(
            found,
            InterpreterRegisters {
                process: Place::Register(12),
                stack: 13,
                instruction: 3,
                current: None,
            }
        );
    }

    #[test]
    fn jumps_through_copies_count_for_what_was_set() {
        let through_copies = [
            0x48, 0x89, 0xc3, 0xff, 0x20, // mov rbx,rax; jmp [rax]
            0x48, 0x8d, 0x5d, 0x18, 0xff, 0x65, 0x18, // lea rbx,[rbp+0x18]; jmp [rbp+0x18]
        ];
        let code = [RESUME.as_slice(), &through_copies].concat().repeat(5);
        let found = from_process_main(&code, 0, OFFSETS, None).unwrap();
        assert_eq!(found.instruction, 3);
    }

    #[test]
    fn a_function_that_contradicts_itself_is_refused() {
        // Half of its jumps go through rax, which nothing else was set to.
        let code = [RESUME.as_slice(), &DISPATCH, &[0xff, 0x20]].concat();
        assert!(from_process_main(&code.repeat(5), 0, OFFSETS, None).is_err());
        // It resumes what rbx points at, but jumps through rbp.
        let code = [RESUME.as_slice(), &[0xff, 0x65, 0x00]].concat();
        assert!(from_process_main(&code.repeat(5), 0, OFFSETS, None).is_err());
        assert!(from_process_main(&RESUME.repeat(5), 0, OFFSETS, None).is_err());
        assert!(from_process_main(&[], 0, OFFSETS, None).is_err());
    }

    #[test]
    fn the_function_that_is_called_is_where_its_description_is_stored() {
        let call = |field: u8| {
            let store = [0x49, 0x89, 0x8c, 0x24, field, 0x01, 0, 0]; // mov [r12+0x1xx],rcx
            let set = [0x48, 0x8d, 0x4b, 0xe8, 0x48, 0x89, 0xc2]; // lea rcx,[rbx-0x18]; mov rdx,rax
            [set.as_slice(), &store].concat()
        };
        let current = |calls: &[Vec<u8>]| {
            let code = [RESUME.as_slice(), &DISPATCH].concat().repeat(5);
            let code = [code.as_slice(), &calls.concat()].concat();
            from_process_main(&code, 0, OFFSETS, None).unwrap().current
        };
        assert_eq!(current(&[call(0xc8), call(0xc8)]), Some(0x1c8));
        assert_eq!(current(&[call(0xc8)]), None);
        assert_eq!(current(&[call(0xc8), call(0xd0), call(0xc8)]), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(code: Vec<u8>, address: u64) {
            let _ = from_process_main(&code, address, OFFSETS, None);
        }
    }
}
