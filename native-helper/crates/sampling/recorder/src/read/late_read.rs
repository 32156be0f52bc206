//! Reads, right after a sample, the data that it does not hold: process, Erlang stack, and whether
//! the thread has moved on since.

use bpf_engine::record::OUTER_BYTES;
use target_memory::{Range, TargetMemory, u64_at};
use vm_layout::VmLayout;
use vm_layout::ports::PORT;
use vm_tables::processes::{MAX_PROCESS_BYTES, ProcessFields, is_local_pid};

use super::c_stack::{CStack, MAX_C_STACK_BYTES, outermost};
use super::erlang_read::{MAX_ERLANG_STACK_BYTES, may_be_stack, read_erlang_stack};
use super::held::Written;
use super::plan::SchedulerRead;
use super::raw_sample::{RawSample, ReadFlags};

/// Three words of the scheduler.
const SCHEDULER_BYTES: usize = 24;
/// The most of a stack that perf can sample.
const MAX_SAMPLED_STACK_BYTES: usize = 1 << 16;
/// Fewer words of an Erlang stack than these can be equal by chance.
const MIN_COMPARED_STACK_BYTES: usize = 256;

/// Buffers for one late read, allocated once.
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

/// For a sample in JIT code: the process (its pid, to name it), and the part of its stack that the
/// sample does not hold.
pub fn after_erlang<'a>(
    memory: &impl TargetMemory,
    layout: &VmLayout,
    normal_exit: u64,
    scratch: &'a mut Scratch,
    sample: &mut RawSample<'a>,
) {
    let process = sample.registers[arch::sample::CURRENT_PROCESS];
    let sp = sample.registers[arch::sample::STACK_POINTER];
    let Some(bytes) = scratch.before.get_mut(..layout.process.read_bytes) else {
        return;
    };
    if memory.read(process, bytes).is_err() {
        return;
    }
    let Some(fields) = ProcessFields::from_bytes(&layout.process, bytes) else {
        return;
    };
    // The register holds the process only if its heap holds the stack pointer.
    if !(fields.heap <= sp && sp <= fields.hend) {
        return;
    }
    sample.flags.0 |= ReadFlags::LATE_READ;
    sample.current_process = process;
    sample.process = bytes;
    let has_bottom = target_memory::bytes_to_words(sample.stack).any(|word| word == normal_exit);
    if !has_bottom {
        let Some(top) = sp.checked_add(sample.stack.len() as u64) else {
            return;
        };
        let wanted = fields.hend.saturating_sub(top);
        let len = wanted.min(MAX_ERLANG_STACK_BYTES as u64) as usize & !7;
        if wanted > len as u64 {
            sample.flags.0 |= ReadFlags::STACK_CUT;
        }
        // Of a longer stack both ends.
        let is_longer = wanted > MAX_ERLANG_STACK_BYTES as u64;
        let outer_len = if is_longer { OUTER_BYTES } else { 0 };
        let outer_at = fields.hend.saturating_sub(outer_len as u64);
        let ranges = [(top, len - outer_len), (outer_at, outer_len)];
        let ranges = ranges.map(|(address, len_bytes)| Range { address, len_bytes });
        let ranges = match outer_len {
            0 => &ranges[..1],
            _ => &ranges[..],
        };
        let Some(rest) = scratch.erlang.get_mut(..len) else {
            return;
        };
        if memory.read_many(ranges, rest).is_ok()
            && is_still_there(memory, layout, &fields, sample, &mut scratch.after)
        {
            sample.erlang_top = top;
            sample.outer_at = outer_at;
            (sample.erlang, sample.outer) = rest.split_at(len - outer_len);
            sample.flags.0 |= match outer_len {
                0 => 0,
                _ => ReadFlags::HAS_OUTER,
            };
        }
    }
}

