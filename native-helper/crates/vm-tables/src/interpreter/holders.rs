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

/// What a value was computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// The register, by DWARF's number, as it was at the place looked at.
    pub register: u8,
    /// When the value is just the register's plus this: that.
    pub plus: Option<u64>,
}

/// For each register, what its value was computed from.
#[derive(Debug, Clone, Copy)]
struct Origins([Option<Holder>; REGISTERS]);

impl Holder {
    /// The same with an offset added, or no longer just a sum.
    fn plus_if(self, is_sum: bool, offset: u64) -> Self {
        let plus = self.plus.filter(|_| is_sum);
        Self {
            plus: plus.map(|plus| plus.wrapping_add(offset)),
            ..self
        }
    }
}

impl Origins {
    fn of(&self, register: Register) -> Option<Holder> {
        let number = dwarf_number(register.full_register())?;
        self.0.get(usize::from(number)).copied().flatten()
    }

    fn set(&mut self, register: Register, origin: Option<Holder>) {
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
            Xchg if instruction.op1_kind() == OpKind::Register => {
                self.set(instruction.op1_register(), None);
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
        let is_immediate = !matches!(instruction.op1_kind(), OpKind::Register | OpKind::Memory);
        let origin = match instruction.mnemonic() {
            Mov | Movsxd if instruction.op1_kind() == OpKind::Register => {
                self.of(instruction.op1_register())
            }
            // What is loaded through the program counter are operands; what is computed from the
            // program counter and an operand is a place of the same function.
            Mov | Movsxd | Lea if instruction.op1_kind() == OpKind::Memory => {
                match instruction.memory_base() {
                    Register::RSP | Register::None | Register::RIP => None,
                    base => self.of(base).map(|from| {
                        let is_sum = instruction.mnemonic() == Lea
                            && instruction.memory_index() == Register::None;
                        from.plus_if(is_sum, instruction.memory_displacement64())
                    }),
                }
            }
            Add if is_immediate => self
                .of(to)
                .map(|from| from.plus_if(true, instruction.immediate(1))),
            Sub if is_immediate => self
                .of(to)
                .map(|from| from.plus_if(true, instruction.immediate(1).wrapping_neg())),
            Add | Sub if instruction.op1_kind() == OpKind::Memory => {
                self.of(to).map(|from| from.plus_if(false, 0))
            }
            Inc | Dec | Neg | And | Or | Xor | Shl | Shr | Sar => None,
            _ => None,
        };
        self.set(to, origin);
    }
}

/// Registers (DWARF's numbers) of which some is the program counter when the function, whose
/// `code` is at `address`, is at `pc`. `after_call`: it has just been returned to. `role` is the
/// register that holds the program counter at every jump to an Erlang instruction.
pub fn instruction_holders(
    (code, address): (&[u8], u64),
    role: u8,
    pc: u64,
    after_call: bool,
) -> Vec<Holder> {
    let mut found = Vec::new();
    let mut origins = Origins([None; REGISTERS]);
    for (number, slot) in (0u8..).zip(&mut origins.0) {
        *slot = Some(Holder {
            register: number,
            plus: Some(0),
        });
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
                    let set = origins.0.get(usize::from(role)).copied().flatten();
                    // What is jumped through is the word that the program counter points at.
                    let is_through = instruction.op0_kind() == OpKind::Memory;
                    let target = origins
                        .of(through)
                        .map(|from| from.plus_if(is_through, instruction.memory_displacement64()));
                    for origin in [target, set].into_iter().flatten() {
                        if !found.contains(&origin) {
                            found.push(origin);
                        }
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

    fn registers(of: (&[u8], u64), role: u8, pc: u64, after_call: bool) -> Vec<u8> {
        let found = instruction_holders(of, role, pc, after_call);
        let mut registers: Vec<u8> = found.iter().map(|holder| holder.register).collect();
        registers.dedup();
        registers
    }

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
        let at = |pc: u64| registers((&CODE, 0x1000), 15, 0x1000 + pc, false);
        assert_eq!(at(0), [RBX, 15]);
        assert_eq!(at(4), [RBX, 15]);
        assert_eq!(at(7), [RBP, 15]);
        assert_eq!(at(0x10), [RBP, 15]);
        assert!(at(0x20).is_empty());
        let from_operand = instruction_holders((&CODE, 0x1000), 15, 0x1010, false);
        assert_eq!(from_operand[0].plus, Some(0x18));
    }

    #[test]
    fn a_call_leaves_only_what_it_preserves() {
        let code = [
            0xe8, 0, 0, 0, 0, // call
            0x48, 0x8b, 0x03, // mov rax,[rbx]
            0x48, 0x8d, 0x5b, 0x08, // lea rbx,[rbx+8]
            0xff, 0xe0, // jmp rax
        ];
        assert_eq!(registers((&code, 0), RBX, 0, false), [RBX]);
        assert_eq!(registers((&code, 0), RBX, 12, false), [RAX, RBX]);
        assert_eq!(registers((&code, 0), RBX, 12, true), [RBX]);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(code: Vec<u8>, address: u64, pc: u64, inside in 0u64..64) {
            instruction_holders((&code, address), 3, pc, false);
            instruction_holders((&code, address), 77, address.wrapping_add(inside), true);
        }
    }
}
