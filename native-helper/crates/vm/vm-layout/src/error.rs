//! Why a table of the VM could not be read.

use arch::UnclearCode;
use target_memory::ReadError;
use thiserror::Error;

use crate::build::Build;
use crate::fields::Field;

/// A table that could not be read, or that is not plausible.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The emulator binary does not export a symbol that is needed.
    #[error("the emulator does not export {name}")]
    NoSymbol {
        /// The symbol.
        name: &'static str,
    },
    /// Target memory could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The data read cannot be the table.
    #[error("{table} does not look right: {detail}")]
    Malformed {
        /// The table.
        table: &'static str,
        /// The fault.
        detail: String,
    },
    /// The emulator hides its symbols, and nothing among its data looks like the table.
    #[error(
        "cannot find {table}: the emulator exports no symbol for it, and its data holds no {wanted}"
    )]
    NotFound {
        /// The table.
        table: &'static str,
        /// The wanted data.
        wanted: &'static str,
    },
    /// The emulator hides its symbols, and several places look like the table.
    #[error("cannot find {table}: {candidates} places look like it")]
    Ambiguous {
        /// The table.
        table: &'static str,
        /// How many.
        candidates: usize,
    },
    /// Machine code of the VM does not show the wanted fact clearly.
    #[error(transparent)]
    Code(#[from] UnclearCode),
    /// An allocator is switched off, so that malloc has its blocks and the VM does not count them.
    #[error("an allocator is switched off in this VM, so that it does not count all of its memory")]
    SwitchedOff,
    /// The table changed while it was read, more often than the reading is repeated.
    #[error("{table} kept changing while it was read")]
    Unstable {
        /// The table.
        table: &'static str,
    },
    /// No layout is known for this release, and none could be derived.
    #[error(
        "no layout is known for OTP {release} ({flavor}), and the VM does not show it: {reason}; known: {known}"
    )]
    UnknownLayout {
        /// OTP release, as the VM has it.
        release: String,
        /// `jit` or `emu`.
        flavor: &'static str,
        /// The known releases.
        known: String,
        /// Why the VM's own evidence is not enough.
        reason: String,
    },
    /// The emulator is of an unusual build, and its own evidence is not enough.
    #[error("the emulator is {}, and its structures are not those of the usual one: {reason}", build.shown())]
    OtherBuild {
        /// The purpose of the build.
        build: Build,
        /// The missing evidence.
        reason: String,
    },
    /// A field of the layout does not follow from the VM.
    #[error("{field}: {reason}")]
    FieldUnknown {
        /// The field.
        field: Field,
        /// Why.
        reason: String,
    },
    /// The data and the running VM contradict each other.
    #[error("layout check failed: {field} should be {expected}, the VM has {derived} ({evidence})")]
    LayoutContradicted {
        /// The field.
        field: Field,
        /// The evidence in the VM.
        evidence: &'static str,
        /// Offset in the data.
        expected: i64,
        /// Offset derived from the VM.
        derived: i64,
    },
}

impl TableError {
    /// The same, of an emulator of this build.
    pub fn of_build(self, build: Build) -> Self {
        match self {
            Self::Read(_) => self,
            _ if build == Build::Optimized => self,
            // Which usual builds are known is beside the point.
            Self::UnknownLayout { reason, .. } => Self::OtherBuild { build, reason },
            _ => Self::OtherBuild {
                build,
                reason: self.to_string(),
            },
        }
    }

    /// True when there is no target any more: no later read can succeed.
    pub fn target_gone(&self) -> bool {
        matches!(self, Self::Read(error) if error.target_gone())
    }

    /// A malformed table.
    pub fn malformed(table: &'static str, detail: impl Into<String>) -> Self {
        Self::Malformed {
            table,
            detail: detail.into(),
        }
    }
}
