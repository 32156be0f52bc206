//! Registers of interrupted code in the kernel's `struct pt_regs`.

/// Bits of [`SavedRegister::MODE`] that are all 0 when the kernel was interrupted.
pub const KERNEL_MODE_MASK: i32 = 3;

/// A register, by its place in `struct pt_regs`: bytes from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SavedRegister(pub i16);

impl SavedRegister {
    /// r13, which holds the current process in JIT code.
    pub const JIT_PROCESS: Self = Self(16);
    /// rbp.
    pub const FRAME_POINTER: Self = Self(32);
    /// rdi, the first argument of a C function.
    pub const FIRST_ARGUMENT: Self = Self(112);
    /// rip.
    pub const PROGRAM_COUNTER: Self = Self(128);
    /// cs, whose two low bits are the ring.
    pub const MODE: Self = Self(136);
    /// rsp.
    pub const STACK_POINTER: Self = Self(152);

    /// A register that C functions leave as it was, by its number in DWARF.
    pub fn preserved(dwarf: u8) -> Self {
        match dwarf {
            3 => Self(40),
            6 => Self::FRAME_POINTER,
            12 => Self(24),
            14 => Self(8),
            15 => Self(0),
            _ => Self::JIT_PROCESS,
        }
    }
}
