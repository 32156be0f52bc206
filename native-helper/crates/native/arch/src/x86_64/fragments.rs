//! Layout facts from the JIT's shared fragments, without knowledge of the release.
//!
//! They load and store the process fields they need through r13 (the current process) and rbx
//! (the register block), so their bytes carry the offsets.

use std::collections::BTreeMap;

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

use crate::facts::FragmentFacts;

/// The state flag of a process that exits, the same from OTP 23 to 29.
const STATE_EXITING: u64 = 0x800;

/// Offsets of one field, each with the number of instructions that use it.
#[derive(Debug, Default)]
struct OffsetVotes(BTreeMap<i64, u32>);

impl OffsetVotes {
    fn add(&mut self, value: i64) {
        *self.0.entry(value).or_insert(0) += 1;
    }

    /// The offset in at least three quarters of the uses, which have to be two or more.
    fn agreed(&self) -> Option<i64> {
        let (value, count) = self.0.iter().max_by_key(|(_, count)| **count)?;
        let all: u32 = self.0.values().sum();
        (*count >= 2 && count * 4 >= all * 3).then_some(*value)
    }

    /// The one offset in all uses, for a field that is used in one or two places.
    fn unanimous(&self) -> Option<i64> {
        (self.0.len() == 1).then(|| self.0.keys().next().copied())?
    }
}

#[derive(Debug, Default)]
struct Votes {
    registers_delta: OffsetVotes,
    htop: OffsetVotes,
    stop: OffsetVotes,
    fcalls: OffsetVotes,
    fcalls_bytes: OffsetVotes,
    i: OffsetVotes,
    state: OffsetVotes,
    registers: OffsetVotes,
}

/// Decodes the shared fragments. `code` may be any bytes.
pub fn from_fragments(code: &[u8], address: u64) -> FragmentFacts {
    let mut votes = Votes::default();
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let end = address.saturating_add(code.len() as u64);
    while decoder.can_decode() {
        let before = instruction;
        decoder.decode_out(&mut instruction);
        if let Some(offset) = tests_exiting(&before, &instruction) {
            votes.state.add(offset);
        }
        if let Some(offset) = stores_code_address(&before, &instruction, address..end) {
            votes.i.add(offset);
        }
        if instruction.code() == Code::INVALID || instruction.memory_index() != Register::None {
            continue;
        }
        let displacement = instruction.memory_displacement64().cast_signed();
        match (instruction.memory_base(), instruction.mnemonic()) {
            (Register::RBX, Mnemonic::Lea) if instruction.op0_register() == Register::RSP => {
                votes.registers_delta.add(displacement.wrapping_neg());
            }
            (Register::RDI, Mnemonic::Mov)
                if instruction.op0_kind() == OpKind::Memory
                    && instruction.op1_register() == Register::RSP =>
            {
                votes.registers.add(displacement);
            }
            (Register::R13, Mnemonic::Mov) if instruction.op1_kind() == OpKind::Memory => {
                match instruction.op0_register() {
                    Register::R15 => votes.htop.add(displacement),
                    Register::RSP => votes.stop.add(displacement),
                    _ => {}
                }
            }
            (Register::R13, Mnemonic::Mov) if instruction.op0_kind() == OpKind::Memory => {
                let bytes = match instruction.op1_register() {
                    Register::R14 => 8,
                    Register::R14D => 4,
                    _ => continue,
                };
                votes.fcalls.add(displacement);
                votes.fcalls_bytes.add(bytes);
            }
            _ => {}
        }
    }
    FragmentFacts {
        registers_delta: votes.registers_delta.agreed(),
        htop: votes.htop.agreed(),
        stop: votes.stop.agreed(),
        fcalls: votes.fcalls.agreed(),
        fcalls_bytes: votes.fcalls_bytes.agreed(),
        i: votes.i.unanimous(),
        state: votes.state.unanimous(),
        registers: votes.registers.unanimous(),
    }
}

