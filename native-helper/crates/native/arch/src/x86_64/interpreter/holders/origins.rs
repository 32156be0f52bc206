//! What the values in registers and on the C stack were computed from, along one path of the main
//! function.

use std::collections::HashMap;

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::CLOBBERED;
use crate::facts::interpreter::{Holder, Place, Roles};
use crate::x86_64::interpreter::calling_convention::dwarf_number;

/// Words of the C stack whose origin is followed on one path.
const MAX_SLOTS: usize = 32;
const REGISTERS: usize = 16;
const RSP: usize = 7;

/// The origin of the value in each register and each known word of the stack.
#[derive(Debug, Clone)]
pub(super) struct Origins {
    registers: [Option<Holder>; REGISTERS],
    slots: Vec<(u64, Option<Holder>)>,
    roles: Roles,
}

/// The content of each place at the beginning of the stretches that were followed.
#[derive(Default)]
pub(super) struct Seen(HashMap<(u64, u32), SeenThere>);

#[derive(Default)]
struct SeenThere {
    registers: [Vec<Holder>; REGISTERS],
    slots: Vec<(u64, Vec<Holder>)>,
}

impl Seen {
    /// True when the stretch at `start` has to be followed: some place has content that it did not
    /// have before. The result for each value depends on no other value except the process, so that
    /// a new combination of known contents leads to nothing new. A loop that adds to a value
    /// arrives with another sum each time; then the sum is left open.
    pub(super) fn is_new(&mut self, start: u64, origins: &mut Origins) -> bool {
        let place = (start, origins.process_registers());
        let mut is_new = !self.0.contains_key(&place);
        let there = self.0.entry(place).or_default();
        for (seen, origin) in there.registers.iter_mut().zip(&mut origins.registers) {
            is_new |= note(seen, origin);
        }
        for (offset, _) in &origins.slots {
            if !there.slots.iter().any(|(known, _)| known == offset) {
                there.slots.push((*offset, Vec::new()));
            }
        }
        for (offset, seen) in &mut there.slots {
            let mut origin = origins.of_slot(*offset);
            let was = origin;
            is_new |= note(seen, &mut origin);
            if origin != was {
                origins.set_slot(*offset, origin);
            }
        }
        is_new
    }
}

/// Adds an origin to those that were seen. True when it is new.
fn note(seen: &mut Vec<Holder>, origin: &mut Option<Holder>) -> bool {
    let Some(origin) = origin else { return false };
    match seen.iter_mut().find(|known| known.place == origin.place) {
        None => {
            seen.push(*origin);
            true
        }
        Some(known) => {
            let is_open = known.plus.is_none();
            if known.plus != origin.plus {
                (known.plus, origin.plus) = (None, None);
            }
            !is_open && known.plus.is_none()
        }
    }
}

impl Holder {
    /// The same with an offset added, or no longer just a sum.
    pub(super) fn plus_if(self, is_sum: bool, offset: u64) -> Self {
        let plus = self.plus.filter(|_| is_sum);
        Self {
            plus: plus.map(|plus| plus.wrapping_add(offset)),
            ..self
        }
    }
}

impl Origins {
    pub(super) fn new(roles: Roles) -> Self {
        let mut registers = [None; REGISTERS];
        for (number, slot) in (0u8..).zip(&mut registers) {
            *slot = Some(Holder {
                place: Place::Register(number),
                plus: Some(0),
            });
        }
        registers[RSP] = None;
        Self {
            registers,
            slots: Vec::new(),
            roles,
        }
    }

    /// The content of the register that holds the program counter at jumps.
    pub(super) fn of_instruction(&self) -> Option<Holder> {
        let number = usize::from(self.roles.instruction);
        self.registers.get(number).copied().flatten()
    }

    pub(super) fn of(&self, register: Register) -> Option<Holder> {
        let number = dwarf_number(register.full_register())?;
        self.registers.get(usize::from(number)).copied().flatten()
    }

    fn set(&mut self, register: Register, origin: Option<Holder>) {
        let number = dwarf_number(register.full_register());
        if let Some(slot) = number.and_then(|number| self.registers.get_mut(usize::from(number))) {
            *slot = origin;
        }
    }

    pub(super) fn forget(&mut self, numbers: &[usize]) {
        for number in numbers {
            if let Some(slot) = self.registers.get_mut(*number) {
                *slot = None;
            }
        }
    }

    /// The registers that hold the process, one bit each.
    fn process_registers(&self) -> u32 {
        let process = Holder {
            place: self.roles.process,
            plus: Some(0),
        };
        let holds = |(number, origin): (usize, &Option<Holder>)| {
            u32::from(*origin == Some(process)) << number
        };
        self.registers.iter().enumerate().map(holds).sum()
    }

    fn of_slot(&self, offset: u64) -> Option<Holder> {
        let known = self.slots.iter().find(|(known, _)| *known == offset);
        match known {
            Some((_, origin)) => *origin,
            // One of those that were not noted may have been written to.
            None if self.slots.len() >= MAX_SLOTS => None,
            None => Some(Holder {
                place: Place::Slot(offset),
                plus: Some(0),
            }),
        }
    }

    fn set_slot(&mut self, offset: u64, origin: Option<Holder>) {
        let has_room = self.slots.len() < MAX_SLOTS;
        match self.slots.iter_mut().find(|(known, _)| *known == offset) {
            Some((_, slot)) => *slot = origin,
            None if has_room => self.slots.push((offset, origin)),
            None => {}
        }
    }

    /// True for the register that still holds the process.
    fn is_process(&self, register: Register) -> bool {
        self.of(register)
            == Some(Holder {
                place: self.roles.process,
                plus: Some(0),
            })
    }