/// Whether the bytes read below the sampled part of a stack belong to it: the process has the same
/// heap, and the words next to those bytes are as sampled, so it has not returned through them
/// since.
fn is_still_there(
    memory: &impl TargetMemory,
    layout: &VmLayout,
    fields: &ProcessFields,
    sample: &RawSample<'_>,
    buffer: &mut [u8],
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
            address: sample.registers[arch::sample::STACK_POINTER].wrapping_add(upper as u64),
            len_bytes: lower_half.len(),
        },
    ];
    let Some(buffer) = buffer.get_mut(..ranges[0].len_bytes + ranges[1].len_bytes) else {
        return false;
    };
    if memory.read_many(&ranges, buffer).is_err() {
        return false;
    }
    let (process, stack) = buffer.split_at(ranges[0].len_bytes);
    let bounds = |fields: &ProcessFields| (fields.id, fields.heap, fields.hend);
    ProcessFields::from_bytes(&layout.process, process)
        .is_some_and(|now| bounds(&now) == bounds(fields) && stack == lower_half)
}

/// For a sample in C code: the scheduler's words, its process, the Erlang stack, and then whether
/// anything changed between the sample and the end of these reads.
pub fn after_native<'a>(
    memory: &impl TargetMemory,
    layout: &VmLayout,
    normal_exit: u64,
    scheduler: SchedulerRead,
    scratch: &'a mut Scratch,
    sample: &mut RawSample<'a>,
) {
    let hint = scheduler.stack_hint;
    let written = hint.and_then(|_| Written::registers(memory, layout, scheduler.data));
    let c_stack = CStack::of(scheduler, sample);
    c_stack.read_rest(memory, &mut scratch.stack_rest, sample);
    let words = scheduler_words(layout, scheduler);
    let last_process = &mut scratch.last_process;
    let before = &mut scratch.before;
    let Some(running) = read_running(
        memory,
        layout,
        (scheduler, &words),
        last_process,
        before,
        sample,
    ) else {
        keep_port_if_same(memory, &words, &c_stack, &mut scratch.after, sample);
        return;
    };
    let fields = &running.fields;
    let written = written.zip(hint).and_then(|(written, hint)| {
        let top = match may_be_stack(hint, fields) {
            true => hint,
            false => fields.stop,
        };
        written.and_stack(memory, top, fields)
    });
    let erlang = &mut scratch.erlang;
    if let Some(read) = read_erlang_stack(memory, normal_exit, fields, hint, erlang) {
        sample.flags.0 |= if read.is_cut { ReadFlags::STACK_CUT } else { 0 };
        sample.erlang_top = read.top;
        sample.erlang = erlang.get(..read.len).unwrap_or(&[]);
    }

    // From here on: has anything changed since the sample?
    let process_bytes = layout.process.read_bytes;
    let after = &mut scratch.after;
    let Some(again) = read_again(memory, &words, process_bytes, &c_stack, after, sample) else {
        return;
    };
    sample.compared_bytes = c_stack.compared_len as u64;
    sample.flags.0 |= unchanged(layout, scheduler, &running, &c_stack, &again, sample);
    let is_held = scratch.realtime && written.is_some_and(|written| written.is_unchanged(memory));
    sample.flags.0 |= if is_held { ReadFlags::HELD } else { 0 };
}

/// The process that a scheduler was found to run.
struct Running {
    /// The value of the scheduler's word for it: the process, or one that ETS put in its place.
    observed: u64,
    fields: ProcessFields,
}

