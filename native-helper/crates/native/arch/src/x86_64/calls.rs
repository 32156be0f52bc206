//! The calls of one function, in the order of its code.

use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register,
};

use crate::facts::Call;

/// Longest function that is looked through.
pub const MAX_CODE_BYTES: usize = 64 << 10;
/// Parts, and instructions of each, that are followed from one call.
const MAX_PARTS: usize = 64;
const MAX_PART_INSTRUCTIONS: usize = 1000;

/// Calls and jumps that leave `[address, address + code.len())`, with targets in the code itself.
/// `code` may be any bytes.
pub fn direct_calls(code: &[u8], address: u64) -> Vec<Call> {
    let end = address.saturating_add(code.len() as u64);
    calls(code, address, |instruction, _| {
        if instruction.op0_kind() != OpKind::NearBranch64 {
            return None;
        }
        let target = instruction.near_branch_target();
        (target < address || target >= end).then_some(target)
    })
}

/// Calls through the words that the JIT puts after its fragments: `call [rip + x]`.
/// `word_at` gives the word at an address.
pub fn calls_through_words(
    code: &[u8],
    address: u64,
    word_at: impl Fn(u64) -> Option<u64>,
) -> Vec<Call> {
    calls(code, address, |instruction, _| {
        let through_word =
            instruction.op0_kind() == OpKind::Memory && instruction.memory_base() == Register::RIP;
        through_word
            .then(|| word_at(instruction.memory_displacement64()))
            .flatten()
    })
}

/// Where the calls of addresses in registers return to.
pub fn calls_through_registers(code: &[u8], address: u64) -> Vec<u64> {
    let found = calls(code, address, |instruction, _| {
        (instruction.op0_kind() == OpKind::Register).then_some(0)
    });
    let calls = found.iter().filter(|call| !call.is_tail);
    calls.map(|call| call.after).collect()
}

fn calls(
    code: &[u8],
    address: u64,
    target_of: impl Fn(&Instruction, u64) -> Option<u64>,
) -> Vec<Call> {
    let mut found: Vec<Call> = Vec::new();
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let mut just_called = false;
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        if instruction.code() == Code::INVALID {
            just_called = false;
            continue;
        }
        let is_tail = match instruction.flow_control() {
            FlowControl::Call | FlowControl::IndirectCall => false,
            FlowControl::UnconditionalBranch | FlowControl::IndirectBranch => true,
            _ => {
                if just_called
                    && is_process_from_result(&instruction)
                    && let Some(last) = found.last_mut()
                {
                    last.gives_process = true;
                }
                // A few instructions may stand between a call and the use of its result.
                just_called &= !writes_result(&instruction);
                continue;
            }
        };
        just_called = false;
        if let Some(target) = target_of(&instruction, address) {
            just_called = !is_tail;
            found.push(Call {
                target,
                is_tail,
                gives_process: false,
                after: instruction.next_ip(),
            });
        }
    }
    found
}

/// Targets of the calls after which the function may return without another call, and of the jumps
/// out of it: its last actions, in whatever order the compiler has put its parts. `code` may be any
/// bytes; a function with too many parts gives no targets.
pub fn last_calls(code: &[u8], address: u64) -> Vec<u64> {
    let mut targets: Vec<u64> = Vec::new();
    for call in direct_calls(code, address) {
        let is_last = call.is_tail || returns_without_call(code, address, call.after);
        if is_last && !targets.contains(&call.target) {
            targets.push(call.target);
        }
    }
    targets
}

/// True when some path from `from` comes to a return before any call.
fn returns_without_call(code: &[u8], address: u64, from: u64) -> bool {
    let (mut parts, mut seen) = (vec![from], Vec::new());
    while let Some(start) = parts.pop() {
        let rest = start
            .checked_sub(address)
            .and_then(|offset| code.get(usize::try_from(offset).ok()?..));
        let Some(rest) = rest.filter(|_| !seen.contains(&start) && seen.len() < MAX_PARTS) else {
            continue;
        };
        seen.push(start);
        let mut decoder = Decoder::with_ip(64, rest, start, DecoderOptions::NONE);
        for _ in 0..MAX_PART_INSTRUCTIONS {
            if !decoder.can_decode() {
                break;
            }
            let instruction = decoder.decode();
            match instruction.flow_control() {
                FlowControl::Return => return true,
                FlowControl::Next => continue,
                FlowControl::ConditionalBranch => {
                    parts.push(instruction.near_branch_target());
                    continue;
                }
                FlowControl::UnconditionalBranch => parts.push(instruction.near_branch_target()),
                _ => {}
            }
            break;
        }
    }
    false
}

