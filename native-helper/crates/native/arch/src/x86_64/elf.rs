//! ELF files for x86-64.

/// `EM_X86_64`.
pub const MACHINE: u16 = 62;
/// `R_X86_64_GLOB_DAT`: the slot will hold the address of a symbol.
pub const SYMBOL_ADDRESS: u32 = 6;
/// `R_X86_64_JUMP_SLOT`: the same for a stub of the procedure linkage table.
pub const LINKAGE_SLOT: u32 = 7;
/// `R_X86_64_IRELATIVE`: the slot will hold the result of the function at the addend.
pub const INDIRECT_FUNCTION: u32 = 37;

/// `jmp *disp32(%rip)`
const JUMP_THROUGH_MEMORY: [u8; 2] = [0xff, 0x25];
const JUMP_BYTES: usize = 6;

/// The slot that the first jump through memory in a stub of the procedure linkage table goes
/// through. `code` is the stub, which starts at `start`.
pub fn jump_slot(code: &[u8], start: u64) -> Option<u64> {
    let at = code
        .windows(JUMP_BYTES)
        .position(|bytes| bytes.starts_with(&JUMP_THROUGH_MEMORY))?;
    let displacement = code.get(at + JUMP_THROUGH_MEMORY.len()..)?.first_chunk()?;
    let next_instruction = start.wrapping_add((at + JUMP_BYTES) as u64);
    Some(next_instruction.wrapping_add_signed(i64::from(i32::from_le_bytes(*displacement))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_jumps_through_its_slot() {
        // endbr64; jmp *0x1000(%rip)
        let stub = [0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0x00, 0x10, 0, 0];
        assert_eq!(jump_slot(&stub, 0x400), Some(0x400 + 10 + 0x1000));
        let back = [0xff, 0x25, 0xf0, 0xff, 0xff, 0xff];
        assert_eq!(jump_slot(&back, 0x400), Some(0x400 + 6 - 16));
        assert_eq!(jump_slot(&stub[..9], 0x400), None);
        assert_eq!(jump_slot(&[0x90; 16], 0x400), None);
    }
}
