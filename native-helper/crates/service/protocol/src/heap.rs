//! The heap of one Erlang process.

use serde::{Deserialize, Serialize};

/// The contents of a heap, and what keeps them alive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HeapResult {
    /// The process.
    pub pid: String,
    /// Words in use: heap, old heap and fragments, garbage among them, without the stack.
    pub used_words: u64,
    /// Words that a full collection would leave.
    pub live_words: u64,
    /// More messages wait than are followed, so more words than that may live.
    pub live_words_at_least: bool,
    /// Words of the stack.
    pub stack_words: u64,
    /// Messages that wait.
    pub mailbox: u64,
    /// What keeps something alive, the most words first, at most 1,000.
    pub roots: Vec<HeapRoot>,
    /// Words that further roots keep alive: with those of `roots` they are all that live.
    pub roots_left_out_words: u64,
    /// Its contents by kind, including garbage, the most words first.
    pub kinds: Vec<HeapKind>,
    /// Its stack, innermost first: equal frames that follow each other are one. Of a stack of more than 1,000 such
    /// frames, 500 from either end.
    pub stack: Vec<HeapFrame>,
    /// How many frames of the stack there are, each for itself.
    pub stack_frames: u64,
    /// How many of these are in the middle that was left out, behind the first 500 of `stack`.
    pub stack_frames_left_out: u64,
    /// Its messages, by shape.
    pub messages: HeapMessages,
    /// Keys of its dictionary, at most 1,000: atoms as they are, of others the kind.
    pub dictionary: Vec<String>,
    /// Its links, at most 1,000: `<0.83.0>`, `#Port<0.4>`, and `?` for those without a name here; null when
    /// unknown.
    pub links: Option<Vec<String>>,
    /// How many links it has; null when that is not known.
    pub links_count: Option<u64>,
    /// Its monitors, likewise.
    pub monitors: Option<Vec<String>>,
    /// How many monitors it has set; null when that is not known.
    pub monitors_count: Option<u64>,
}

/// Messages that wait.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HeapMessages {
    /// By shape, the most first, at most 50.
    pub shapes: Vec<MessageShape>,
    /// Shapes of the first ones, at most 5.
    pub first: Vec<String>,
    /// Shapes of the last ones, at most 5, the last of all at the end; none when `first` has all.
    pub last: Vec<String>,
    /// How many have memory of their own.
    pub off_heap: u64,
    /// How many have none: they are on the heap, or no more than a word.
    pub on_heap: u64,
    /// Those in the middle whose shape was not read, and those of other nodes that are not decoded yet.
    pub unread: u64,
}

/// Messages that look alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct MessageShape {
    /// `{work, _, {retry, _}}`: an atom is shown if it is the first element of a tuple or the whole message; of
    /// any other term, only the type is shown.
    pub shape: String,
    /// How many.
    pub count: u64,
}

/// Something that keeps things alive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct HeapRoot {
    /// Who holds it: `y3 of gen_server:loop/7`, `argument 1 of lists:map/2`, `dictionary key cache`, `mailbox`.
    pub root: String,
    /// Words that no root before it in the VM's own order leads to.
    pub words: u64,
    /// Parts of its term, the most words first; at most 16.
    pub parts: Vec<HeapPart>,
}

/// A part of the term that a root is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct HeapPart {
    /// `element 2`, or `element 2, key cache` in it: of a map the value by its key, when that is an atom, else
    /// `value 3` in the order of its keys.
    pub part: String,
    /// Words of it.
    pub words: u64,
}

/// How much there is of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct HeapKind {
    /// `list`, `tuple`, `map`, `binary outside of the heap`.
    pub kind: String,
    /// How many: of lists, cells.
    pub count: u64,
    /// Their words.
    pub words: u64,
}

/// A frame of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct HeapFrame {
    /// `gen_server:loop/7`; null when unknown.
    pub function: Option<String>,
    /// Source file, as the VM has it; null when unknown.
    pub file: Option<String>,
    /// Line there; null when unknown.
    pub line: Option<u32>,
    /// How many such frames follow each other.
    pub times: u64,
}
