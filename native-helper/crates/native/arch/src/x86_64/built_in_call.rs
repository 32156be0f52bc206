//! The call of a built-in function in compiled code, with its C function as a constant.
//!
//! `mov rcx, its entry as an exported function; mov rax, its C function; lea rdx, [the first of these];
//! call the shared code`, with padding before the call. The instruction that takes the address of the first one is
//! the proof that they are one call.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};

use crate::facts::BuiltInCall;

/// The longest such call, with room.
pub const BUILT_IN_CALL_BYTES: usize = 48;

/// The call that returns to `returns_to`, if `before`, the bytes of code just before that, end in one of a built-in
/// function. They may be any bytes.
pub fn built_in_call_before(before: &[u8], returns_to: u64) -> Option<BuiltInCall> {
    let room = before.len().min(BUILT_IN_CALL_BYTES);
    let before = &before[before.len() - room..];
    let first = returns_to.wrapping_sub(room as u64);
    (0..room).find_map(|start| {
        let call = built_in_call_at(&before[start..], first.wrapping_add(start as u64))?;
        (call.returns_to == returns_to).then_some(call)
    })
}

/// The call of a built-in function that `code` at `address` begins with. It may be any bytes.
pub fn built_in_call_at(code: &[u8], address: u64) -> Option<BuiltInCall> {
    if !code.starts_with(&[0x48, 0xb9]) {
        return None;
    }
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    decoder.decode_out(&mut instruction);
    let (mut function, mut is_one_call) = (None, false);
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        match (instruction.mnemonic(), instruction.op0_register()) {
            (Mnemonic::Mov, Register::RAX) if instruction.op1_kind() == OpKind::Immediate64 => {
                function = Some(instruction.immediate64());
            }
            (Mnemonic::Lea, Register::RDX) if instruction.is_ip_rel_memory_operand() => {
                is_one_call = instruction.ip_rel_memory_address() == address;
            }
            (Mnemonic::Nop, _) => {}
            _ => {
                let is_call = instruction.flow_control() == FlowControl::Call
                    && instruction.op0_kind() == OpKind::NearBranch64;
                let call = |function| BuiltInCall {
                    shared: instruction.near_branch_target(),
                    function,
                    returns_to: instruction.next_ip(),
                };
                return function.filter(|_| is_one_call && is_call).map(call);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As OTP 25 to 29 have it, returning to 0x1028: mov rcx, 0x77..; mov rax, 0x5555_0000_1230; lea rdx, [rip-27];
    /// nop; call 0x2028.
    const CALL: [u8; 35] = [
        0x48, 0xb9, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0, 0, //
        0x48, 0xb8, 0x30, 0x12, 0, 0, 0x55, 0x55, 0, 0, //
        0x48, 0x8d, 0x15, 0xe5, 0xff, 0xff, 0xff, //
        0x0f, 0x1f, 0x00, //
        0xe8, 0x00, 0x10, 0, 0,
    ];

    fn found(parts: &[&[u8]]) -> Option<BuiltInCall> {
        built_in_call_before(&parts.concat(), 0x1028)
    }

    #[test]
    fn the_c_function_is_the_one_that_the_call_is_given() {
        let call = Some(BuiltInCall {
            shared: 0x2028,
            function: 0x5555_0000_1230,
            returns_to: 0x1028,
        });
        assert_eq!(built_in_call_at(&CALL, 0x1028 - 35), call);
        let more = [&CALL[..], &[0x90; 20]].concat();
        assert_eq!(built_in_call_at(&more, 0x1028 - 35), call);
        assert_eq!(built_in_call_at(&more[1..], 0x1029 - 35), None);
        assert_eq!(found(&[&CALL]), call);
        // Whatever stands before it, be it the same instruction.
        assert_eq!(found(&[&[0x90; 64], &CALL]), call);
        assert_eq!(found(&[&[0x48, 0xb9, 0xff], &CALL]), call);
        // Without padding, and with it in front of the call itself.
        assert_eq!(found(&[&CALL[..27], &CALL[30..]]), call);
        assert_eq!(found(&[&CALL[..27], &[0x40], &CALL[30..]]), call);
    }

    #[test]
    fn other_code_is_no_such_call() {
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[&CALL[1..]]), None);
        assert_eq!(found(&[&CALL, &[0x90]]), None, "more behind it");
        assert_eq!(found(&[&CALL[..34]]), None);
        assert_eq!(found(&[&CALL[..10], &CALL[20..]]), None, "no C function");
        assert_eq!(found(&[&CALL[..20], &CALL[27..]]), None, "no proof");
        let jump = [&CALL[..30], &[0xe9], &CALL[31..]].concat();
        assert_eq!(found(&[&jump]), None);
        let overwritten = [&CALL[..27], &[0x31, 0xc0], &CALL[30..]].concat(); // xor eax, eax
        assert_eq!(found(&[&overwritten]), None);
        let mut of_another = CALL;
        of_another[23] -= 1;
        assert_eq!(found(&[&of_another]), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(code: Vec<u8>, address: u64, index in 0usize..35, garbage: u8) {
            built_in_call_before(&code, address);
            built_in_call_at(&code, address);
            let mut torn = CALL;
            torn[index] = garbage;
            built_in_call_before(&torn, address);
            built_in_call_at(&torn, address);
        }
    }
}
