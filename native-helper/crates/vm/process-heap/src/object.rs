//! How long a thing on a heap is, and which of its words are terms.

use std::ops::Range;

use erlang_terms::Boxed;
use vm_layout::process_details::{FUN_SUBTAG, FunFormat, HeapFormat};

/// Words that a fun, a map or another thing can have at most: no heap is larger.
const MAX_WORDS: u64 = 1 << 40;

/// A thing on a heap, from its header on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// Words, the header among them.
    pub words: usize,
    /// Those that are terms, counted from the header.
    pub terms: Range<usize>,
}

/// The thing with that header. `word` gives the word so far behind it. `None` when it is no header.
pub(crate) fn extent(
    format: &HeapFormat,
    header: u64,
    word: impl Fn(usize) -> Option<u64>,
) -> Option<Extent> {
    let Boxed { subtag, words } = Boxed::of(header)?;
    let counted = length(words)?;
    let of = |words: usize, terms: Range<usize>| Some(Extent { words, terms });
    if format.tuples.contains(&subtag) {
        return of(1 + counted, 1..1 + counted);
    }
    if subtag == format.map {
        return map(header, word);
    }
    if subtag == FUN_SUBTAG {
        return match format.fun {
            FunFormat::InHeader(shift) => {
                let held = length(header >> shift & 0xff)?;
                of(2 + held, 2..2 + held)
            }
            FunFormat::InWord(index, shift) => {
                let held =
                    length(word(index)? >> shift & if shift == 0 { u64::MAX } else { 0xff })?;
                let own = 1 + counted;
                of(own + 1 + held, own..own + 1 + held)
            }
        };
    }
    if format.term_behind == Some(subtag) {
        return of(2 + counted, 1 + counted..2 + counted);
    }
    if format.term_last == Some(subtag) {
        return of(1 + counted, counted..1 + counted);
    }
    if format.term_first == Some(subtag) {
        return of(1 + counted, 1..2.min(1 + counted));
    }
    of(1 + counted, 0..0)
}

/// A flat map has its size and its keys before its values; a node of a larger one has as many words as bits
/// are set in its header, the first node the size of the map besides.
fn map(header: u64, word: impl Fn(usize) -> Option<u64>) -> Option<Extent> {
    let kind = header >> 6 & 3;
    let own = if kind & 2 == 0 { 1 } else { 2 };
    if kind == 0 {
        let words = 3 + length(word(1)?)?;
        return Some(Extent {
            words,
            terms: 2..words,
        });
    }
    let held = (header >> 16 & 0xffff).count_ones() as usize;
    Some(Extent {
        words: own + held,
        terms: own..own + held,
    })
}

fn length(words: u64) -> Option<usize> {
    (words < MAX_WORDS).then(|| usize::try_from(words).ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use vm_layout::process_details::PROCESS_DETAILS;

    use super::*;

    fn of(row: usize, words: &[u64]) -> Option<(usize, Range<usize>)> {
        let heap = &PROCESS_DETAILS[row].heap;
        let extent = extent(heap, words[0], |index| words.get(index).copied())?;
        Some((extent.words, extent.terms))
    }

    /// Rows: OTP 27, 29, 25.
    #[test]
    fn things_are_as_long_as_their_release_makes_them() {
        assert_eq!(of(0, &[3 << 6]), Some((4, 1..4)), "a tuple");
        assert_eq!(of(1, &[3 << 6 | 7 << 2]), Some((4, 1..4)), "a record of 29");
        assert_eq!(of(0, &[11 << 2, 4]), Some((7, 2..7)), "a flat map of four");
        let node = 0b111 << 16 | 1 << 6 | 11 << 2;
        assert_eq!(of(0, &[node]), Some((4, 1..4)), "a node of a map");
        assert_eq!(of(0, &[node | 2 << 6]), Some((5, 2..5)), "the first one");
        assert_eq!(of(0, &[2 << 16 | 5 << 2]), Some((4, 2..4)), "a fun of 27");
        let fun = [3 << 6 | 5 << 2, 0, 0, 2 << 8 | 1];
        assert_eq!(of(2, &fun), Some((7, 4..7)), "a fun of 25 with its creator");
        assert_eq!(of(2, &[4 << 6 | 10 << 2]), Some((6, 5..6)), "a part of 25");
        assert_eq!(of(0, &[4 << 6 | 9 << 2]), Some((5, 4..5)), "a part of 27");
        assert_eq!(of(2, &[5 << 6 | 1 << 2]), Some((6, 1..2)), "a match of 25");
        assert_eq!(of(0, &[2 << 6 | 6 << 2]), Some((3, 0..0)), "a float");
        assert_eq!(of(0, &[0x1002]), None);
        assert_eq!(of(0, &[11 << 2, u64::MAX]), None, "no heap is so long");
    }

    proptest! {
        #[test]
        fn any_words_have_an_extent_or_none(words in prop::collection::vec(any::<u64>(), 1..8)) {
            for row in 0..PROCESS_DETAILS.len() {
                if let Some((words, terms)) = of(row, &words) {
                    prop_assert!(terms.end <= words && words >= 1);
                }
            }
        }
    }
}