/// `mov r32, [r13+d]; test r32, EXITING` or `test dword [r13+d], EXITING`.
fn tests_exiting(before: &Instruction, instruction: &Instruction) -> Option<i64> {
    let tests = instruction.mnemonic() == Mnemonic::Test
        && instruction.op_count() == 2
        && is_immediate(instruction.op1_kind())
        && instruction.immediate(1) == STATE_EXITING;
    if !tests {
        return None;
    }
    let of_process = |loading: &Instruction| {
        (loading.memory_base() == Register::R13 && loading.memory_index() == Register::None)
            .then(|| loading.memory_displacement64().cast_signed())
    };
    match instruction.op0_kind() {
        OpKind::Memory => of_process(instruction),
        OpKind::Register
            if before.mnemonic() == Mnemonic::Mov
                && before.op1_kind() == OpKind::Memory
                && before.op0_register() == instruction.op0_register() =>
        {
            of_process(before)
        }
        _ => None,
    }
}

/// `lea reg, [a fragment]; mov [r13+d], reg`
fn stores_code_address(
    before: &Instruction,
    instruction: &Instruction,
    fragments: std::ops::Range<u64>,
) -> Option<i64> {
    (before.mnemonic() == Mnemonic::Lea
        && before.is_ip_rel_memory_operand()
        && fragments.contains(&before.ip_rel_memory_address())
        && instruction.mnemonic() == Mnemonic::Mov
        && instruction.op0_kind() == OpKind::Memory
        && instruction.memory_base() == Register::R13
        && instruction.memory_index() == Register::None
        && instruction.op1_kind() == OpKind::Register
        && instruction.op1_register() == before.op0_register())
    .then(|| instruction.memory_displacement64().cast_signed())
}

fn is_immediate(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Immediate8
            | OpKind::Immediate16
            | OpKind::Immediate32
            | OpKind::Immediate64
            | OpKind::Immediate8to32
            | OpKind::Immediate32to64
            | OpKind::Immediate8to64
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fragments_carry_the_offsets() {
        let code = [
            0x48, 0x8d, 0x63, 0xc0, // lea rsp,[rbx-0x40]
            0x4d, 0x8b, 0x7d, 0x50, // mov r15,[r13+0x50]
            0x49, 0x8b, 0x65, 0x58, // mov rsp,[r13+0x58]
            0x45, 0x89, 0x75, 0x78, // mov [r13+0x78],r14d
        ]
        .repeat(3);
        let facts = from_fragments(&code, 0x1000);
        assert_eq!(facts.registers_delta, Some(64));
        assert_eq!((facts.htop, facts.stop), (Some(80), Some(88)));
        assert_eq!((facts.fcalls, facts.fcalls_bytes), (Some(120), Some(4)));
    }

    #[test]
    fn the_main_loop_shows_where_state_and_program_counter_are() {
        let code = [
            0x48, 0x89, 0x27, // mov [rdi], rsp
            0x41, 0x8b, 0xbd, 0x70, 0x02, 0, 0, // mov edi, [r13+0x270]
            0xf7, 0xc7, 0x00, 0x08, 0, 0, // test edi, 0x800
            0x48, 0x8d, 0x3d, 0xe9, 0xff, 0xff, 0xff, // lea rdi, [the first instruction]
            0x49, 0x89, 0xbd, 0xf8, 0, 0, 0, // mov [r13+0xf8], rdi
        ];
        let facts = from_fragments(&code, 0x1000);
        assert_eq!(facts.registers, Some(0));
        assert_eq!((facts.state, facts.i), (Some(624), Some(248)));
        let mut twice = code.to_vec();
        twice.extend([0x41, 0xf7, 0x85, 0x80, 0x02, 0, 0, 0x00, 0x08, 0, 0]);
        // test dword [r13+0x280], 0x800
        assert_eq!(from_fragments(&twice, 0x1000).state, None);
    }

    #[test]
    fn a_contradiction_is_no_answer() {
        let code = [0x49, 0x8b, 0x65, 0x58, 0x49, 0x8b, 0x65, 0x60]; // stop at 0x58 and at 0x60
        assert_eq!(from_fragments(&code, 0).stop, None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(code: Vec<u8>, address: u64) {
            from_fragments(&code, address);
        }
    }
}
