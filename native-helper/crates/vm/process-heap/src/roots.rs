//! What a collection of a process's heap begins with.

use erlang_stack::{StackWord, VmWords, stack_words};
use erlang_terms::{Boxed, Term};
use target_memory::{TargetMemory, address_at, bytes_to_words, u32_at};
use vm_layout::process_details::{DICTIONARY_HEAD_BYTES, DICTIONARY_SLOTS, DICTIONARY_USED};
use vm_processes::Entry;

use crate::copy::{CopyError, HeapCopy};
use crate::mailbox::Queued;

/// No function has more arguments.
const MAX_ARGUMENTS: u64 = 255;
/// Slots of a dictionary.
const MAX_SLOTS: u32 = 1 << 22;
/// Pairs of all its lists together, for each of its slots: it grows before it has more than one. Lists that bite
/// their tail would have no end, and each slot may lead to the same one.
const PAIRS_OF_SLOT: usize = 2;
/// And for the smallest ones.
const PAIRS_AT_LEAST: usize = 64;

/// The holder of a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A frame of the stack, the innermost is 0: its so manyth word.
    Stack {
        /// Which frame.
        frame: usize,
        /// Which of its words, from the top on.
        slot: usize,
    },
    /// An argument of the function that it is about to run.
    Argument(usize),
    /// The dictionary, by this key, a term; or the dictionary itself, where several keys share a slot.
    Dictionary(Option<u64>),
    /// A message that waits.
    Mailbox,
    /// Call tracing, below a traced call.
    Tracing,
}

/// A word that keeps something alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Root {
    /// The holder.
    pub owner: Owner,
    /// The word.
    pub term: u64,
}

/// All of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    /// In the order in which they are followed: what several lead to is the first one's.
    pub roots: Vec<Root>,
    /// The frames of the stack, the innermost first: where it goes on, then the return addresses.
    pub frames: Vec<u64>,
}

impl Roots {
    /// Those of a process, with the messages that wait for it. `vm_words`: what the VM itself
    /// puts on its stack.
    ///
    /// # Errors
    /// What holds them cannot be read.
    pub fn of(
        memory: &impl TargetMemory,
        entry: &Entry,
        copy: &HeapCopy<'_>,
        messages: &[Queued],
        vm_words: VmWords,
    ) -> Result<Self, CopyError> {
        let mut found = Self {
            roots: Vec::new(),
            frames: vec![entry.i],
        };
        found.add_stack(copy, entry, vm_words);
        found.add_arguments(memory, entry)?;
        found.add_dictionary(memory, entry, copy)?;
        // The part of a mailbox that cannot be read is left out: messages lie outside of the heap, for the most part.
        for message in messages {
            found.add(Owner::Mailbox, message.term);
        }
        Ok(found)
    }

    fn add(&mut self, owner: Owner, term: u64) {
        if matches!(Term::of(term), Term::List(_) | Term::Boxed(_)) {
            self.roots.push(Root { owner, term });
        }
    }

    /// The words above a return address belong to the frame inside. Between a traced call and its caller lies a frame
    /// of the VM's own, which is none of any function.
    fn add_stack(&mut self, copy: &HeapCopy<'_>, entry: &Entry, vm_words: VmWords) {
        let rules = vm_words.rules(entry.stop, entry.hend);
        // The process rests and its stack is whole, so nothing on it is old: a word that is no term and does not lead
        // to the stack itself leads to code, be that known or not. No code lies on a stack, or at 0.
        let stack = entry.stop..=entry.hend;
        let is_code = |word: u64| word & 3 == 0 && word != 0 && !stack.contains(&word);
        let (mut slot, mut is_of_tracing) = (0, false);
        for (_, word) in stack_words(&rules, bytes_to_words(&copy.stack), is_code) {
            let frame = self.frames.len() - 1;
            match word {
                StackWord::Frame(address) => {
                    self.frames.push(address);
                    (slot, is_of_tracing) = (0, false);
                }
                StackWord::Bottom | StackWord::EarlyBottom => {
                    self.frames.push(vm_words.normal_exit);
                    (slot, is_of_tracing) = (0, false);
                }
                StackWord::TraceReturn => is_of_tracing = true,
                StackWord::SavedFramePointer => {}
                StackWord::Variable(term) | StackWord::Stray(term) if is_of_tracing => {
                    self.add(Owner::Tracing, term);
                }
                // A stray leads nowhere, and has a place all the same. So has a 0: it is the frame pointer of the
                // outermost frame only where the walk of a sample takes it for that, in a VM that keeps them and just
                // above the bottom. Else the variables behind it would have the numbers of others.
                StackWord::Variable(term) | StackWord::Stray(term) => {
                    self.add(Owner::Stack { frame, slot }, term);
                    slot += 1;
                }
            }
        }
    }

    fn add_arguments(
        &mut self,
        memory: &impl TargetMemory,
        entry: &Entry,
    ) -> Result<(), CopyError> {
        if entry.arity == 0 || entry.arity > MAX_ARGUMENTS {
            return Ok(());
        }
        let bytes = memory.read_vec(entry.arguments, entry.arity as usize * 8, 4096)?;
        for (index, word) in bytes_to_words(&bytes).enumerate() {
            self.add(Owner::Argument(index), word);
        }
        Ok(())
    }

    fn add_dictionary(
        &mut self,
        memory: &impl TargetMemory,
        entry: &Entry,
        copy: &HeapCopy<'_>,
    ) -> Result<(), CopyError> {
        if entry.dictionary == 0 {
            return Ok(());
        }
        let mut head = [0; DICTIONARY_HEAD_BYTES];
        memory.read(entry.dictionary, &mut head)?;
        let used = u32_at(&head, DICTIONARY_USED).unwrap_or(0);
        let all = u32_at(&head, DICTIONARY_SLOTS).unwrap_or(0);
        let slots = used.min(all);
        if slots > MAX_SLOTS {
            return Err(CopyError::DictionaryTooLong);
        }
        let slots = slots as usize;
        let first = address_at(entry.dictionary, DICTIONARY_HEAD_BYTES as u64)?;
        let bytes = memory.read_vec(first, slots * 8, MAX_SLOTS as usize * 8)?;
        let mut left = (slots * PAIRS_OF_SLOT).max(PAIRS_AT_LEAST);
        for slot in bytes_to_words(&bytes) {
            let mut cell = slot;
            // Keys that share a slot are in a list of pairs.
            while let Term::List(address) = Term::of(cell)
                && let Some((pair, next)) = two_words(copy, address)
            {
                left = left.checked_sub(1).ok_or(CopyError::DictionaryTooLong)?;
                self.add(Owner::Dictionary(key_of(copy, pair)), pair);
                cell = next;
            }
            self.add(Owner::Dictionary(key_of(copy, slot)), slot);
        }
        Ok(())
    }
}

/// The key of a pair.
fn key_of(copy: &HeapCopy<'_>, pair: u64) -> Option<u64> {
    let Term::Boxed(address) = Term::of(pair) else {
        return None;
    };
    let (header, key) = two_words(copy, address)?;
    (Boxed::of(header)?.arity() == Some(2)).then_some(key)
}

fn two_words(copy: &HeapCopy<'_>, address: u64) -> Option<(u64, u64)> {
    let word = |offset: u64| copy.word(copy.find(address.checked_add(offset)?)?);
    Some((word(0)?, word(8)?))
}

#[cfg(test)]
mod tests;
