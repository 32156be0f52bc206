//! Reading, right after a sample, what it does not hold: process, Erlang stack, and whether the
//! thread has moved on meanwhile.

use target_memory::{Range, TargetMemory, u64_at};
use vm_layout::VmLayout;
use vm_tables::processes::{MAX_PROCESS_BYTES, ProcessFields, is_local_pid};

use super::erlang_read::{MAX_ERLANG_STACK_BYTES, may_be_stack, read_erlang_stack};
use super::held::Written;
use super::raw_sample::{RawSample, ReadFlags, register};

/// The most of a C stack that is read late, for frames with big buffers.
const MAX_C_STACK_BYTES: u64 = 32 << 10;
/// Three words of the scheduler.
const SCHEDULER_BYTES: usize = 24;
/// The most of a stack that perf can sample.
const MAX_SAMPLED_STACK_BYTES: usize = 1 << 16;
/// How much of the register block is compared: the scratch words and some 40 X registers.
pub const REGISTER_BLOCK_BYTES: u64 = 448;
/// Fewer words of an Erlang stack than these can be equal by chance.
const MIN_COMPARED_STACK_BYTES: usize = 256;

/// Room for one late read, allocated once.
#[derive(Debug)]
pub struct Scratch {
    /// The scheduler's words and the process struct.
    before: Vec<u8>,
    /// The same again, and the C stack behind them.
    after: Vec<u8>,
    erlang: Vec<u8>,
    stack_rest: Vec<u8>,
    last_process: LastProcess,
    /// The reader has real-time priority.
    pub realtime: bool,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            before: vec![0; SCHEDULER_BYTES + MAX_PROCESS_BYTES],
            after: vec![0; SCHEDULER_BYTES + MAX_PROCESS_BYTES + MAX_SAMPLED_STACK_BYTES],
            erlang: vec![0; MAX_ERLANG_STACK_BYTES],
            last_process: LastProcess::default(),
            realtime: false,
            stack_rest: vec![0; MAX_C_STACK_BYTES as usize],
        }
    }
}

/// The process each thread was last seen to run: mostly it still does, and one read then brings
/// both the scheduler's words and the process.
#[derive(Debug)]
struct LastProcess([(u32, u64); 64]);

impl Default for LastProcess {
    fn default() -> Self {
        Self([(0, 0); 64])
    }
}

impl LastProcess {
    fn slot(&mut self, tid: u32) -> &mut (u32, u64) {
        &mut self.0[tid as usize % 64]
    }

    fn get(&mut self, tid: u32) -> Option<u64> {
        let (owner, process) = *self.slot(tid);
        (owner == tid && process != 0).then_some(process)
    }