/// Reads what the scheduler runs, and its process, into `before` and `sample`. `None` when it runs
/// no process, or one that cannot be read. Of a scheduler that runs a port and no process, the port is read.
fn read_running<'a>(
    memory: &impl TargetMemory,
    layout: &VmLayout,
    (scheduler, words): (SchedulerRead, &[Range; 3]),
    last_process: &mut LastProcess,
    before: &'a mut [u8],
    sample: &mut RawSample<'a>,
) -> Option<Running> {
    let process_bytes = layout.process.read_bytes;
    let before = before.get_mut(..SCHEDULER_BYTES + process_bytes)?;
    let guess = last_process.get(sample.tid);
    let is_right = read_scheduler(memory, words, guess, process_bytes, before)?;
    let (words, process) = before.split_at_mut(SCHEDULER_BYTES);
    let word = |index: usize| u64_at(words, index * 8).unwrap_or(0);
    let observed = word(0);
    (sample.current_process, sample.current_port) = (observed, word(1));
    sample.flags.0 |= ReadFlags::SCHEDULER_READ;
    sample.call_slot = scheduler.registers.map_or(0, |_| word(2));
    if observed == 0 {
        let port = process.get_mut(..PORT.read_bytes)?;
        if sample.current_port != 0 && memory.read(sample.current_port, port).is_ok() {
            sample.process = port;
        }
        return None;
    }
    if !is_right {
        memory.read(observed, process).ok()?;
    }
    let mut fields = ProcessFields::from_bytes(&layout.process, process)?;
    if is_local_pid(fields.id) {
        last_process.set(sample.tid, observed);
    } else if let Some(guess) = guess.filter(|guess| *guess != observed) {
        // While it matches terms, ETS puts a process of its own in the place of the real one.
        memory.read(guess, process).ok()?;
        fields = ProcessFields::from_bytes(&layout.process, process)?;
        sample.current_process = guess;
        sample.flags.0 |= ReadFlags::GUESSED_PROCESS;
    }
    sample.flags.0 |= ReadFlags::LATE_READ;
    sample.process = process;
    Some(Running { observed, fields })
}

/// The port that was read is the sample's if the scheduler still runs it, and the C stack is as it was. Else nothing of
/// it is kept.
fn keep_port_if_same(
    memory: &impl TargetMemory,
    [process, port, _]: &[Range; 3],
    c_stack: &CStack,
    out: &mut [u8],
    sample: &mut RawSample<'_>,
) {
    if sample.process.is_empty() {
        return;
    }
    let ranges = [
        *process,
        *port,
        Range {
            address: sample.registers[arch::sample::STACK_POINTER]
                .wrapping_add(c_stack.compared_from as u64),
            len_bytes: c_stack.compared_len,
        },
    ];
    let sampled = sample.stack.get(c_stack.compared_from..);
    let sampled = sampled.and_then(|stack| stack.get(..c_stack.compared_len));
    let is_same = c_stack.compared_len >= MIN_COMPARED_STACK_BYTES
        && out.get_mut(..16 + c_stack.compared_len).is_some_and(|out| {
            let is_read = memory.read_many(&ranges, out).is_ok();
            let runs = (u64_at(out, 0), u64_at(out, 8));
            is_read && runs == (Some(0), Some(sample.current_port)) && sampled == out.get(16..)
        });
    if !is_same {
        sample.process = &[];
    }
}

/// The values read once more after everything else.
struct ReadAgain<'a> {
    /// The scheduler's words.
    scheduler: &'a [u8],
    process: &'a [u8],
    c_stack: &'a [u8],
}

/// One read, so that its parts belong together.
fn read_again<'a>(
    memory: &impl TargetMemory,
    words: &[Range; 3],
    process_bytes: usize,
    c_stack: &CStack,
    out: &'a mut [u8],
    sample: &RawSample<'_>,
) -> Option<ReadAgain<'a>> {
    let ranges = [
        words[0],
        words[1],
        words[2],
        Range {
            address: sample.current_process,
            len_bytes: process_bytes,
        },
        Range {
            address: sample.registers[arch::sample::STACK_POINTER]
                .wrapping_add(c_stack.compared_from as u64),
            len_bytes: c_stack.compared_len,
        },
    ];
    let out = out.get_mut(..SCHEDULER_BYTES + process_bytes + c_stack.compared_len)?;
    memory.read_many(&ranges, out).ok()?;
    let (scheduler, rest) = out.split_at(SCHEDULER_BYTES);
    let (process, c_stack) = rest.split_at(process_bytes);
    Some(ReadAgain {
        scheduler,
        process,
        c_stack,
    })
}

