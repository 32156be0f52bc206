//! The programs that run in the kernel at every sample of a scheduler's thread, one for each [`Trigger`].
//!
//! A program is emitted for one VM, because some facts are known only at run time: where the fields of the
//! VM's structures are (data, found at attach) and which register holds the Erlang stack pointer.
//! No compiler and no type information of the kernel is needed for that: it reads the memory of a
//! user process and nothing of the kernel's.
//!
//! In short: the scheduler (found from the thread, by a map that user space keeps); the ring of this CPU; the work of
//! the scheduler (current process and port, the word where the JIT leaves its return address); where its stack is; then
//! one record of the smallest class that holds the stack. Every loop is unrolled, every copy bounded. The programs
//! differ only in the order of the parts before the copies, and in whether a sample is worth one.

mod c_stack;
mod copy_stack;
mod find_stack;
mod frame;
mod kernel;
mod records;
mod scheduler;
mod target;

pub use target::{StackPointer, TargetOffsets};

use crate::assembler::{AssembleError, Assembler, Label};
use crate::namespace::ThreadIds;
use crate::record::{STACK_ROOM_BYTES, Status, stack_offset};

/// Lets the kernel keep the sample itself.
const KEEP_SAMPLE: i32 = 1;
/// Lets the kernel drop it.
const DROP_SAMPLE: i32 = 0;

/// What a program runs at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// A tick of a CPU's clock. Each sample is kept.
    Clock,
    /// A thread is switched out. The sample of a scheduler that runs neither a process nor a port is dropped: such a
    /// scheduler goes to sleep, which the records of switches show as well. Of the others, each n-th of a CPU is kept
    /// ([`crate::BpfEngine::keep_each`]).
    SwitchOut,
    /// A thread touches memory without a page. Each n-th sample of a CPU is kept, whichever thread it is of.
    PageFault,
}

impl Trigger {
    /// Its place among the words by which samples are thinned out. Of a clock, all are kept.
    pub(crate) fn thinned(self) -> Option<usize> {
        match self {
            Self::Clock => None,
            Self::SwitchOut => Some(0),
            Self::PageFault => Some(1),
        }
    }
}

/// The triggers that are thinned out.
pub(crate) const THINNED: usize = 2;

/// Descriptors of the maps, and where threads are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramMaps {
    /// Hash of thread id to scheduler; see [`crate::engine::ThreadFacts`].
    pub threads_fd: i32,
    /// Array of the rings, by CPU.
    pub rings_fd: i32,
    /// Length of each ring.
    pub ring_bytes: usize,
    /// Array with one word for each CPU: its number of samples of schedulers.
    pub sequence_fd: i32,
    /// Array of one element: the number of samples whose ring was full, and that of samples that were left out, a word for
    /// each trigger that is thinned out.
    pub counts_fd: i32,
    /// Array of one element, a word for each trigger that is thinned out: of so many samples, one is kept; 0 and 1 for all.
    pub each_fd: i32,
    /// Array with an element for each trigger that is thinned out, one word for each CPU: the samples to leave out before
    /// the next one is kept.
    pub to_leave_out_fd: i32,
    /// Which ids of threads are the keys of the hash.
    pub thread_ids: ThreadIds,
}

/// Length of a record of class `class`; the kernel adds a header of 8 bytes.
pub fn record_bytes(process_bytes: usize, class: usize) -> usize {
    stack_offset(process_bytes) + STACK_ROOM_BYTES.get(class).copied().unwrap_or(0)
}

/// Whether the program may request the user-space registers of a thread that is in the kernel. That
/// takes Linux 5.15 and type information of the kernel (its own, nothing to be brought).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelSamples {
    /// It requests them.
    WithRegisters,
    /// It does without: the stack is then taken from Process.stop on.
    WithoutRegisters,
}

/// Where the C stack of a scheduler's sample is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CStacks {
    /// In a record of the program, just as long as it is. The kernel need not copy it as well.
    ByProgram,
    /// In the sample: the program does not always know where it begins or ends.
    BySample,
}

impl CStacks {
    /// The side that copies the C stacks of `target`. The program can do so only with the registers
    /// of user space at every sample, and when Erlang code runs on a stack of its own.
    pub fn of(target: &TargetOffsets, kernel_samples: KernelSamples) -> Self {
        match (target.stack_pointer, kernel_samples) {
            (StackPointer::Exact(_), KernelSamples::WithRegisters) => Self::ByProgram,
            _ => Self::BySample,
        }
    }
}

