//! How many bytes of one target the helper holds at a time, in all.
//!
//! Each length that comes from a target has a bound of its own, but a target decides how many such
//! lengths there are: program headers, mapped files, modules. So whatever is held of a target is
//! held within the one budget of that target, from before memory is taken until it is given back.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// The most bytes held for one target. A VM with some thousand modules and the debug symbols of its
/// emulator takes a tenth of it.
pub const TARGET_BYTES: usize = 512 << 20;

const MIB: usize = 1 << 20;

/// Holding more was refused: the target has used up its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "no room for {} more of its {what}: no more than {} is held of one process",
    Amount(*wanted_bytes), Amount(*limit_bytes)
)]
pub struct BudgetSpent {
    /// The data to be held.
    pub what: &'static str,
    /// How much of it.
    pub wanted_bytes: usize,
    /// The whole budget.
    pub limit_bytes: usize,
}

struct Amount(usize);

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes < MIB => write!(f, "{bytes} bytes"),
            bytes => write!(f, "{} MiB", bytes / MIB),
        }
    }
}

#[derive(Debug)]
struct Account {
    limit_bytes: usize,
    held_bytes: AtomicUsize,
}

/// The budget of one target. Clones share it.
#[derive(Debug, Clone)]
pub struct ByteBudget(Arc<Account>);

impl ByteBudget {
    /// The budget of a target that is looked at for the first time.
    #[must_use]
    pub fn of_target() -> Self {
        Self::of(TARGET_BYTES)
    }

    /// A budget of that many bytes.
    #[must_use]
    pub fn of(limit_bytes: usize) -> Self {
        Self(Arc::new(Account {
            limit_bytes,
            held_bytes: AtomicUsize::new(0),
        }))
    }

    /// The one budget of everything that is of no target: snapshots, files of this machine.
    #[must_use]
    pub fn of_no_target() -> &'static Self {
        static SHARED: LazyLock<ByteBudget> = LazyLock::new(ByteBudget::of_target);
        &SHARED
    }

    /// Bytes held at the moment.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.0.held_bytes.load(Ordering::Relaxed)
    }

    /// Whether half of it is held at the moment: optional data is left out then, so that room remains for necessary
    /// data.
    #[must_use]
    pub fn is_half_used(&self) -> bool {
        self.held_bytes() >= self.0.limit_bytes / 2
    }

    /// Holds `bytes` for as long as the result lives. To be called before they are allocated.
    ///
    /// # Errors
    /// [`BudgetSpent`] when that is more than is left.
    pub fn hold(&self, what: &'static str, bytes: usize) -> Result<Held, BudgetSpent> {
        let mut held = Held {
            account: Arc::clone(&self.0),
            bytes: 0,
        };
        held.grow(what, bytes)?;
        Ok(held)
    }

    /// That many zeros, held for as long as they live.
    ///
    /// # Errors
    /// [`BudgetSpent`] when that is more than is left.
    pub fn zeros(&self, what: &'static str, bytes: usize) -> Result<HeldBytes, BudgetSpent> {
        let held = self.hold(what, bytes)?;
        Ok(HeldBytes {
            bytes: vec![0; bytes],
            _held: held,
        })
    }
}

impl ByteBudget {
    /// Holds bytes that are there already: for those that could not be counted before.
    ///
    /// # Errors
    /// [`BudgetSpent`] when that is more than is left.
    pub fn keep(&self, what: &'static str, bytes: Vec<u8>) -> Result<HeldBytes, BudgetSpent> {
        let held = self.hold(what, bytes.len())?;
        Ok(HeldBytes { bytes, _held: held })
    }
}

/// Bytes taken out of a budget; given back when dropped.
#[derive(Debug)]
pub struct Held {
    account: Arc<Account>,
    bytes: usize,
}

impl Held {
    /// Holds `bytes` more.
    ///
    /// # Errors
    /// [`BudgetSpent`] when that is more than is left; the bytes held before stay held.
    pub fn grow(&mut self, what: &'static str, bytes: usize) -> Result<(), BudgetSpent> {
        let limit_bytes = self.account.limit_bytes;
        let more = |held: usize| held.checked_add(bytes).filter(|held| *held <= limit_bytes);
        self.account
            .held_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .map_err(|_| BudgetSpent {
                what,
                wanted_bytes: bytes,
                limit_bytes,
            })?;
        // Never more than the account holds, which has not overflowed.
        self.bytes = self.bytes.saturating_add(bytes);
        Ok(())
    }

    /// Bytes held by this.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.account
            .held_bytes
            .fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Bytes that are within a budget.
#[derive(Debug)]
pub struct HeldBytes {
    bytes: Vec<u8>,
    _held: Held,
}

impl Deref for HeldBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for HeldBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_counts_until_it_is_given_back() {
        let budget = ByteBudget::of(100);
        let first = budget.hold("notes", 60).unwrap();
        let bytes = budget.clone().zeros("symbols", 40).unwrap();
        assert_eq!((bytes.len(), budget.held_bytes()), (40, 100));
        let spent = budget.hold("code", 1).unwrap_err();
        assert_eq!(
            spent.to_string(),
            "no room for 1 bytes more of its code: no more than 100 bytes is held of one process"
        );
        drop(first);
        assert_eq!(budget.held_bytes(), 40);
        assert!(budget.hold("code", 60).is_ok());
    }

    #[test]
    fn growing_too_far_changes_nothing() {
        let budget = ByteBudget::of(100);
        let mut held = budget.hold("names", 10).unwrap();
        assert!(held.grow("names", usize::MAX).is_err());
        assert!(held.grow("names", 91).is_err());
        held.grow("names", 90).unwrap();
        assert_eq!((held.bytes(), budget.held_bytes()), (100, 100));
        drop(held);
        assert_eq!(budget.held_bytes(), 0);
    }
}
