//! One process struct, and whether it can be one.

use target_memory::{u16_at, u32_at, u64_at};
use vm_layout::ProcessLayout;
use vm_layout::process_details::ProcessDetails;
use vm_tables::pids::PidFormat;
use vm_tables::processes::is_local_pid;

use crate::status::Status;

const WORD_BYTES: u64 = 8;
/// The tag bits of a pid, and of its substitute.
const IMMEDIATE: u64 = 3;
/// More messages than memory can hold.
const MAX_MAILBOX: u64 = 1 << 32;

/// The fields of a process, as read at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub address: u64,
    /// Its place in the process table.
    pub slot: u64,
    /// Pid term.
    pub id: u64,
    /// `RegProc *`, or null.
    pub registered: u64,
    /// State flags.
    pub state: u32,
    /// Start of the heap.
    pub heap: u64,
    /// Top of the heap.
    pub htop: u64,
    /// Top of the stack.
    pub stop: u64,
    /// End of the heap's block.
    pub hend: u64,
    /// Words of that block, or of the one that a delayed collection has left.
    pub heap_size_words: u64,
    /// The block that a delayed collection has left, or null.
    pub abandoned_heap: u64,
    /// Start of the old heap, or null.
    pub old_heap: u64,
    /// Its top.
    pub old_htop: u64,
    /// Its end.
    pub old_hend: u64,
    /// Words of heap fragments.
    pub fragments_words: u64,
    /// Program counter, valid while it does not run.
    pub i: u64,
    /// Pointer to module, function, arity while `i` is in the emulator's own code.
    pub current: u64,
    /// Module, function and arity it was started with.
    pub initial_call: [u64; 3],
    /// Pid term of the process that started it, or another immediate.
    pub parent: u64,
    /// Reductions, as of when it was last scheduled.
    pub reductions: u64,
    /// Minor collections since the last one of all.
    pub minor_gcs: u16,
    /// Messages that wait, as far as they are known: see [`Self::is_mailbox_whole`].
    pub mailbox: u64,
    /// Its buffers of messages, or null.
    pub buffers: u64,
    /// Whether `mailbox` is all of them. It is not while buffers cannot be read, or contradict themselves: then there
    /// may be more.
    pub is_mailbox_whole: bool,
    /// `ProcDict *`, or null.
    pub dictionary: u64,
    /// First element of the list of data outside of the heap, or null.
    pub off_heap: u64,
    /// First of the binaries that are being appended to, or null.
    pub appended: u64,
    /// `ErtsPSD *`, or null.
    pub specific: u64,
    /// First messages of the lists that the mailbox is made of, or null.
    pub mailbox_lists: [u64; 3],
    /// How many arguments it has.
    pub arity: u64,
    /// Where they are.
    pub arguments: u64,
    /// First heap fragment, or null.
    pub fragments: u64,
    /// The timer of its wait; up to 1 where that has no time limit, or its time is over.
    pub timer: u64,
    /// Top of the tree of links, or null.
    pub links: u64,
    /// Top of the tree of monitors that it has set, or null.
    pub monitors: u64,
    /// First of the ring of monitors that others have set on it, or null.
    pub monitored_by: u64,
}

/// Why a struct is no process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It has ended, or its memory is another one's by now.
    Freed,
    /// Its fields contradict each other: it was changed while it was copied.
    Torn,
}

