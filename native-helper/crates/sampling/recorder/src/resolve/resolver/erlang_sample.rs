//! Samples in Erlang code: the stack was copied with them.

use capture::marks::{Mark, Reloaded};
use capture::sample::{FrameKind, Trust};
use erlang_stack::{
    DeepReadEvidence, ErlangFrame, StackWord, Strays, WalkEnd, WalkRules, prove_deep_read,
    stack_words, walk,
};
use target_memory::TargetMemory;
use vm_tables::processes::ProcessFields;

use super::c_sample::is_recent;
use super::{ErlangPart, Resolver, SampleScratch};
use crate::read::raw_sample::{RawSampleRef, ReadFlags};
use crate::resolve::erlang_code::{CodeAddress, CodeInDoubt, JitFrame};
use vm_layout::Flavor;

/// Processes whose last proven stack is remembered.
const MAX_KNOWN_STACKS: usize = 4096;
/// A stack older than this proves nothing about the present one.
const MAX_KNOWN_STACK_AGE_NS: u64 = 50_000_000;

/// How far a sampled stack could be walked.
struct SampledWalk {
    reaches_bottom: bool,
    /// Nothing is missing on the way.
    is_gapless: bool,
}

impl<M: TargetMemory> Resolver<M> {
    /// A sample in JIT code on the Erlang stack: that was copied with it, or at least its upper part.
    pub(super) fn push_erlang_sample(
        &mut self,
        sample: &RawSampleRef<'_>,
        scratch: &mut SampleScratch,
    ) -> ErlangPart {
        let pc = sample.register(arch::sample::PROGRAM_COUNTER);
        let leaf = self.erlang_code.frame_at(
            &self.vm.code,
            &self.vm.memory,
            &mut self.table,
            CodeAddress::Runs(pc),
        );
        let top = sample.register(arch::sample::STACK_POINTER);
        let begins_function = self.begins_function(&leaf, sample.sampled_word(top));
        if !begins_function {
            scratch.frames.push(leaf.frame);
        }
        if leaf.is_bottom {
            // The word at the stack pointer belongs by now to other memory behind this heap.
            return ErlangPart {
                trust: Trust::Captured,
                complete: true,
            };
        }
        let fields = self.process_fields(sample, &mut scratch.process);
        let Ok(reserved) = self.reserved_stack_bytes(&leaf, pc) else {
            // Without the code just before it, old return addresses could pass for callers.
            self.push_in_doubt(scratch);
            return ErlangPart {
                trust: Trust::Captured,
                complete: false,
            };
        };
        let of_trace = self.trace_pointer_bytes(&leaf, sample.sampled_word(top));
        let top = top.wrapping_add(reserved).wrapping_add(of_trace);
        let end = fields.map_or(0, |fields| fields.hend);
        let rules = WalkRules {
            strays: Strays::Unset {
                first_is_frame: begins_function || leaf.frame.kind == FrameKind::Fragment,
            },
            ..self.vm.code.vm_words().rules(top, end)
        };
        let walk = self.walk_sampled(sample, rules, scratch);
        self.shows_tracing |= self.walked_traced || leaf.ends_traced_call || leaf.runs_breakpoint;
        self.push_erlang_frames(scratch, 0);
        let complete = walk.reaches_bottom && walk.is_gapless;
        if !walk.reaches_bottom {
            let missing = missing_part(sample);
            let marker = self.table.mark(missing);
            scratch.frames.push(marker);
            if missing == Mark::NotCopied {
                self.push_outer_frames(sample, scratch);
            }
        } else if let (true, Some(fields)) = (complete, fields) {
            self.remember_stack(fields.id, sample.time_ns, &scratch.erlang);
        }
        ErlangPart {
            trust: match lower_part(sample) {
                LowerPart::ReadLater => Trust::Validated,
                LowerPart::Sampled | LowerPart::Unproven => Trust::Captured,
            },
            complete,
        }
    }

    /// True for code around the functions of a module that a function with a breakpoint has called before its first
    /// instruction. `caller`: the return address of that call.
    fn begins_function(&self, runs: &JitFrame, caller: Option<u64>) -> bool {
        let is_before = |address: u64| self.vm.code.is_before_function(address.wrapping_sub(1));
        runs.is_around_functions && caller.is_some_and(is_before)
    }

    /// Bytes on top of the stack that are a pointer into code and no return address: while an instruction of the VM
    /// ends a traced call, the rest of its frame is there. `top`: the word on top.
    pub(super) fn trace_pointer_bytes(&self, runs: &JitFrame, top: Option<u64>) -> u64 {
        let is_pointer = |word: u64| word & 3 == 0 && self.vm.code.is_before_function(word);
        match runs.ends_traced_call && top.is_some_and(is_pointer) {
            true => 8,
            false => 0,
        }
    }

