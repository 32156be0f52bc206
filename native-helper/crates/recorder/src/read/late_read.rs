//! Reading, right after a sample, what it does not hold: process, Erlang stack, and whether the
//! thread has moved on meanwhile.

use target_memory::{Range, TargetMemory, u64_at};
use vm_tables::layout::VmLayout;
use vm_tables::processes::{MAX_PROCESS_BYTES, ProcessFields};

use super::raw_sample::{RawSample, ReadFlags, register};

/// The most of an Erlang stack that is read: some 5,000 frames.
pub const MAX_ERLANG_STACK_BYTES: usize = 128 << 10;
/// The most of a C stack that is read late, for frames with big buffers.
const MAX_C_STACK_BYTES: u64 = 32 << 10;
/// How much of the register block is compared: the scratch words and some 40 X registers.
const REGISTER_BLOCK_BYTES: u64 = 448;
/// Where the JIT keeps the Erlang stack pointer in rbp, Process.stop is that of the last time it
/// was written; the stack may have grown by about this much since.
const BELOW_STOP_BYTES: u64 = 1024;

/// Room for one late read, allocated once.
#[derive(Debug)]
pub struct Scratch {
    process: Vec<u8>,
    process_after: Vec<u8>,
    erlang: Vec<u8>,
    stack_after: Vec<u8>,
    stack_rest: Vec<u8>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            process: vec![0; MAX_PROCESS_BYTES],
            process_after: vec![0; MAX_PROCESS_BYTES],
            erlang: vec![0; MAX_ERLANG_STACK_BYTES],
            stack_after: vec![0; 1 << 16],
            stack_rest: vec![0; MAX_C_STACK_BYTES as usize],
        }
    }
}

/// For a sample in JIT code: the process (its pid, to name it), and what of its stack the sample
/// does not hold.
pub fn after_erlang<'a>(
    memory: &impl TargetMemory,
    layout: &VmLayout,
    normal_exit: u64,
    scratch: &'a mut Scratch,
    sample: &mut RawSample<'a>,
) {
    let process = sample.registers[register::R13];
    let rsp = sample.registers[register::RSP];
    let Some(bytes) = scratch.process.get_mut(..layout.process.read_bytes) else {
        return;
    };
    if memory.read(process, bytes).is_err() {
        return;
    }
    let Some(fields) = ProcessFields::from_bytes(&layout.process, bytes) else {
        return;
    };
    // r13 is the process only if its heap holds the stack pointer.
    if !(fields.heap <= rsp && rsp <= fields.hend) {
        return;
    }
    sample.flags.0 |= ReadFlags::LATE_READ;
    sample.current_process = process;
    sample.process = bytes;
    let has_bottom = target_memory::bytes_to_words(sample.stack).any(|word| word == normal_exit);
    if !has_bottom {
        let top = rsp + sample.stack.len() as u64;
        let wanted = fields.hend.saturating_sub(top);
        let len = wanted.min(MAX_ERLANG_STACK_BYTES as u64) as usize & !7;
        if wanted > len as u64 {
            sample.flags.0 |= ReadFlags::STACK_CUT;
        }
        if memory.read(top, &mut scratch.erlang[..len]).is_ok() {
            sample.erlang_top = top;
            sample.erlang = &scratch.erlang[..len];
        }
    }
}

/// The scheduler whose thread was sampled in C code.
#[derive(Debug, Clone, Copy)]
pub struct SchedulerRead {
    /// ErtsSchedulerData.
    pub data: u64,
    /// Register block; `None` for a dirty scheduler.
    pub registers: Option<u64>,
}

