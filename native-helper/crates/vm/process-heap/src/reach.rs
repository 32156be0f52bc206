//! What roots lead to, in a copy of a heap.

use std::ops::Range;

use erlang_terms::{Boxed, Term};
use target_memory::TargetMemory;
use vm_layout::process_details::HeapFormat;

use crate::copy::{At, CopyError, HeapCopy};
use crate::object::{Extent, extent};
use crate::roots::Root;

/// Levels of a root's term that are told apart.
const SPLIT_LEVELS: usize = 2;
/// Things with terms that are still to be followed, at a time: a list takes none for its cells, so that is how deep
/// terms may be nested. Half a gigabyte.
const MAX_PENDING: usize = 1 << 26;
/// Elements of one level that are.
const SPLIT_ELEMENTS: usize = 64;

/// What the roots lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// Words that live.
    pub live_words: u64,
    /// For each root, in its order: words that no root before it leads to.
    pub words: Vec<u64>,
    /// Parts of the terms that a root leads to.
    pub parts: Vec<Part>,
}

/// A part of the term that a root is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Of which root.
    pub root: usize,
    /// Which element, then which element of that.
    pub path: Vec<Step>,
    /// Words that only this part of the term leads to first.
    pub words: u64,
}

/// A step into a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// That element of a tuple or fun, from 0; of a large map, that node.
    Element(usize),
    /// The keys of a map.
    Keys,
    /// The value of a map that is the so manyth, from 0, by the order of its keys, which are a tuple: that term.
    /// It may lie outside of the heap.
    Value(u64, usize),
}

impl Step {
    /// The key of a value, a term.
    pub fn key(self, memory: &impl TargetMemory, copy: &HeapCopy<'_>) -> Option<u64> {
        let Self::Value(keys, index) = self else {
            return None;
        };
        let Term::Boxed(tuple) = Term::of(keys) else {
            return None;
        };
        let address = tuple.checked_add(8 + 8 * index as u64)?;
        let copied = copy.find(address).and_then(|at| copy.word(at));
        copied.or_else(|| memory.read_u64(address).ok())
    }
}

/// Follows `roots`, one after the other. `None` when things lie in each other, which those of a heap do not:
/// then it is not made as it is known here, or [`HeapCopy::fault`] has the reason.
pub fn reach(copy: &HeapCopy<'_>, format: &HeapFormat, roots: &[Root]) -> Option<Reached> {
    let mut walk = Walk::of(copy, format);
    let words: Vec<u64> = roots
        .iter()
        .enumerate()
        .map(|(index, root)| walk.split(index, root.term, &mut Vec::new()))
        .collect();
    walk.left.map(|_| Reached {
        live_words: words.iter().sum(),
        words,
        parts: walk.parts,
    })
}

/// Which words `roots` lead to; `None` as for [`reach`].
pub(crate) fn live_words(
    copy: &HeapCopy<'_>,
    format: &HeapFormat,
    roots: &[Root],
) -> Option<Words> {
    let mut walk = Walk::of(copy, format);
    for root in roots {
        walk.follow(root.term);
    }
    walk.left.map(|_| walk.seen)
}

/// Some of the words of a heap, by their numbers.
pub(crate) struct Words(Vec<u64>);

impl Words {
    /// Of so many, none.
    fn none_of(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    pub fn contains(&self, number: usize) -> bool {
        let of_64 = self.0.get(number / 64).copied().unwrap_or(0);
        of_64 >> (number % 64) & 1 == 1
    }

    fn add(&mut self, numbers: Range<usize>) {
        for number in numbers {
            if let Some(of_64) = self.0.get_mut(number / 64) {
                *of_64 |= 1 << (number % 64);
            }
        }
    }
}

struct Walk<'c> {
    copy: &'c HeapCopy<'c>,
    format: &'c HeapFormat,
    seen: Words,
    pending: Vec<Rest>,
    parts: Vec<Part>,
    /// Words that were not followed yet; `None` once more were than there are.
    left: Option<u64>,
}

/// Terms of a thing that are still to be followed, by the numbers of their words.
struct Rest {
    next: u32,
    end: u32,
}

impl<'c> Walk<'c> {
    fn of(copy: &'c HeapCopy<'c>, format: &'c HeapFormat) -> Self {
        let all = copy.all_words();
        Self {
            left: Some(all as u64),
            copy,
            format,
            seen: Words::none_of(all),
            pending: Vec::new(),
            parts: Vec::new(),
        }
    }
}

