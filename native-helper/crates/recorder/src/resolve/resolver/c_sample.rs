//! Samples in C code on a normal scheduler: the Erlang stack was read right after them.

use arch::StackPointerHome;
use capture::classify::RunContext;
use capture::sample::Trust;
use erlang_stack::{
    CapturedEvidence, CapturedProof, ErlangFrame, Evidence, StackProof, Strays, WalkEnd, WalkRules,
    prove, prove_captured,
};
use native_code::unwind_c::{Registers, UnwindEnd};
use target_memory::TargetMemory;
use vm_code::generations::Located;
use vm_layout::{STATE_ENDING, STATE_GC};
use vm_tables::processes::ProcessFields;

use super::{ErlangPart, Resolver, Room, no_process};
use crate::read::raw_sample::{RawSampleRef, ReadFlags};
use crate::resolve::frames::{Frame, Naming};
use crate::resolve::tally::Sort;

/// A read done later than this after its sample proves nothing: equal values may have come back.
const MAX_SKID_NS: u64 = 1_000_000;
/// Fewer bytes of C stack and X registers than this can be equal by chance.
pub(super) const MIN_COMPARED_BYTES: u64 = 256;

/// Where C code was called from.
struct Crossing {
    /// Address in JIT code, and whether it is a return address.
    pc: u64,
    is_return_address: bool,
    /// rbp as the JIT code left it, when the C frames could be unwound.
    rbp: Option<u64>,
    /// r14 as the JIT code left it.
    reductions: Option<u64>,
    /// r13 as the JIT code left it.
    process: Option<u64>,
}

impl<M: TargetMemory> Resolver<M> {
    /// A sample in C code on a normal scheduler.
    pub(super) fn push_c_sample(
        &mut self,
        sample: &RawSampleRef<'_>,
        room: &mut Room,
    ) -> (Sort, RunContext, ErlangPart, bool) {
        let (registers, end) = self.push_native(sample, room);
        let crossing = self.crossing(sample, &registers, end, room.native.is_empty());
        let truncated = !matches!(end, UnwindEnd::ReachedJit | UnwindEnd::EndOfStack);
        if truncated {
            room.frames
                .push(self.table.marker("[truncated]", Naming::Named));
        }
        let context = match &crossing {
            _ if sample.current_port != 0 => RunContext::Port,
            _ if sample.current_process == 0 && !sample.flags.has(ReadFlags::UNMATCHED) => {
                RunContext::NoProcess
            }
            None => RunContext::NoProcess,
            Some(_) => RunContext::Process,
        };
        let (Some(crossing), RunContext::Process) = (crossing, context) else {
            return (Sort::Scheduler, context, no_process(), truncated);
        };
        let address = crossing
            .pc
            .wrapping_sub(u64::from(crossing.is_return_address));
        let caller = self
            .erlang_code
            .frame_at(&self.vm.code, &mut self.table, address);
        if caller.schedules {
            return (
                Sort::Scheduler,
                RunContext::NoProcess,
                no_process(),
                truncated,
            );
        }
        if caller.is_bottom && crossing.reductions.is_some() {
            // The C stack in the sample shows that the Erlang stack is empty: nothing to read.
            room.frames.push(caller.frame);
            let part = ErlangPart {
                trust: whole_trust(sample),
                complete: true,
            };
            let sort = Sort::NativeInProcess { complete: true };
            return (sort, RunContext::Process, part, truncated);
        }
        let part = self.push_stack_below(sample, room, &crossing, caller.frame);
        let sort = Sort::NativeInProcess {
            complete: part.complete,
        };
        (sort, RunContext::Process, part, truncated)
    }

    /// Finds where C code was called from: by unwinding, or failing that by the word where the
    /// JIT always leaves the return address.
    fn crossing(
        &self,
        sample: &RawSampleRef<'_>,
        registers: &Registers,
        end: UnwindEnd,
        in_jit: bool,
    ) -> Option<Crossing> {
        match end {
            UnwindEnd::ReachedJit => Some(Crossing {
                pc: registers.rip,
                is_return_address: !in_jit,
                rbp: Some(registers.rbp()),
                reductions: Some(registers.r14()),
                process: Some(registers.r13()),
            }),
            UnwindEnd::EndOfStack => None,
            _ => {
                let pc = sample.call_slot;
                let jit = &self.vm.objects.jit;
                jit.iter()
                    .any(|(start, end)| (*start..*end).contains(&pc))
                    .then_some(Crossing {
                        pc,
                        is_return_address: true,
                        rbp: None,
                        reductions: None,
                        process: None,
                    })
            }
        }
    }

