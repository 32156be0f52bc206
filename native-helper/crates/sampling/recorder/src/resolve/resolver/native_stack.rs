//! The C and kernel part of a stack.

use native_code::unwind_c::{Registers, UnwindEnd};

use super::{Resolver, SampleScratch};
use crate::read::raw_sample::RawSampleRef;
use crate::resolve::frames::Frame;
use target_memory::TargetMemory;

/// The C function of a BIF or NIF is at most this many frames from the JIT code that called it.
const CALLED_DEPTH: usize = 3;

impl<M: TargetMemory> Resolver<M> {
    pub(super) fn push_kernel_frames(
        &mut self,
        sample: &RawSampleRef<'_>,
        frames: &mut Vec<Frame>,
    ) {
        const USER_MAX: u64 = i64::MAX as u64;
        if sample.ip <= USER_MAX {
            return;
        }
        // Values at the very top of a chain announce a context and are no addresses.
        let is_address = |address: &&u64| **address > USER_MAX && **address < u64::MAX - 4094;
        let first = frames.len();
        for address in sample.chain.iter().filter(is_address) {
            frames.push(
                self.native_frames
                    .kernel_frame_at(&mut self.table, *address),
            );
        }
        if frames.len() == first {
            frames.push(
                self.native_frames
                    .kernel_frame_at(&mut self.table, sample.ip),
            );
        }
    }

    /// Unwinds the C frames of a sample and pushes them. Returns the registers and why it ended.
    pub(super) fn push_native(
        &mut self,
        sample: &RawSampleRef<'_>,
        scratch: &mut SampleScratch,
    ) -> (Registers, UnwindEnd) {
        let mut registers = user_registers(sample);
        scratch.native.clear();
        let runs_erlang = self.vm.runs_erlang();
        let end = self.unwinder.unwind(
            &self.vm.objects.map,
            &mut registers,
            |pc| {
                runs_erlang
                    .iter()
                    .any(|(start, end)| (*start..*end).contains(&pc))
            },
            |address| sample.stack_word(address),
            &mut scratch.native,
        );
        let from_jit = scratch.native.len().saturating_sub(CALLED_DEPTH);
        let mut erlang_function = None;
        for (index, frame) in scratch.native.iter().enumerate() {
            let found = self
                .native_frames
                .frame_at(&self.vm, &mut self.table, frame.lookup_avma());
            scratch.frames.extend_from_slice(&found.inlined);
            scratch.frames.push(found.frame);
            scratch.frames.extend(found.callback);
            if index >= from_jit {
                erlang_function = found.erlang_function.or(erlang_function);
            }
        }
        if end == UnwindEnd::ReachedJit {
            scratch.frames.extend(erlang_function);
        }
        (registers, end)
    }
}

/// The registers of the sampled frame.
pub(super) fn user_registers(sample: &RawSampleRef<'_>) -> Registers {
    arch::sample::general_registers(|index| sample.register(index))
}