    /// The number of a register that may hold the process: one that was loaded with a process that
    /// is on the stack before the place looked at.
    fn maybe_process(&self, register: Register) -> Option<u8> {
        match (self.roles.process, self.of(register)?) {
            (
                Place::Slot(_),
                Holder {
                    place: Place::Register(number),
                    plus: Some(0),
                },
            ) => Some(number),
            _ => None,
        }
    }

    /// The value loaded from the saved program counter of a possible process.
    fn maybe_saved_instruction(&self, instruction: &Instruction) -> Option<Holder> {
        let is_field = instruction.memory_index() == Register::None
            && instruction.memory_displacement64() == self.roles.saved_instruction;
        let number = self.maybe_process(instruction.memory_base())?;
        is_field.then_some(Holder {
            place: Place::ProcessIn(number),
            plus: Some(0),
        })
    }

    /// True when the memory operand is the saved program counter of the process.
    fn is_saved_instruction(&self, instruction: &Instruction) -> bool {
        instruction.memory_index() == Register::None
            && instruction.memory_displacement64() == self.roles.saved_instruction
            && self.is_process(instruction.memory_base())
    }

    /// The value loaded through a memory operand. A load through the program counter gives an
    /// operand; a value computed from it and an operand is a place of the same function.
    fn loaded(&self, instruction: &Instruction) -> Option<Holder> {
        match instruction.memory_base() {
            Register::RSP if instruction.memory_index() == Register::None => {
                self.of_slot(instruction.memory_displacement64())
            }
            Register::RSP | Register::None | Register::RIP => None,
            _ if self.is_saved_instruction(instruction) => Some(Holder {
                place: Place::Process,
                plus: Some(0),
            }),
            base => self
                .maybe_saved_instruction(instruction)
                .or_else(|| self.of(base).map(|from| from.plus_if(false, 0))),
        }
    }

    /// What an instruction that writes to memory leaves there. The program counter when it is
    /// stored in the process.
    fn store(&mut self, instruction: &Instruction) -> Option<Option<Holder>> {
        let is_whole = instruction.mnemonic() == Mnemonic::Mov
            && instruction.op1_kind() == OpKind::Register
            && instruction.op1_register().size() == 8;
        let origin = is_whole
            .then(|| self.of(instruction.op1_register()))
            .flatten();
        if instruction.memory_base() == Register::RSP {
            match instruction.memory_index() {
                Register::None => {
                    let first = instruction.memory_displacement64();
                    let bytes = instruction.memory_size().size().clamp(1, 64) as u64;
                    for word in first / 8..=first.saturating_add(bytes - 1) / 8 {
                        self.set_slot(word.wrapping_mul(8), origin);
                    }
                }
                // Anywhere on the stack.
                _ => self.slots.iter_mut().for_each(|(_, slot)| *slot = None),
            }
        }
        let is_saved = self.is_saved_instruction(instruction)
            || self.maybe_saved_instruction(instruction).is_some();
        (is_whole && is_saved).then_some(origin)
    }

    /// Follows one instruction. The program counter where it is stored in the process.
    pub(super) fn step(&mut self, instruction: &Instruction) -> Option<Option<Holder>> {
        use Mnemonic::{
            Add, Bt, Call, Cdq, Cdqe, Cmp, Cqo, Div, Idiv, Imul, Lea, Mov, Movsxd, Mul, Pop, Push,
            Sub, Test, Xchg,
        };
        match instruction.mnemonic() {
            Cmp | Test | Bt | Cdqe => return None,
            Call => self.forget(&CLOBBERED),
            Cdq | Cqo => self.forget(&[1]),
            Mul | Div | Idiv => self.forget(&[0, 1]),
            Imul if instruction.op_count() == 1 => self.forget(&[0, 1]),
            Push | Pop => {
                // Every word is at another offset now.
                self.slots = (0..MAX_SLOTS as u64).map(|word| (word * 8, None)).collect();
                if instruction.mnemonic() == Pop {
                    self.set(instruction.op0_register(), None);
                }
            }
            _ if instruction.op_count() == 0 => {
                // String operations and the like.
                self.forget(&[0, 2, 4, 5]);
            }
            _ if instruction.op0_kind() == OpKind::Memory => return self.store(instruction),
            _ if instruction.op0_kind() != OpKind::Register => {}
            mnemonic => {
                let to = instruction.op0_register();
                let is_register = instruction.op1_kind() == OpKind::Register;
                let is_memory = instruction.op1_kind() == OpKind::Memory;
                let is_immediate = !is_register && !is_memory;
                let origin = match mnemonic {
                    Mov | Movsxd if is_register => self.of(instruction.op1_register()),
                    Mov | Movsxd if is_memory => self.loaded(instruction),
                    Lea => match instruction.memory_base() {
                        Register::RSP | Register::None | Register::RIP => None,
                        base => self.of(base).map(|from| {
                            let is_sum = instruction.memory_index() == Register::None;
                            from.plus_if(is_sum, instruction.memory_displacement64())
                        }),
                    },
                    Add if is_immediate => self
                        .of(to)
                        .map(|from| from.plus_if(true, instruction.immediate(1))),
                    Sub if is_immediate => self
                        .of(to)
                        .map(|from| from.plus_if(true, instruction.immediate(1).wrapping_neg())),
                    Add | Sub if is_memory => self.of(to).map(|from| from.plus_if(false, 0)),
                    Xchg if is_register => {
                        self.set(instruction.op1_register(), None);
                        None
                    }
                    _ => None,
                };
                self.set(to, origin);
            }
        }
        None
    }
}
