//! Facts that the interpreter's main function shows.

/// Module, name and arity of a function, just before its code.
pub const MFA_BYTES: u64 = 24;

/// What the interpreter's main function has where; registers by their numbers in DWARF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterpreterRegisters {
    /// The current process, `c_p`: a register that C code preserves, or a word of the stack.
    pub process: Place,
    /// Top of the Erlang stack, `E`.
    pub stack: u8,
    /// The Erlang instruction that runs, `I`.
    pub instruction: u8,
    /// Process.current: the function whose C code is called, as the address of its module, name
    /// and arity, which lie [`MFA_BYTES`] before its instruction.
    pub current: Option<usize>,
}

/// Where the function finds the fields of a process, in bytes from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessOffsets {
    /// Process.htop.
    pub htop: usize,
    /// Process.stop.
    pub stop: usize,
    /// Process.fcalls.
    pub fcalls: usize,
    /// Width of Process.fcalls: 4 or 8.
    pub fcalls_bytes: usize,
    /// Process.i.
    pub i: usize,
}

/// Where a value was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the register of this number of DWARF's.
    Register(u8),
    /// On the C stack, this many bytes above the stack pointer.
    Slot(u64),
    /// In the process, as the place where it goes on.
    Process,
    /// The same, if the register of this number holds the process.
    ProcessIn(u8),
}

/// What a value was computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Holder {
    /// Where that was, at the place looked at.
    pub place: Place,
    /// The amount added to the content of `place`, when the value is just that sum.
    pub plus: Option<u64>,
}

/// Where the program counter is, by all the paths from a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holders {
    /// The values used as the program counter next.
    pub found: Vec<Holder>,
    /// Some path leads to the scheduler without storing it: it is stored already.
    pub schedules: bool,
    /// There was code to follow.
    pub is_known: bool,
    /// There are more or longer paths than are followed. They may use other values, so `found` does
    /// not cover all paths.
    pub is_cut: bool,
}

/// What of one interpreter has to be known to follow its paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Roles {
    /// The register that holds the program counter at every jump to an Erlang instruction.
    pub instruction: u8,
    /// Where the process is, at any time.
    pub process: Place,
    /// Process.i: the position at which a process that does not run continues.
    pub saved_instruction: u64,
    /// Start and end of the scheduler's function.
    pub schedule: Option<(u64, u64)>,
}
