//! A term that was copied out of a heap, as ETS tables have them: all of it in one block, except the bytes of
//! binaries.

use target_memory::TargetMemory;

use crate::{Boxed, Term, TermText};

/// Words that make a term the one it is; of one with more it is not known.
const MOST_WORDS: usize = 512;
/// Marks in an identity; no header and no immediate term has them.
const LIST: u64 = 1;
const BINARY: u64 = 2;

/// The words of a block, and where its first one is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermBlock {
    /// Address of the first word.
    pub address: u64,
    /// All of them.
    pub words: Vec<u64>,
}

impl TermBlock {
    /// The elements of the tuple that `word` is; `None` when it is none, or not all of it is in the block.
    pub fn tuple(&self, word: u64) -> Option<&[u64]> {
        let Term::Boxed(address) = Term::of(word) else {
            return None;
        };
        let arity = Boxed::of(*self.from(address)?.first()?)?.arity()?;
        self.from(address)?
            .get(1..)?
            .get(..usize::try_from(arity).ok()?)
    }

    /// Head and tail of the list cell that `word` is; `None` when it is none, or not in the block.
    pub fn cell(&self, word: u64) -> Option<[u64; 2]> {
        let Term::List(address) = Term::of(word) else {
            return None;
        };
        self.from(address)?.first_chunk::<2>().copied()
    }

    /// The tuple with which it begins.
    pub fn first_tuple(&self) -> Option<&[u64]> {
        // A pointer to a boxed term.
        self.tuple(self.address | 2)
    }

    /// All words of the boxed term, other than a tuple, that `word` is; `None` when it is none, or not in the block.
    pub fn boxed(&self, word: u64) -> Option<&[u64]> {
        let Term::Boxed(address) = Term::of(word) else {
            return None;
        };
        let words = self.from(address)?;
        let boxed = Boxed::of(*words.first()?)?;
        let count = usize::try_from(boxed.words).ok()?.checked_add(1)?;
        words.get(..count).filter(|_| boxed.arity().is_none())
    }

    /// The words from `address` on.
    fn from(&self, address: u64) -> Option<&[u64]> {
        let offset = address.checked_sub(self.address)?;
        self.words.get(usize::try_from(offset / 8).ok()?..)
    }
}

impl<M: TargetMemory> TermText<'_, M> {
    /// The identity of the term `word` of a block: the same for equal terms (`=:=`), different for all others.
    /// `None` where that is not known: maps, funs, terms of another node, long terms.
    pub fn identity(&self, block: &TermBlock, word: u64) -> Option<Vec<u64>> {
        let (mut identity, mut left) = (Vec::new(), vec![word]);
        while let Some(word) = left.pop() {
            // Pending words may loop as well as visited ones.
            if identity.len() + left.len() > MOST_WORDS {
                return None;
            }
            match Term::of(word) {
                Term::List(address) => {
                    let [head, tail] = *block.from(address)?.first_chunk::<2>()?;
                    identity.push(LIST);
                    left.extend([tail, head]);
                }
                Term::Boxed(address) => {
                    let words = block.from(address)?;
                    let header = *words.first()?;
                    let boxed = Boxed::of(header)?;
                    let count = usize::try_from(boxed.words).ok()?;
                    match boxed.subtag {
                        Boxed::TUPLE => {
                            let elements = words.get(1..)?.get(..count.min(MOST_WORDS + 1))?;
                            identity.push(header);
                            left.extend(elements.iter().rev());
                        }
                        Boxed::POSITIVE_INTEGER
                        | Boxed::NEGATIVE_INTEGER
                        | Boxed::REFERENCE
                        | Boxed::FLOAT => {
                            identity.push(header);
                            identity.extend(words.get(1..)?.get(..count.min(MOST_WORDS))?);
                        }
                        _ => {
                            let (bits, content) = self.binary_bits(address, MOST_WORDS * 8)?;
                            identity.extend([BINARY, bits]);
                            identity.extend(content);
                        }
                    }
                }
                Term::Other(_) => return None,
                _ => identity.push(word),
            }
        }
        (identity.len() <= MOST_WORDS).then_some(identity)
    }
}

#[cfg(test)]
mod tests;