    fn set(&mut self, tid: u32, process: u64) {
        *self.slot(tid) = (tid, process);
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
    let Some(bytes) = scratch.before.get_mut(..layout.process.read_bytes) else {
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
        let Some(top) = rsp.checked_add(sample.stack.len() as u64) else {
            return;
        };
        let wanted = fields.hend.saturating_sub(top);
        let len = wanted.min(MAX_ERLANG_STACK_BYTES as u64) as usize & !7;
        if wanted > len as u64 {
            sample.flags.0 |= ReadFlags::STACK_CUT;
        }
        let Some(rest) = scratch.erlang.get_mut(..len) else {
            return;
        };
        if memory.read(top, rest).is_ok()
            && is_still_there(memory, layout, &fields, sample, &mut scratch.after)
        {
            sample.erlang_top = top;
            sample.erlang = rest;
        }
    }
}

/// Whether what was read below the sampled part of a stack belongs to it: the process has the same
/// heap, and the words that lie next to what was read are as sampled, so it has not returned
/// through them since.
fn is_still_there(
    memory: &impl TargetMemory,
    layout: &VmLayout,
    fields: &ProcessFields,
    sample: &RawSample<'_>,
    room: &mut [u8],
) -> bool {
    let upper = sample.stack.len() / 2;
    let lower_half = match sample.stack.get(upper..) {
        Some(half) if half.len() >= MIN_COMPARED_STACK_BYTES => half,
        _ => return false,
    };
    let ranges = [
        Range {
            address: sample.current_process,
            len_bytes: layout.process.read_bytes,
        },
        Range {
            address: sample.registers[register::RSP].wrapping_add(upper as u64),
            len_bytes: lower_half.len(),
        },
    ];
    let Some(room) = room.get_mut(..ranges[0].len_bytes + ranges[1].len_bytes) else {
        return false;
    };
    if memory.read_many(&ranges, room).is_err() {
        return false;
    }
    let (process, stack) = room.split_at(ranges[0].len_bytes);
    let bounds = |fields: &ProcessFields| (fields.id, fields.heap, fields.hend);
    ProcessFields::from_bytes(&layout.process, process)
        .is_some_and(|now| bounds(&now) == bounds(fields) && stack == lower_half)
}

/// The scheduler whose thread was sampled in C code.
#[derive(Debug, Clone, Copy)]
pub struct SchedulerRead {
    /// ErtsSchedulerData.
    pub data: u64,
    /// Register block; `None` for a dirty scheduler.
    pub registers: Option<u64>,
    /// What may be the Erlang stack pointer of an interpreter.
    pub stack_hint: Option<u64>,
}

/// For a sample in C code: what the scheduler runs, its process, the Erlang stack, and then
/// whether anything changed between the sample and the end of these reads.
pub fn after_native<'a>(
    memory: &impl TargetMemory,
    layout: &VmLayout,
    normal_exit: u64,
    scheduler: SchedulerRead,
    scratch: &'a mut Scratch,
    sample: &mut RawSample<'a>,
) {
    let Scratch {
        before,
        after,
        erlang,
        stack_rest,
        last_process,
        realtime,
    } = scratch;
    let hint = scheduler.stack_hint;
    let written = hint.and_then(|_| Written::registers(memory, layout, scheduler.data));
    let c_stack = CStack::of(scheduler, sample);
    let stack_rest = stack_rest.get_mut(..c_stack.missing_len).unwrap_or(&mut []);
    if !stack_rest.is_empty() && memory.read(c_stack.sampled_end, stack_rest).is_ok() {
        sample.stack_rest = stack_rest;
        sample.stack_rest_address = c_stack.sampled_end;
    }
    let words = scheduler_words(layout, scheduler);
    let process_bytes = layout.process.read_bytes;
    let Some(before) = before.get_mut(..SCHEDULER_BYTES + process_bytes) else {
        return;
    };
    let guess = last_process.get(sample.tid);
    let is_right = read_scheduler(memory, &words, guess, process_bytes, before);
    let word = |bytes: &[u8], index: usize| u64_at(bytes, index * 8).unwrap_or(0);
    let Some(is_right) = is_right else { return };
    (sample.current_process, sample.current_port) = (word(before, 0), word(before, 1));
    sample.call_slot = scheduler.registers.map_or(0, |_| word(before, 2));
    let observed_process = sample.current_process;
    if observed_process == 0 {
        return;
    }
    let Some(process) = before.get_mut(SCHEDULER_BYTES..) else {
        return;
    };
    if !is_right && memory.read(observed_process, process).is_err() {
        return;
    }
    let Some(mut fields) = ProcessFields::from_bytes(&layout.process, process) else {
        return;
    };
    if is_local_pid(fields.id) {
        last_process.set(sample.tid, observed_process);
    } else if let Some(guess) = guess.filter(|guess| *guess != observed_process) {
        // While it matches terms, ETS puts a process of its own in the place of the real one.
        if memory.read(guess, process).is_err() {
            return;
        }
        let Some(real) = ProcessFields::from_bytes(&layout.process, process) else {
            return;
        };
        fields = real;
        sample.current_process = guess;
        sample.flags.0 |= ReadFlags::GUESSED_PROCESS;
    }
    let process = &*process;
    sample.flags.0 |= ReadFlags::LATE_READ;
    sample.process = process;
    let top = hint.map(|hint| match may_be_stack(hint, &fields) {
        true => hint,
        false => fields.stop,
    });
    let written = written
        .zip(top)
        .and_then(|(written, top)| written.and_stack(memory, top, &fields));
    if let Some(read) = read_erlang_stack(memory, normal_exit, &fields, hint, erlang) {
        sample.flags.0 |= if read.is_cut { ReadFlags::STACK_CUT } else { 0 };
        sample.erlang_top = read.top;
        sample.erlang = erlang.get(..read.len).unwrap_or(&[]);
    }

    // From here on: has anything changed since the sample? One read, so that its parts belong
    // together.
    let ranges = [
        words[0],
        words[1],
        words[2],
        Range {
            address: sample.current_process,
            len_bytes: process_bytes,
        },
        Range {
            address: sample.registers[register::RSP].wrapping_add(c_stack.compared_from as u64),
            len_bytes: c_stack.compared_len,
        },
    ];
    let after_len = SCHEDULER_BYTES + process_bytes + c_stack.compared_len;
    let Some(after) = after.get_mut(..after_len) else {
        return;
    };
    if memory.read_many(&ranges, after).is_err() {
        return;
    }
    let (words_after, after) = after.split_at(SCHEDULER_BYTES);
    let (process_after, stack_after) = after.split_at(process_bytes);
    sample.compared_bytes = c_stack.compared_len as u64;
    let compared = sample.stack.get(c_stack.compared_from..);
    let compared = compared.and_then(|stack| stack.get(..c_stack.compared_len));
    let now = |index: usize| u64_at(words_after, index * 8);
    let fields_after = ProcessFields::from_bytes(&layout.process, process_after);
    for (bit, holds) in [
        (ReadFlags::SAME_PROCESS, now(0) == Some(observed_process)),
        (
            ReadFlags::SAME_CALL,
            scheduler.registers.is_none() || now(2) == Some(sample.call_slot),
        ),
        (ReadFlags::SAME_C_STACK, compared == Some(stack_after)),
        (
            ReadFlags::OTHER_OUTERMOST,
            compared.is_none_or(|compared| outermost(compared) != outermost(stack_after)),
        ),
        (
            ReadFlags::HELD,
            *realtime && written.is_some_and(|written| written.is_unchanged(memory)),
        ),
        (
            ReadFlags::SAME_BOUNDS,
            fields_after.is_some_and(|after| same_bounds(&fields, &after)),
        ),
    ] {
        sample.flags.0 |= if holds { bit } else { 0 };
    }
}

