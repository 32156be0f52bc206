//! The purposes for which emulators are built.

/// The purpose for which an emulator was built, as far as that changes its structures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Build {
    /// Everyday use.
    #[default]
    Optimized,
    /// Counting locks: `-emu_type lcnt`.
    LockCounting,
    /// Checking itself: `-emu_type debug`.
    Debug,
    /// Running modules that were compiled to machine code ahead of time, beside interpreted ones
    /// (`[hipe]`): processes have a second stack, and more fields.
    Hipe,
}

impl Build {
    /// The difference of the build, as shown to users; empty for the usual one.
    pub fn shown(self) -> &'static str {
        match self {
            Self::Optimized => "",
            Self::LockCounting => "built to count locks (-emu_type lcnt)",
            Self::Debug => "built for debugging (-emu_type debug)",
            Self::Hipe => "built with HiPE (native code)",
        }
    }

    /// From whether it checks itself or its locks, whether it counts locks, and whether it has HiPE.
    pub fn from_facts(checks: bool, counts_locks: bool, has_hipe: bool) -> Self {
        match (checks, counts_locks, has_hipe) {
            (true, _, _) => Self::Debug,
            (false, true, _) => Self::LockCounting,
            (false, false, true) => Self::Hipe,
            (false, false, false) => Self::Optimized,
        }
    }
}
