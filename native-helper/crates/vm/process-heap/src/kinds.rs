//! The kinds of terms on a heap, garbage among them.

use erlang_terms::Boxed;
use shared_sort::SharedSort;
use vm_layout::process_details::{BinaryFormat, FUN_SUBTAG, HeapFormat};

use crate::copy::{At, HeapCopy};
use crate::object::extent;

/// A kind of thing on a heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Cells of lists.
    List,
    /// Tuples, and records of OTP 29.
    Tuple,
    /// Maps and their nodes.
    Map,
    /// Funs.
    Fun,
    /// Integers of more than 60 bits.
    Integer,
    /// Floats.
    Float,
    /// Binaries whose bytes are on the heap.
    BinaryOnHeap,
    /// References to binaries outside of it.
    BinaryReference,
    /// Parts of binaries.
    BinaryPart,
    /// References, pids and ports of other nodes, and all other terms.
    Other,
}

impl Kind {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Tuple => "tuple",
            Self::Map => "map",
            Self::Fun => "fun",
            Self::Integer => "big integer",
            Self::Float => "float",
            Self::BinaryOnHeap => "binary on the heap",
            Self::BinaryReference => "binary outside of the heap",
            Self::BinaryPart => "part of a binary",
            Self::Other => "other",
        }
    }

    fn of(subtag: u64, heap: &HeapFormat, binary: BinaryFormat) -> Self {
        let part = [heap.term_behind, heap.term_last];
        match subtag {
            subtag if heap.tuples.contains(&subtag) => Self::Tuple,
            subtag if subtag == heap.map => Self::Map,
            subtag if subtag == binary.on_heap_subtag => Self::BinaryOnHeap,
            subtag if subtag == binary.reference_subtag => Self::BinaryReference,
            subtag if part.contains(&Some(subtag)) => Self::BinaryPart,
            FUN_SUBTAG => Self::Fun,
            2 | 3 => Self::Integer,
            6 => Self::Float,
            _ => Self::Other,
        }
    }
}

/// How much there is of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindCount {
    /// Which.
    pub kind: Kind,
    /// How many things.
    pub count: u64,
    /// Their words.
    pub words: u64,
}

/// What there is of each kind, the most words first. `None` when the heap does not read as things one after
/// the other up to its last word: then it is not made as it is known here, or [`HeapCopy::fault`] has the reason.
pub fn kinds(
    copy: &HeapCopy<'_>,
    heap: &HeapFormat,
    binary: BinaryFormat,
) -> Option<Vec<KindCount>> {
    let mut found: Vec<KindCount> = Vec::new();
    for block in 0..copy.blocks.len() {
        let mut at = At { block, index: 0 };
        while at.index < copy.words(block) {
            let (kind, words) = thing(copy, at, heap, binary)?;
            copy.note(words);
            match found.iter_mut().find(|known| known.kind == kind) {
                Some(known) => {
                    known.count += 1;
                    known.words += words as u64;
                }
                None => found.push(KindCount {
                    kind,
                    count: 1,
                    words: words as u64,
                }),
            }
            at.index = at.index.checked_add(words)?;
        }
        if at.index != copy.words(block) {
            return None;
        }
    }
    found.shared_sort_by_key(|kind| (std::cmp::Reverse(kind.words), kind.kind));
    Some(found)
}

fn thing(
    copy: &HeapCopy<'_>,
    at: At,
    heap: &HeapFormat,
    binary: BinaryFormat,
) -> Option<(Kind, usize)> {
    let header = copy.word(at)?;
    let Some(boxed) = Boxed::of(header) else {
        return Some((Kind::List, 2));
    };
    let word = |index| {
        let index = at.index.checked_add(index)?;
        copy.word(At { index, ..at })
    };
    let extent = extent(heap, header, word)?;
    Some((Kind::of(boxed.subtag, heap, binary), extent.words))
}
