//! eBPF instructions, and jumps to places that come later.

use shared_map::HashMap;
use thiserror::Error;

/// A register of the program; the tenth is the read-only frame pointer.
pub type Register = u8;

/// A place to jump to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Label(u32);

/// Why a program could not be assembled: a bug of the helper, never a fault of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum AssembleError {
    /// A jump leads nowhere or too far.
    #[error("a jump of the program has no target in reach")]
    Jump,
}

/// When a conditional jump is taken; comparisons are unsigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// Above.
    Above,
    /// Below.
    Below,
    /// Not above.
    NotAbove,
    /// A bit is set.
    AnyBit,
}

impl When {
    fn opcode(self) -> u8 {
        match self {
            Self::Equal => 0x15,
            Self::AnyBit => 0x45,
            Self::NotEqual => 0x55,
            Self::Above => 0x25,
            Self::Below => 0xa5,
            Self::NotAbove => 0xb5,
        }
    }
}

/// The frame pointer.
pub const FRAME: Register = 10;

const SOURCE_REGISTER: u8 = 0x08;
const ADD: u8 = 0x07;
const SUBTRACT: u8 = 0x17;
const OR: u8 = 0x47;
const AND: u8 = 0x57;
const MOVE: u8 = 0xb7;
const LOAD_WORD: u8 = 0x79;
const STORE_WORD: u8 = 0x7b;
const ADD_TO_WORD: u8 = 0xdb;
const STORE_HALF: u8 = 0x63;
const STORE_IMMEDIATE_WORD: u8 = 0x7a;
const STORE_IMMEDIATE_HALF: u8 = 0x62;
const LOAD_WIDE: u8 = 0x18;
const MAP_DESCRIPTOR: u8 = 1;
const MAP_VALUE: u8 = 2;
const CALL: u8 = 0x85;
const EXIT: u8 = 0x95;
const JUMP: u8 = 0x05;

/// Puts a program together, one instruction after another. A word is 8 bytes, a half 4.
#[derive(Debug, Default)]
pub struct Assembler {
    code: Vec<u64>,
    jumps: Vec<(usize, Label)>,
    places: HashMap<Label, usize>,
    labels: u32,
}

