//! Where the interpreter's main function keeps the current process.
//!
//! That is one register, or, when the compiler had none to spare, a word of its C stack from which
//! it loads the process into whatever register is free. That word is the one that the scheduling
//! function's result is stored in, and nothing but the process is ever stored there.

use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register,
};

use super::calling_convention::{dwarf_number, is_kept};

const REGISTERS: usize = 16;
/// How many instructions after the call its result is stored.
const INSTRUCTIONS_AFTER_SCHEDULE: u32 = 4;

/// Which registers hold the process while the function is read from its start on.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProcessBase {
    /// The register, when the process has one of its own.
    register: Option<Register>,
    /// The word of the stack otherwise.
    slot: Option<u64>,
    copies: [bool; REGISTERS],
    schedule: Option<(u64, u64)>,
}

impl ProcessBase {
    /// The process is in a register.
    pub fn in_register(register: Register) -> Self {
        Self {
            register: Some(register),
            slot: None,
            copies: [false; REGISTERS],
            schedule: None,
        }
    }

    /// The process is so many bytes above the stack pointer, where `schedule` (start and end of
    /// the scheduling function) has its result put.
    pub fn in_slot(slot: u64, schedule: (u64, u64)) -> Self {
        Self {
            register: None,
            slot: Some(slot),
            copies: [false; REGISTERS],
            schedule: Some(schedule),
        }
    }

    /// True for a register that holds the process just now.
    pub fn is(&self, register: Register) -> bool {
        match self.slot {
            None => self.register == Some(register),
            Some(_) => index_of(register).is_some_and(|index| self.copies[index]),
        }
    }

    /// Follows one instruction.
    pub fn step(&mut self, instruction: &Instruction) {
        let Some(slot) = self.slot else { return };
        match instruction.flow_control() {
            FlowControl::Next | FlowControl::ConditionalBranch => {}
            FlowControl::Call | FlowControl::IndirectCall => {
                for (register, copy) in ALL.iter().zip(&mut self.copies) {
                    *copy &= is_kept(*register);
                }
                if calls(instruction, self.schedule) {
                    self.set(Register::RAX, true);
                }
                return;
            }
            // The code that follows is reached from another place.
            _ => {
                self.copies = [false; REGISTERS];
                return;
            }
        }
        let to = instruction.op0_register();
        if instruction.op0_kind() != OpKind::Register || !writes_first(instruction) {
            return;
        }
        let is_process = instruction.mnemonic() == Mnemonic::Mov
            && match instruction.op1_kind() {
                OpKind::Register => self.is(instruction.op1_register()),
                OpKind::Memory => is_slot(instruction, slot),
                _ => false,
            };
        self.set(to, is_process && to.size() == 8);
    }

    fn set(&mut self, register: Register, is_process: bool) {
        if let Some(index) = index_of(register.full_register()) {
            self.copies[index] = is_process;
        }
    }
}

use Register::{R8, R9, R10, R11, R12, R13, R14, R15, RAX, RBP, RBX, RCX, RDI, RDX, RSI, RSP};
/// In the order of DWARF's numbers.
const ALL: [Register; REGISTERS] = [
    RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15,
];

fn index_of(register: Register) -> Option<usize> {
    dwarf_number(register).map(usize::from)
}

fn calls(instruction: &Instruction, function: Option<(u64, u64)>) -> bool {
    let target = instruction.near_branch_target();
    instruction.op0_kind() == OpKind::NearBranch64
        && function.is_some_and(|(start, end)| start <= target && target < end)
}

/// Comparisons have a first operand that they leave as it is.
fn writes_first(instruction: &Instruction) -> bool {
    !matches!(
        instruction.mnemonic(),
        Mnemonic::Cmp | Mnemonic::Test | Mnemonic::Bt | Mnemonic::Push
    )
}

fn is_slot(instruction: &Instruction, slot: u64) -> bool {
    instruction.memory_base() == Register::RSP
        && instruction.memory_index() == Register::None
        && instruction.memory_displacement64() == slot
}

