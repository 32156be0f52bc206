//! Samples on dirty schedulers.

use capture::classify::RunContext;
use capture::marks::Mark;
use capture::sample::Trust;
use erlang_stack::{
    CopiedEvidence, CopiedProof, DirtyReadEvidence, prove_copied, prove_dirty_read,
};
use native_code::unwind_c::UnwindEnd;
use target_memory::TargetMemory;
use vm_layout::Flavor;
use vm_tables::processes::ProcessFields;

use super::c_sample::{MIN_COMPARED_BYTES, is_plausible, is_recent, whole_trust};
use super::{ErlangPart, Outcome, Resolver, SampleScratch};
use crate::read::raw_sample::{RawSampleRef, ReadFlags};
use crate::resolve::erlang_code::CodeAddress;

impl<M: TargetMemory> Resolver<M> {
    /// A sample on a dirty scheduler: all C, for a process that runs nowhere else at that time.
    pub(super) fn push_dirty_sample(
        &mut self,
        sample: &RawSampleRef<'_>,
        scratch: &mut SampleScratch,
    ) -> Outcome {
        let (_, end) = self.push_native(sample, scratch);
        let truncated = end != UnwindEnd::EndOfStack;
        if sample.flags.has(ReadFlags::UNMATCHED) {
            // Whatever it ran, it is not known.
            let part = self.push_unproven(scratch);
            return Outcome::unproven_of_none(part, truncated);
        }
        if sample.current_process == 0 {
            let (context, flags) = (RunContext::NoProcess, sample.flags);
            let is_copied = flags.has(ReadFlags::COPIED);
            // A late read shows only what runs by then: the process may have moved on.
            if !is_copied && self.runs_for_process(scratch) {
                let part = self.push_unproven(scratch);
                return Outcome::unproven_of_none(part, truncated);
            }
            let is_read = is_copied || flags.has(ReadFlags::SCHEDULER_READ);
            return match is_read {
                true => Outcome::without_process(context, truncated),
                false => Outcome::unattributed(context, truncated),
            };
        }
        let Some(fields) = self.process_fields(sample, &mut scratch.process) else {
            let part = self.push_unproven(scratch);
            return Outcome::native_in_process(part, truncated);
        };
        let is_proven = self.is_dirty_stack_proven(sample, &fields, scratch);
        self.sight = self.sight_of_dirty(sample, &fields, is_proven, scratch);
        let part = match is_proven {
            true => self.push_dirty_stack(sample, &fields, scratch),
            false => self.push_unproven(scratch),
        };
        Outcome::native_in_process(part, truncated)
    }

    fn runs_for_process(&mut self, scratch: &SampleScratch) -> bool {
        self.native_frames
            .run_for_process(&self.vm, &mut self.table, &scratch.native)
    }

    /// Walks the Erlang stack into `scratch.erlang`; true when all of it may be shown.
    fn is_dirty_stack_proven(
        &mut self,
        sample: &RawSampleRef<'_>,
        fields: &ProcessFields,
        scratch: &mut SampleScratch,
    ) -> bool {
        let flags = sample.flags;
        let is_read_process = !flags.has(ReadFlags::GUESSED_PROCESS);
        scratch.erlang.clear();
        if flags.has(ReadFlags::COPIED) {
            let walk = self.walk_copied(sample, fields.stop, fields, &mut scratch.erlang);
            let proof = prove_copied(&CopiedEvidence {
                same_process: is_read_process,
                consistent: is_plausible(fields),
                being_moved: self.is_being_moved(sample, fields, scratch),
                cut: flags.has(ReadFlags::STACK_CUT),
                walk,
            });
            // The upper part alone of a stack is not shown here.
            return proof == CopiedProof::Whole;
        }
        let walk = self.walk_late(sample, fields.stop, fields, &mut scratch.erlang);
        prove_dirty_read(&DirtyReadEvidence {
            recent: is_recent(sample),
            same_process: is_read_process && flags.has(ReadFlags::SAME_PROCESS),
            c_stack_unchanged: flags.has(ReadFlags::SAME_C_STACK)
                && sample.compared_bytes >= MIN_COMPARED_BYTES,
            consistent: is_plausible(fields) && flags.has(ReadFlags::SAME_BOUNDS),
            walk,
        })
    }

    /// Pushes the function that was called, as far as it is not the C function itself, and the
    /// frames of the proven stack below it.
    fn push_dirty_stack(
        &mut self,
        sample: &RawSampleRef<'_>,
        fields: &ProcessFields,
        scratch: &mut SampleScratch,
    ) -> ErlangPart {
        // While a process runs dirty, its saved program counter is valid.
        let is_jit = |pc: u64| {
            self.vm
                .runs_erlang()
                .iter()
                .any(|(a, b)| (*a..*b).contains(&pc))
        };
        let is_code = match self.vm.flavor {
            Flavor::Jit(_) => is_jit(fields.i),
            Flavor::Interpreter(_) => self.vm.code.is_instruction(fields.i),
        };
        let mut complete = true;
        if is_code {
            let called = self.erlang_code.frame_at(
                &self.vm.code,
                &self.vm.memory,
                &mut self.table,
                CodeAddress::Runs(fields.i),
            );
            scratch.frames.push(called.frame);
        } else if let Flavor::Interpreter(interpreter) = self.vm.flavor
            && self.stub_name(&interpreter, fields.i).is_none()
        {
            // Neither code that is known nor the place of a function that C code stands for.
            let marker = self.table.mark(Mark::UnknownFunction);
            scratch.frames.push(marker);
            complete = false;
        }
        self.push_erlang_frames(scratch, 0);
        let trust = match complete {
            true => whole_trust(sample),
            false => Trust::Bracketed,
        };
        ErlangPart { trust, complete }
    }
}
