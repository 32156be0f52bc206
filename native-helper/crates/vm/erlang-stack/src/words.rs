//! What each word of an Erlang stack is.
//!
//! The stack grows down; from its top word up to the bottom lie y registers and return addresses,
//! interleaved. A term never has its two low bits clear, a return address always has, so every
//! word with them clear is a return address, a saved frame pointer (when the VM runs with frame
//! pointers), or proof that these are not the words of a stack.

use std::iter::{Enumerate, Peekable};

/// Where the VM has the instructions that it puts between a traced call and its caller: their addresses are on the
/// stack like return addresses, but follow no call. Some of their frames begin with a pointer into code, which looks
/// like a return address as well; all other words of them are terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TraceReturns {
    /// With whether a pointer follows. Address 0: the VM has no such instruction.
    known: [(u64, bool); TraceReturns::MOST],
}

impl TraceReturns {
    /// So many kinds there are at most.
    pub const MOST: usize = 4;

    /// Those at these addresses, each with whether a pointer follows: the first [`Self::MOST`].
    pub fn new(instructions: impl IntoIterator<Item = (u64, bool)>) -> Self {
        let mut known = [(0, false); Self::MOST];
        for (place, instruction) in known.iter_mut().zip(instructions) {
            *place = instruction;
        }
        Self { known }
    }

    /// `None` if no such instruction is at `address`, else whether a pointer follows in its frame.
    pub fn pointer_follows(&self, address: u64) -> Option<bool> {
        let mut known = self.known.iter();
        let found = known.find(|(at, _)| *at == address && *at != 0);
        found.map(|(_, follows)| *follows)
    }
}

/// What a VM itself puts on the stacks of its processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VmWords {
    /// Return address at the bottom of every stack.
    pub normal_exit: u64,
    /// Return addresses of traced calls.
    pub traces: TraceReturns,
    /// Frames save pointers to each other.
    pub frame_pointers: bool,
}

impl VmWords {
    /// Rules for a stack from `top` to `end`, 0 when that is not known. It was read where it is, and whether it is one
    /// at all its words have to show.
    pub fn rules(self, top: u64, end: u64) -> WalkRules {
        WalkRules {
            normal_exit: self.normal_exit,
            traces: self.traces,
            top,
            end,
            strays: Strays::Suspect,
            frame_pointers: self.frame_pointers,
            moved_down_bytes: 0,
        }
    }
}

/// What a walk needs to know.
#[derive(Debug, Clone, Copy)]
pub struct WalkRules {
    /// Return address at the bottom of every stack.
    pub normal_exit: u64,
    /// Return addresses of traced calls, which are no frames of any code.
    pub traces: TraceReturns,
    /// Address of the first word.
    pub top: u64,
    /// Address of the first byte after the stack; 0 when it is not known (then depths are
    /// counted from the bottom frame once it is found).
    pub end: u64,
    /// What a stray word means to [`crate::walk`].
    pub strays: Strays,
    /// The VM keeps frame pointers: the outermost frame saves a null one, just above the bottom.
    pub frame_pointers: bool,
    /// How far down the stack was moved since its frames saved the pointers to each other, bytes.
    pub moved_down_bytes: u64,
}

/// What a word that is neither a term nor a return address means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strays {
    /// The words were read late and may be of no stack at all.
    Suspect,
    /// The words are those of the sample itself, so it is a variable that the innermost function
    /// has not set yet: an apparent frame above it is as old as it is.
    Unset {
        /// The sampled code was called by the first word, so that one is a frame for sure.
        first_is_frame: bool,
    },
}

/// What a word of a stack is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackWord {
    /// A return address, and so the end of a frame: the words above it are the variables of the function that returns
    /// there.
    Frame(u64),
    /// The return address of a traced call, with the pointer that follows it, where one does: that is no word of its
    /// own here. The terms below it, up to the next frame, are of the tracing.
    TraceReturn,
    /// Where a frame is whose function was called by this one's: of no code and no term.
    SavedFramePointer,
    /// The last word of the stack. No word comes after it.
    Bottom,
    /// It looks like the last one, and is not next to the end.
    EarlyBottom,
    /// A term.
    Variable(u64),
    /// Neither a term nor anything else that a stack has.
    Stray(u64),
}