/// `mov r13, rax`
fn is_process_from_result(instruction: &Instruction) -> bool {
    instruction.mnemonic() == Mnemonic::Mov
        && instruction.op0_register() == Register::R13
        && instruction.op1_kind() == OpKind::Register
        && instruction.op1_register() == Register::RAX
}

fn writes_result(instruction: &Instruction) -> bool {
    instruction.op0_kind() == OpKind::Register
        && instruction.op0_register().full_register() == Register::RAX
        && instruction.mnemonic() != Mnemonic::Test
        && instruction.mnemonic() != Mnemonic::Cmp
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn calls_and_tail_calls_in_order() {
        let code = [
            0xe8, 0xfb, 0x0f, 0, 0,    // call 0x2000
            0x90, // nop
            0xe9, 0xf5, 0x1f, 0, 0, // jmp 0x3000
            0xe8, 0, 0, 0, 0,    // call the next instruction: inside
            0xc3, // ret
        ];
        let found = direct_calls(&code, 0x1000);
        assert_eq!(
            found
                .iter()
                .map(|call| (call.target, call.is_tail))
                .collect::<Vec<_>>(),
            [(0x2000, false), (0x3000, true)]
        );
    }

    #[test]
    fn calls_through_words_and_the_one_that_gives_the_process() {
        let code = [
            0xff, 0x15, 0xfa, 0x0f, 0, 0, // call [0x2000]
            0x49, 0x89, 0xc5, // mov r13, rax
            0xff, 0x15, 0xf9, 0x0f, 0, 0, // call [0x2008]
        ];
        let found = calls_through_words(&code, 0x1000, |at| Some(at + 0x10_0000));
        assert_eq!(
            found
                .iter()
                .map(|call| (call.target, call.gives_process))
                .collect::<Vec<_>>(),
            [(0x10_2000, true), (0x10_2008, false)]
        );
    }

    #[test]
    fn calls_through_registers_are_no_jumps_and_no_other_calls() {
        let code = [
            0xff, 0xe0, // 0: jmp rax
            0xff, 0x15, 0xfa, 0x0f, 0, 0, // 2: call [rip+0xffa]
            0x41, 0xff, 0xd2, // 8: call r10
            0xff, 0x10, // b: call [rax]
            0xff, 0xd1, // d: call rcx
        ];
        assert_eq!(calls_through_registers(&code, 0x1000), [0x100b, 0x100f]);
    }

    #[test]
    fn what_is_done_last_is_not_what_stands_last() {
        let code = [
            0xe8, 0xfb, 0x0f, 0, 0, // 0: call 0x2000
            0x72, 0x06, // 5: jb 0xd
            0xe8, 0xf4, 0x1f, 0, 0,    // 7: call 0x3000
            0xc3, // c: ret
            0xe8, 0xee, 0x2f, 0, 0, // d: call 0x4000
            0xeb, 0xf3, // 12: jmp 7
        ];
        assert_eq!(last_calls(&code, 0x1000), [0x3000]);
        let with_jump_out = [&code[..12], &[0xe9, 0xef, 0x3f, 0, 0]].concat();
        assert_eq!(last_calls(&with_jump_out, 0x1000), [0x5000]);
        assert!(last_calls(&code[..12], 0x1000).is_empty());
    }

    proptest! {
        #[test]
        fn garbage_never_panics(code: Vec<u8>, address: u64) {
            direct_calls(&code, address);
            last_calls(&code, address);
            calls_through_registers(&code, address);
            calls_through_words(&code, address, Some);
        }
    }
}
