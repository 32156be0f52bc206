//! Stacks that a collector moves within their heap block.
//!
//! To shorten a heap block the collector moves the stack down to where the block will end, gives
//! back the memory behind, and only then updates the process. Until then the process names the old
//! place. That is right as long as nothing has been written over it; else the new place has to be
//! found.
//!
//! The collector will need the new length of the block once more when it is done, to store it in
//! the process. So it is in a register that calls preserve or in a C frame, in words or in bytes.

use erlang_stack::{ErlangFrame, WalkEnd, WalkRules};
use target_memory::TargetMemory;
use vm_layout::STATE_GC;
use vm_tables::processes::ProcessFields;

use super::{Resolver, SampleScratch};
use crate::read::raw_sample::RawSampleRef;

/// How far from where its registers point memmove may read and write at a time.
const NEAR_BYTES: u64 = 512;

impl<M: TargetMemory> Resolver<M> {
    /// Walks the stack that was copied at `top`, or where the collector has moved it to.
    pub(super) fn walk_copied(
        &mut self,
        sample: &RawSampleRef<'_>,
        top: u64,
        fields: &ProcessFields,
        frames: &mut Vec<ErlangFrame>,
    ) -> WalkEnd {
        let walk = self.walk_late(sample, top, fields, frames);
        let is_whole = walk.complete && walk.stray_words == 0;
        let collects = fields.state & STATE_GC != 0 && fields.is_consistent();
        if is_whole || !collects || top != fields.stop {
            return walk;
        }
        let mut found: Option<Vec<ErlangFrame>> = None;
        for end in possible_ends(sample, fields, self.vm.code.normal_exit) {
            let Some(moved) = self.walk_moved(sample, fields, end) else {
                continue;
            };
            if found.replace(moved).is_some() {
                // Two places: one of them is of a stack of the past.
                return walk;
            }
        }
        match found {
            Some(moved) => {
                *frames = moved;
                WalkEnd::WHOLE
            }
            None => walk,
        }
    }

    /// The frames of a stack that was moved down so that it ends at `end`, if there is a whole one.
    /// Where frames save pointers to each other, these lead to the old place until the collector
    /// has gone over them.
    fn walk_moved(
        &mut self,
        sample: &RawSampleRef<'_>,
        fields: &ProcessFields,
        end: u64,
    ) -> Option<Vec<ErlangFrame>> {
        let vm_words = self.vm.code.vm_words();
        let moved = vm_words.frame_pointers.then_some(fields.hend - end);
        [0].into_iter().chain(moved).find_map(|moved_down_bytes| {
            let mut frames = Vec::new();
            let rules = WalkRules {
                moved_down_bytes,
                ..vm_words.rules(end - stack_bytes(fields), end)
            };
            let words = (rules.top..end)
                .step_by(8)
                .map_while(|address| sample.erlang_word(address));
            let there = self.walk_words(&rules, words, &mut frames);
            (there.complete && there.stray_words == 0).then_some(frames)
        })
    }

    /// While the C library's memmove moves a stack within its heap block, or the whole block, old
    /// and new place may overlap and the words there are neither. Some register then points into
    /// the stack, to read it. A stack that is copied elsewhere stays as it was.
    pub(super) fn is_being_moved(
        &self,
        sample: &RawSampleRef<'_>,
        fields: &ProcessFields,
        scratch: &SampleScratch,
    ) -> bool {
        if fields.state & STATE_GC == 0 || !fields.is_consistent() {
            return false;
        }
        let leaf = scratch.native.first().map(|frame| frame.lookup_avma());
        let emulator = self.vm.objects.emulator().map(|object| object.start_avma);
        let in_emulator = leaf
            .and_then(|leaf| self.vm.objects.map.object_at(leaf))
            .is_some_and(|object| Some(object.start_avma) == emulator);
        let in_stack = |word: &u64| fields.stop <= *word && *word <= fields.hend;
        !in_emulator && sample.registers.iter().any(in_stack) && may_overlap(sample, fields)
    }
}

