//! What a word of a heap is, by its tag.

/// A word of two tag bits for a list cell, 1; a boxed term, 2; an immediate, 3; and a header, 0.
const PRIMARY_BITS: u64 = 3;
/// Pointers are multiples of eight. Where literals have a tag, it is the third bit.
const POINTER_BITS: u64 = !7;

/// A term, as its word shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// An integer of up to 60 bits.
    Small(i64),
    /// An atom, by its term.
    Atom(u64),
    /// A pid of this node, by its term.
    Pid(u64),
    /// A port of this node, by its number.
    Port(u64),
    /// `[]`.
    Nil,
    /// A list cell, at that address: head, then tail.
    List(u64),
    /// Something of a header and more words, at that address.
    Boxed(u64),
    /// A header, or nothing that is known.
    Other(u64),
}

impl Term {
    /// What `word` is.
    pub fn of(word: u64) -> Self {
        match word & PRIMARY_BITS {
            1 => Self::List(word & POINTER_BITS),
            2 => Self::Boxed(word & POINTER_BITS),
            3 => Self::immediate(word),
            _ => Self::Other(word),
        }
    }

    fn immediate(word: u64) -> Self {
        match word & 0xf {
            0xf => Self::Small(word.cast_signed() >> 4),
            0x3 => Self::Pid(word),
            0x7 => Self::Port(word >> 4),
            _ => match word & 0x3f {
                0x0b => Self::Atom(word),
                0x3b => Self::Nil,
                _ => Self::Other(word),
            },
        }
    }
}

/// The header of a boxed term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boxed {
    /// Its kind: 0 is a tuple; the others differ by release.
    pub subtag: u64,
    /// Words behind the header, for kinds whose header contains them.
    pub words: u64,
}

impl Boxed {
    /// Subtag of a tuple.
    pub const TUPLE: u64 = 0;
    /// Subtag of an integer above those of one word.
    pub(crate) const POSITIVE_INTEGER: u64 = 2;
    /// Subtag of one below them.
    pub(crate) const NEGATIVE_INTEGER: u64 = 3;
    /// Subtag of a reference.
    pub(crate) const REFERENCE: u64 = 4;
    /// Subtag of a float.
    pub(crate) const FLOAT: u64 = 6;

    /// The content of the header; `None` when it is none, as while a collection moves the term.
    pub fn of(header: u64) -> Option<Self> {
        (header & PRIMARY_BITS == 0).then_some(Self {
            subtag: header >> 2 & 0xf,
            words: header >> 6,
        })
    }

    /// The number of elements of a tuple.
    pub fn arity(self) -> Option<u64> {
        (self.subtag == Self::TUPLE).then_some(self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_recognised_by_their_tags() {
        assert_eq!(Term::of(0x3b), Term::Nil);
        assert_eq!(Term::of(5 << 4 | 0xf), Term::Small(5));
        assert_eq!(
            Term::of((-5_i64 << 4 | 0xf).cast_unsigned()),
            Term::Small(-5)
        );
        assert_eq!(Term::of(7 << 6 | 0xb), Term::Atom(7 << 6 | 0xb));
        assert_eq!(Term::of(0x6b3), Term::Pid(0x6b3));
        assert_eq!(Term::of(0x67), Term::Port(6));
        assert_eq!(Term::of(0x1001), Term::List(0x1000));
        assert_eq!(
            Term::of(0x1006),
            Term::Boxed(0x1000),
            "a literal with a tag"
        );
        assert_eq!(Term::of(0x80), Term::Other(0x80));
    }

    #[test]
    fn a_header_is_no_pointer() {
        assert_eq!(Boxed::of(3 << 6).and_then(Boxed::arity), Some(3));
        assert_eq!(Boxed::of(3 << 6 | 8 << 2).and_then(Boxed::arity), None);
        assert_eq!(Boxed::of(0x1002), None);
    }
}
