//! The checks of the self-check.

/// One check of an attached VM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Check {
    /// Which release runs.
    Release,
    /// The files of the binaries that the VM runs.
    Binaries,
    /// Where the VM's structures are.
    Structures,
    /// Where the fields of those structures are.
    Layout,
    /// Loaded code as far as it can be read.
    Code,
    /// The modules that every node has.
    KnownModules,
    /// The atom table.
    Atoms,
    /// The table of built-in functions.
    Bifs,
    /// Names of C functions that follow from their callers.
    Callees,
    /// The tables that NIF libraries and drivers have of their functions.
    NativeTables,
    /// Where the names of the emulator's functions come from.
    Names,
    /// Separate debug files.
    DebugFiles,
    /// The schedulers.
    Schedulers,
    /// The process table.
    Processes,
}

impl Check {
    /// The name that people read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Binaries => "binaries",
            Self::Structures => "structures",
            Self::Layout => "layout",
            Self::Code => "code",
            Self::KnownModules => "known modules",
            Self::Atoms => "atoms",
            Self::Bifs => "BIFs",
            Self::Callees => "callees",
            Self::NativeTables => "NIFs and drivers",
            Self::Names => "names",
            Self::DebugFiles => "debug files",
            Self::Schedulers => "schedulers",
            Self::Processes => "processes",
        }
    }
}
