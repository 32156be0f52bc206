//! Samples of a VM of which nothing runs: no event of the kernel takes one, since none of its threads is on a processor,
//! but each is in one place all the time.
//!
//! The kernel shows the program counter and the stack pointer of such a thread, and no other register. Of these, JIT
//! code has the process and the code index in two; C code that has used them has put them on its stack, from where
//! unwinding takes them. Everything else is read and proven as after a sample of the engine `readv`: a frame that
//! needs a register that is not known is unproven.

use target_memory::TargetMemory;
use target_proc::ProcFs;
use target_proc::halted_thread::HaltedThread;

use super::Recording;
use crate::read::batch::{BatchCell, RawBatch};
use crate::read::late_read::Scratch;
use crate::read::plan::ReadPlan;
use crate::read::raw_sample::{RawSampleRef, ReadFlags};
use crate::read::reader::read_sample;
use crate::sys;
use perf_ring::{EventId, SampleRecord};

/// As much of the user stack as perf samples at most, if there is so much.
const STACK_BYTES: [usize; 5] = [32 << 10, 16 << 10, 4096, 1024, 256];

impl Recording {
    /// Samples each thread once where it is: for a VM that is stopped or frozen. A thread that runs in the meantime has
    /// no sample.
    pub fn sample_halted(&mut self) {
        let proc_fs = ProcFs::live();
        let mut threads: Vec<u32> = self.alive.iter().copied().collect();
        threads.sort_unstable();
        let plan = self.plan.get();
        let (mut scratch, cell) = (Scratch::default(), BatchCell::of(&self.chunks));
        let mut batch = RawBatch::of(&self.chunks);
        for tid in threads {
            let place = |rights| proc_fs.halted_thread(rights, self.pid, tid);
            let Some(halted) = place(&self.target) else {
                continue;
            };
            read_halted(
                &self.resolver.vm.memory,
                &plan,
                &mut scratch,
                (tid, halted),
                &cell,
            );
            cell.swap(&mut batch);
            if place(&self.target) != Some(halted) {
                continue;
            }
            for sample in batch.samples() {
                self.resolver.resolve(&RawSampleRef {
                    // However long the reading took, it is as if it took no time.
                    read_done_ns: sample.read_done_ns.min(sample.time_ns),
                    flags: ReadFlags(sample.flags.0 | ReadFlags::HALTED),
                    ..sample
                });
            }
        }
    }
}

/// Reads what belongs to a sample of a thread that is at that place.
fn read_halted(
    memory: &impl TargetMemory,
    plan: &ReadPlan,
    scratch: &mut Scratch,
    (tid, halted): (u32, HaltedThread),
    cell: &BatchCell,
) {
    let at = halted.stack_pointer;
    let stack = STACK_BYTES
        .iter()
        .find_map(|len| memory.read_vec(at, *len, *len).ok())
        .unwrap_or_default();
    let mut registers = [0; perf_ring::REGISTER_COUNT];
    registers[arch::sample::STACK_POINTER] = at;
    registers[arch::sample::PROGRAM_COUNTER] = halted.program_counter;
    if let Some(role) = plan.roles.get(&tid) {
        let current = plan.layout.scheduler.current_process as u64;
        let process = memory.read_u64(role.data().wrapping_add(current));
        registers[arch::sample::CURRENT_PROCESS] = process.unwrap_or(0);
        let index = plan.code_index.map(|index| memory.read_u32(index));
        registers[arch::sample::CODE_INDEX] = index.and_then(Result::ok).map_or(0, u64::from);
    }
    let sample = SampleRecord {
        // It is of no event.
        id: EventId::default(),
        ip: halted.program_counter,
        tid,
        time_ns: sys::monotonic_ns(),
        cpu: 0,
        chain: &[],
        registers: Some(registers),
        stack: &stack,
    };
    read_sample(memory, plan, scratch, &sample, cell);
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use target_memory::SnapshotMemory;
    use vm_layout::rows::ROWS;

    use super::*;
    use crate::read::plan::{StackPointer, ThreadRole};

    const DATA: u64 = 0x10_000;
    const CODE_INDEX: u64 = 0x20_000;
    const STACK: u64 = 0x30_000;
    const PROCESS: u64 = 0x40_000;

    fn read(memory: &SnapshotMemory, tid: u32, stack_pointer: u64) -> (Vec<u64>, usize, bool) {
        let plan = ReadPlan {
            layout: ROWS[0],
            normal_exit: 0,
            runs_erlang: vec![(0x7000, 0x8000)],
            stack_pointer: StackPointer::Own,
            code_index: Some(CODE_INDEX),
            roles: HashMap::from([(
                7,
                ThreadRole::Normal {
                    data: DATA,
                    registers: DATA + 256,
                    c_stack_low: DATA,
                },
            )]),
            waiting: HashMap::new(),
            numbered_from_ns: HashMap::new(),
        };
        let halted = HaltedThread {
            stack_pointer,
            program_counter: 0x7100,
            switches: 3,
        };
        let (cell, mut batch) = (BatchCell::default(), RawBatch::default());
        read_halted(memory, &plan, &mut Scratch::default(), (tid, halted), &cell);
        cell.swap(&mut batch);
        let sample = batch.samples().next().unwrap();
        (
            sample.registers.to_vec(),
            sample.stack.len(),
            sample.flags.has(ReadFlags::IN_ERLANG),
        )
    }

    #[test]
    fn a_halted_scheduler_has_the_registers_that_erlang_code_keeps() {
        let mut memory = SnapshotMemory::new();
        let mut data = [0; 64];
        data[ROWS[0].scheduler.current_process / 8] = PROCESS;
        memory
            .map_words(DATA, &data)
            .map_words(CODE_INDEX, &[2])
            .map_words(STACK, &[0; 200]);
        let (registers, stack_words, in_erlang) = read(&memory, 7, STACK);
        assert_eq!(registers[arch::sample::STACK_POINTER], STACK);
        assert_eq!(registers[arch::sample::PROGRAM_COUNTER], 0x7100);
        assert_eq!(registers[arch::sample::CURRENT_PROCESS], PROCESS);
        assert_eq!(registers[arch::sample::CODE_INDEX], 2);
        assert_eq!(registers[arch::sample::FRAME_POINTER], 0, "not known");
        assert_eq!((stack_words, in_erlang), (128, true), "as much as there is");
        // On the stack of C code, at the same place.
        assert!(!read(&memory, 7, DATA + 8).2);
        // Another thread, and a stack that cannot be read.
        let (registers, stack_words, in_erlang) = read(&memory, 8, 0x90_000);
        assert_eq!(registers[arch::sample::CURRENT_PROCESS], 0);
        assert_eq!((stack_words, in_erlang), (0, false));
    }
}