impl Entry {
    /// Picks the fields out of a struct; `None` when `bytes` is too short.
    pub fn from_bytes(
        layout: &ProcessLayout,
        details: &ProcessDetails,
        (slot, address): (u64, u64),
        bytes: &[u8],
    ) -> Option<Self> {
        let word = |offset| u64_at(bytes, offset);
        let mailbox = details.mailbox.iter().map(|offset| word(*offset));
        let initial = layout.initial_call;
        Some(Self {
            address,
            slot,
            id: word(layout.id)?,
            registered: word(layout.reg)?,
            state: u32_at(bytes, layout.state)?,
            heap: word(layout.heap)?,
            htop: word(layout.htop)?,
            stop: word(layout.stop)?,
            hend: word(layout.hend)?,
            heap_size_words: word(layout.heap_size_words)?,
            abandoned_heap: word(details.abandoned_heap)?,
            old_heap: word(details.old_heap)?,
            old_htop: word(details.old_htop)?,
            old_hend: word(details.old_hend)?,
            fragments_words: word(details.fragments_words)?,
            i: word(layout.i)?,
            current: word(details.current)?,
            initial_call: [word(initial)?, word(initial + 8)?, word(initial + 16)?],
            parent: word(details.parent)?,
            reductions: word(details.reductions)?,
            minor_gcs: u16_at(bytes, details.minor_gcs)?,
            // One of the numbers counts from another one and may be below zero.
            mailbox: mailbox.sum::<Option<Wrapping>>()?.0,
            buffers: match details.buffers {
                Some(offset) => word(offset)?,
                None => 0,
            },
            is_mailbox_whole: true,
            dictionary: word(details.dictionary)?,
            off_heap: word(details.off_heap)?,
            appended: match details.appended {
                Some(offset) => word(offset)?,
                None => 0,
            },
            specific: word(details.specific)?,
            mailbox_lists: [
                word(details.mailbox_lists[0])?,
                word(details.mailbox_lists[1])?,
                word(details.mailbox_lists[2])?,
            ],
            arity: match details.arity {
                (offset, 1) => u64::from(*bytes.get(offset)?),
                (offset, _) => word(offset)?,
            },
            arguments: word(details.arguments)?,
            fragments: word(details.fragments)?,
            timer: word(details.timer)?,
            links: word(details.links)?,
            monitors: word(details.monitors)?,
            monitored_by: word(details.monitored_by)?,
        })
    }

    /// Whether this can be the process at its place.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn check(&self, pids: PidFormat) -> Result<(), Fault> {
        let is_at_place = is_local_pid(self.id) && pids.slot(self.id) == self.slot;
        if !is_at_place || Status::of(self.state) == Status::Free {
            return Err(Fault::Freed);
        }
        let is_ordered = self.heap <= self.htop && self.htop <= self.stop && self.stop <= self.hend;
        let block_bytes = self.heap_size_words.checked_mul(WORD_BYTES);
        // While a collection is delayed the stack is in a block of its own, and the size is that of the other.
        let is_as_long =
            self.abandoned_heap != 0 || self.hend.checked_sub(self.heap) == block_bytes;
        let is_old_ordered = match self.old_heap {
            0 => self.old_htop == 0 && self.old_hend == 0,
            _ => self.old_heap <= self.old_htop && self.old_htop <= self.old_hend,
        };
        // The first process has an atom there.
        let is_child = self.parent & IMMEDIATE == IMMEDIATE;
        let is_sane = block_bytes.is_some() && self.mailbox < MAX_MAILBOX && is_child;
        match is_ordered && is_as_long && is_old_ordered && is_sane {
            true => Ok(()),
            false => Err(Fault::Torn),
        }
    }

    /// Whether its wait has a time limit.
    pub fn has_limit(&self) -> bool {
        self.timer > 1
    }

    /// Words of heap, old heap and fragments.
    pub fn heap_words(&self) -> u64 {
        self.heap_size_words
            .saturating_add(words_between(self.old_heap, self.old_hend))
            .saturating_add(self.fragments_words)
    }

    /// Words of these that are in use, garbage among them; without the stack.
    pub fn heap_used_words(&self) -> u64 {
        words_between(self.heap, self.htop)
            .saturating_add(words_between(self.old_heap, self.old_htop))
            .saturating_add(self.fragments_words)
    }

    /// Bytes of the process as `process_info(P, memory)` counts them: struct, heaps, stack, and the data outside of
    /// these, which are `outside_bytes`.
    pub fn memory_bytes(
        &self,
        layout: &ProcessLayout,
        details: &ProcessDetails,
        outside_bytes: u64,
    ) -> u64 {
        let abandoned = match self.abandoned_heap {
            0 => 0,
            _ => self.hend.saturating_sub(self.heap),
        };
        let specific = match self.specific {
            0 => 0,
            _ => details.specific_bytes,
        };
        let heaps = self.heap_words().saturating_mul(WORD_BYTES);
        [layout.read_bytes as u64, abandoned, specific, outside_bytes]
            .into_iter()
            .fold(heaps, u64::saturating_add)
    }

    /// Pid term of the process that started it, if any.
    pub fn parent(&self) -> Option<u64> {
        is_local_pid(self.parent).then_some(self.parent)
    }

    /// Whether the terms that it points at are where they were in an earlier reading.
    pub fn keeps_terms_of(&self, before: &Self) -> bool {
        let of = |it: &Self| {
            (
                it.id,
                it.heap,
                it.hend,
                it.old_heap,
                it.minor_gcs,
                it.dictionary,
            )
        };
        of(self) == of(before)
            && crate::status::is_in_place(before.state)
            && crate::status::is_in_place(self.state)
    }

    /// Whether it did nothing since an earlier reading.
    pub fn rested_since(&self, before: &Self) -> bool {
        let of = |it: &Self| {
            let heap = (it.htop, it.stop, it.fragments, it.off_heap, it.appended);
            (heap, it.reductions, it.i)
        };
        self.keeps_terms_of(before)
            && of(self) == of(before)
            && crate::status::rests(before.state)
            && crate::status::rests(self.state)
    }
}