    /// Bytes on top of the stack that the function at `leaf` has reserved.
    fn reserved_stack_bytes(&mut self, leaf: &JitFrame, pc: u64) -> Result<u64, CodeInDoubt> {
        if leaf.frame.kind != FrameKind::Erlang {
            return Ok(0);
        }
        let (code, memory) = (&self.vm.code, &self.vm.memory);
        self.erlang_code.reserved_stack_bytes(code, memory, pc)
    }

    /// The mark in the place of frames that cannot be determined without machine code that is in
    /// doubt: code was replaced, or else it cannot be read.
    pub(super) fn push_in_doubt(&mut self, scratch: &mut SampleScratch) {
        let marker = match self.vm.code.has_changed() {
            true => self.table.mark(Mark::Reloaded(Reloaded::CodeGone)),
            false => self.table.mark(Mark::Unproven),
        };
        scratch.frames.push(marker);
    }

    /// Walks the sampled stack into `scratch.erlang`.
    fn walk_sampled(
        &mut self,
        sample: &RawSampleRef<'_>,
        mut rules: WalkRules,
        scratch: &mut SampleScratch,
    ) -> SampledWalk {
        scratch.erlang.clear();
        let words = words_from(sample, rules.top);
        let end = self.walk_words(&rules, words, &mut scratch.erlang);
        let lost = match end.stray_words {
            0 => None,
            _ => self.lost_code(sample, &rules),
        };
        let Some(lost) = lost else {
            return SampledWalk {
                reaches_bottom: end.complete,
                is_gapless: true,
            };
        };
        // A caller whose code is gone, or no caller at all: only the frames below are sure.
        let marker = self.table.mark(Mark::Unproven);
        scratch.frames.push(marker);
        (rules.top, rules.strays) = (lost.wrapping_add(8), Strays::Suspect);
        scratch.erlang.clear();
        let words = words_from(sample, rules.top);
        let end = self.walk_words(&rules, words, &mut scratch.erlang);
        SampledWalk {
            reaches_bottom: end.complete,
            is_gapless: false,
        }
    }

    /// Address of the lowest word that points into JIT code but is no return address there now.
    fn lost_code(&mut self, sample: &RawSampleRef<'_>, rules: &WalkRules) -> Option<u64> {
        let (memory, jit, loaded) = (&self.vm.memory, self.vm.runs_erlang(), &self.vm.code);
        let code = &mut self.erlang_code;
        let is_frame = |address| code.is_return_address(loaded, memory, jit, address);
        let is_jit = |word: u64| {
            jit.iter()
                .any(|(start, end)| (*start..*end).contains(&word))
        };
        // To the first word that looks like the bottom, wherever that is. No frame pointer leads into code.
        let rules = WalkRules {
            end: 0,
            frame_pointers: false,
            ..*rules
        };
        stack_words(&rules, words_from(sample, rules.top), is_frame)
            .filter(|(_, word)| matches!(word, StackWord::Stray(word) if is_jit(*word)))
            .last()
            .map(|(address, _)| address)
    }

    pub(super) fn walk_words(
        &mut self,
        rules: &WalkRules,
        words: impl Iterator<Item = u64> + Clone,
        frames: &mut Vec<ErlangFrame>,
    ) -> WalkEnd {
        let (memory, jit, loaded) = (&self.vm.memory, self.vm.runs_erlang(), &self.vm.code);
        let code = &mut self.erlang_code;
        let end = if let Flavor::Interpreter(interpreter) = &self.vm.flavor {
            let loaded = &self.vm.code;
            let is_frame =
                |address| code.is_continuation(memory, loaded, interpreter.main, address);
            walk(rules, words, is_frame, frames)
        } else {
            let is_frame = |address| code.is_return_address(loaded, memory, jit, address);
            walk(rules, words, is_frame, frames)
        };
        self.walked_traced = end.traced;
        end
    }

    /// Pushes the frames of `room.erlang` from index `skip` on.
    pub(super) fn push_erlang_frames(&mut self, scratch: &mut SampleScratch, skip: usize) {
        for (index, frame) in scratch.erlang.iter().enumerate().skip(skip) {
            let address = CodeAddress::ReturnsTo(frame.return_address);
            let found =
                self.erlang_code
                    .frame_at(&self.vm.code, &self.vm.memory, &mut self.table, address);
            let below = scratch.erlang.get(index + 1);
            let begins_function =
                self.begins_function(&found, below.map(|frame| frame.return_address));
            if !begins_function {
                scratch.frames.push(found.frame);
            }
        }
    }