impl Walk<'_> {
    /// Words that a term leads to; those of its elements are noted each for itself.
    fn split(&mut self, root: usize, term: u64, path: &mut Vec<Step>) -> u64 {
        let container = match Term::of(term) {
            Term::Boxed(address) if path.len() < SPLIT_LEVELS => self.container(address),
            _ => None,
        };
        let words = match container {
            Some((at, extent)) if extent.terms.len() <= SPLIT_ELEMENTS => {
                self.split_elements(root, at, &extent, path)
            }
            _ => self.follow(term),
        };
        if !path.is_empty() && words > 0 {
            self.parts.push(Part {
                root,
                path: path.clone(),
                words,
            });
        }
        words
    }

    fn split_elements(
        &mut self,
        root: usize,
        at: At,
        extent: &Extent,
        path: &mut Vec<Step>,
    ) -> u64 {
        self.mark(at, extent.words);
        let mut words = extent.words as u64;
        let keys = self.keys_of(at);
        for (element, index) in extent.terms.clone().enumerate() {
            let word = self.copy.word(behind(at, index));
            path.push(match (keys, element.checked_sub(1)) {
                (None, _) => Step::Element(element),
                (Some(_), None) => Step::Keys,
                (Some(keys), Some(value)) => Step::Value(keys, value),
            });
            words += word.map_or(0, |word| self.split(root, word, path));
            path.pop();
        }
        words
    }

    /// The keys of the map there, a term; `None` for anything else, and for a large map, which is a tree.
    fn keys_of(&self, at: At) -> Option<u64> {
        let header = self.copy.word(at)?;
        let boxed = Boxed::of(header)?;
        let is_flat = boxed.subtag == self.format.map && header >> 6 & 3 == 0;
        self.copy.word(behind(at, 2)).filter(|_| is_flat)
    }

    /// A thing with elements that was not seen yet.
    fn container(&self, address: u64) -> Option<(At, Extent)> {
        let at = self.unseen(address)?;
        let extent = self.extent_at(at)?;
        (!extent.terms.is_empty()).then_some((at, extent))
    }

    /// Words that a term leads to and that were not seen yet.
    fn follow(&mut self, term: u64) -> u64 {
        let mut words = self.enter(term);
        while let Some(rest) = self.pending.last_mut() {
            let at = self.copy.numbered(rest.next as usize);
            rest.next += 1;
            // A list takes no place for each of its cells, since the tail is the last term of one.
            if rest.next >= rest.end {
                self.pending.pop();
            }
            words += self.copy.word(at).map_or(0, |term| self.enter(term));
        }
        words
    }

    fn enter(&mut self, term: u64) -> u64 {
        match Term::of(term) {
            Term::List(address) => self.cell(address),
            Term::Boxed(address) => self.boxed(address),
            _ => 0,
        }
    }

    fn cell(&mut self, address: u64) -> u64 {
        let Some(at) = self.unseen(address) else {
            return 0;
        };
        let pair = [at, behind(at, 1)].map(|at| self.copy.word(at));
        let [Some(_), Some(tail)] = pair else {
            return 0;
        };
        self.mark(at, 2);
        let is_last = !matches!(Term::of(tail), Term::List(_) | Term::Boxed(_));
        self.pend(at, if is_last { 0..1 } else { 0..2 });
        2
    }

    fn boxed(&mut self, address: u64) -> u64 {
        let Some((at, extent)) = self.unseen(address).and_then(|at| {
            let extent = self.extent_at(at)?;
            Some((at, extent))
        }) else {
            return 0;
        };
        self.mark(at, extent.words);
        self.pend(at, extent.terms);
        extent.words as u64
    }

    /// Terms of a thing are followed later. Where there is no room for that, the walk ends.
    fn pend(&mut self, at: At, terms: Range<usize>) {
        if terms.is_empty() {
            return;
        }
        let number = |words| u32::try_from(self.copy.number(behind(at, words)));
        let rest = number(terms.start).ok().zip(number(terms.end).ok());
        match rest {
            Some((next, end))
                if self.pending.len() < MAX_PENDING && self.pending.try_reserve(1).is_ok() =>
            {
                self.pending.push(Rest { next, end });
            }
            _ => {
                self.copy.give_up(CopyError::TooDeep);
                self.left = None;
            }
        }
    }

    fn unseen(&self, address: u64) -> Option<At> {
        self.left?;
        let at = self.copy.find(address)?;
        (!self.seen.contains(self.copy.number(at))).then_some(at)
    }

    /// The thing there, when all of it is in its block.
    fn extent_at(&self, at: At) -> Option<Extent> {
        let header = self.copy.word(at)?;
        let word = |index| self.copy.word(behind(at, index));
        let extent = extent(self.format, header, word)?;
        let end = at.index.checked_add(extent.words)?;
        (end <= self.copy.words(at.block)).then_some(extent)
    }

    fn mark(&mut self, at: At, words: usize) {
        let number = self.copy.number(at);
        self.seen.add(number..number.saturating_add(words));
        self.copy.note(words);
        self.left = self.left.and_then(|left| left.checked_sub(words as u64));
    }
}

fn behind(at: At, words: usize) -> At {
    At {
        index: at.index.saturating_add(words),
        ..at
    }
}

#[cfg(test)]
mod tests;