    /// Pushes what is proven of an Erlang stack that is not in the sample.
    fn push_stack_below(
        &mut self,
        sample: &RawSampleRef<'_>,
        room: &mut Room,
        crossing: &Crossing,
        caller: Frame,
    ) -> ErlangPart {
        let fields = self.process_fields(sample, &mut room.process);
        let home = self.erlang_code.stack_pointer_home(
            &self.vm.code,
            &self.vm.memory,
            self.vm.layout.process.stop,
            crossing.pc,
        );
        let top = match (home, fields) {
            (Some(StackPointerHome::ProcessStop), Some(fields)) => Some(fields.stop),
            (Some(StackPointerHome::Rbp), _) => crossing.rbp,
            _ => None,
        };
        room.erlang.clear();
        let mut proof = StackProof::Unproven;
        if let (Some(top), Some(fields)) = (top, fields)
            && sample.flags.has(ReadFlags::CAPTURED)
        {
            match self.prove_capture(sample, room, crossing, top, &fields) {
                CapturedProof::Whole => proof = StackProof::Validated,
                CapturedProof::Upper => return self.push_upper_frames(room, caller),
                CapturedProof::Unproven => {}
            }
        } else if let (Some(top), Some(fields)) = (top, fields) {
            let walk_end = self.walk_late(sample, top, &fields, &mut room.erlang);
            let evidence = self.evidence(sample, crossing, &fields, walk_end);
            let before = self.stack_shortly_before(fields.id, sample.time_ns);
            proof = prove(&evidence, &room.erlang, before);
        }
        match proof {
            StackProof::Validated => {
                room.frames.push(caller);
                self.push_erlang_frames(room, 0);
                if let Some(fields) = fields {
                    self.remember_stack(fields.id, sample.time_ns, &room.erlang);
                }
                ErlangPart {
                    trust: whole_trust(sample),
                    complete: true,
                }
            }
            StackProof::Bracketed(from_bottom) => {
                push_known_caller(room, crossing, caller);
                self.push_deep_frames(room, from_bottom)
            }
            StackProof::Unproven => {
                push_known_caller(room, crossing, caller);
                self.push_unproven(room)
            }
        }
    }

    /// The frames that are proven, counted from the bottom, below a mark for those that are not.
    pub(super) fn push_deep_frames(&mut self, room: &mut Room, from_bottom: usize) -> ErlangPart {
        self.push_unproven(room);
        let skip = room.erlang.len().saturating_sub(from_bottom);
        self.push_erlang_frames(room, skip);
        ErlangPart {
            trust: Trust::Bracketed,
            complete: false,
        }
    }

    /// The mark in the place of an Erlang stack of which nothing is proven.
    pub(super) fn push_unproven(&mut self, room: &mut Room) -> ErlangPart {
        let marker = self.table.marker("[unproven]", Naming::Named);
        room.frames.push(marker);
        UNPROVEN_PART
    }

    fn prove_capture(
        &mut self,
        sample: &RawSampleRef<'_>,
        room: &mut Room,
        crossing: &Crossing,
        top: u64,
        fields: &ProcessFields,
    ) -> CapturedProof {
        let walk = self.walk_captured(sample, top, fields, &mut room.erlang);
        let is_inside = !fields.is_consistent() || (fields.heap..fields.hend).contains(&top);
        prove_captured(&CapturedEvidence {
            same_process: runs_current(sample, crossing),
            consistent: is_plausible(fields) && is_inside,
            being_moved: self.is_being_moved(sample, fields, room),
            cut: sample.flags.has(ReadFlags::STACK_CUT),
            walk,
        })
    }

    /// The upper frames of a stack that is too long to be copied.
    fn push_upper_frames(&mut self, room: &mut Room, caller: Frame) -> ErlangPart {
        room.frames.push(caller);
        self.push_erlang_frames(room, 0);
        room.frames
            .push(self.table.marker("[truncated]", Naming::Named));
        ErlangPart {
            trust: Trust::Captured,
            complete: false,
        }
    }

    fn evidence(
        &self,
        sample: &RawSampleRef<'_>,
        crossing: &Crossing,
        fields: &ProcessFields,
        walk: WalkEnd,
    ) -> Evidence {
        let flags = sample.flags;
        let is_enough = sample.compared_bytes >= MIN_COMPARED_BYTES;
        let c_stack_unchanged = flags.has(ReadFlags::SAME_C_STACK) && is_enough;
        // The JIT calls C from a fixed place, but fragments may call each other before they do.
        let same_call = crossing.reductions.is_none()
            || !crossing.is_return_address
            || crossing.pc == sample.call_slot
            || c_stack_unchanged;
        Evidence {
            recent: is_recent(sample),
            same_process: flags.has(ReadFlags::SAME_PROCESS) && runs_current(sample, crossing),
            same_call: same_call && flags.has(ReadFlags::SAME_CALL),
            c_stack_unchanged,
            same_arguments: is_enough && !flags.has(ReadFlags::OTHER_OUTERMOST),
            same_reductions: crossing
                .reductions
                .is_some_and(|reductions| self.signed_reductions(reductions) == fields.fcalls),
            consistent: is_plausible(fields) && flags.has(ReadFlags::SAME_BOUNDS),
            walk,
        }
    }

