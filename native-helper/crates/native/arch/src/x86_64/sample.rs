//! Registers of a sample, in their order: ax bx cx dx si di bp sp ip r8..r15.

use super::unwind::{GENERAL_COUNT, Registers};

/// How many a sample has.
pub const COUNT: usize = 17;

/// Those that are wanted, as bits of `PERF_REG_X86_*`: 0..=8 are ax bx cx dx si di bp sp ip,
/// 16..=23 are r8..r15.
pub const MASK: u64 = 0x1ff | 0xff << 16;

/// rax, which holds the result of a C function.
pub const RESULT: usize = 0;
/// rdi, the first argument of a C function.
pub const FIRST_ARGUMENT: usize = 5;
/// rbp.
pub const FRAME_POINTER: usize = 6;
/// rsp.
pub const STACK_POINTER: usize = 7;
/// rip.
pub const PROGRAM_COUNTER: usize = 8;
/// r12, which holds the code index in JIT code.
pub const CODE_INDEX: usize = 13;
/// r13, which holds the current process in JIT code.
pub const CURRENT_PROCESS: usize = 14;
/// Those that C functions leave as they were: rbx rbp r12..r15.
pub const PRESERVED: [usize; 6] = [1, 6, 13, 14, 15, 16];

/// Where DWARF's numbers (rax rdx rcx rbx rsi rdi rbp rsp r8..r15) are among those of a sample.
const BY_DWARF: [usize; GENERAL_COUNT] = [0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16];

/// The index of a register among those of a sample, by its number in DWARF; 0 for a number that
/// none has.
pub fn index_of(dwarf: u8) -> usize {
    BY_DWARF.get(usize::from(dwarf)).copied().unwrap_or(0)
}

/// The registers of the sampled frame, `register` giving each by its index.
pub fn general_registers(register: impl Fn(usize) -> u64) -> Registers {
    Registers {
        general: BY_DWARF.map(&register),
        program_counter: register(PROGRAM_COUNTER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_register_of_a_sample_is_one_of_a_frame() {
        let registers = general_registers(|index| index as u64);
        assert_eq!(registers.stack_pointer(), STACK_POINTER as u64);
        assert_eq!(registers.frame_pointer(), FRAME_POINTER as u64);
        assert_eq!(registers.jit_process(), CURRENT_PROCESS as u64);
        assert_eq!(registers.program_counter, PROGRAM_COUNTER as u64);
        let mut seen: Vec<u64> = registers.general.to_vec();
        seen.push(registers.program_counter);
        seen.sort_unstable();
        assert_eq!(seen, (0..COUNT as u64).collect::<Vec<_>>());
        assert_eq!(MASK.count_ones() as usize, COUNT);
        assert_eq!([3, 6, 12, 13, 14, 15].map(index_of), PRESERVED);
    }
}