    /// Pushes the frames of the outer end of a stack that was copied apart from its upper part, if all of it proves to
    /// be one: it reaches the one bottom word at the end of the heap block, without a stray before that. No word of it
    /// is older than the stack: only the innermost function may have variables that are not set.
    pub(super) fn push_outer_frames(
        &mut self,
        sample: &RawSampleRef<'_>,
        scratch: &mut SampleScratch,
    ) {
        let fields = self.process_fields(sample, &mut scratch.process);
        let bytes = sample.outer.len() as u64 * 8;
        let is_its_end =
            |fields: &ProcessFields| sample.outer_at.checked_add(bytes) == Some(fields.hend);
        let is_bounded = |fields: &ProcessFields| fields.is_consistent() && is_its_end(fields);
        let Some(fields) = fields.filter(is_bounded).filter(|_| bytes > 0) else {
            return;
        };
        let vm_words = self.vm.code.vm_words();
        let rules = vm_words.rules(sample.outer_at, fields.hend);
        scratch.erlang.clear();
        let end = self.walk_words(&rules, sample.outer.iter().copied(), &mut scratch.erlang);
        if !end.complete || end.stray_words > 0 {
            return;
        }
        // The first word may be the pointer that follows the return address of a traced call, which is not here.
        let is_first = |frame: &ErlangFrame| frame.depth_bytes == bytes;
        let skip = usize::from(scratch.erlang.first().is_some_and(is_first));
        self.push_erlang_frames(scratch, skip);
        self.shows_outer_end = true;
        self.shows_tracing |= end.traced;
    }

    pub(super) fn process_fields(
        &self,
        sample: &RawSampleRef<'_>,
        bytes: &mut Vec<u8>,
    ) -> Option<ProcessFields> {
        sample.process_bytes(bytes);
        ProcessFields::from_bytes(&self.vm.layout.process, bytes)
    }

    pub(super) fn remember_stack(&mut self, id: u64, time_ns: u64, frames: &[ErlangFrame]) {
        if self.known_stacks.len() >= MAX_KNOWN_STACKS && !self.known_stacks.contains_key(&id) {
            self.known_stacks.clear();
        }
        let known = self.known_stacks.entry(id).or_default();
        known.time_ns = time_ns;
        known.frames.clear();
        known.frames.extend_from_slice(frames);
    }

    /// The last proven stack of a process, unless it is so old that the process may well have
    /// returned through it since.
    pub(super) fn stack_shortly_before(&self, id: u64, time_ns: u64) -> &[ErlangFrame] {
        self.known_stacks
            .get(&id)
            .filter(|known| time_ns.saturating_sub(known.time_ns) <= MAX_KNOWN_STACK_AGE_NS)
            .map_or(&[], |known| &known.frames)
    }
}

/// How the part of an Erlang stack that the sampled words do not reach is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LowerPart {
    /// It was copied in the interrupt that took the sample, or there is none.
    Sampled,
    /// It was read after the sample, and is proven.
    ReadLater,
    /// It was read after the sample, and is not.
    Unproven,
}

fn lower_part(sample: &RawSampleRef<'_>) -> LowerPart {
    if sample.flags.has(ReadFlags::COPIED) || sample.erlang.is_empty() {
        return LowerPart::Sampled;
    }
    let is_proven = prove_deep_read(&DeepReadEvidence {
        recent: is_recent(sample),
        // A reader leaves out what does not fit the sampled words.
        same_edge: !sample.erlang.is_empty(),
    });
    match is_proven {
        true => LowerPart::ReadLater,
        false => LowerPart::Unproven,
    }
}

/// Why the words of the stack do not reach its bottom: where there are more than those that are copied or read, that
/// is the reason; else those below were read and are not proven, or could not be read.
fn missing_part(sample: &RawSampleRef<'_>) -> Mark {
    let flags = sample.flags;
    let is_short = flags.has(ReadFlags::STACK_CUT) || flags.has(ReadFlags::COPY_FAILED);
    let is_known = flags.has(ReadFlags::COPIED)
        || !sample.erlang.is_empty() && lower_part(sample) == LowerPart::ReadLater;
    match is_short && is_known {
        true => Mark::NotCopied,
        false => Mark::Unproven,
    }
}

/// The words of the Erlang stack from `top` on, as far as they are sampled, copied or proven.
fn words_from<'a>(
    sample: &'a RawSampleRef<'_>,
    top: u64,
) -> impl Iterator<Item = u64> + Clone + 'a {
    let is_known = lower_part(sample) != LowerPart::Unproven;
    (0..).map_while(move |index: u64| {
        let address = top.wrapping_add(index * 8);
        let below = || sample.erlang_word(address).filter(|_| is_known);
        sample.sampled_word(address).or_else(below)
    })
}