fn words_between(start: u64, end: u64) -> u64 {
    end.saturating_sub(start) / WORD_BYTES
}

/// A sum that goes around.
struct Wrapping(u64);

impl std::iter::Sum<u64> for Wrapping {
    fn sum<I: Iterator<Item = u64>>(numbers: I) -> Self {
        Self(numbers.fold(0, u64::wrapping_add))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use vm_layout::process_details::details_for;
    use vm_layout::rows::ROWS;

    use super::*;

    /// A process at rest at place 8, with 233 words of heap and a stack of one word.
    fn resting() -> Entry {
        let row = &ROWS[1].process;
        let details = details_for(row).unwrap();
        let mut entry =
            Entry::from_bytes(row, details, (8, 0x9000), &vec![0; row.read_bytes]).unwrap();
        entry.id = 8 << 4 | 3;
        entry.parent = 0x3b;
        entry.heap_size_words = 233;
        (entry.heap, entry.htop) = (0x10_000, 0x10_100);
        (entry.stop, entry.hend) = (0x10_740, 0x10_748);
        entry
    }

    const PIDS: PidFormat = PidFormat::SlotInside { slot_bits: 10 };

    #[test]
    fn a_process_that_agrees_with_itself_is_one() {
        let entry = resting();
        assert_eq!(entry.check(PIDS), Ok(()));
        assert_eq!((entry.heap_words(), entry.heap_used_words()), (233, 32));
    }

    #[test]
    fn another_ones_struct_and_a_free_one_have_ended() {
        let of = |change: fn(&mut Entry)| {
            let mut entry = resting();
            change(&mut entry);
            entry.check(PIDS)
        };
        assert_eq!(of(|it| it.id = 9 << 4 | 3), Err(Fault::Freed));
        assert_eq!(of(|it| it.id = 8 << 4 | 7), Err(Fault::Freed));
        assert_eq!(of(|it| it.state = 0x400), Err(Fault::Freed));
        assert_eq!(of(|it| it.htop = it.stop + 8), Err(Fault::Torn));
        assert_eq!(of(|it| it.heap_size_words += 1), Err(Fault::Torn));
        assert_eq!(of(|it| it.heap_size_words = u64::MAX), Err(Fault::Torn));
        assert_eq!(of(|it| it.old_htop = 8), Err(Fault::Torn));
        assert_eq!(of(|it| it.mailbox = u64::MAX), Err(Fault::Torn));
        assert_eq!(of(|it| it.parent = 0), Err(Fault::Torn));
        let delayed = |it: &mut Entry| {
            it.abandoned_heap = 0x20_000;
            it.heap_size_words = 400;
        };
        assert_eq!(of(delayed), Ok(()), "a collection may be delayed");
    }

    #[test]
    fn one_that_ran_did_not_rest() {
        let before = resting();
        assert!(before.rested_since(&before));
        let after = |change: fn(&mut Entry)| {
            let mut after = resting();
            change(&mut after);
            (after.keeps_terms_of(&before), after.rested_since(&before))
        };
        assert_eq!(after(|it| it.reductions += 1), (true, false));
        assert_eq!(after(|it| it.state = 0x8000), (true, false));
        assert_eq!(after(|it| it.minor_gcs += 1), (false, false));
        assert_eq!(after(|it| it.state = 0x2_0000), (false, false));
    }

    proptest! {
        #[test]
        fn garbage_is_no_process(bytes in prop::collection::vec(any::<u8>(), 0..800), slot: u64) {
            for row in ROWS {
                let details = details_for(&row.process).unwrap();
                let entry = Entry::from_bytes(&row.process, details, (slot, 0x1000), &bytes);
                if let Some(entry) = entry {
                    prop_assert!(entry.check(PidFormat::SlotAbove).is_err());
                    entry.memory_bytes(&row.process, details, u64::MAX);
                }
            }
        }
    }
}
