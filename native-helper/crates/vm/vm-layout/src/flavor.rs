//! The two kinds of emulator.

/// The kind of emulator, with the facts that only that kind has: `J` a JIT, `I` an interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flavor<J = (), I = ()> {
    /// Code is compiled when it is loaded.
    Jit(J),
    /// Code is interpreted.
    Interpreter(I),
}

/// An emulator that compiles code when it is loaded.
pub const JIT: Flavor = Flavor::Jit(());
/// An emulator that interprets code.
pub const INTERPRETER: Flavor = Flavor::Interpreter(());

impl<J, I> Flavor<J, I> {
    /// Just the kind.
    pub const fn kind(&self) -> Flavor {
        match self {
            Self::Jit(_) => JIT,
            Self::Interpreter(_) => INTERPRETER,
        }
    }

    /// `jit` or `emu`, as in the VM's own `emu_flavor`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Jit(_) => "jit",
            Self::Interpreter(_) => "emu",
        }
    }
}
