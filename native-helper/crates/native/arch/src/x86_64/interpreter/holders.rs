//! Where the interpreter has its program counter at one place of its main function.
//!
//! Between two Erlang instructions it is in one register, but within an instruction the compiler
//! moves it about and uses that register for other things. Liveness gives the answer: from a place,
//! all paths are followed to the next use of the program counter, and the value used there held it
//! at that place. It is used by the jump that begins the next Erlang instruction, by the
//! instruction that stores it in the process, and, stored already, by the scheduler, which the
//! function calls when a process has to wait.

mod origins;

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, OpKind};

use crate::facts::interpreter::{Holder, Holders, Roles};
use origins::{Origins, Seen};

/// Stretches of code without a branch, and instructions, followed from one place.
const MAX_PATHS: usize = 65_536;
const MAX_STEPS: usize = 262_144;
/// Registers that a call does not preserve: rax rdx rcx rsi rdi r8..r11.
const CLOBBERED: [usize; 9] = [0, 1, 2, 4, 5, 8, 9, 10, 11];

/// Where the program counter is when the function, whose `code` is at `address`, is at `pc`.
/// `after_call`: it has just been returned to.
pub fn instruction_holders(
    (code, address): (&[u8], u64),
    roles: Roles,
    pc: u64,
    after_call: bool,
) -> Holders {
    let mut origins = Origins::new(roles);
    if after_call {
        origins.forget(&CLOBBERED);
    }
    let mut search = Search {
        roles,
        paths: vec![(pc, origins)],
        seen: Seen::default(),
        steps: 0,
        holders: Holders::default(),
    };
    let mut followed = 0;
    while let Some((start, mut origins)) = search.paths.pop() {
        let Some(rest) = start
            .checked_sub(address)
            .and_then(|offset| code.get(usize::try_from(offset).ok()?..))
        else {
            continue;
        };
        if !search.seen.is_new(start, &mut origins) {
            continue;
        }
        followed += 1;
        if followed > MAX_PATHS || search.follow(start, rest, origins).is_err() {
            search.holders.is_cut = true;
            break;
        }
    }
    search.holders
}

/// More code than is followed.
struct TooLong;

/// All paths from one place on.
struct Search {
    roles: Roles,
    /// Where paths go on that were not followed yet, and the content of registers there.
    paths: Vec<(u64, Origins)>,
    seen: Seen,
    steps: usize,
    holders: Holders,
}