/// The flags of the parts that are as they were at the sample, or at the first read.
fn unchanged(
    layout: &VmLayout,
    scheduler: SchedulerRead,
    running: &Running,
    c_stack: &CStack,
    again: &ReadAgain<'_>,
    sample: &RawSample<'_>,
) -> u64 {
    let sampled = sample.stack.get(c_stack.compared_from..);
    let sampled = sampled.and_then(|stack| stack.get(..c_stack.compared_len));
    let word = |index: usize| u64_at(again.scheduler, index * 8);
    let fields = ProcessFields::from_bytes(&layout.process, again.process);
    let facts = [
        (ReadFlags::SAME_PROCESS, word(0) == Some(running.observed)),
        (
            ReadFlags::SAME_CALL,
            scheduler.registers.is_none() || word(2) == Some(sample.call_slot),
        ),
        (ReadFlags::SAME_C_STACK, sampled == Some(again.c_stack)),
        (
            ReadFlags::OTHER_OUTERMOST,
            sampled.is_none_or(|sampled| outermost(sampled) != outermost(again.c_stack)),
        ),
        (
            ReadFlags::SAME_BOUNDS,
            fields.is_some_and(|fields| same_bounds(&running.fields, &fields)),
        ),
    ];
    let held = facts.iter().filter(|(_, holds)| *holds);
    held.fold(0, |flags, (flag, _)| flags | flag)
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
    use target_memory::SnapshotMemory;
    use vm_layout::rows::ROWS;

    const PROCESS: u64 = 0x10_000;
    const HEAP: u64 = 0x20_000;
    const EXIT: u64 = 0xe000;

    /// The lengths of the parts that are read below 512 sampled bytes of a stack whose heap block ends at `hend`,
    /// and where the outer one begins.
    fn read_below(hend: u64) -> (usize, usize, Option<u64>) {
        let layout = &ROWS[0];
        let mut process = vec![0; layout.process.read_bytes.div_ceil(8)];
        (
            process[layout.process.heap / 8],
            process[layout.process.hend / 8],
        ) = (HEAP, hend);
        let mut memory = SnapshotMemory::new();
        memory.map_words(PROCESS, &process);
        memory.map(HEAP, vec![0x3b; 4 * MAX_ERLANG_STACK_BYTES]);
        let stack = [0x3b; 512];
        let mut sample = RawSample {
            stack: &stack,
            ..RawSample::default()
        };
        sample.registers[arch::sample::CURRENT_PROCESS] = PROCESS;
        sample.registers[arch::sample::STACK_POINTER] = HEAP;
        let mut scratch = Scratch::default();
        after_erlang(&memory, layout, EXIT, &mut scratch, &mut sample);
        let outer = sample.flags.has(ReadFlags::HAS_OUTER);
        let lengths = (sample.erlang.len(), sample.outer.len());
        (lengths.0, lengths.1, outer.then_some(sample.outer_at))
    }

    #[test]
    fn of_a_stack_that_is_longer_than_the_buffer_both_ends_are_read() {
        let longest = HEAP + 512 + MAX_ERLANG_STACK_BYTES as u64;
        assert_eq!(read_below(longest), (MAX_ERLANG_STACK_BYTES, 0, None));
        let upper = MAX_ERLANG_STACK_BYTES - OUTER_BYTES;
        for end in [longest + 8, longest + MAX_ERLANG_STACK_BYTES as u64] {
            let outer_at = Some(end - OUTER_BYTES as u64);
            assert_eq!(read_below(end), (upper, OUTER_BYTES, outer_at));
        }
        // No heap block ends between two words.
        assert_eq!(read_below(HEAP + 512 + 17), (16, 0, None));
    }
}
