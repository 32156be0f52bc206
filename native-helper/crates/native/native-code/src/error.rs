//! Why an object cannot be read.

use std::io;

use byte_budget::BudgetSpent;

/// Why an object could not be read at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// Not an ELF file.
    #[error("not an ELF file")]
    NotElf,
    /// ELF of another machine.
    #[error("not a 64-bit x86 ELF file")]
    OtherProcessor,
    /// The header contradicts itself.
    #[error("damaged ELF header")]
    BadHeader,
    /// The file ends before a part that its header announces.
    #[error("the file is cut off")]
    Truncated,
    /// A part is larger than is ever read.
    #[error("a part of {bytes} bytes is too large")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// More program headers than any linker makes.
    #[error("{count} program headers are too many")]
    TooManyHeaders {
        /// How many.
        count: usize,
    },
    /// The byte budget of the target has no room for it.
    #[error(transparent)]
    BudgetSpent(#[from] BudgetSpent),
    /// The error of the source.
    #[error("reading the object: {0}")]
    Io(#[from] io::Error),
}
