//! Which parts of the binaries outside of a heap its live terms use.
//!
//! A part of a binary keeps all of it. The result is never less than the part in use: where a part does not show its
//! range, or contradicts the binary, all of the binary is in use.

use std::collections::HashMap;
use std::ops::Range;

use erlang_terms::{Boxed, Term};
use vm_layout::process_details::{
    BinaryFormat, HeapFormat, PART_FLAGS, PART_IS_MATCHED, PART_MAY_MOVE, PartFormat,
};

use crate::copy::{At, HeapCopy};
use crate::object::{Extent, extent};
use crate::reach::live_words;
use crate::roots::Root;

/// Parts of one binary that are told apart; of one with more, all from the first to the last is in use.
const MAX_RANGES: usize = 1 << 16;

/// What a heap has of one binary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BinaryUse {
    /// References on the heap, garbage among them.
    pub references: u64,
    /// Those that live.
    pub live_references: u64,
    /// Where the live parts are, bytes from the start of the binary, in no order; `None`: all of it is in use.
    pub used: Option<Vec<Range<u64>>>,
}

/// By the address of the binary, the heap's use of it. `None` when the heap is not made as it is known here.
pub fn binary_uses(
    copy: &HeapCopy<'_>,
    heap: &HeapFormat,
    binary: BinaryFormat,
    roots: &[Root],
) -> Option<HashMap<u64, BinaryUse>> {
    let live = live_words(copy, heap, roots)?;
    let mut uses = Uses {
        copy,
        heap,
        binary,
        found: HashMap::new(),
    };
    for root in roots {
        uses.plain_term(root.term);
    }
    for block in 0..copy.blocks.len() {
        let mut at = At { block, index: 0 };
        while at.index < copy.words(block) {
            let is_live = live.contains(copy.number(at));
            at.index = at.index.checked_add(uses.thing(at, is_live)?)?;
        }
        if at.index != copy.words(block) {
            return None;
        }
    }
    Some(uses.found)
}

struct Uses<'c> {
    copy: &'c HeapCopy<'c>,
    heap: &'c HeapFormat,
    binary: BinaryFormat,
    found: HashMap<u64, BinaryUse>,
}

impl Uses<'_> {
    /// Notes the references of the thing there, and returns how many words it has.
    fn thing(&mut self, at: At, is_live: bool) -> Option<usize> {
        let header = self.copy.word(at)?;
        let Some(boxed) = Boxed::of(header) else {
            if is_live {
                self.plain_term(header);
                self.plain_term(self.word(at, 1)?);
            }
            return Some(2);
        };
        let Extent { words, terms } = extent(self.heap, header, |index| self.word(at, index))?;
        if boxed.subtag == self.binary.reference_subtag {
            let found = self.of(self.word(at, self.binary.binary / 8)?);
            found.references += 1;
            found.live_references += u64::from(is_live);
        } else if is_live {
            let subtag = Some(boxed.subtag);
            let is_part = [
                self.heap.term_behind,
                self.heap.term_last,
                self.heap.term_first,
            ]
            .contains(&subtag);
            if is_part {
                let reference = self.word(at, terms.start)?;
                self.part(at, reference, subtag == self.heap.term_first);
            } else {
                for index in terms {
                    self.plain_term(self.word(at, index)?);
                }
            }
        }
        Some(words)
    }

    fn word(&self, at: At, index: usize) -> Option<u64> {
        let index = at.index.checked_add(index)?;
        self.copy.word(At { index, ..at })
    }

    fn of(&mut self, binary: u64) -> &mut BinaryUse {
        self.found.entry(binary).or_insert_with(|| BinaryUse {
            used: Some(Vec::new()),
            ..BinaryUse::default()
        })
    }

    /// The reference that a term is, and the binary it refers to.
    fn reference(&self, term: u64) -> Option<(At, u64)> {
        let Term::Boxed(address) = Term::of(term) else {
            return None;
        };
        let at = self.copy.find(address)?;
        let boxed = Boxed::of(self.copy.word(at)?)?;
        let binary = self.word(at, self.binary.binary / 8)?;
        (boxed.subtag == self.binary.reference_subtag).then_some((at, binary))
    }

    /// A term that is a reference itself is all of the binary.
    fn plain_term(&mut self, term: u64) {
        if let Some((_, binary)) = self.reference(term) {
            self.of(binary).used = None;
        }
    }

    fn part(&mut self, at: At, reference: u64, is_match: bool) {
        let Some((reference, binary)) = self.reference(reference) else {
            return;
        };
        let range = self.part_range(at, reference, binary, is_match);
        let used = &mut self.of(binary).used;
        match (range, used.as_mut()) {
            (Some(range), Some(ranges)) => {
                ranges.push(range);
                if ranges.len() > MAX_RANGES {
                    let start = ranges.iter().map(|it| it.start).min().unwrap_or(0);
                    let end = ranges.iter().map(|it| it.end).max().unwrap_or(0);
                    ranges.clear();
                    ranges.push(start..end);
                }
            }
            _ => *used = None,
        }
    }

    /// Bytes of the binary that a part is.
    fn part_range(&self, at: At, reference: At, binary: u64, is_match: bool) -> Option<Range<u64>> {
        let content = binary.checked_add(self.binary.content as u64)?;
        let word = |index| self.word(at, index);
        let (base, bits) = match self.binary.part {
            PartFormat::OfReference { content } => {
                let base = self.word(reference, content / 8)?;
                let bits = if is_match {
                    // It may go back to a place before the one where it is.
                    0..word(4)?
                } else {
                    let [more, later, ..] = word(3)?.to_le_bytes();
                    let start = word(2)?.checked_mul(8)?.checked_add(u64::from(later))?;
                    let length = word(1)?.checked_mul(8)?.checked_add(u64::from(more))?;
                    start..start.checked_add(length)?
                };
                (base, bits)
            }
            PartFormat::OfAddress => {
                let (address, start, end) = (word(1)?, word(2)?, word(3)?);
                let base = match address & PART_MAY_MOVE {
                    0 => address & !PART_FLAGS,
                    _ => content,
                };
                let is_match = address & PART_FLAGS == PART_IS_MATCHED;
                (base, if is_match { 0..end } else { start..end })
            }
        };
        let first = base.checked_sub(content)?;
        let start = first.checked_add(bits.start / 8)?;
        let end = first.checked_add(bits.end.div_ceil(8))?;
        (start <= end).then_some(start..end)
    }
}

#[cfg(test)]
mod tests;
