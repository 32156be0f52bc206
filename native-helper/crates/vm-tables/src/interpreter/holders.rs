//! Where the interpreter has its program counter at one place of its main function.
//!
//! Between two Erlang instructions it is in one register, but within an instruction the compiler
//! moves it about and uses that register for other things. What is live tells: from a place, all
//! paths are followed to the jump that begins the next Erlang instruction, and what the target of
//! that jump is computed from held the program counter at that place.

use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register,
};

use super::registers::dwarf_number;

/// Paths and instructions followed from one place.
const MAX_PATHS: usize = 48;
const MAX_STEPS: usize = 600;
const REGISTERS: usize = 16;
/// Registers that a call does not preserve: rax rdx rcx rsi rdi r8..r11.
const CLOBBERED: [usize; 9] = [0, 1, 2, 4, 5, 8, 9, 10, 11];

/// For each register, the one its value was computed from.
#[derive(Debug, Clone, Copy)]
struct Origins([Option<u8>; REGISTERS]);

impl Origins {
    fn of(&self, register: Register) -> Option<u8> {
        let number = dwarf_number(register.full_register())?;
        self.0.get(usize::from(number)).copied().flatten()
    }

    fn set(&mut self, register: Register, origin: Option<u8>) {
        let number = dwarf_number(register.full_register());
        if let Some(slot) = number.and_then(|number| self.0.get_mut(usize::from(number))) {
            *slot = origin;
        }
    }

    fn forget(&mut self, numbers: &[usize]) {
        for number in numbers {
            if let Some(slot) = self.0.get_mut(*number) {
                *slot = None;
            }
        }
    }

    fn step(&mut self, instruction: &Instruction) {
        use Mnemonic::{
            Add, And, Bt, Call, Cdq, Cdqe, Cmp, Cqo, Dec, Div, Idiv, Imul, Inc, Lea, Mov, Movsxd,
            Mul, Neg, Or, Sar, Shl, Shr, Sub, Test, Xchg, Xor,
        };
        match instruction.mnemonic() {
            Cmp | Test | Bt => return,
            Call => return self.forget(&CLOBBERED),
            Cdqe => return,
            Cdq | Cqo => return self.forget(&[1]),
            Mul | Div | Idiv => return self.forget(&[0, 1]),
            Imul if instruction.op_count() == 1 => return self.forget(&[0, 1]),
            Xchg => {
                if instruction.op1_kind() == OpKind::Register {
                    self.set(instruction.op1_register(), None);
                }
            }
            _ => {}
        }
        if instruction.op_count() == 0 {
            // String operations and the like.
            return self.forget(&[0, 2, 4, 5]);
        }
        if instruction.op0_kind() != OpKind::Register {
            return;
        }
        let to = instruction.op0_register();
        let origin = match instruction.mnemonic() {
            Mov | Movsxd if instruction.op1_kind() == OpKind::Register => {
                self.of(instruction.op1_register())
            }
            // What is loaded through the program counter are operands; what is computed from the
            // program counter and an operand is a place of the same function.
            Mov | Movsxd | Lea if instruction.op1_kind() == OpKind::Memory => {
                match instruction.memory_base() {
                    Register::RSP | Register::None | Register::RIP => None,
                    base => self.of(base),
                }
            }
            Add | Sub if instruction.op1_kind() != OpKind::Register => self.of(to),
            Inc | Dec | Neg | And | Or | Xor | Shl | Shr | Sar => None,
            _ => None,
        };
        self.set(to, origin);
    }
}

/// Registers (DWARF's numbers) of which some is the program counter when the function, whose
/// `code` is at `address`, is at `pc`. `after_call`: it has just been returned to.
pub fn instruction_holders(code: &[u8], address: u64, pc: u64, after_call: bool) -> Vec<u8> {
    let mut found = Vec::new();
    let mut origins = Origins([None; REGISTERS]);
    for (number, slot) in (0u8..).zip(&mut origins.0) {
        *slot = Some(number);
    }
    if after_call {
        origins.forget(&CLOBBERED);
    }
    let mut paths = vec![(pc, origins)];
    let mut seen = Vec::new();
    let mut steps = 0;
    while let Some((start, mut origins)) = paths.pop() {
        let Some(rest) = start
            .checked_sub(address)
            .and_then(|offset| code.get(usize::try_from(offset).ok()?..))
        else {
            continue;
        };
        if seen.contains(&start) || seen.len() >= MAX_PATHS {
            continue;
        }
        seen.push(start);
        let mut decoder = Decoder::with_ip(64, rest, start, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() && steps < MAX_STEPS {
            steps += 1;
            decoder.decode_out(&mut instruction);
            if instruction.code() == Code::INVALID {
                break;
            }
            match instruction.flow_control() {
                FlowControl::UnconditionalBranch => {
                    paths.push((instruction.near_branch_target(), origins));
                    break;
                }
                FlowControl::ConditionalBranch => {
                    // The path that goes on is the likelier one and followed first.
                    paths.insert(0, (instruction.near_branch_target(), origins));
                }
                FlowControl::IndirectBranch => {
                    let through = match instruction.op0_kind() {
                        OpKind::Memory => instruction.memory_base(),
                        _ => instruction.op0_register(),
                    };
                    if let Some(origin) = origins.of(through)
                        && !found.contains(&origin)
                    {
                        found.push(origin);
                    }
                    break;
                }
                FlowControl::Return | FlowControl::Exception | FlowControl::Interrupt => break,
                _ => origins.step(&instruction),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RBX: u8 = 3;
    const RBP: u8 = 6;
    const RAX: u8 = 0;

    /// Two operands of an Erlang instruction at rbx, one of which takes the place of rbx.
    const CODE: [u8; 20] = [
        0x48, 0x8b, 0x43, 0x08, // 0: mov rax,[rbx+8]
        0x48, 0x89, 0xdd, // 4: mov rbp,rbx
        0x48, 0xc1, 0xe3, 0x04, // 7: shl rbx,4
        0x75, 0x03, // b: jne 0x10
        0x49, 0x89, 0xdd, // d: mov r13,rbx
        0xff, 0x65, 0x18, // 10: jmp [rbp+0x18]
        0x90,
    ];

    #[test]
    fn what_the_jump_is_computed_from_held_the_program_counter() {
        let at = |pc: u64| instruction_holders(&CODE, 0x1000, 0x1000 + pc, false);
        assert_eq!(at(0), [RBX]);
        assert_eq!(at(4), [RBX]);
        assert_eq!(at(7), [RBP]);
        assert_eq!(at(0x10), [RBP]);
        assert!(at(0x20).is_empty());
    }

    #[test]
    fn a_call_leaves_only_what_it_preserves() {
        let code = [
            0xe8, 0, 0, 0, 0, // call
            0x48, 0x8b, 0x03, // mov rax,[rbx]
            0x48, 0x8d, 0x5b, 0x08, // lea rbx,[rbx+8]
            0xff, 0xe0, // jmp rax
        ];
        assert_eq!(instruction_holders(&code, 0, 0, false), [RBX]);
        assert_eq!(instruction_holders(&code, 0, 12, false), [RAX]);
        assert!(instruction_holders(&code, 0, 12, true).is_empty());
    }

    proptest! {
        #[test]
        fn garbage_never_panics(code: Vec<u8>, address: u64, pc: u64, inside in 0u64..64) {
            instruction_holders(&code, address, pc, false);
            instruction_holders(&code, address, address.wrapping_add(inside), true);
        }
    }
}