/// Whether the bytes that memmove writes may lie over the stack. By the calling convention its first argument is where
/// they begin, and so is its result in the end; whichever of the two an implementation changes on its way, it stays
/// within those bytes.
fn may_overlap(sample: &RawSampleRef<'_>, fields: &ProcessFields) -> bool {
    let first = fields.stop.saturating_sub(stack_bytes(fields));
    let over = first.saturating_sub(NEAR_BYTES)..fields.hend.saturating_add(NEAR_BYTES);
    let written =
        [arch::sample::FIRST_ARGUMENT, arch::sample::RESULT].map(|index| sample.register(index));
    written.iter().any(|word| over.contains(word))
}

/// Where the stack may end now: the heap block has a length that the collector has at hand, and
/// the bottom word lies at its end.
fn possible_ends(sample: &RawSampleRef<'_>, fields: &ProcessFields, bottom_word: u64) -> Vec<u64> {
    let is_possible = |end: &u64| {
        *end < fields.hend
            && fields.htop <= end.saturating_sub(stack_bytes(fields))
            && sample.erlang_word(end.wrapping_sub(8)) == Some(bottom_word)
    };
    let mut ends: Vec<u64> = at_hand(sample)
        .flat_map(|word| new_ends(fields, word))
        .filter(is_possible)
        .collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// The end of the heap block if `word` is its length, in words or in bytes.
fn new_ends(fields: &ProcessFields, word: u64) -> impl Iterator<Item = u64> + use<> {
    let heap = fields.heap;
    let in_bytes = word.is_multiple_of(8).then_some(word);
    let lengths = [word.checked_mul(8), in_bytes];
    lengths
        .into_iter()
        .filter_map(move |length| heap.checked_add(length?))
}

/// The words that the interrupted C code has at hand: its registers and its frames.
fn at_hand<'a>(sample: &RawSampleRef<'a>) -> impl Iterator<Item = u64> + 'a {
    let parts = [sample.registers, sample.stack, sample.stack_rest];
    parts.into_iter().flatten().copied()
}

fn stack_bytes(fields: &ProcessFields) -> u64 {
    fields.hend - fields.stop
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::raw_sample::RawSample;
    use perf_ring::REGISTER_COUNT;

    const HEAP: u64 = 0x10_0000;
    const STOP: u64 = 0x10_f000;
    const HEND: u64 = 0x11_0000;

    fn fields() -> ProcessFields {
        ProcessFields {
            id: 3,
            reg: 0,
            htop: HEAP,
            stop: STOP,
            fcalls: 0,
            heap: HEAP,
            hend: HEND,
            heap_size_words: (HEND - HEAP) / 8,
            i: 0,
            state: STATE_GC,
        }
    }

    fn overlaps(argument: u64, result: u64) -> bool {
        let mut registers = [0; REGISTER_COUNT];
        (
            registers[arch::sample::FIRST_ARGUMENT],
            registers[arch::sample::RESULT],
        ) = (argument, result);
        let mut words = vec![];
        RawSample {
            registers,
            ..RawSample::default()
        }
        .encode(&mut words);
        may_overlap(&RawSampleRef::decode(&words).unwrap().0, &fields())
    }

    #[test]
    fn only_what_is_written_over_the_stack_matters() {
        // To another block, or far below.
        assert!(!overlaps(0x90_0000, 0x90_0000));
        assert!(!overlaps(HEAP + 0x4800, HEAP + 0x4000));
        // Down or up by less than its length, begun or half done.
        assert!(overlaps(STOP - 0x800, STOP - 0x800));
        assert!(overlaps(STOP - 0x7c0, 7));
        assert!(overlaps(7, STOP - 0x7c0));
        assert!(overlaps(STOP + 0x100, STOP + 0x100));
        assert!(overlaps(HEND + 64, 7));
    }

    #[test]
    fn a_length_is_in_words_or_in_bytes() {
        let ends = |word| new_ends(&fields(), word).collect::<Vec<_>>();
        assert_eq!(ends(0x10), [HEAP + 0x80, HEAP + 0x10]);
        assert_eq!(ends(0x11), [HEAP + 0x88]);
        assert!(ends(u64::MAX - 7).is_empty());
    }
}
