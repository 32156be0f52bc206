//! A sample together with the copy made at it, ready to be queued.

use bpf_engine::record::{SampleCopy, Status};
use perf_ring::SampleRecord;
use vm_tables::processes::ProcessFields;

use super::join::KeptCStack;
use super::plan::{ReadPlan, ThreadRole};
use super::raw_sample::{RawSample, ReadFlags};

/// The known facts about a sample without its record. Also returns the role of its thread.
pub fn bare_sample<'a>(
    plan: &ReadPlan,
    sample: &SampleRecord<'a>,
) -> (RawSample<'a>, Option<ThreadRole>) {
    let mut raw = RawSample {
        time_ns: sample.time_ns,
        tid: sample.tid,
        cpu: sample.cpu,
        ip: sample.ip,
        chain: sample.chain,
        stack: sample.stack,
        ..RawSample::default()
    };
    let Some(registers) = sample.registers else {
        return (raw, None);
    };
    raw.registers = registers;
    raw.flags.0 |= ReadFlags::REGISTERS;
    let role = plan.roles.get(&sample.tid).copied();
    match role {
        Some(ThreadRole::Normal {
            registers: block,
            c_stack_low,
            ..
        }) => {
            let on_c_stack =
                (c_stack_low..=block).contains(&registers[arch::sample::STACK_POINTER]);
            if plan.is_erlang(registers[arch::sample::PROGRAM_COUNTER]) && !on_c_stack {
                raw.flags.0 |= ReadFlags::IN_ERLANG;
            }
        }
        Some(ThreadRole::Dirty { .. }) => raw.flags.0 |= ReadFlags::DIRTY,
        None => {}
    }
    (raw, role)
}

/// Adds the copy made at a sample to `raw`.
pub fn add_record<'a>(
    plan: &ReadPlan,
    record: &SampleCopy<'a>,
    c_stack: &'a KeptCStack,
    raw: &mut RawSample<'a>,
) {
    let sp = raw.registers[arch::sample::STACK_POINTER];
    if record.status.has(Status::COPY_FAILED) {
        raw.flags.0 |= ReadFlags::COPY_FAILED;
    }
    if record.status.has(Status::NO_SCHEDULER) {
        raw.flags.0 |= ReadFlags::COPY_FAILED | ReadFlags::UNMATCHED;
        return;
    }
    raw.flags.0 |= ReadFlags::COPIED;
    raw.code_index = record.code_index;
    if record.status.has(Status::CUT) {
        raw.flags.0 |= ReadFlags::STACK_CUT;
    }
    if !record.outer.is_empty() {
        raw.flags.0 |= ReadFlags::HAS_OUTER;
        (raw.outer_at, raw.outer) = (record.outer_address, record.outer);
    }
    if record.status.has(Status::GUESSED) {
        raw.flags.0 |= ReadFlags::GUESSED_PROCESS;
    }
    if record.status.has(Status::WAIT_KNOWN)
        && let Some(word) = plan.waiting.get(&raw.tid)
    {
        let waits = word.waits_by_bits(record.status.has(Status::WAITS));
        raw.flags.add_waiting(waits);
    }
    if raw.flags.has(ReadFlags::IN_ERLANG) {
        let fields = ProcessFields::from_bytes(&plan.layout.process, record.process);
        // The current process runs on this stack only if its heap block holds the stack pointer.
        let Some(fields) = fields.filter(|fields| fields.heap <= sp && sp <= fields.hend) else {
            return;
        };
        raw.current_process = record.current_process;
        raw.process = record.process;
        if sp.saturating_add(raw.stack.len() as u64) < fields.hend {
            (raw.erlang_top, raw.erlang) = (record.stack_address, record.stack);
        }
        return;
    }
    raw.current_process = record.current_process;
    raw.current_port = record.current_port;
    raw.call_slot = record.call_slot;
    raw.process = record.process;
    (raw.erlang_top, raw.erlang) = (record.stack_address, record.stack);
    let near = c_stack.near(record);
    if near.len() > raw.stack.len() {
        raw.stack = near;
    }
    (raw.stack_rest_address, raw.stack_rest) = c_stack.tail(record);
}
