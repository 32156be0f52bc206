//! The built-in function that runs where no C frame shows it: its C function ended in a jump to another one, or what
//! runs is the function that continues it after an interruption.

use arch::BuiltInCall;
use target_memory::TargetMemory;
use vm_code::generations::Located;
use vm_code::interpreter::Interpreter;
use vm_layout::Flavor;
use vm_tables::processes::ProcessFields;

use super::c_sample::{Crossing, runs_current};
use super::proven_frames::ProvenFrames;
use super::{Resolver, SampleScratch};
use crate::read::raw_sample::{RawSampleRef, ReadFlags};
use crate::resolve::erlang_code::CodeAddress;

/// The shared code keeps the place of the call in one of so many words.
const KEPT_WORDS: u64 = 8;

impl<M: TargetMemory> Resolver<M> {
    /// Pushes the built-in functions that the JIT's shared code has called, unless frames show them: the one whose stub
    /// led there, and the one that compiled code has called and that has not returned.
    pub(super) fn push_built_in(
        &mut self,
        sample: &RawSampleRef<'_>,
        fields: Option<&ProcessFields>,
        (crossing, proven): (&Crossing, ProvenFrames),
        scratch: &mut SampleScratch,
    ) {
        let Flavor::Jit(jit) = &self.vm.flavor else {
            return;
        };
        let (calls, returns_to) = (jit.built_ins, Some(crossing.pc));
        let is_from_stub = calls.from_stub == returns_to;
        if !crossing.is_return_address || !is_from_stub && calls.from_code != returns_to {
            return;
        }
        let is_own_copy = sample.flags.has(ReadFlags::COPIED) && runs_current(sample, crossing);
        let is_known = is_own_copy || proven == ProvenFrames::Whole;
        let Some(shared) = calls.shared else { return };
        let by_stub = fields
            .filter(|_| is_from_stub && is_known)
            .and_then(|fields| self.function_of_stub(fields.i));
        let on_stack = match is_from_stub {
            true => None,
            false => self.function_of_c_stack(sample, crossing, (shared, is_known)),
        };
        let by_code = on_stack.or_else(|| self.function_of_caller(shared, proven, scratch));
        let is_unwound = crossing.stack_pointer.is_some();
        let mut at = match is_from_stub && is_unwound {
            true => self.below_caller(scratch),
            false => scratch.frames.len(),
        };
        for function in [by_stub, by_code].into_iter().flatten() {
            at += usize::from(self.insert_function(function, at, scratch));
        }
    }

    /// Where the frames of the C function begin that a stub's shared code calls, and that calls the built-in function;
    /// the end of all frames, when it has called nothing.
    fn below_caller(&mut self, scratch: &SampleScratch) -> usize {
        let all = scratch.frames.len();
        let [_, .., caller] = scratch.native.as_slice() else {
            return all;
        };
        let (vm, address) = (&self.vm, caller.lookup_avma());
        let found = self.native_frames.frame_at(vm, &mut self.table, address);
        let own = scratch.frames.iter().rposition(|one| *one == found.frame);
        own.map_or(all, |own| own.saturating_sub(found.inlined.len()))
    }

    /// Pushes the built-in function that interpreted code has called and that has not returned: it continues in the
    /// function that runs. (While it runs itself, nothing on the stack shows it.)
    pub(super) fn push_interpreted_built_in(
        &mut self,
        interpreter: &Interpreter,
        proven: ProvenFrames,
        scratch: &mut SampleScratch,
    ) {
        let Some(returns_to) = caller(proven, scratch) else {
            return;
        };
        let (code, memory) = (&self.vm.code, &self.vm.memory);
        let is_main = |word| interpreter.is_main(word);
        let known = &mut self.erlang_code;
        let call = known.interpreted_built_in_call(code, memory, is_main, returns_to);
        if let Some(function) = call.and_then(|call| self.if_built_in(call)) {
            self.insert_function(function, scratch.frames.len(), scratch);
        }
    }

    /// Inserts the frame of the built-in function with that C function, unless it is there. True when it was not.
    fn insert_function(&mut self, function: u64, at: usize, scratch: &mut SampleScratch) -> bool {
        let vm = &self.vm;
        let found = self.native_frames.frame_at(vm, &mut self.table, function);
        let own = found.is_erlang_function.then_some(found.frame);
        let frame = found.erlang_function.or(own);
        let frame = frame.filter(|frame| !scratch.frames.contains(frame));
        if let Some(frame) = frame {
            scratch.frames.insert(at, frame);
        }
        frame.is_some()
    }

    fn if_built_in(&self, call: BuiltInCall) -> Option<u64> {
        let name = self.vm.bifs.name_of(call.function);
        name.is_some().then_some(call.function)
    }

    /// The C function of the built-in function whose stub has code at `address`. While that function runs, the process has
    /// a place in the stub as its program counter: the shared code stores it before the call. A function that is about to
    /// be interrupted stores another one, which is in no stub.
    fn function_of_stub(&self, address: u64) -> Option<u64> {
        let Located::Known(found) = self.vm.code.locate(address) else {
            return None;
        };
        let (bifs, name) = (&self.vm.bifs, found.name.raw());
        let function = bifs.start_of(name)?;
        (bifs.name_of(function) == Some(name)).then_some(function)
    }

    /// The C function of the built-in function that is called, by the place of the call: the `shared` code keeps that at
    /// the end of the C stack, in the sample itself or read with what `is_known`.
    fn function_of_c_stack(
        &mut self,
        sample: &RawSampleRef<'_>,
        crossing: &Crossing,
        (shared, is_known): (u64, bool),
    ) -> Option<u64> {
        let stack = crossing.stack_pointer?;
        let addresses = (0..KEPT_WORDS).map(|index| stack.wrapping_add(index * 8));
        let kept = addresses.filter_map(|address| match is_known {
            true => sample.stack_word(address),
            false => sample.sampled_word(address),
        });
        let mut found = None;
        for word in kept {
            let is_code = |(start, end): &(u64, u64)| (*start..*end).contains(&word);
            if !self.vm.runs_erlang().iter().any(is_code) {
                continue;
            }
            let (code, memory) = (&self.vm.code, &self.vm.memory);
            let address = CodeAddress::Runs(word);
            let call = self.erlang_code.built_in_call(code, memory, address);
            let call = call.filter(|call| call.shared == shared);
            let function = call.and_then(|call| self.if_built_in(call));
            if found.is_some() && function.is_some() && found != function {
                return None;
            }
            found = found.or(function);
        }
        found
    }

    /// The C function of the built-in function that the innermost Erlang frame has called, by the `shared` code.
    fn function_of_caller(
        &mut self,
        shared: u64,
        proven: ProvenFrames,
        scratch: &SampleScratch,
    ) -> Option<u64> {
        let returns_to = caller(proven, scratch)?;
        let (code, memory) = (&self.vm.code, &self.vm.memory);
        let call =
            self.erlang_code
                .built_in_call(code, memory, CodeAddress::ReturnsTo(returns_to))?;
        self.if_built_in(call).filter(|_| call.shared == shared)
    }
}

/// Where the innermost Erlang frame is returned to, if that is proven.
fn caller(proven: ProvenFrames, scratch: &SampleScratch) -> Option<u64> {
    let is_proven = matches!(proven, ProvenFrames::Whole | ProvenFrames::Upper);
    let first = scratch.erlang.first().filter(|_| is_proven);
    first.map(|frame| frame.return_address)
}
