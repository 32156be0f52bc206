//! The kernel's verifier takes the program. Needs the right to load one.
#![allow(clippy::expect_used)] // A test: an unmet expectation is its failure.

use arch::interrupted::SavedRegister;
use bpf_engine::program::KernelSamples;
use bpf_engine::{BpfEngine, StackPointer, TargetOffsets, ThreadFacts};

fn offsets(stack_pointer: StackPointer) -> TargetOffsets {
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
        stack_pointer,
        code_index: Some(0x55_0000),
    }
}

#[test]
fn the_verifier_accepts_the_program_for_both_kinds_of_vm() {
    for stack_pointer in [
        StackPointer::Exact(SavedRegister::STACK_POINTER),
        StackPointer::Hint(SavedRegister::JIT_PROCESS),
    ] {
        let pid = std::process::id();
        let engine = BpfEngine::load(pid, &offsets(stack_pointer), &[0, 1]).expect("accepted");
        // Linux 5.15 and later with type information of its own; every distribution's has it.
        assert_eq!(engine.kernel_samples(), KernelSamples::WithRegisters);
        let facts = ThreadFacts {
            scheduler: 0x1000,
            registers: 0x2000,
            waiting: 0x3000,
            waiting_mask: 8,
        };
        engine.add_thread(pid, facts).expect("a thread");
    }
}

/// What the verifier looks at takes it time at each start of a capture: a part of the program that is reached in
/// many ways is looked at once for each of them, unless they are alike to it.
#[test]
fn the_verifier_looks_at_few_ways_through_the_program() {
    let pid = std::process::id();
    let own = StackPointer::Exact(SavedRegister::STACK_POINTER);
    let _engine = BpfEngine::load(pid, &offsets(own), &[0, 1]).expect("accepted");
    let infos = std::fs::read_dir("/proc/self/fdinfo").expect("a folder");
    let texts = infos.filter_map(|info| std::fs::read_to_string(info.ok()?.path()).ok());
    let verified = texts.filter_map(|text| {
        let count = text
            .lines()
            .find_map(|line| line.strip_prefix("verified_insns:"))?;
        count.trim().parse::<u32>().ok()
    });
    // Linux 5.16 and later show the count. The other test of this file may have programs, too.
    if let Some(count) = verified.min() {
        assert!(count < 30_000, "{count}");
    }
}
