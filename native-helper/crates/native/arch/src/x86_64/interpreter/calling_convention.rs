//! Registers as C functions and DWARF see them.

use iced_x86::Register;

/// DWARF's number of a general register.
pub(super) fn dwarf_number(register: Register) -> Option<u8> {
    use Register::{R8, R9, R10, R11, R12, R13, R14, R15, RAX, RBP, RBX, RCX, RDI, RDX, RSI, RSP};
    const ORDER: [Register; 16] = [
        RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15,
    ];
    let index = ORDER.iter().position(|known| *known == register)?;
    u8::try_from(index).ok()
}

/// Registers that a C function leaves as they were.
pub(super) fn is_kept(register: Register) -> bool {
    use Register::{R12, R13, R14, R15, RBP, RBX};
    matches!(register, RBX | RBP | R12 | R13 | R14 | R15)
}