/// Emits the program of `trigger`.
pub fn emit(
    target: &TargetOffsets,
    maps: &ProgramMaps,
    kernel_samples: KernelSamples,
    trigger: Trigger,
) -> Result<Vec<u64>, AssembleError> {
    let mut assembler = Assembler::default();
    let (keep, full) = (assembler.label(), assembler.label());
    let mut program = Program {
        code: assembler,
        target,
        maps,
        kernel_samples,
        keep,
        full,
    };
    program.keep_context();
    // A number is given only to a sample that the kernel keeps: its reader counts those, too.
    match trigger {
        Trigger::Clock => {
            program.find_scheduler();
            program.find_ring();
            program.read_user_registers();
            program.read_scheduler();
        }
        Trigger::SwitchOut => {
            program.find_scheduler();
            program.read_scheduler();
            program.drop_if_idle();
            program.thin_out(trigger);
            program.add_status(Status::SWITCH_OUT);
            program.find_ring();
            program.read_user_registers();
        }
        Trigger::PageFault => {
            // First, as a fault that is left out should cost next to nothing, also one of a thread that is no scheduler.
            program.thin_out(trigger);
            program.find_scheduler();
            program.add_status(Status::PAGE_FAULT);
            program.find_ring();
            program.read_user_registers();
            program.read_scheduler();
        }
    }
    program.read_waiting();
    program.copy_c_stack();
    program.copy_process();
    program.count_dropped();
    let mut code = program.code;
    code.place(keep);
    code.end(KEEP_SAMPLE);
    code.finish()
}

struct Program<'a> {
    code: Assembler,
    target: &'a TargetOffsets,
    maps: &'a ProgramMaps,
    kernel_samples: KernelSamples,
    /// Ends the program.
    keep: Label,
    /// Counts the records that the ring had no room for, and ends the program.
    full: Label,
}

impl Program<'_> {
    fn c_stacks(&self) -> CStacks {
        CStacks::of(self.target, self.kernel_samples)
    }
}

#[cfg(test)]
mod tests {
    use super::kernel::{
        GET_CURRENT_PID_TGID, GET_NS_CURRENT_PID_TGID, MAP_LOOKUP_ELEM, PROBE_READ_USER,
        RINGBUF_QUERY, TASK_PT_REGS,
    };
    use super::*;
    use crate::record::{HEADER_BYTES, NEAR_ROOM_BYTES};
    use arch::interrupted::SavedRegister;

    fn target() -> TargetOffsets {
        TargetOffsets {
            current_process: 168,
            current_port: 224,
            process_bytes: 776,
            port_bytes: 488,
            id: 0,
            stop: 88,
            heap: 128,
            hend: 136,
            state: 640,
            collecting: 0x2_0000,
            bottom_word: 0x7f00_0000_0308,
            stack_pointer: StackPointer::Exact(SavedRegister::STACK_POINTER),
            code_index: Some(0x55_0000),
        }
    }

    const MAPS: ProgramMaps = ProgramMaps {
        threads_fd: 3,
        rings_fd: 4,
        ring_bytes: 1 << 22,
        sequence_fd: 6,
        counts_fd: 5,
        each_fd: 7,
        to_leave_out_fd: 8,
        thread_ids: ThreadIds::OfMachine,
    };

    fn calls(code: &[u64]) -> Vec<i32> {
        let is_call = |word: &&u64| **word & 0xff == 0x85;
        code.iter()
            .filter(is_call)
            .map(|word| ((word >> 32) as u32).cast_signed())
            .collect()
    }

    /// All that a program may be made for.
    fn makings() -> Vec<(TargetOffsets, KernelSamples)> {
        let interpreter = TargetOffsets {
            stack_pointer: StackPointer::Hint(SavedRegister::JIT_PROCESS),
            code_index: None,
            ..target()
        };
        let mut makings = Vec::new();
        for target in [target(), interpreter] {
            for samples in [
                KernelSamples::WithRegisters,
                KernelSamples::WithoutRegisters,
            ] {
                makings.push((target, samples));
            }
        }
        makings
    }

    fn instruction(opcode: u64, to: u64, value: i32) -> u64 {
        opcode | to << 8 | u64::from(value.cast_unsigned()) << 32
    }

    /// Stores a word of register `from` at an offset from the address in `base`.
    fn store(base: u64, offset: u64, from: u64) -> u64 {
        const STORE: u64 = 0x7b;
        STORE | base << 8 | from << 12 | offset << 16
    }