impl Assembler {
    /// A label to be placed later.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels)
    }

    /// Places `label` here.
    pub fn place(&mut self, label: Label) {
        self.places.insert(label, self.code.len());
    }

    /// `to = from`.
    pub fn copy(&mut self, to: Register, from: Register) {
        self.emit(MOVE | SOURCE_REGISTER, to, from, 0, 0);
    }

    /// `to = value`, sign-extended.
    pub fn set(&mut self, to: Register, value: i32) {
        self.emit(MOVE, to, 0, 0, value);
    }

    /// `to = value`, all 64 bits.
    pub fn set_wide(&mut self, to: Register, value: u64) {
        self.emit_wide(to, 0, value);
    }

    /// `to` is the map behind descriptor `fd`.
    pub fn set_map(&mut self, to: Register, fd: i32) {
        self.emit_wide(to, MAP_DESCRIPTOR, u64::from(fd.cast_unsigned()));
    }

    /// `to` is the address of `offset` in the one value of the array behind descriptor `fd`.
    pub fn set_map_value(&mut self, to: Register, fd: i32, offset: u32) {
        let value = u64::from(fd.cast_unsigned()) | u64::from(offset) << 32;
        self.emit_wide(to, MAP_VALUE, value);
    }

    /// `to += value`.
    pub fn add(&mut self, to: Register, value: i32) {
        self.emit(ADD, to, 0, 0, value);
    }

    /// `to -= from`.
    pub fn subtract_register(&mut self, to: Register, from: Register) {
        self.emit(SUBTRACT | SOURCE_REGISTER, to, from, 0, 0);
    }

    /// `to |= bits`.
    pub fn or(&mut self, to: Register, bits: i32) {
        self.emit(OR, to, 0, 0, bits);
    }

    /// `to &= bits`, sign-extended.
    pub fn and(&mut self, to: Register, bits: i32) {
        self.emit(AND, to, 0, 0, bits);
    }

    /// `to` is the word at `base + offset`.
    pub fn load(&mut self, to: Register, base: Register, offset: i16) {
        self.emit(LOAD_WORD, to, base, offset, 0);
    }

    /// The word at `base + offset` is `from`.
    pub fn store(&mut self, base: Register, offset: i16, from: Register) {
        self.emit(STORE_WORD, base, from, offset, 0);
    }

    /// The half at `base + offset` is the low half of `from`.
    pub fn store_half(&mut self, base: Register, offset: i16, from: Register) {
        self.emit(STORE_HALF, base, from, offset, 0);
    }

    /// Adds `from` to the word at `base + offset`, which other CPUs may do at the same time.
    pub fn add_atomically(&mut self, base: Register, offset: i16, from: Register) {
        self.emit(ADD_TO_WORD, base, from, offset, 0);
    }

    /// The word at `base + offset` is `value`.
    pub fn store_value(&mut self, base: Register, offset: i16, value: i32) {
        self.emit(STORE_IMMEDIATE_WORD, base, 0, offset, value);
    }

    /// The half at `base + offset` is `value`.
    pub fn store_half_value(&mut self, base: Register, offset: i16, value: i32) {
        self.emit(STORE_IMMEDIATE_HALF, base, 0, offset, value);
    }

    /// `r0 = function(r1..r5)`; r1 to r5 are lost.
    pub fn call(&mut self, function: i32) {
        self.emit(CALL, 0, 0, 0, function);
    }

    /// Goes on at `label`.
    pub fn jump(&mut self, label: Label) {
        self.jumps.push((self.code.len(), label));
        self.emit(JUMP, 0, 0, 0, 0);
    }

    /// Goes on at `label` when `register` compares so with `value`.
    pub fn jump_if(&mut self, register: Register, when: When, value: i32, label: Label) {
        self.jumps.push((self.code.len(), label));
        self.emit(when.opcode(), register, 0, 0, value);
    }

    /// Goes on at `label` when `register` compares so with `other`.
    pub fn jump_if_register(
        &mut self,
        register: Register,
        when: When,
        other: Register,
        label: Label,
    ) {
        self.jumps.push((self.code.len(), label));
        self.emit(when.opcode() | SOURCE_REGISTER, register, other, 0, 0);
    }

    /// Ends with `value`.
    pub fn end(&mut self, value: i32) {
        self.set(0, value);
        self.emit(EXIT, 0, 0, 0, 0);
    }

    /// The program, one word for each instruction.
    pub fn finish(mut self) -> Result<Vec<u64>, AssembleError> {
        for (at, label) in &self.jumps {
            let place = self.places.get(label).ok_or(AssembleError::Jump)?;
            let distance = *place as i64 - (*at as i64 + 1);
            let distance = i16::try_from(distance).map_err(|_| AssembleError::Jump)?;
            let instruction = self.code.get_mut(*at).ok_or(AssembleError::Jump)?;
            *instruction |= u64::from(distance.cast_unsigned()) << 16;
        }
        Ok(self.code)
    }

    fn emit(&mut self, opcode: u8, to: Register, from: Register, offset: i16, value: i32) {
        self.code.push(
            u64::from(opcode)
                | u64::from(to & 0xf) << 8
                | u64::from(from & 0xf) << 12
                | u64::from(offset.cast_unsigned()) << 16
                | u64::from(value.cast_unsigned()) << 32,
        );
    }

    fn emit_wide(&mut self, to: Register, kind: u8, value: u64) {
        self.emit(LOAD_WIDE, to, kind, 0, (value as u32).cast_signed());
        self.emit(0, 0, 0, 0, ((value >> 32) as u32).cast_signed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_encoded_as_the_kernel_reads_them() {
        let mut assembler = Assembler::default();
        assembler.copy(6, 1);
        assembler.load(3, 10, -8);
        assembler.set_wide(1, 0x1122_3344_5566_7788);
        assembler.end(1);
        let bytes: Vec<[u8; 8]> = assembler
            .finish()
            .unwrap()
            .into_iter()
            .map(u64::to_le_bytes)
            .collect();
        assert_eq!(bytes[0], [0xbf, 0x16, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[1], [0x79, 0xa3, 0xf8, 0xff, 0, 0, 0, 0]);
        assert_eq!(bytes[2], [0x18, 0x01, 0, 0, 0x88, 0x77, 0x66, 0x55]);
        assert_eq!(bytes[3], [0, 0, 0, 0, 0x44, 0x33, 0x22, 0x11]);
        assert_eq!(bytes[5], [0x95, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn jumps_lead_to_where_their_label_is_placed() {
        let mut assembler = Assembler::default();
        let end = assembler.label();
        assembler.jump_if(0, When::NotEqual, 0, end);
        assembler.set(1, 5);
        assembler.place(end);
        assembler.end(1);
        assert_eq!(assembler.finish().unwrap()[0].to_le_bytes()[2..4], [1, 0]);

        let mut nowhere = Assembler::default();
        let label = nowhere.label();
        nowhere.jump(label);
        assert_eq!(nowhere.finish(), Err(AssembleError::Jump));
    }
}
