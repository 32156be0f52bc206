//! The few questions asked of machine code: is this a return address, and where did the JIT
//! leave the Erlang stack pointer when it called into C?

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};

/// The longest call instruction the JIT emits, with room.
pub const BYTES_BEFORE_RETURN: usize = 8;
/// How far after a return address the stack pointer is restored, measured on 25, 27 and 29.
pub const BYTES_AFTER_RETURN: usize = 400;

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

/// Where the Erlang stack pointer is while C code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StackPointerHome {
    /// In rbp, which C code preserves.
    Rbp,
    /// In Process.stop.
    ProcessStop,
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
            return Some(StackPointerHome::Rbp);
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
    fn the_first_restore_decides() {
        let from_stop = [0x90, 0x49, 0x8b, 0x65, 0x58, 0x48, 0x89, 0xec];
        assert_eq!(
            stack_pointer_home(&from_stop, 88),
            Some(StackPointerHome::ProcessStop)
        );
        assert_eq!(
            stack_pointer_home(&from_stop, 96),
            Some(StackPointerHome::Rbp)
        );
        assert_eq!(
            stack_pointer_home(&[0x48, 0x8b, 0xe5], 88),
            Some(StackPointerHome::Rbp)
        );
        assert_eq!(stack_pointer_home(&[0x90; 50], 88), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes: Vec<u8>, stop: usize) {
            ends_in_call(&bytes);
            stack_pointer_home(&bytes, stop);
        }
    }
}
