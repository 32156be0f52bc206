//! Machine code of a module that is known to be its own.
//!
//! The running place in a module, and the places where its callers left the stack, are decoded from
//! machine code some time after the sample. By then the module may be gone. So all code of a module
//! that is loaded during the capture is kept, and of the others each piece that was ever needed. A
//! piece belongs to one generation of a module: whatever is loaded or purged elsewhere, it stays
//! right.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use target_memory::HeldBytes;

/// Pieces are so long, and begin at multiples of it.
const PIECE_BYTES: u32 = 256;
/// The most that is read at once.
const MAX_PIECES: u32 = 32;

/// The code of one generation of a module, as far as it is kept. It is no part of the module's
/// description: two modules that differ in nothing else are equal.
#[derive(Debug, Clone, Default)]
pub struct MachineCode {
    whole: Option<Arc<HeldBytes>>,
    /// By offset in the module.
    pieces: Arc<Mutex<BTreeMap<u32, HeldBytes>>>,
}

impl PartialEq for MachineCode {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for MachineCode {}

impl MachineCode {
    /// All code of a module; nothing, when there is none.
    pub(crate) fn whole(code: Option<HeldBytes>) -> Self {
        Self {
            whole: code.map(Arc::new),
            pieces: Arc::default(),
        }
    }

    /// All of it is kept.
    pub fn is_whole(&self) -> bool {
        self.whole.is_some()
    }

    /// The bytes at these offsets, if all of them are kept.
    pub(crate) fn at(&self, offsets: Range<u32>) -> Option<Vec<u8>> {
        if let Some(whole) = &self.whole {
            let kept = whole.get(offsets.start as usize..offsets.end as usize)?;
            return Some(kept.to_vec());
        }
        let pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        let mut code = Vec::with_capacity(offsets.len());
        while code.len() < offsets.len() {
            let from = offsets.start + code.len() as u32;
            let (start, piece) = pieces.range(..=from).next_back()?;
            let left = offsets.len() - code.len();
            let kept = piece.get((from - start) as usize..)?;
            let kept = kept
                .get(..left.min(kept.len()))
                .filter(|kept| !kept.is_empty())?;
            code.extend_from_slice(kept);
        }
        Some(code)
    }

    /// Keeps a piece, which begins at an offset.
    pub(crate) fn keep(&self, offset: u32, piece: HeldBytes) {
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        pieces.entry(offset).or_insert(piece);
    }
}

/// The offsets of the pieces that contain these offsets, in a module of this many bytes. `None` if
/// they are not all in the module, or too many.
pub(crate) fn pieces_of(offsets: &Range<u32>, module_bytes: u32) -> Option<Vec<Range<u32>>> {
    let is_inside = offsets.start < offsets.end && offsets.end <= module_bytes;
    let first = offsets.start / PIECE_BYTES;
    let last = offsets.end.checked_sub(1)? / PIECE_BYTES;
    let piece = |index: u32| {
        let start = index * PIECE_BYTES;
        start..start.saturating_add(PIECE_BYTES).min(module_bytes)
    };
    (is_inside && last - first < MAX_PIECES).then(|| (first..=last).map(piece).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_memory::ByteBudget;

    fn held(bytes: &[u8]) -> HeldBytes {
        let mut held = ByteBudget::of(1 << 20).zeros("code", bytes.len()).unwrap();
        held.copy_from_slice(bytes);
        held
    }

    #[test]
    fn pieces_lie_in_the_module_and_cover_the_wanted_range() {
        let pieces = |offsets: Range<u32>| {
            let pieces = pieces_of(&offsets, 1000)?;
            Some(
                pieces
                    .iter()
                    .map(|it| (it.start, it.end))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(pieces(10..20), Some(vec![(0, 256)]));
        assert_eq!(pieces(250..260), Some(vec![(0, 256), (256, 512)]));
        assert_eq!(pieces(990..1000), Some(vec![(768, 1000)]));
        assert_eq!(pieces(990..1001), None);
        assert_eq!(pieces(5..5), None);
        assert_eq!(pieces_of(&(0..u32::MAX), u32::MAX), None);
    }

    #[test]
    fn what_is_kept_in_pieces_is_found_across_them_and_nothing_is_made_up() {
        let code = MachineCode::default();
        let of = |piece: u8| held(&[piece; 256]);
        code.keep(0, of(1));
        code.keep(512, of(3));
        assert_eq!(code.at(254..256), Some(vec![1, 1]));
        assert_eq!(code.at(254..258), None);
        assert_eq!(code.at(300..301), None);
        code.keep(256, of(2));
        assert_eq!(code.at(254..258), Some(vec![1, 1, 2, 2]));
        assert_eq!(code.at(700..769), None);
        // The code that was kept first was proven first.
        code.keep(0, of(9));
        assert_eq!(code.clone().at(0..1), Some(vec![1]));
    }

    #[test]
    fn of_a_whole_module_nothing_is_beyond_its_end() {
        let code = MachineCode::whole(Some(held(&[7; 10])));
        assert!(code.is_whole() && !MachineCode::default().is_whole());
        assert_eq!(code.at(8..10), Some(vec![7, 7]));
        assert_eq!(code.at(8..11), None);
    }
}