/// Reads the scheduler's words and, behind them in `out`, the process it is guessed to run.
/// `None` when nothing could be read, else whether the process is the right one.
fn read_scheduler(
    memory: &impl TargetMemory,
    words: &[Range; 3],
    guess: Option<u64>,
    process_bytes: usize,
    out: &mut [u8],
) -> Option<bool> {
    if let Some(address) = guess {
        let process = Range {
            address,
            len_bytes: process_bytes,
        };
        let ranges = [words[0], words[1], words[2], process];
        if memory.read_many(&ranges, out).is_ok() {
            return Some(u64_at(out, 0) == Some(address));
        }
    }
    memory
        .read_many(words, out.get_mut(..SCHEDULER_BYTES)?)
        .ok()?;
    Some(false)
}

/// What of the C stack is compared and what is missing in the sample.
#[derive(Debug, Clone, Copy)]
struct CStack {
    /// End of what the sample holds.
    sampled_end: u64,
    /// Bytes from rsp up that are not compared.
    compared_from: usize,
    /// Bytes after those that are.
    compared_len: usize,
    /// Bytes of the stack above what the sample holds, when that is not too much.
    missing_len: usize,
}

impl CStack {
    fn of(scheduler: SchedulerRead, sample: &RawSample<'_>) -> Self {
        let rsp = sample.registers[register::RSP];
        let sampled_end = rsp.saturating_add(sample.stack.len() as u64);
        let registers = scheduler.registers.filter(|registers| *registers >= rsp);
        // The C stack ends below the register block. Above lie the X registers, which Erlang code
        // writes at nearly every step: a C function with next to no stack of its own is told from
        // its next call by them.
        let compared_end = registers.map_or(sampled_end, |registers| {
            sampled_end.min(registers.saturating_add(REGISTER_BLOCK_BYTES))
        });
        // A dirty scheduler has no X registers, and what it does there takes long: the upper part
        // of its stack changes all the time, the lower part from one job to the next.
        let compared_from = match scheduler.registers {
            Some(_) => 0,
            None => sample.stack.len() / 2,
        };
        let missing = registers.map_or(0, |registers| registers.saturating_sub(sampled_end));
        Self {
            sampled_end,
            compared_from,
            compared_len: (compared_end - rsp) as usize - compared_from,
            missing_len: match missing {
                0..=MAX_C_STACK_BYTES => missing as usize & !7,
                _ => 0,
            },
        }
    }
}

/// The X registers, for a sample that reaches them.
fn outermost(stack: &[u8]) -> &[u8] {
    let from = stack.len().saturating_sub(REGISTER_BLOCK_BYTES as usize);
    stack.get(from..).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_or_backward_c_stack_is_not_read() {
        let scheduler = |registers| SchedulerRead {
            data: 0,
            registers: Some(registers),
            stack_hint: None,
        };
        let mut sample = RawSample {
            stack: &[0; 64],
            ..RawSample::default()
        };
        sample.registers[register::RSP] = 0x7000;
        let c_stack = CStack::of(scheduler(0x7100), &sample);
        assert_eq!((c_stack.compared_len, c_stack.missing_len), (64, 0xc0));
        let c_stack = CStack::of(scheduler(0x700_7000), &sample);
        assert_eq!(c_stack.missing_len, 0);
        let c_stack = CStack::of(scheduler(0x10), &sample);
        assert_eq!((c_stack.compared_len, c_stack.missing_len), (64, 0));
        sample.registers[register::RSP] = u64::MAX - 8;
        assert_eq!(CStack::of(scheduler(0x10), &sample).missing_len, 0);
    }
}