    fn signed_reductions(&self, register: u64) -> i64 {
        match self.vm.layout.process.fcalls_bytes {
            4 => i64::from((register as u32).cast_signed()),
            _ => register.cast_signed(),
        }
    }

    /// Walks the late-read Erlang stack from `top`.
    pub(super) fn walk_late(
        &mut self,
        sample: &RawSampleRef<'_>,
        top: u64,
        fields: &ProcessFields,
        frames: &mut Vec<ErlangFrame>,
    ) -> WalkEnd {
        let index = top
            .checked_sub(sample.erlang_top)
            .map(|offset| (offset / 8) as usize);
        let aligned = top.is_multiple_of(8);
        let words = index
            .filter(|_| aligned)
            .and_then(|index| sample.erlang.get(index..));
        let is_bare = fields.is_consistent() && top.checked_add(8) == Some(fields.hend);
        if is_bare && sample.flags.has(ReadFlags::CAPTURED) {
            // One word is the bottom. (When a heap shrinks, its old end is unmapped before the
            // process is told, so the word itself may not be readable.)
            return WalkEnd {
                complete: true,
                stray_words: 0,
            };
        }
        let rules = WalkRules {
            normal_exit: self.vm.code.normal_exit,
            top,
            // A collector that is at work has moved the stack before it says so.
            end: if fields.is_consistent() {
                fields.hend
            } else {
                0
            },
            strays: Strays::Suspect,
            frame_pointers: self.vm.code.frame_pointers,
        };
        let words = words.unwrap_or(&[]);
        match words.split_first() {
            Some((first, rest)) if self.is_raised_at(*first, fields) => {
                frames.push(ErlangFrame {
                    return_address: *first,
                    depth_bytes: fields.hend.wrapping_sub(top),
                });
                let rules = WalkRules {
                    top: top.wrapping_add(8),
                    ..rules
                };
                self.walk_words(&rules, rest.iter().copied(), frames)
            }
            _ => self.walk_words(&rules, words.iter().copied(), frames),
        }
    }

    /// Raising an exception leaves the address it was raised at on top of the stack, which does not
    /// need to follow a call. The word there is one if the process says that it is just there, or
    /// if the process is ending: nothing else leaves an address of code.
    fn is_raised_at(&mut self, word: u64, fields: &ProcessFields) -> bool {
        let is_known = word == fields.i || fields.state & STATE_ENDING != 0;
        let (memory, jit, loaded) = (&self.vm.memory, &self.vm.objects.jit, &self.vm.code);
        let is_code = matches!(loaded.locate(word.wrapping_sub(1)), Located::Known(_));
        word & 3 == 0
            && is_known
            && is_code
            && word != loaded.normal_exit
            && self.vm.interpreter.is_none()
            && fields.is_consistent()
            && !self
                .erlang_code
                .is_return_address(loaded, memory, jit, word)
    }
}

/// The C code was called for the process that was read. Where the C frames could be unwound, the
/// register that holds it in JIT code says so.
fn runs_current(sample: &RawSampleRef<'_>, crossing: &Crossing) -> bool {
    match crossing.process {
        Some(process) => process == sample.current_process,
        None => !sample.flags.has(ReadFlags::GUESSED_PROCESS),
    }
}

/// Where the C frames could be unwound, their caller was in the sample itself and is known in any
/// case. (A shared fragment says what was called, not who called.)
fn push_known_caller(room: &mut Room, crossing: &Crossing, caller: Frame) {
    if crossing.reductions.is_some() {
        room.frames.push(caller);
    }
}

/// Nothing is known of the Erlang frames.
const UNPROVEN_PART: ErlangPart = ErlangPart {
    trust: Trust::Unproven,
    complete: false,
};

/// How a stack is known that is known as a whole.
pub(super) fn whole_trust(sample: &RawSampleRef<'_>) -> Trust {
    if sample.flags.has(ReadFlags::CAPTURED) {
        Trust::Captured
    } else {
        Trust::Validated
    }
}

/// Heap and stack bounds agree, or a collector is about to make them.
pub(super) fn is_plausible(fields: &ProcessFields) -> bool {
    fields.is_consistent() || fields.state & STATE_GC != 0
}

pub(super) fn is_recent(sample: &RawSampleRef<'_>) -> bool {
    sample.read_done_ns.saturating_sub(sample.time_ns) <= MAX_SKID_NS
}
