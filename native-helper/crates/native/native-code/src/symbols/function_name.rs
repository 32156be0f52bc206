//! The name of a function, and its source.

use std::fmt;

use crate::demangle::demangle;

/// How a function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionName<'a> {
    /// By its symbol, without version, as the linker has it.
    Symbol(&'a str),
    /// Its symbol was stripped, only its bounds are known.
    Unnamed {
        /// Where it starts.
        start_svma: u64,
    },
    /// A jump to the function of that name in another object; none when it is not known.
    Plt(Option<&'a str>),
}

impl FunctionName<'_> {
    /// As shown: `copy_struct_x`, `memcpy@plt`, `[plt]`, `beam.smp!fn@0x1a2b30`.
    #[must_use]
    pub fn shown(&self, object: &str) -> String {
        match *self {
            Self::Symbol(name) => demangle(name),
            Self::Unnamed { start_svma } => format!("{object}!fn@{start_svma:#x}"),
            Self::Plt(Some(name)) => format!("{}@plt", demangle(name)),
            Self::Plt(None) => "[plt]".to_owned(),
        }
    }

    /// The name as the linker has it; without a symbol, as it is shown.
    #[must_use]
    pub fn raw(&self, object: &str) -> String {
        match *self {
            Self::Symbol(name) => name.to_owned(),
            _ => self.shown(object),
        }
    }

    /// Whether a name is known rather than only the bounds.
    #[must_use]
    pub fn is_named(&self) -> bool {
        !matches!(self, Self::Unnamed { .. })
    }
}

impl fmt::Display for FunctionName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown(""))
    }
}

/// The source of a function's name or, if it has none, of its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameSource {
    /// The object's own full symbol table.
    Symtab,
    /// The full symbol table of the separate debug file of this very build.
    DebugFile,
    /// The symbols the object exports and imports.
    Dynsym,
    /// A stub of the procedure linkage table.
    Plt,
    /// The unwind table, which has bounds and no names.
    UnwindBounds,
}

impl fmt::Display for NameSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Symtab => ".symtab",
            Self::DebugFile => "debug file",
            Self::Dynsym => ".dynsym",
            Self::Plt => "PLT",
            Self::UnwindBounds => "bounds only",
        })
    }
}

/// A function and its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeFunction<'a> {
    /// First address.
    pub start_svma: u64,
    /// First address after it.
    pub end_svma: u64,
    /// Name.
    pub name: FunctionName<'a>,
    /// Where the name was found.
    pub source: NameSource,
}
