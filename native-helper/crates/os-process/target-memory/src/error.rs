//! Why a read of target memory failed.

use byte_budget::BudgetSpent;
use thiserror::Error;

/// A failed read: its address, length and cause.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("reading {len_bytes} bytes at {address:#x}: {kind}")]
pub struct ReadError {
    /// First requested address.
    pub address: u64,
    /// Requested bytes.
    pub len_bytes: usize,
    /// Reason.
    pub kind: ReadErrorKind,
}

/// Reason of a failed read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// Not mapped, or not readable (EFAULT).
    #[error("not mapped")]
    Unmapped,
    /// The kernel copied only a part.
    #[error("only a part is readable")]
    Short,
    /// No right to read this process (EPERM).
    #[error("no permission to read this process")]
    Denied,
    /// The process is gone (ESRCH).
    #[error("the process is gone")]
    Gone,
    /// A length that came from the target is longer than the caller accepts.
    #[error("longer than the limit of {limit_bytes} bytes")]
    TooLong {
        /// The limit.
        limit_bytes: usize,
    },
    /// The byte budget of the target is used up.
    #[error("{0}")]
    BudgetSpent(BudgetSpent),
    /// A place that far behind the address does not exist: the sum is more than 64 bits.
    #[error("nothing can lie {offset} bytes behind it")]
    BeyondMemory {
        /// How far behind.
        offset: u64,
    },
    /// Another error of the system call.
    #[error("system error {0}")]
    Os(i32),
}

impl ReadError {
    /// A failed read.
    pub fn new(address: u64, len_bytes: usize, kind: ReadErrorKind) -> Self {
        Self {
            address,
            len_bytes,
            kind,
        }
    }

    /// There was no room for the bytes at `address`.
    pub fn spent(address: u64, spent: BudgetSpent) -> Self {
        Self::new(
            address,
            spent.wanted_bytes,
            ReadErrorKind::BudgetSpent(spent),
        )
    }

    /// True when the target itself is no longer there, so no other read can work.
    pub fn target_gone(&self) -> bool {
        self.kind == ReadErrorKind::Gone
    }
}
