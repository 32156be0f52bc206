//! A bounded cache of unwind rows by address.

use crate::cfi::CfiError;
use crate::unwind_row::UnwindRow;

/// The result for an address: its rules, or why there are none.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CachedRow {
    Row(UnwindRow),
    NoObject,
    NoRule(CfiError),
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    avma: u64,
    row: CachedRow,
}

const SLOT_BITS: u32 = 11;

/// Direct-mapped, 2,048 slots: a busy VM is sampled at some hundred distinct C addresses, and a
/// collision costs one table look-up.
#[derive(Debug)]
pub(crate) struct RowCache {
    slots: Box<[Slot]>,
}

impl RowCache {
    pub(crate) fn new() -> Self {
        let empty = Slot {
            avma: 0,
            row: CachedRow::NoObject,
        };
        Self {
            slots: vec![empty; 1 << SLOT_BITS].into_boxed_slice(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.fill(Slot {
            avma: 0,
            row: CachedRow::NoObject,
        });
    }

    /// The row of an address, computed at the first use. Address 0 is never code: the empty slots
    /// answer for it.
    #[inline]
    pub(crate) fn row(&mut self, avma: u64, compute: impl FnOnce() -> CachedRow) -> &CachedRow {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let index = (avma.wrapping_mul(GOLDEN) >> (u64::BITS - SLOT_BITS)) as usize;
        // The index has SLOT_BITS bits, so it is inside.
        let slot = &mut self.slots[index];
        if slot.avma != avma {
            *slot = Slot {
                avma,
                row: compute(),
            };
        }
        &slot.row
    }
}
