//! Answers the few questions about machine code: is this a return address, where did the JIT leave
//! the Erlang stack pointer when it called into C, and how many variables has it just made room
//! for?

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};

use crate::facts::StackPointerHome;

/// The longest call instruction the JIT emits, with room.
pub const BYTES_BEFORE_RETURN: usize = 8;
/// How far after a return address the stack pointer is restored, measured on 25, 27 and 29.
pub const BYTES_AFTER_RETURN: usize = 400;

/// Longest code that only leads to a function: it loads the variables that a fun has bound, and
/// jumps.
pub const TRAMPOLINE_BYTES: usize = 128;

/// How far before a program counter the instruction that reserves its variables is looked for. Each
/// variable is set a few instructions later, which overwrites the old content.
pub const BYTES_BEFORE_PC: usize = 256;
/// Byte patterns tried as the instruction that reserves them.
const MAX_RESERVE_CANDIDATES: usize = 8;

/// True when `before`, the bytes just before a possible return address, end in a call.
pub fn ends_in_call(before: &[u8]) -> bool {
    (2..=before.len().min(BYTES_BEFORE_RETURN)).any(|len| {
        let code = &before[before.len() - len..];
        let instruction = Decoder::with_ip(64, code, 0, DecoderOptions::NONE).decode();
        instruction.len() == len
            && matches!(
                instruction.flow_control(),
                FlowControl::Call | FlowControl::IndirectCall
            )
    })
}

/// Where straight-line code at `address` leads: the target of the jump it ends in. `None` when it
/// calls, branches or returns before, or does not end.
pub fn jump_target(code: &[u8], address: u64) -> Option<u64> {
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        match instruction.flow_control() {
            _ if instruction.is_invalid() => return None,
            FlowControl::Next => {}
            FlowControl::UnconditionalBranch if instruction.is_jmp_short_or_near() => {
                return Some(instruction.near_branch_target());
            }
            _ => return None,
        }
    }
    None
}

/// Reads how the code at a return address gets the Erlang stack pointer back.
/// `stop_offset` is the offset of Process.stop. `None` when it does not within `after`.
pub fn stack_pointer_home(after: &[u8], stop_offset: usize) -> Option<StackPointerHome> {
    let mut decoder = Decoder::new(64, after, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        if instruction.mnemonic() != Mnemonic::Mov || instruction.op0_register() != Register::RSP {
            continue;
        }
        if instruction.op1_kind() == OpKind::Register && instruction.op1_register() == Register::RBP
        {
            return Some(StackPointerHome::FramePointer);
        }
        if instruction.op1_kind() == OpKind::Memory
            && instruction.memory_base() == Register::R13
            && instruction.memory_index() == Register::None
            && instruction.memory_displacement64() == stop_offset as u64
        {
            return Some(StackPointerHome::ProcessStop);
        }
    }
    None
}

/// Bytes of stack that straight-line code ending at a program counter has reserved for variables.
///
/// `before` are the bytes of code just before the program counter. `sub rsp, n` reserves the stack.
/// Until each variable is set, its words hold what earlier calls left there, old return addresses
/// among it; none of them is a frame. `None` when nothing was reserved, or when control may have
/// come another way.
pub fn reserved_stack_bytes(before: &[u8]) -> Option<u64> {
    let starts = (0..before.len()).rev().filter(|start| {
        // sub rsp, imm8 or imm32
        matches!(
            before.get(*start..*start + 3),
            Some([0x48, 0x83 | 0x81, 0xec])
        )
    });
    starts
        .take(MAX_RESERVE_CANDIDATES)
        .find_map(|start| still_reserved_bytes(before.get(start..)?))
}

