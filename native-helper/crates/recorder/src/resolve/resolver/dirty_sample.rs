//! Samples on dirty schedulers.

use capture::classify::RunContext;
use capture::sample::Trust;
use native_code::unwind_c::UnwindEnd;

use super::c_sample::{MIN_COMPARED_BYTES, is_plausible, is_recent, whole_trust};
use super::{ErlangPart, Resolver, Room, no_process};
use crate::read::raw_sample::{RawSampleRef, ReadFlags};
use crate::resolve::frames::Naming;
use crate::resolve::tally::Sort;
use target_memory::TargetMemory;
use vm_layout::Flavor;

impl<M: TargetMemory> Resolver<M> {
    /// A sample on a dirty scheduler: all C, for a process that runs nowhere else meanwhile.
    pub(super) fn push_dirty_sample(
        &mut self,
        sample: &RawSampleRef<'_>,
        room: &mut Room,
    ) -> (Sort, RunContext, ErlangPart, bool) {
        let (_, end) = self.push_native(sample, room);
        let truncated = end != UnwindEnd::EndOfStack;
        if sample.flags.has(ReadFlags::UNMATCHED) {
            // Whatever it ran, it is not known.
            let part = self.push_unproven(room);
            let sort = Sort::NativeInProcess { complete: false };
            return (sort, RunContext::Process, part, truncated);
        }
        let fields = self.process_fields(sample, &mut room.process);
        let Some(fields) = fields.filter(|_| sample.current_process != 0) else {
            return (
                Sort::Scheduler,
                RunContext::NoProcess,
                no_process(),
                truncated,
            );
        };
        room.erlang.clear();
        let captured = sample.flags.has(ReadFlags::CAPTURED);
        let walk = match captured {
            true => self.walk_captured(sample, fields.stop, &fields, &mut room.erlang),
            false => self.walk_late(sample, fields.stop, &fields, &mut room.erlang),
        };
        let unchanged = !sample.flags.has(ReadFlags::GUESSED_PROCESS)
            && is_recent(sample)
            && sample.compared_bytes >= MIN_COMPARED_BYTES
            && sample
                .flags
                .has(ReadFlags::SAME_PROCESS | ReadFlags::SAME_BOUNDS | ReadFlags::SAME_C_STACK);
        let proven = is_plausible(&fields)
            && (unchanged
                || captured
                    && !sample.flags.has(ReadFlags::GUESSED_PROCESS)
                    && !self.is_being_moved(sample, &fields, room))
            && walk.complete
            && walk.stray_words == 0;
        if !proven {
            let part = self.push_unproven(room);
            let sort = Sort::NativeInProcess { complete: false };
            return (sort, RunContext::Process, part, truncated);
        }
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
            let called = self
                .erlang_code
                .frame_at(&self.vm.code, &mut self.table, fields.i);
            room.frames.push(called.frame);
        } else if let Flavor::Interpreter(interpreter) = self.vm.flavor
            && self.stub_name(&interpreter, fields.i).is_none()
        {
            // Neither code that is known nor the place of a function that C code stands for.
            let marker = self.table.marker("[unknown function]", Naming::Unresolved);
            room.frames.push(marker);
            complete = false;
        }
        self.push_erlang_frames(room, 0);
        let trust = match complete {
            true => whole_trust(sample),
            false => Trust::Bracketed,
        };
        let part = ErlangPart { trust, complete };
        let sort = Sort::NativeInProcess { complete };
        (sort, RunContext::Process, part, truncated)
    }
}