/// For a sample in C code: what the scheduler runs, its process, the Erlang stack, and then
/// whether anything changed between the sample and the end of these reads.
pub fn after_native<'a>(
    memory: &impl TargetMemory,
    layout: &VmLayout,
    scheduler: SchedulerRead,
    scratch: &'a mut Scratch,
    sample: &mut RawSample<'a>,
) {
    let rsp = sample.registers[register::RSP];
    let before = scheduler_words(layout, scheduler);
    let mut words = [0; 24];
    if memory.read_many(&before, &mut words).is_err() {
        return;
    }
    let word = |index: usize| u64_at(&words, index * 8).unwrap_or(0);
    (sample.current_process, sample.current_port) = (word(0), word(1));
    sample.call_slot = if scheduler.registers.is_some() {
        word(2)
    } else {
        0
    };
    if sample.current_process == 0 {
        return;
    }

    let process_bytes = layout.process.read_bytes;
    let (Some(process), Some(process_after)) = (
        scratch.process.get_mut(..process_bytes),
        scratch.process_after.get_mut(..process_bytes),
    ) else {
        return;
    };
    if memory.read(sample.current_process, process).is_err() {
        return;
    }
    let Some(fields) = ProcessFields::from_bytes(&layout.process, process) else {
        return;
    };
    sample.flags.0 |= ReadFlags::LATE_READ;
    if fields.is_consistent() {
        let top = fields
            .stop
            .saturating_sub(BELOW_STOP_BYTES)
            .max(fields.heap);
        let wanted = fields.hend - top;
        let len = wanted.min(MAX_ERLANG_STACK_BYTES as u64) as usize;
        if wanted > len as u64 {
            sample.flags.0 |= ReadFlags::STACK_CUT;
        }
        if memory.read(top, &mut scratch.erlang[..len]).is_ok() {
            sample.erlang_top = top;
            sample.erlang = &scratch.erlang[..len];
        }
    }

    // The C stack ends below the register block; what is above is no stack.
    let sampled_end = rsp.saturating_add(sample.stack.len() as u64);
    let stack_end = scheduler
        .registers
        .filter(|registers| *registers > rsp)
        .unwrap_or(sampled_end);
    // Above it lie the X registers, which Erlang code writes at nearly every step: a C function
    // with next to no stack of its own is told from its next call by them.
    let compared_end = match scheduler.registers {
        Some(registers) if registers >= rsp => registers + REGISTER_BLOCK_BYTES,
        _ => sampled_end,
    };
    let same_len = (compared_end.min(sampled_end) - rsp) as usize;
    let missing = stack_end.saturating_sub(sampled_end);
    let rest_len = if missing <= MAX_C_STACK_BYTES {
        missing as usize & !7
    } else {
        0
    };
    let Some(stack_after) = scratch.stack_after.get_mut(..same_len) else {
        return;
    };
    let Some(stack_rest) = scratch.stack_rest.get_mut(..rest_len) else {
        return;
    };

    let mut words_after = [0; 24];
    let after = memory
        .read_many(&before, &mut words_after)
        .and_then(|()| memory.read(sample.current_process, process_after))
        .and_then(|()| memory.read(rsp, stack_after));
    if after.is_ok() {
        sample.compared_bytes = same_len as u64;
        let now = |index: usize| u64_at(&words_after, index * 8);
        let mut set = |bit, holds: bool| sample.flags.0 |= if holds { bit } else { 0 };
        set(
            ReadFlags::SAME_PROCESS,
            now(0) == Some(sample.current_process),
        );
        set(
            ReadFlags::SAME_CALL,
            scheduler.registers.is_none() || now(2) == Some(sample.call_slot),
        );
        set(
            ReadFlags::SAME_C_STACK,
            sample.stack.get(..same_len) == Some(&*stack_after),
        );
        let fields_after = ProcessFields::from_bytes(&layout.process, process_after);
        set(
            ReadFlags::SAME_BOUNDS,
            fields_after.is_some_and(|after| same_bounds(&fields, &after)),
        );
    }
    if rest_len > 0 && memory.read(sampled_end, stack_rest).is_ok() {
        sample.stack_rest = stack_rest;
    }
    sample.process = process;
}

fn same_bounds(before: &ProcessFields, after: &ProcessFields) -> bool {
    let of = |fields: &ProcessFields| {
        (
            fields.id,
            fields.heap,
            fields.hend,
            fields.stop,
            fields.heap_size_words,
            fields.fcalls,
        )
    };
    of(before) == of(after)
}

/// Current process, current port, call slot.
fn scheduler_words(layout: &VmLayout, scheduler: SchedulerRead) -> [Range; 3] {
    let field = |offset: usize| Range {
        address: scheduler.data.wrapping_add(offset as u64),
        len_bytes: 8,
    };
    let slot = match scheduler.registers {
        Some(registers) => Range {
            address: registers.wrapping_sub(8),
            len_bytes: 8,
        },
        // A dirty scheduler has none; any readable word keeps the shape.
        None => field(layout.scheduler.current_process),
    };
    [
        field(layout.scheduler.current_process),
        field(layout.scheduler.current_port),
        slot,
    ]
}
