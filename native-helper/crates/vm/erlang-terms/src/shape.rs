//! The shape of a term: its tags and how many elements it has, none of its values.

use target_memory::{TargetMemory, address_at};

use crate::text::{ELLIPSIS, Enough, Left, Limits, Shown, TermText};
use crate::{Boxed, Term};
use vm_tables::atoms::quoted;

/// A shape is short: of longer tuples no more elements are shown.
const LIMITS: Limits = Limits {
    depth: 3,
    width: 8,
    reads: 24,
    text_bytes: 200,
    string_chars: 0,
};

impl<M: TargetMemory> TermText<'_, M> {
    /// `{work, _, {retry, _}}`: atoms that are the first element of a tuple, or the whole term, are shown; all
    /// other terms are shown as their kind. An unreadable part is `…`.
    pub fn shape(&mut self, word: u64) -> String {
        let mut left = Left::new(LIMITS);
        if self.shape_of(word, true, 0, &mut left).is_err() {
            left.push(ELLIPSIS);
        }
        left.text
    }

    fn shape_of(&mut self, word: u64, is_tag: bool, depth: u32, left: &mut Left) -> Shown {
        match Term::of(word) {
            Term::Atom(term) if is_tag => {
                let name = self.atoms.name(self.memory, term).map_err(|_| Enough)?;
                left.push(&quoted(name));
            }
            Term::Nil => left.push("[]"),
            Term::List(_) => left.push("[_]"),
            Term::Boxed(address) => {
                let header = self.words(address, 1, left)?[0];
                match Boxed::of(header).ok_or(Enough)?.arity() {
                    Some(arity) if depth < LIMITS.depth => {
                        self.tuple_shape(address, arity, depth, left)?;
                    }
                    Some(_) => left.push("{…}"),
                    None => left.push("_"),
                }
            }
            Term::Other(_) => return Err(Enough),
            _ => left.push("_"),
        }
        Ok(())
    }

    fn tuple_shape(&mut self, address: u64, arity: u64, depth: u32, left: &mut Left) -> Shown {
        let shown = arity.min(LIMITS.width as u64) as usize;
        let first = address_at(address, 8).map_err(|_| Enough)?;
        let elements = match shown {
            0 => Vec::new(),
            _ => self.words(first, shown, left)?,
        };
        left.push("{");
        for (index, element) in elements.into_iter().enumerate() {
            if index > 0 {
                left.push(", ");
            }
            self.shape_of(element, index == 0, depth + 1, left)?;
        }
        left.push(if arity > shown as u64 { ", …}" } else { "}" });
        Ok(())
    }
}
