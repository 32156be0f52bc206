//! Samples in Erlang code: the stack was captured with them.

use capture::sample::{FrameKind, Trust};
use erlang_stack::{ErlangFrame, Strays, WalkEnd, WalkRules, walk};
use target_memory::TargetMemory;
use vm_tables::processes::ProcessFields;

use super::{ErlangPart, Resolver, Room};
use crate::read::raw_sample::{RawSampleRef, register};
use crate::resolve::frames::Naming;
use vm_layout::Flavor;

/// Processes whose last proven stack is remembered.
const MAX_KNOWN_STACKS: usize = 4096;
/// A stack older than this says nothing about the present one.
const MAX_KNOWN_STACK_AGE_NS: u64 = 50_000_000;

impl<M: TargetMemory> Resolver<M> {
    /// A sample in JIT code on the Erlang stack: everything was captured with it.
    pub(super) fn push_erlang_sample(
        &mut self,
        sample: &RawSampleRef<'_>,
        room: &mut Room,
    ) -> ErlangPart {
        let pc = sample.register(register::RIP);
        let leaf = self
            .erlang_code
            .frame_at(&self.vm.code, &mut self.table, pc);
        room.frames.push(leaf.frame);
        if leaf.is_bottom {
            // What rsp points at by now belongs to whatever lies behind this heap.
            return ErlangPart {
                trust: Trust::Captured,
                complete: true,
            };
        }
        let fields = self.process_fields(sample, &mut room.process);
        let is_function = leaf.frame.kind == FrameKind::Erlang;
        let reserved = match is_function {
            true => {
                let (code, memory) = (&self.vm.code, &self.vm.memory);
                self.erlang_code.reserved_stack_bytes(code, memory, pc)
            }
            false => Some(0),
        };
        let Some(reserved) = reserved else {
            // Without the code just before it, old return addresses could pass for callers.
            let marker = self.table.marker("[unproven]", Naming::Named);
            room.frames.push(marker);
            return ErlangPart {
                trust: Trust::Captured,
                complete: false,
            };
        };
        let mut rules = WalkRules {
            normal_exit: self.vm.code.normal_exit,
            top: sample.register(register::RSP).wrapping_add(reserved),
            end: fields.map_or(0, |fields| fields.hend),
            strays: Strays::Unset {
                first_is_frame: leaf.frame.kind == FrameKind::Fragment,
            },
            frame_pointers: self.vm.code.frame_pointers,
        };
        room.erlang.clear();
        let mut end = self.walk_words(&rules, words_from(sample, rules.top), &mut room.erlang);
        let lost = match end.stray_words {
            0 => None,
            _ => self.lost_code(sample, &rules),
        };
        if let Some(lost) = lost {
            // A caller whose code went away, or no caller at all: only what lies below is sure.
            room.frames
                .push(self.table.marker("[unproven]", Naming::Named));
            (rules.top, rules.strays) = (lost.wrapping_add(8), Strays::Suspect);
            room.erlang.clear();
            end = self.walk_words(&rules, words_from(sample, rules.top), &mut room.erlang);
        }
        self.push_erlang_frames(room, 0);
        let complete = end.complete && lost.is_none();
        if !end.complete {
            room.frames
                .push(self.table.marker("[truncated]", Naming::Named));
        } else if let (true, Some(fields)) = (complete, fields) {
            self.remember_stack(fields.id, sample.time_ns, &room.erlang);
        }
        ErlangPart {
            trust: Trust::Captured,
            complete,
        }
    }

    /// Address of the lowest word that points into JIT code but is no return address there now.
    fn lost_code(&mut self, sample: &RawSampleRef<'_>, rules: &WalkRules) -> Option<u64> {
        let (memory, jit, loaded) = (&self.vm.memory, self.vm.runs_erlang(), &self.vm.code);
        let code = &mut self.erlang_code;
        let addresses = (0..).map(|index: u64| rules.top.wrapping_add(index * 8));
        addresses
            .zip(words_from(sample, rules.top))
            .take_while(|(_, word)| *word != rules.normal_exit)
            .filter(|(_, word)| {
                word & 3 == 0
                    && jit.iter().any(|(start, end)| (*start..*end).contains(word))
                    && !code.is_return_address(loaded, memory, jit, *word)
            })
            .last()
            .map(|(address, _)| address)
    }

    pub(super) fn walk_words(
        &mut self,
        rules: &WalkRules,
        words: impl Iterator<Item = u64>,
        frames: &mut Vec<ErlangFrame>,
    ) -> WalkEnd {
        let (memory, jit, loaded) = (&self.vm.memory, self.vm.runs_erlang(), &self.vm.code);
        let code = &mut self.erlang_code;
        if let Flavor::Interpreter(interpreter) = &self.vm.flavor {
            let loaded = &self.vm.code;
            let is_frame =
                |address| code.is_continuation(memory, loaded, interpreter.main, address);
            return walk(rules, words, is_frame, frames);
        }
        walk(
            rules,
            words,
            |address| code.is_return_address(loaded, memory, jit, address),
            frames,
        )
    }

    /// Pushes the frames of `room.erlang` from index `skip` on.
    pub(super) fn push_erlang_frames(&mut self, room: &mut Room, skip: usize) {
        for frame in room.erlang.iter().skip(skip) {
            let call = frame.return_address.wrapping_sub(1);
            let found = self
                .erlang_code
                .frame_at(&self.vm.code, &mut self.table, call);
            room.frames.push(found.frame);
        }
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

/// The words of the Erlang stack from `top` on, sampled or copied.
fn words_from<'a>(sample: &'a RawSampleRef<'_>, top: u64) -> impl Iterator<Item = u64> + 'a {
    (0..).map_while(move |index: u64| {
        let address = top.wrapping_add(index * 8);
        sample
            .sampled_word(address)
            .or_else(|| sample.erlang_word(address))
    })
}