    fn places(code: &[u64], wanted: &[u64]) -> Vec<usize> {
        let windows = code.windows(wanted.len()).enumerate();
        let found = windows.filter(|(_, window)| *window == wanted);
        found.map(|(place, _)| place).collect()
    }

    /// Where the program ends and has the sample dropped, or kept.
    fn ends_with(code: &[u64], value: i32) -> Vec<usize> {
        const SET: u64 = 0xb7;
        const EXIT: u64 = 0x95;
        places(code, &[instruction(SET, 0, value), EXIT])
    }

    /// The first word of the instruction that loads the address of the value of an array.
    fn map_value(fd: i32) -> u64 {
        const SET_MAP_VALUE: u64 = 0x2118;
        instruction(SET_MAP_VALUE, 0, fd)
    }

    /// Where the program takes the number of the sample: it looks for the map of those.
    fn takes_number(code: &[u64]) -> Vec<usize> {
        const SET_MAP: u64 = 0x1018;
        places(code, &[instruction(SET_MAP, 1, MAPS.sequence_fd), 0])
    }

    /// The parts of the program of a clock, in the order that they had when there was no other.
    #[test]
    fn the_program_of_the_clock_is_word_for_word_the_one_of_before() {
        for (target, kernel_samples) in makings() {
            let mut code = Assembler::default();
            let (keep, full) = (code.label(), code.label());
            let mut before = Program {
                code,
                target: &target,
                maps: &MAPS,
                kernel_samples,
                keep,
                full,
            };
            before.keep_context();
            before.find_scheduler();
            before.find_ring();
            before.read_user_registers();
            before.read_scheduler();
            before.read_waiting();
            before.copy_c_stack();
            before.copy_process();
            before.count_dropped();
            let mut code = before.code;
            code.place(keep);
            code.end(KEEP_SAMPLE);
            let code = code.finish();
            assert_eq!(code, emit(&target, &MAPS, kernel_samples, Trigger::Clock));
            let code = code.unwrap();
            assert!(ends_with(&code, DROP_SAMPLE).is_empty());
            assert_eq!(ends_with(&code, KEEP_SAMPLE), [code.len() - 2]);
        }
    }

    /// Otherwise numbers of samples and of records would no longer agree.
    #[test]
    fn a_switched_out_scheduler_is_read_and_its_sample_dropped_before_it_takes_a_number() {
        const CALL: u64 = 0x85;
        let read = [instruction(CALL, 0, PROBE_READ_USER)];
        for (target, samples) in makings() {
            let code = emit(&target, &MAPS, samples, Trigger::SwitchOut).unwrap();
            let (drops, numbers) = (ends_with(&code, DROP_SAMPLE), takes_number(&code));
            assert_eq!((drops.len(), numbers.len()), (2, 1));
            let first_read = places(&code, &read)[0];
            assert!(first_read < drops[0] && drops[1] < numbers[0]);
            // What does not run anything is no block, and in no count of those that were left out.
            let counted = places(&code, &[map_value(MAPS.counts_fd), 8 << 32]);
            assert!(matches!(counted[..], [count] if drops[0] < count && count < drops[1]));
            // When it was, is kept for one that is left out alone.
            let kept_time = places(&code, &[store(1, 56, 2)]);
            assert!(matches!(kept_time[..], [at] if drops[0] < at && at < drops[1]));
            assert_eq!(ends_with(&code, KEEP_SAMPLE), [code.len() - 2]);
            // And there is no way back: a jump has its distance in the second quarter of its word.
            let is_jump = |word: &&u64| **word & 0x07 == 0x05 && **word & 0xff != CALL;
            let leads_back = |word: &u64| (word >> 31) & 1 == 1;
            assert!(!code.iter().filter(is_jump).any(leads_back));
            assert!(code.len() < 4096, "{} instructions", code.len());
        }
    }

    #[test]
    fn a_page_fault_that_is_left_out_is_counted_and_dropped_before_anything_is_read() {
        const CALL: u64 = 0x85;
        let read = [instruction(CALL, 0, PROBE_READ_USER)];
        for (target, samples) in makings() {
            let code = emit(&target, &MAPS, samples, Trigger::PageFault).unwrap();
            let (drops, numbers) = (ends_with(&code, DROP_SAMPLE), takes_number(&code));
            assert_eq!((drops.len(), numbers.len()), (1, 1));
            assert!(drops[0] < places(&code, &read)[0] && drops[0] < numbers[0]);
            // In words of its own: blocks have others.
            let counted = places(&code, &[map_value(MAPS.counts_fd), 16 << 32]);
            assert!(matches!(counted[..], [count] if count < drops[0]));
            let each = places(&code, &[map_value(MAPS.each_fd), 8 << 32]);
            assert!(matches!(each[..], [each] if each < drops[0]));
            assert_eq!(ends_with(&code, KEEP_SAMPLE), [code.len() - 2]);
            assert!(code.len() < 4096, "{} instructions", code.len());
        }
    }