/// The words of a stack, each with its address. Made by [`stack_words`].
pub struct StackWords<W: Iterator<Item = u64>, F> {
    rules: WalkRules,
    words: Peekable<Enumerate<W>>,
    is_return_address: F,
    is_over: bool,
}

/// What each of `words` is, the stack from its top (lowest address) on. What a stray means (`rules.strays`) is left to
/// the caller.
///
/// `is_return_address` returns whether an address follows a call in code. It gets words with the two low bits clear,
/// and the first word, whatever that is: shared fragments are also called at unaligned places.
pub fn stack_words<W, F>(rules: &WalkRules, words: W, is_return_address: F) -> StackWords<W, F>
where
    W: Iterator<Item = u64> + Clone,
    F: FnMut(u64) -> bool,
{
    StackWords {
        rules: WalkRules {
            end: known_end(rules, words.clone()),
            ..*rules
        },
        words: words.enumerate().peekable(),
        is_return_address,
        is_over: false,
    }
}

impl<W: Iterator<Item = u64>, F> StackWords<W, F> {
    /// Address of the first byte after the stack; 0 when it is not known.
    pub fn end(&self) -> u64 {
        self.rules.end
    }
}

impl<W: Iterator<Item = u64>, F: FnMut(u64) -> bool> StackWords<W, F> {
    #[inline]
    fn classified(&mut self, index: usize, address: u64, word: u64) -> StackWord {
        let rules = &self.rules;
        if word == rules.normal_exit {
            // The bottom word is the last one below `end`. One above that is of a stack that the collector is moving
            // over itself: the frames before it are not its callees.
            let is_early = rules.end != 0 && address.wrapping_add(8) != rules.end;
            self.is_over = !is_early;
            return match is_early {
                true => StackWord::EarlyBottom,
                false => StackWord::Bottom,
            };
        }
        if let Some(pointer_follows) = rules.traces.pointer_follows(word) {
            // The caller of the traced call is below. A pointer that is null in C is a term here.
            self.words.next_if(|(_, below)| {
                pointer_follows && below & 3 == 0 && *below != rules.normal_exit
            });
            return StackWord::TraceReturn;
        }
        let is_aligned = word & 3 == 0;
        if (is_aligned || index == 0) && (self.is_return_address)(word) {
            return StackWord::Frame(word);
        }
        if !is_aligned {
            return StackWord::Variable(word);
        }
        // That of the outermost frame is null.
        let is_outermost = word == 0
            && rules.frame_pointers
            && self
                .words
                .peek()
                .is_some_and(|(_, below)| *below == rules.normal_exit);
        match is_outermost || is_saved_frame_pointer(rules, address, word) {
            true => StackWord::SavedFramePointer,
            false => StackWord::Stray(word),
        }
    }
}

impl<W: Iterator<Item = u64>, F: FnMut(u64) -> bool> Iterator for StackWords<W, F> {
    type Item = (u64, StackWord);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let (index, word) = self.words.next()?;
        let address = self.rules.top.wrapping_add(index as u64 * 8);
        if self.rules.end != 0 && address >= self.rules.end {
            self.is_over = true;
            return None;
        }
        Some((address, self.classified(index, address, word)))
    }
}

/// Where the stack ends: saved frame pointers can be recognised only when that is known, and where
/// the process does not show it, the bottom word does.
fn known_end(rules: &WalkRules, words: impl Iterator<Item = u64>) -> u64 {
    if rules.end != 0 || !rules.frame_pointers {
        return rules.end;
    }
    let bottom = words
        .zip(1..)
        .find(|(word, _)| *word == rules.normal_exit)
        .map(|(_, words): (u64, u64)| words * 8);
    bottom.map_or(0, |bytes| rules.top.wrapping_add(bytes))
}

/// In a VM with frame pointers, a frame holds the address of the one below it on the same stack. No code lies on a
/// stack.
fn is_saved_frame_pointer(rules: &WalkRules, address: u64, word: u64) -> bool {
    let here = word.wrapping_sub(rules.moved_down_bytes);
    rules.frame_pointers && rules.end != 0 && address < here && here <= rules.end
}

#[cfg(test)]
mod tests;