/// The bytes that the first instruction of `code` reserves, when the rest runs straight to its end
/// and leaves rsp alone.
fn still_reserved_bytes(code: &[u8]) -> Option<u64> {
    let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    decoder.decode_out(&mut instruction);
    if instruction.mnemonic() != Mnemonic::Sub || instruction.op0_register() != Register::RSP {
        return None;
    }
    let reserved = instruction.immediate(1);
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        let goes_on = matches!(
            instruction.flow_control(),
            FlowControl::Next
                | FlowControl::ConditionalBranch
                | FlowControl::Call
                | FlowControl::IndirectCall
        );
        let is_call = matches!(
            instruction.flow_control(),
            FlowControl::Call | FlowControl::IndirectCall
        );
        // The decoder does not know by how many bytes `leave` moves the stack pointer, and reports 0.
        let moves_stack = instruction.stack_pointer_increment() != 0 && !is_call
            || matches!(instruction.mnemonic(), Mnemonic::Leave | Mnemonic::Enter)
            || instruction.op0_register() == Register::RSP
                && !matches!(instruction.mnemonic(), Mnemonic::Cmp | Mnemonic::Test);
        if instruction.is_invalid() || !goes_on || moves_stack {
            return None;
        }
    }
    let is_whole = decoder.position() == code.len();
    (is_whole && reserved > 0 && reserved.is_multiple_of(8)).then_some(reserved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn calls_of_every_form_are_seen() {
        for call in [
            &[0xe8, 1, 2, 3, 4][..],         // call rel32
            &[0xff, 0x15, 1, 2, 3, 4],       // call [rip+x]
            &[0xff, 0xd0],                   // call rax
            &[0x41, 0xff, 0xd2],             // call r10
            &[0xff, 0x54, 0xc6, 0x08],       // call [rsi+rax*8+8]
            &[0x40, 0xff, 0x15, 1, 2, 3, 4], // with a padding prefix
        ] {
            let mut before = vec![0x90; 8];
            before.extend(call);
            assert!(ends_in_call(&before), "{call:x?}");
        }
        assert!(!ends_in_call(&[0x90; 8]));
        assert!(!ends_in_call(&[]));
        assert!(!ends_in_call(&[0xe9, 1, 2, 3, 4])); // a jump
    }

    #[test]
    fn a_trampoline_leads_to_its_function_and_nothing_else_does() {
        // mov rdi, [rsi+0x1e] / vmovups [rbx], xmm0, and then jmp with padding, as the JIT of 27 emits
        let load = [0x48, 0x8b, 0x7e, 0x1e, 0xc5, 0xf8, 0x11, 0x03];
        let jump = [0x40, 0xe9, 0x10, 0, 0, 0];
        let target = |parts: &[&[u8]]| jump_target(&parts.concat(), 0x1000);
        assert_eq!(target(&[&load, &jump]), Some(0x1000 + 14 + 0x10));
        assert_eq!(target(&[&jump[1..], &load]), Some(0x1000 + 5 + 0x10));
        assert_eq!(target(&[&[0xeb, 0xfe], &load]), Some(0x1000));
        for other in [
            &[0xc3][..],
            &[0x74, 0x10],
            &[0xe8, 1, 2, 3, 4],
            &[0xff, 0xe0],
            &[0x06],
        ] {
            assert_eq!(target(&[&load, other, &jump]), None, "{other:x?}");
        }
        assert_eq!(target(&[&load]), None);
        assert_eq!(target(&[&load, &jump[..3]]), None);
    }

    #[test]
    fn the_first_restore_decides() {
        let from_stop = [0x90, 0x49, 0x8b, 0x65, 0x58, 0x48, 0x89, 0xec];
        assert_eq!(
            stack_pointer_home(&from_stop, 88),
            Some(StackPointerHome::ProcessStop)
        );
        assert_eq!(
            stack_pointer_home(&from_stop, 96),
            Some(StackPointerHome::FramePointer)
        );
        assert_eq!(
            stack_pointer_home(&[0x48, 0x8b, 0xe5], 88),
            Some(StackPointerHome::FramePointer)
        );
        assert_eq!(stack_pointer_home(&[0x90; 50], 88), None);
    }

    #[test]
    fn room_is_seen_until_the_stack_pointer_moves_or_control_may_come_from_elsewhere() {
        // sub rsp, 0x20 / mov qword [rsp], nil / vmovups [rsp+0x10], xmm0, as the JIT of 25 and 27 emits
        let make = [0x48, 0x83, 0xec, 0x20];
        let set = [0x48, 0xc7, 0x04, 0x24, 0x3b, 0, 0, 0];
        let code = [&make[..], &set, &[0xc5, 0xf8, 0x11, 0x44, 0x24, 0x10]].concat();
        assert_eq!(reserved_stack_bytes(&code), Some(0x20));
        assert_eq!(reserved_stack_bytes(&code[..4]), Some(0x20));
        // The preceding bytes do not matter, not even when it looks like the same instruction.
        let after = |prefix: &[u8]| reserved_stack_bytes(&[prefix, &code].concat());
        assert_eq!(after(&[0xc3, 0x48, 0x81, 0xec]), Some(0x20));
        let then = |suffix: &[u8]| reserved_stack_bytes(&[&code, suffix].concat());
        assert_eq!(then(&[0xe8, 1, 2, 3, 4]), Some(0x20), "a call comes back");
        assert_eq!(then(&[0x74, 0x10]), Some(0x20), "a branch not taken");
        assert_eq!(then(&[0x48, 0x39, 0xe2]), Some(0x20), "cmp rdx, rsp");
        assert_eq!(then(&[0x48, 0x83, 0xc4, 0x20]), None, "add rsp, 0x20");
        assert_eq!(then(&[0x48, 0x89, 0xec]), None, "mov rsp, rbp");
        assert_eq!(then(&[0xc9]), None, "leave, before a tail call");
        assert_eq!(then(&[0x50]), None, "push rax");
        assert_eq!(then(&[0xeb, 0x10]), None, "jmp");
        assert_eq!(then(&[0xc3]), None, "ret");
        assert_eq!(then(&[0x0f]), None, "an instruction that is not whole");
        assert_eq!(reserved_stack_bytes(&[]), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes: Vec<u8>, stop: usize) {
            reserved_stack_bytes(&bytes);
            ends_in_call(&bytes);
            jump_target(&bytes, u64::MAX - 3);
            stack_pointer_home(&bytes, stop);
        }
    }
}