impl Search {
    /// Follows the path at `start`, where `code` begins, to where the program counter is used or
    /// other paths take over.
    fn follow(&mut self, start: u64, code: &[u8], mut origins: Origins) -> Result<(), TooLong> {
        let mut decoder = Decoder::with_ip(64, code, start, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            if self.steps >= MAX_STEPS {
                return Err(TooLong);
            }
            self.steps += 1;
            self.holders.is_known = true;
            decoder.decode_out(&mut instruction);
            if instruction.code() == Code::INVALID || !self.goes_on(&instruction, &mut origins) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether the path goes on behind the instruction.
    fn goes_on(&mut self, instruction: &Instruction, origins: &mut Origins) -> bool {
        match instruction.flow_control() {
            FlowControl::UnconditionalBranch => {
                let target = instruction.near_branch_target();
                self.paths.push((target, origins.clone()));
                false
            }
            FlowControl::ConditionalBranch => {
                // The path that goes on is the likelier one and followed first.
                let target = instruction.near_branch_target();
                self.paths.push((target, origins.clone()));
                self.seen.is_new(instruction.next_ip(), origins)
            }
            FlowControl::IndirectBranch => {
                self.holders.add_jump(instruction, origins);
                false
            }
            FlowControl::Call if self.roles.is_schedule(instruction.near_branch_target()) => {
                self.holders.schedules = true;
                false
            }
            FlowControl::Return | FlowControl::Exception | FlowControl::Interrupt => false,
            _ => match origins.step(instruction) {
                Some(stored) => {
                    self.holders.add(stored);
                    false
                }
                None => true,
            },
        }
    }
}

/// Where the code of the Erlang instruction ends that begins at `start` in the function: at the
/// first jump that is always taken.
pub fn end_of_instruction((code, address): (&[u8], u64), start: u64) -> Option<u64> {
    let offset = usize::try_from(start.checked_sub(address)?).ok()?;
    let mut decoder = Decoder::with_ip(64, code.get(offset..)?, start, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    for _ in 0..MAX_STEPS {
        if !decoder.can_decode() {
            return None;
        }
        decoder.decode_out(&mut instruction);
        match instruction.flow_control() {
            FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall => {}
            FlowControl::UnconditionalBranch | FlowControl::IndirectBranch => {
                return Some(instruction.next_ip());
            }
            _ => return None,
        }
    }
    None
}

impl Roles {
    fn is_schedule(&self, address: u64) -> bool {
        self.schedule
            .is_some_and(|(start, end)| start <= address && address < end)
    }
}

impl Holders {
    fn add(&mut self, holder: Option<Holder>) {
        if let Some(holder) = holder
            && !self.found.contains(&holder)
        {
            self.found.push(holder);
        }
    }

    /// Adds the value that a jump to the next Erlang instruction uses.
    fn add_jump(&mut self, jump: &Instruction, origins: &Origins) {
        let through = match jump.op0_kind() {
            OpKind::Memory => jump.memory_base(),
            _ => jump.op0_register(),
        };
        // The target of the jump is the word that the program counter points at.
        let is_through = jump.op0_kind() == OpKind::Memory;
        let target = origins
            .of(through)
            .map(|from| from.plus_if(is_through, jump.memory_displacement64()));
        self.add(target);
        self.add(origins.of_instruction());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::interpreter::Place;
    use proptest::prelude::*;

    const RAX: u8 = 0;
    const RDX: u8 = 1;
    const RBX: u8 = 3;
    const RBP: u8 = 6;
    const R12: u8 = 12;
    const R15: u8 = 15;

    fn roles(instruction: u8) -> Roles {
        Roles {
            instruction,
            process: Place::Register(R12),
            saved_instruction: 0xe0,
            schedule: Some((0x9000, 0x9100)),
        }
    }

    fn registers(of: (&[u8], u64), role: u8, pc: u64, after_call: bool) -> Vec<u8> {
        let found = instruction_holders(of, roles(role), pc, after_call).found;
        let number = |holder: &Holder| match holder.place {
            Place::Register(number) => Some(number),
            _ => None,
        };
        let mut registers: Vec<u8> = found.iter().filter_map(number).collect();
        registers.dedup();
        registers
    }

    fn at(place: Place, plus: u64) -> Holder {
        Holder {
            place,
            plus: Some(plus),
        }
    }

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
        let at = |pc: u64| registers((&CODE, 0x1000), R15, 0x1000 + pc, false);
        assert_eq!(at(0), [RBX, R15]);
        assert_eq!(at(4), [RBX, R15]);
        assert_eq!(at(7), [RBP, R15]);
        assert_eq!(at(0x10), [RBP, R15]);
        assert!(at(0x20).is_empty());
        let from_operand = instruction_holders((&CODE, 0x1000), roles(R15), 0x1010, false);
        assert_eq!(from_operand.found[0].plus, Some(0x18));
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

    #[test]
    fn a_word_of_the_c_stack_keeps_it_over_a_call() {
        let code = [
            0x48, 0x89, 0x54, 0x24, 0x38, // 0: mov [rsp+0x38],rdx
            0xe8, 0, 0, 0, 0, // 5: call
            0x48, 0x8b, 0x54, 0x24, 0x38, // a: mov rdx,[rsp+0x38]
            0x48, 0x8d, 0x5a, 0x20, // f: lea rbx,[rdx+0x20]
            0xff, 0x62, 0x20, // 13: jmp [rdx+0x20]
        ];
        let found = |pc, after_call| {
            instruction_holders((code.as_slice(), 0), roles(RBX), pc, after_call).found
        };
        assert_eq!(found(0, false), [at(Place::Register(RDX), 0x20)]);
        assert_eq!(found(0xa, true), [at(Place::Slot(0x38), 0x20)]);
        assert_eq!(found(0xf, true), []);
    }

    #[test]
    fn what_is_stored_in_the_process_is_it_and_then_the_process_has_it() {
        let code = [
            0x48, 0x8d, 0x43, 0x08, // 0: lea rax,[rbx+8]
            0x49, 0x89, 0x84, 0x24, 0xe0, 0, 0, 0, // 4: mov [r12+0xe0],rax
            0x31, 0xdb, // c: xor ebx,ebx
            0xe8, 0xed, 0x7f, 0, 0, // e: call 0x9000, when this is at 0x1000
            0x49, 0x89, 0xc4, // 13: mov r12,rax
            0x49, 0x8b, 0x9c, 0x24, 0xe0, 0, 0, 0, // 16: mov rbx,[r12+0xe0]
            0xff, 0x23, // 1e: jmp [rbx]
        ];
        let at_pc = |pc| instruction_holders((code.as_slice(), 0x1000), roles(RBX), pc, false);
        let before = at_pc(0x1000);
        assert_eq!(before.found, [at(Place::Register(RBX), 8)]);
        assert!(!before.schedules);
        let stored = at_pc(0x100c);
        assert!(stored.found.is_empty() && stored.schedules);
        let resumed = at_pc(0x1016);
        assert_eq!(resumed.found, [at(Place::Process, 0)]);
        assert!(!resumed.schedules);
        // Another process than that in the process register.
        assert_ne!(at_pc(0x1013).found, [at(Place::Process, 0)]);
    }

    #[test]
    fn the_code_of_an_instruction_ends_in_a_jump() {
        let end = |start| end_of_instruction((&CODE, 0x1000), start);
        assert_eq!(end(0x100d), Some(0x1013));
        // With branches it is no simple instruction.
        assert_eq!(end(0x1000), None);
        assert_eq!(end(0x1013), None);
        assert_eq!(end(0x2000), None);
    }

    #[test]
    fn a_loop_that_adds_is_followed_to_its_end() {
        let code = [
            0x48, 0x83, 0xc3, 0x08, // 0: add rbx,8
            0x75, 0xfa, // 4: jne 0
            0xff, 0x23, // 6: jmp [rbx]
        ];
        let holders = instruction_holders((&code, 0), roles(RBX), 0, false);
        assert!(!holders.is_cut);
        let is_rbx = |holder: &Holder| holder.place == Place::Register(RBX);
        assert!(holders.found.iter().all(is_rbx), "{holders:?}");
        assert!(holders.found.iter().any(|holder| holder.plus.is_none()));
    }

    #[test]
    fn code_that_is_reached_with_other_origins_is_followed_again() {
        let code = [
            0x75, 0x03, // 0: jne 5
            0x48, 0x89, 0xf3, // 2: mov rbx,rsi
            0xff, 0x23, // 5: jmp [rbx]
        ];
        const RSI: u8 = 4;
        assert_eq!(registers((&code, 0), RBX, 0, false), [RSI, RBX]);
    }

    /// `jne` over and over, each to a jump through another register at the end: rbx by all paths
    /// but the last one.
    fn branches(count: usize) -> Vec<u8> {
        let mut code = Vec::new();
        let after = count * 6 + 2;
        for index in 0..count {
            let target = after + index * 2;
            let displacement = (target - (index + 1) * 6) as i32;
            code.extend([0x0f, 0x85]); // jne target
            code.extend(displacement.to_le_bytes());
        }
        code.extend([0xff, 0x23]); // jmp [rbx]
        for index in 0..count {
            // jmp [rbx], at last jmp [rsi]
            code.extend([0xff, if index + 1 == count { 0x26 } else { 0x23 }]);
        }
        code
    }

    #[test]
    fn more_paths_than_are_followed_are_reported_as_more() {
        let follow = |count| {
            let code = branches(count);
            instruction_holders((&code, 0x1000), roles(RBX), 0x1000, false)
        };
        let few = follow(MAX_PATHS / 2 - 1);
        assert!(!few.is_cut);
        assert_eq!(few.found.len(), 2, "{few:?}");
        assert!(follow(MAX_PATHS).is_cut);
    }

    #[test]
    fn a_path_that_is_longer_than_is_followed_is_reported_as_longer() {
        let follow = |length: usize| {
            let mut code = vec![0x90; length]; // nop
            code.extend([0xff, 0x23]); // jmp [rbx]
            instruction_holders((&code, 0), roles(RBX), 0, false)
        };
        let short = follow(MAX_STEPS - 1);
        assert!(!short.is_cut && short.found.len() == 1, "{short:?}");
        let long = follow(MAX_STEPS);
        assert!(long.is_cut && long.found.is_empty(), "{long:?}");
    }

    proptest! {
        #[test]
        fn garbage_never_panics(code: Vec<u8>, address: u64, pc: u64, inside in 0u64..64) {
            end_of_instruction((&code, address), address.wrapping_add(inside));
            instruction_holders((&code, address), roles(3), pc, false);
            instruction_holders((&code, address), roles(77), address.wrapping_add(inside), true);
        }
    }
}