/// The word of the stack that the process is kept in, as bytes above the stack pointer. `None`
/// when the results of the scheduling function go elsewhere, or something else goes there too.
pub(super) fn slot_of(code: &[u8], address: u64, schedule: (u64, u64)) -> Option<u64> {
    let slot = result_slot(code, address, schedule)?;
    let mut base = ProcessBase::in_slot(slot, schedule);
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        if instruction.code() == Code::INVALID {
            continue;
        }
        let is_store = instruction.op0_kind() == OpKind::Memory
            && writes_first(&instruction)
            && is_slot(&instruction, slot);
        let is_nothing = instruction.mnemonic() == Mnemonic::Mov
            && !matches!(instruction.op1_kind(), OpKind::Register | OpKind::Memory)
            && instruction.immediate(1) == 0;
        let is_process = instruction.mnemonic() == Mnemonic::Mov
            && instruction.op1_kind() == OpKind::Register
            && base.is(instruction.op1_register());
        if is_store && !is_nothing && !is_process {
            return None;
        }
        base.step(&instruction);
    }
    Some(slot)
}

/// Where the results of all calls of the scheduling function are stored.
fn result_slot(code: &[u8], address: u64, schedule: (u64, u64)) -> Option<u64> {
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let (mut slot, mut left) = (None, 0);
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        if calls(&instruction, Some(schedule)) {
            left = INSTRUCTIONS_AFTER_SCHEDULE;
            continue;
        }
        if left == 0 {
            continue;
        }
        let stores_result = instruction.mnemonic() == Mnemonic::Mov
            && instruction.op0_kind() == OpKind::Memory
            && instruction.op1_register() == Register::RAX
            && instruction.memory_base() == Register::RSP
            && instruction.memory_index() == Register::None;
        if stores_result {
            let found = instruction.memory_displacement64();
            if slot.is_some_and(|before| before != found) {
                return None;
            }
            slot = Some(found);
            left = 0;
            continue;
        }
        left -= 1;
        if left == 0 {
            return None;
        }
    }
    slot
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SCHEDULE: (u64, u64) = (0x9000, 0x9100);
    /// At 0x1000: the result of the scheduling function goes to [rsp+8].
    const START: [u8; 14] = [
        0x31, 0xff, 0x90, 0x90, // xor edi,edi; nop; nop
        0xe8, 0xf7, 0x7f, 0, 0, // 4: call 0x9000
        0x48, 0x89, 0x44, 0x24, 0x08, // 9: mov [rsp+8],rax
    ];

    fn slot(rest: &[u8]) -> Option<u64> {
        slot_of(&[START.as_slice(), rest].concat(), 0x1000, SCHEDULE)
    }

    #[test]
    fn the_word_that_only_the_process_goes_to() {
        let copied = [
            0x48, 0x8b, 0x7c, 0x24, 0x08, // mov rdi,[rsp+8]
            0x48, 0x89, 0xfb, // mov rbx,rdi
            0xe8, 0, 0, 0, 0, // call
            0x48, 0x89, 0x5c, 0x24, 0x08, // mov [rsp+8],rbx
            0x48, 0xc7, 0x44, 0x24, 0x08, 0, 0, 0, 0, // mov qword [rsp+8],0
        ];
        assert_eq!(slot(&copied), Some(8));
        // rdi is not preserved by a call, and 5 is no process.
        let mut clobbered = copied;
        clobbered[15] = 0x7c;
        assert_eq!(slot(&clobbered), None);
        let mut other = copied;
        other[23] = 5;
        assert_eq!(slot(&other), None);
        assert_eq!(slot_of(&copied, 0x1000, SCHEDULE), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(code: Vec<u8>, address: u64, start: u64, end: u64) {
            let _ = slot_of(&code, address, (start, end));
            let _ = slot(&code);
        }
    }
}
