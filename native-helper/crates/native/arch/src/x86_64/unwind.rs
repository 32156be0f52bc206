//! Registers of a frame, by their numbers in DWARF: rax rdx rcx rbx rsi rdi rbp rsp r8..r15, and
//! 16 for the return address.

/// General registers.
pub const GENERAL_COUNT: usize = 16;
/// rsp.
pub const STACK_POINTER: u8 = 7;
/// The number that stands for the return address.
pub const RETURN_ADDRESS: u8 = 16;

/// rbp.
const FRAME_POINTER: usize = 6;
/// r13.
const JIT_PROCESS: usize = 13;
/// r14.
const JIT_REDUCTIONS: usize = 14;

/// The general registers and the program counter of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Registers {
    /// By their numbers in DWARF.
    pub general: [u64; GENERAL_COUNT],
    /// Program counter.
    pub program_counter: u64,
}

impl Registers {
    /// The register of that number in DWARF; 0 for a number that none has.
    #[must_use]
    pub fn get(&self, dwarf: u8) -> u64 {
        match dwarf {
            RETURN_ADDRESS => self.program_counter,
            _ => self
                .general
                .get(usize::from(dwarf))
                .copied()
                .unwrap_or_default(),
        }
    }

    /// The stack pointer.
    #[must_use]
    pub fn stack_pointer(&self) -> u64 {
        self.general[usize::from(STACK_POINTER)]
    }

    /// The frame pointer, which C functions leave as it was.
    #[must_use]
    pub fn frame_pointer(&self) -> u64 {
        self.general[FRAME_POINTER]
    }

    /// What JIT code has the current process in; C functions leave it as it was.
    #[must_use]
    pub fn jit_process(&self) -> u64 {
        self.general[JIT_PROCESS]
    }

    /// What JIT code has the reductions left in; C functions leave it as it was.
    #[must_use]
    pub fn jit_reductions(&self) -> u64 {
        self.general[JIT_REDUCTIONS]
    }
}
