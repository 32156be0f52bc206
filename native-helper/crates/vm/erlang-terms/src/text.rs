//! A term as the shell shows it, within limits.

use std::fmt::Write;

use target_memory::{TargetMemory, bytes_to_words};
use vm_layout::process_details::{BinaryFormat, HeapFormat};
use vm_tables::atoms::{AtomTable, quoted};
use vm_tables::pids::PidFormat;

use crate::Term;

mod boxed;

/// How much of a term is read and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Levels of lists and tuples.
    pub depth: u32,
    /// Elements of one list or tuple.
    pub width: usize,
    /// Reads in all.
    pub reads: u32,
    /// Bytes of the text, about.
    pub text_bytes: usize,
    /// Characters of one string or binary.
    pub string_chars: usize,
}

impl Limits {
    /// For a value that the user has requested.
    pub const VALUE: Self = Self {
        depth: 6,
        width: 16,
        reads: 256,
        text_bytes: 500,
        string_chars: 200,
    };
    /// For the label of a process, which is set to be shown.
    pub const LABEL: Self = Self {
        depth: 4,
        width: 8,
        reads: 128,
        text_bytes: 200,
        string_chars: 64,
    };
}

/// What takes part in showing terms of one VM.
#[derive(Debug)]
pub struct TermText<'a, M> {
    /// Its memory.
    pub memory: &'a M,
    /// Its atoms.
    pub atoms: &'a mut AtomTable,
    /// How it makes pids.
    pub pids: PidFormat,
    /// How it makes binaries.
    pub binary: BinaryFormat,
    /// How it makes everything else.
    pub heap: HeapFormat,
}

/// The rest of the limits.
pub(crate) struct Left {
    limits: Limits,
    reads: u32,
    pub(crate) text: String,
}

/// Nothing more is read or written; the text so far stays.
pub(crate) struct Enough;

pub(crate) type Shown = Result<(), Enough>;

pub(crate) const ELLIPSIS: &str = "…";

impl<M: TargetMemory> TermText<'_, M> {
    /// The term as text. A part beyond the limits, or an unreadable one, is `…`; a term that is not shown by its
    /// contents is named by its kind: `#Fun`, `#Ref`, a map of more than 32 keys `#Map`, a binary that is no text
    /// `#Binary`.
    pub fn show(&mut self, word: u64, limits: Limits) -> String {
        let mut left = Left::new(limits);
        if self.term(word, 0, &mut left).is_err() {
            left.text.push_str(ELLIPSIS);
        }
        left.text
    }

    fn term(&mut self, word: u64, depth: u32, left: &mut Left) -> Shown {
        if left.text.len() >= left.limits.text_bytes {
            return Err(Enough);
        }
        match Term::of(word) {
            Term::Small(value) => left.push(&value.to_string()),
            Term::Atom(term) => {
                let name = self.atoms.name(self.memory, term).map_err(|_| Enough)?;
                left.push(&quoted(name));
            }
            Term::Pid(id) => left.push(&self.pids.text(id)),
            Term::Port(number) => left.push(&format!("#Port<0.{number}>")),
            Term::Nil => left.push("[]"),
            Term::List(_) | Term::Boxed(_) if depth >= left.limits.depth => left.push(ELLIPSIS),
            Term::List(address) => self.list(address, depth, left)?,
            Term::Boxed(address) => self.boxed(address, depth, left)?,
            Term::Other(_) => return Err(Enough),
        }
        Ok(())
    }

    fn list(&mut self, mut cell: u64, depth: u32, left: &mut Left) -> Shown {
        let (mut heads, mut tail) = (Vec::new(), Term::List(cell));
        let most = left.limits.string_chars.max(left.limits.width);
        while let Term::List(address) = tail
            && heads.len() <= most
        {
            cell = address;
            let words = self.words(cell, 2, left)?;
            heads.push(words[0]);
            tail = Term::of(words[1]);
        }
        let is_whole = tail == Term::Nil;
        if let Some(text) = printable(&heads)
            && (is_whole || heads.len() > most)
        {
            left.push(&shortened(&text, is_whole, left.limits.string_chars));
            return Ok(());
        }
        left.push("[");
        for (index, head) in heads.iter().take(left.limits.width).enumerate() {
            if index > 0 {
                left.push(",");
            }
            self.term(*head, depth + 1, left)?;
        }
        match is_whole && heads.len() <= left.limits.width {
            true => left.push("]"),
            false => left.push(",…]"),
        }
        Ok(())
    }

    pub(crate) fn words(
        &self,
        address: u64,
        count: usize,
        left: &mut Left,
    ) -> Result<Vec<u64>, Enough> {
        left.take_read()?;
        let bytes = self
            .memory
            .read_vec(address, count.saturating_mul(8), 4096)
            .map_err(|_| Enough)?;
        Ok(bytes_to_words(&bytes).collect())
    }
}

impl Left {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            reads: limits.reads,
            text: String::new(),
        }
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn take_read(&mut self) -> Shown {
        self.reads = self.reads.checked_sub(1).ok_or(Enough)?;
        Ok(())
    }
}

/// The text that a list of printable characters is.
fn printable(heads: &[u64]) -> Option<String> {
    let characters = heads.iter().map(|head| match Term::of(*head) {
        Term::Small(value) => u32::try_from(value)
            .ok()
            .and_then(char::from_u32)
            .filter(|one| !one.is_control() || one.is_whitespace()),
        _ => None,
    });
    let text: Option<String> = characters.collect();
    text.filter(|text| !text.is_empty())
}

/// A string in quotes, up to so many characters.
fn shortened(text: &str, is_whole: bool, most: usize) -> String {
    let mut shown = String::from("\"");
    for one in text.chars().take(most) {
        match one {
            '"' | '\\' => {
                let _ = write!(shown, "\\{one}");
            }
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            one if one.is_control() => {
                let _ = write!(shown, "\\x{{{:x}}}", u32::from(one));
            }
            one => shown.push(one),
        }
    }
    if !is_whole || text.chars().nth(most).is_some() {
        shown.push_str(ELLIPSIS);
    }
    shown.push('"');
    shown
}

#[cfg(test)]
mod tests;
