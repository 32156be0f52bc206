//! The hot path allocates nothing: the allocator counts the allocations of a reader for a sample.
#![allow(unsafe_code)] // An allocator of its own, to count.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::HashMap;

use perf_ring::{EventId, SampleRecord};
use recorder::read::batch::{BatchCell, RawBatch};
use recorder::read::late_read::Scratch;
use recorder::read::plan::{ReadPlan, StackPointer, ThreadRole};
use recorder::read::reader::read_sample;
use target_memory::SnapshotMemory;
use vm_layout::rows::ROWS;

struct Counting;

thread_local! {
    /// Of this thread alone: the one that started the test allocates beside it.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

// SAFETY: hands everything on to the system's allocator and only counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may have none any more.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are those that `System` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SCHEDULER: u64 = 0x10_000;
const REGISTERS: u64 = 0x20_000;
const PROCESS: u64 = 0x30_000;
const HEAP: u64 = 0x40_000;
const HEAP_WORDS: u64 = 233;
const HEAP_END: u64 = HEAP + HEAP_WORDS * 8;
const NORMAL_EXIT: u64 = 0xe000;
const JIT: (u64, u64) = (0xc000, 0xf000);

/// A scheduler that runs a process with a stack of four words.
fn vm() -> SnapshotMemory {
    let layout = &ROWS[0];
    let mut scheduler = vec![0; 64];
    scheduler[layout.scheduler.current_process / 8] = PROCESS;
    let mut process = vec![3; layout.process.read_bytes / 8];
    process[layout.process.htop / 8] = HEAP + 64;
    process[layout.process.stop / 8] = HEAP_END - 32;
    process[layout.process.heap / 8] = HEAP;
    process[layout.process.hend / 8] = HEAP_END;
    process[layout.process.heap_size_words / 8] = HEAP_WORDS;
    let mut heap = vec![0x3b; HEAP_WORDS as usize];
    heap[HEAP_WORDS as usize - 1] = NORMAL_EXIT;
    let mut memory = SnapshotMemory::new();
    memory
        .map_words(SCHEDULER, &scheduler)
        .map_words(REGISTERS - 512, &[0xc010; 256])
        .map_words(PROCESS, &process)
        .map_words(HEAP, &heap);
    memory
}

#[test]
fn reading_a_sample_allocates_nothing() {
    let memory = vm();
    let role = ThreadRole::Normal {
        data: SCHEDULER,
        registers: REGISTERS,
        c_stack_low: REGISTERS - 4096,
    };
    let plan = ReadPlan {
        code_index: None,
        layout: ROWS[0],
        normal_exit: NORMAL_EXIT,
        runs_erlang: vec![JIT],
        stack_pointer: StackPointer::Own,
        roles: HashMap::from([(7, role)]),
        waiting: HashMap::new(),
        numbered_from_ns: HashMap::new(),
    };
    let (cell, mut scratch, mut batch) = (
        BatchCell::default(),
        Scratch::default(),
        RawBatch::default(),
    );
    let mut registers = [0; perf_ring::REGISTER_COUNT];
    registers[arch::sample::CURRENT_PROCESS] = PROCESS;
    let stack = [0u8; 512];
    let mut read_all = || {
        for time_ns in 0..100 {
            // In turn in Erlang code and in C code, halfway down its stack.
            let (rip, rsp) = match time_ns % 2 {
                0 => (0xc010, HEAP_END - 32),
                _ => (0x1000, REGISTERS - 256),
            };
            registers[arch::sample::PROGRAM_COUNTER] = rip;
            registers[arch::sample::STACK_POINTER] = rsp;
            let sample = SampleRecord {
                id: EventId::default(),
                ip: rip,
                tid: 7,
                time_ns,
                cpu: 0,
                chain: &[],
                registers: Some(registers),
                stack: &stack,
            };
            read_sample(&memory, &plan, &mut scratch, &sample, &cell);
        }
    };
    // The pool has no memory at first; it keeps the memory that it gets.
    read_all();
    cell.swap(&mut batch);
    batch.clear();
    cell.swap(&mut batch);
    let before = allocations();
    read_all();
    assert_eq!(allocations(), before);
    // And it did do its work: every sample has its process.
    cell.swap(&mut batch);
    let with_process = batch
        .samples()
        .filter(|sample| sample.current_process == PROCESS);
    assert_eq!(with_process.count(), 100);
}
