//! Sums of addresses. An address that comes from the target may be any number, and so may an
//! offset: a sum that wraps around would read something else, or end the helper where sums are
//! checked.

use crate::{ReadError, ReadErrorKind};

/// The address `offset` bytes behind `base`.
///
/// # Errors
/// [`ReadErrorKind::BeyondMemory`] when there is no such address.
pub fn address_at(base: u64, offset: u64) -> Result<u64, ReadError> {
    base.checked_add(offset)
        .ok_or_else(|| ReadError::new(base, 0, ReadErrorKind::BeyondMemory { offset }))
}

/// The address of an element of an array.
///
/// # Errors
/// [`ReadErrorKind::BeyondMemory`] when there is no such address.
pub fn element_at(array: u64, index: u64, element_bytes: u64) -> Result<u64, ReadError> {
    let offset = index.checked_mul(element_bytes);
    address_at(array, offset.unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_that_is_no_address_is_an_error() {
        assert_eq!(address_at(0x1000, 208).unwrap(), 0x10d0);
        assert_eq!(element_at(0x1000, 3, 48).unwrap(), 0x1090);
        let error = address_at(u64::MAX - 100, 208).unwrap_err();
        assert_eq!(error.kind, ReadErrorKind::BeyondMemory { offset: 208 });
        assert!(element_at(0x1000, u64::MAX, 8).is_err());
        assert!(element_at(0x1000, u64::MAX / 8, 8).is_err());
    }
}
