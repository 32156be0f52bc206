//! The thread that is woken by the samples of one CPU.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use perf_ring::{EventSettings, Record, Ring, SampleRecord, parse_record};
use target_memory::TargetMemory;

use super::batch::BatchCell;
use super::late_read::{SchedulerRead, Scratch, after_erlang, after_native};
use super::plan::{PlanView, ReadPlan, ThreadRole};
use super::raw_sample::{RawSample, ReadFlags, register};
use crate::sys;

/// A wake-up is never needed to notice the end, this only bounds a lost one.
const WAIT_MS: i32 = 500;

/// Counts of one reader.
#[derive(Debug, Default)]
pub struct ReaderCounts {
    /// Records the kernel dropped.
    pub lost: AtomicU64,
    /// Times the kernel throttled an event.
    pub throttled: AtomicU64,
    /// Records that could not be parsed.
    pub malformed: AtomicU64,
    /// Samples of schedulers joined with what was captured at them.
    pub matched: AtomicU64,
    /// Samples of schedulers at which nothing was captured.
    pub unmatched: AtomicU64,
    /// Captured records without a sample.
    pub orphaned: AtomicU64,
}

/// Everything one reader thread owns.
pub struct Reader<M> {
    /// CPU it is pinned to.
    pub cpu: u32,
    /// The ring it empties.
    pub ring: Ring,
    /// Settings of the events in it.
    pub settings: EventSettings,
    /// Memory of the target.
    pub memory: M,
    /// What it knows of the target.
    pub plan: PlanView,
    /// Where the samples go.
    pub batch: Arc<BatchCell>,
    /// Its counts.
    pub counts: Arc<ReaderCounts>,
    /// Becomes readable when the thread shall end.
    pub stop: Arc<OwnedFd>,
}

impl<M: TargetMemory> Reader<M> {
    /// Empties the ring until told to stop, and once more after that.
    pub fn run(mut self) {
        sys::pin_to_cpu(self.cpu);
        // Without the right to it, reads come later and fewer are proven; nothing else changes.
        let mut scratch = Scratch::default();
        scratch.realtime = sys::become_realtime();
        loop {
            self.drain(&mut scratch);
            if sys::is_readable(self.stop.as_fd()) {
                self.drain(&mut scratch);
                return;
            }
            if self.ring.wait(self.stop.as_fd(), WAIT_MS).is_err() {
                return;
            }
        }
    }

    fn drain(&mut self, scratch: &mut Scratch) {
        while let Some(bytes) = self.ring.next_record() {
            match parse_record(&self.settings, bytes) {
                Some(Record::Sample(sample)) => {
                    let plan = self.plan.current();
                    read_sample(&self.memory, plan, scratch, &sample, &self.batch);
                }
                Some(Record::Lost(count)) => {
                    self.counts.lost.fetch_add(count, Ordering::Relaxed);
                }
                Some(Record::Throttled) => {
                    self.counts.throttled.fetch_add(1, Ordering::Relaxed);
                }
                Some(Record::Other) => {}
                None => {
                    self.counts.malformed.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }
}

/// Reads at once what `sample` needs, and queues it.
pub fn read_sample(
    memory: &impl TargetMemory,
    plan: &ReadPlan,
    scratch: &mut Scratch,
    sample: &SampleRecord<'_>,
    batch: &BatchCell,
) {
    let mut raw = RawSample {
        time_ns: sample.time_ns,
        tid: sample.tid,
        cpu: sample.cpu,
        ip: sample.ip,
        chain: sample.chain,
        stack: sample.stack,
        ..RawSample::default()
    };
    if let Some(registers) = sample.registers {
        raw.registers = registers;
        raw.flags.0 |= ReadFlags::REGISTERS;
        let (rip, rsp) = (registers[register::RIP], registers[register::RSP]);
        let role = plan.roles.get(&sample.tid);
        match role {
            Some(&ThreadRole::Normal {
                data,
                registers,
                c_stack_low,
            }) => {
                let on_c_stack = (c_stack_low..=registers).contains(&rsp);
                if plan.is_jit(rip) && !on_c_stack {
                    raw.flags.0 |= ReadFlags::IN_ERLANG;
                    after_erlang(memory, &plan.layout, plan.normal_exit, scratch, &mut raw);
                } else {
                    let scheduler = SchedulerRead {
                        data,
                        registers: Some(registers),
                        stack_hint: plan
                            .stack_register
                            .and_then(|index| raw.registers.get(index).copied()),
                    };
                    after_native(
                        memory,
                        &plan.layout,
                        plan.normal_exit,
                        scheduler,
                        scratch,
                        &mut raw,
                    );
                }
            }
            Some(&ThreadRole::Dirty { data }) => {
                raw.flags.0 |= ReadFlags::DIRTY;
                let scheduler = SchedulerRead {
                    data,
                    registers: None,
                    stack_hint: None,
                };
                after_native(
                    memory,
                    &plan.layout,
                    plan.normal_exit,
                    scheduler,
                    scratch,
                    &mut raw,
                );
            }
            None => {}
        }
        let index_at = plan.code_index.filter(|_| role.is_some());
        raw.code_index = index_at.and_then(|address| memory.read_u32(address).ok());
        if raw.flags.has(ReadFlags::LATE_READ) {
            raw.read_done_ns = sys::monotonic_ns();
        }
    }
    batch.push(&raw);
}