    #[test]
    fn programs_request_the_same_of_the_kernel_as_often_but_one_for_the_samples_to_leave_out() {
        for (target, samples) in makings() {
            let triggers = [Trigger::Clock, Trigger::SwitchOut, Trigger::PageFault];
            let [mut clock, switch_out, page_fault] = triggers.map(|trigger| {
                let mut calls = calls(&emit(&target, &MAPS, samples, trigger).unwrap());
                calls.sort_unstable();
                calls
            });
            clock.push(MAP_LOOKUP_ELEM);
            clock.sort_unstable();
            assert_eq!(clock, switch_out);
            assert_eq!(clock, page_fault);
        }
    }

    #[test]
    fn the_kernel_s_own_registers_are_requested_only_when_it_knows_how() {
        let emitted = |samples| emit(&target(), &MAPS, samples, Trigger::Clock).unwrap();
        assert!(calls(&emitted(KernelSamples::WithRegisters)).contains(&TASK_PT_REGS));
        let without = calls(&emitted(KernelSamples::WithoutRegisters));
        // Nothing newer than Linux 5.8 has.
        assert!(without.iter().all(|helper| *helper <= RINGBUF_QUERY));
    }

    #[test]
    fn every_class_of_record_is_reserved() {
        let samples = KernelSamples::WithoutRegisters;
        let code = emit(&target(), &MAPS, samples, Trigger::Clock).unwrap();
        for class in 0..STACK_ROOM_BYTES.len() {
            let wanted = record_bytes(776, class) as u64;
            let set_r2 = |word: &u64| *word & 0xfff == 0x2b7 && *word >> 32 == wanted;
            assert!(code.iter().any(set_r2), "class {class}");
        }
        assert!(code.len() < 4096, "{} instructions", code.len());
    }

    #[test]
    fn c_stacks_are_copied_where_their_ends_are_known() {
        let reserves = |target: &TargetOffsets, samples, room: usize| {
            let wanted = (HEADER_BYTES + room) as u64;
            let code = emit(target, &MAPS, samples, Trigger::Clock).unwrap();
            code.iter()
                .any(|word| *word & 0xfff == 0x2b7 && *word >> 32 == wanted)
        };
        let interpreter = TargetOffsets {
            stack_pointer: StackPointer::Hint(SavedRegister::STACK_POINTER),
            ..target()
        };
        for room in NEAR_ROOM_BYTES {
            assert!(reserves(&target(), KernelSamples::WithRegisters, room));
            assert!(!reserves(&target(), KernelSamples::WithoutRegisters, room));
            assert!(!reserves(&interpreter, KernelSamples::WithRegisters, room));
        }
    }

    #[test]
    fn a_namespace_is_requested_where_the_machine_s_own_ids_are_not_known() {
        let asks = |thread_ids| {
            let maps = ProgramMaps { thread_ids, ..MAPS };
            let samples = KernelSamples::WithRegisters;
            let code = emit(&target(), &maps, samples, Trigger::Clock).unwrap();
            let calls = calls(&code);
            [GET_CURRENT_PID_TGID, GET_NS_CURRENT_PID_TGID].map(|helper| calls.contains(&helper))
        };
        assert_eq!(asks(ThreadIds::OfMachine), [true, false]);
        let (device, inode) = (4, 4_026_532_000);
        let namespace = crate::namespace::PidNamespace { device, inode };
        assert_eq!(asks(ThreadIds::Of(namespace)), [false, true]);
    }

    #[test]
    fn offsets_that_do_not_fit_are_refused() {
        assert!(target().is_usable());
        for bad in [
            TargetOffsets {
                hend: 772,
                ..target()
            },
            TargetOffsets {
                hend: 132,
                ..target()
            },
            TargetOffsets {
                stop: 8,
                heap: 600,
                ..target()
            },
            TargetOffsets {
                current_port: 1000,
                ..target()
            },
            TargetOffsets {
                process_bytes: 1 << 20,
                ..target()
            },
            TargetOffsets {
                port_bytes: 484,
                ..target()
            },
        ] {
            assert!(!bad.is_usable(), "{bad:?}");
        }
    }
}
