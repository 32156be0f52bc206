//! Layout facts that the code of the emulator's scheduling function shows.
//!
//! It is the C function that the JIT's main loop takes its next process from. When it takes a
//! process off a scheduler it clears two fields one after the other, `scheduler->current_process`
//! and `process->scheduler_data`, and it stores a register to each when it puts one on. It passes
//! the address of `scheduler->current_port` to the function that runs ports.

use std::collections::BTreeSet;

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

use crate::facts::ScheduleFacts;

/// Clearing the two fields takes that many instructions at most (1 to 4 seen).
const PAIR_WITHIN: usize = 8;
/// From taking the address of the field to the call.
const CALL_WITHIN: usize = 3;

#[derive(Debug, Clone, Copy)]
struct Cleared {
    at: usize,
    base: Register,
    offset: usize,
}

/// Decodes the function. `code` may be any bytes.
pub fn from_schedule(code: &[u8], address: u64) -> ScheduleFacts {
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let mut facts = ScheduleFacts::default();
    let mut stored: BTreeSet<usize> = BTreeSet::new();
    let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut last_cleared: Option<Cleared> = None;
    let mut taken: Option<(usize, usize)> = None;
    let mut at = 0;
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        at += 1;
        if instruction.code() == Code::INVALID {
            continue;
        }
        if instruction.is_call_near() {
            facts.ports.extend(
                taken
                    .filter(|(when, _)| at - when <= CALL_WITHIN)
                    .map(|t| t.1),
            );
        }
        let Some((base, offset)) = field_of(&instruction) else {
            continue;
        };
        match instruction.code() {
            Code::Mov_rm64_r64 => {
                stored.insert(offset);
            }
            Code::Mov_rm64_imm32 if instruction.immediate32to64() == 0 => {
                if let Some(before) = last_cleared
                    && at - before.at <= PAIR_WITHIN
                    && before.base != base
                {
                    pairs.insert((before.offset, offset));
                }
                last_cleared = Some(Cleared { at, base, offset });
            }
            _ if instruction.mnemonic() == Mnemonic::Lea
                && instruction.op0_register() == Register::RSI =>
            {
                taken = Some((at, offset));
            }
            _ => {}
        }
    }
    // Not collected: that would sort them, by code of its own.
    pairs.retain(|(current, data)| stored.contains(current) && stored.contains(data));
    facts.links = pairs;
    facts
}

/// Base register and offset of `[base + offset]`, when it can be a field of a struct.
fn field_of(instruction: &Instruction) -> Option<(Register, usize)> {
    let base = instruction.memory_base();
    let has_memory =
        (0..instruction.op_count()).any(|op| instruction.op_kind(op) == OpKind::Memory);
    let is_struct = has_memory
        && base.is_gpr64()
        && base != Register::RSP
        && instruction.memory_index() == Register::None;
    let offset = usize::try_from(instruction.memory_displacement64().cast_signed()).ok()?;
    (is_struct && offset > 0 && offset.is_multiple_of(8)).then_some((base, offset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CODE: &[u8] = &[
        0x49, 0xc7, 0x84, 0x24, 0xa8, 0, 0, 0, 0, 0, 0, 0,    // mov qword [r12+0xa8], 0
        0x90, // nop
        0x48, 0xc7, 0x87, 0xe8, 0x02, 0, 0, 0, 0, 0, 0, // mov qword [rdi+0x2e8], 0
        0x49, 0x89, 0x84, 0x24, 0xa8, 0, 0, 0, // mov [r12+0xa8], rax
        0x4c, 0x89, 0xa7, 0xe8, 0x02, 0, 0, // mov [rdi+0x2e8], r12
        0x49, 0x8d, 0xb4, 0x24, 0xe0, 0, 0, 0, // lea rsi, [r12+0xe0]
        0x4c, 0x89, 0xf7, // mov rdi, r14
        0xe8, 0, 0, 0, 0, // call
        0x48, 0x8d, 0xb0, 0x70, 0x02, 0, 0, // lea rsi, [rax+0x270]
    ];

    #[test]
    fn the_two_links_and_the_port_are_found() {
        let facts = from_schedule(CODE, 0x1000);
        assert_eq!(facts.links.into_iter().collect::<Vec<_>>(), [(0xa8, 0x2e8)]);
        assert_eq!(facts.ports.into_iter().collect::<Vec<_>>(), [0xe0]);
    }

    #[test]
    fn clearing_two_fields_of_one_struct_is_no_link() {
        let mut code = CODE.to_vec();
        code[14] = 0xc7; // the second one through another register...
        code[13..24].copy_from_slice(&[0x49, 0xc7, 0x84, 0x24, 0xe8, 0x02, 0, 0, 0, 0, 0]);
        code.insert(24, 0); // ...r12 as well
        assert!(from_schedule(&code, 0x1000).links.is_empty());
    }

    proptest! {
        #[test]
        fn garbage_never_panics(code: Vec<u8>, address: u64) {
            from_schedule(&code, address);
        }
    }
}
