//! The thread that is woken by the samples of one CPU.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use perf_ring::{EventSettings, Record, Ring, SampleRecord, parse_record};
use target_memory::TargetMemory;

use super::batch::BatchCell;
use super::counts::ReaderCounts;
use super::failure_limit::{FailureLimit, LOOK_INTERVAL, Look};
use super::late_read::{Scratch, after_erlang, after_native};
use super::plan::{PlanView, ReadPlan, SchedulerRead, StackPointer, ThreadRole};
use super::raw_sample::{RawSample, ReadFlags};
use super::sample_copy::bare_sample;
use crate::sys;

/// A wake-up is never needed to notice the end, this only bounds a lost one.
const WAIT_MS: i32 = 500;

/// Where the samples of one CPU come from.
pub trait SampleRing {
    /// The next record, header included, or `None` when there is none. It is gone from the ring.
    fn next_record(&mut self) -> Option<&[u8]>;

    /// Waits for a record or for `stop` to become readable, at most `timeout_ms`.
    ///
    /// # Errors
    /// The kernel refuses to wait, or will not wake the caller any more.
    fn wait(&self, stop: BorrowedFd<'_>, timeout_ms: i32) -> io::Result<bool>;
}

impl SampleRing for Ring {
    fn next_record(&mut self) -> Option<&[u8]> {
        Ring::next_record(self)
    }

    fn wait(&self, stop: BorrowedFd<'_>, timeout_ms: i32) -> io::Result<bool> {
        Ring::wait(self, stop, timeout_ms)
    }
}

/// Everything one reader thread owns.
pub struct Reader<M, R = Ring> {
    /// CPU it is pinned to.
    pub cpu: u32,
    /// The ring it empties.
    pub ring: R,
    /// Settings of the events in it.
    pub settings: EventSettings,
    /// Memory of the target.
    pub memory: M,
    /// Its view of the target.
    pub plan: PlanView,
    /// Where the samples go.
    pub batch: Arc<BatchCell>,
    /// Its counts.
    pub counts: Arc<ReaderCounts>,
    /// Becomes readable when the thread shall end.
    pub stop: Arc<OwnedFd>,
}

impl<M: TargetMemory, R: SampleRing> Reader<M, R> {
    /// Empties the ring until it is stopped, and once more after that. A sample that cannot be
    /// worked on and a wait that is refused are counted, and it goes on; when it gives up, its
    /// counts state why.
    pub fn run(mut self) {
        sys::pin_to_cpu(self.cpu);
        // Without the right to it, reads come later and fewer are proven; nothing else changes.
        let mut scratch = Scratch::default();
        scratch.realtime = thread_priority::become_realtime();
        let mut failure_limit = FailureLimit::default();
        loop {
            let stopped = sys::is_readable(self.stop.as_fd());
            if !self.empty(&mut scratch, &mut failure_limit) || stopped {
                return;
            }
            if self.ring.wait(self.stop.as_fd(), WAIT_MS).is_err() {
                self.counts.failures.fetch_add(1, Ordering::Relaxed);
                // Read later, fewer samples in C code are proven. None is lost.
                std::thread::sleep(LOOK_INTERVAL);
            }
        }
    }

    /// Empties the ring; false when this CPU is given up.
    fn empty(&mut self, scratch: &mut Scratch, failure_limit: &mut FailureLimit) -> bool {
        let counts = Arc::clone(&self.counts);
        loop {
            match failure_limit.look(&counts, || self.drain(scratch)) {
                Look::Done => return true,
                Look::GivenUp => return false,
                Look::Failed => {
                    let realtime = scratch.realtime;
                    *scratch = Scratch::default();
                    scratch.realtime = realtime;
                }
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
                Some(Record::Switch(_) | Record::Other) => {}
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
    let (mut raw, role) = bare_sample(plan, sample);
    let (layout, normal_exit) = (&plan.layout, plan.normal_exit);
    match role {
        Some(ThreadRole::Normal { .. }) if raw.flags.has(ReadFlags::IN_ERLANG) => {
            after_erlang(memory, layout, normal_exit, scratch, &mut raw);
        }
        Some(ThreadRole::Normal {
            data, registers, ..
        }) => {
            let scheduler = SchedulerRead {
                data,
                registers: Some(registers),
                stack_hint: match plan.stack_pointer {
                    StackPointer::Own => None,
                    StackPointer::Kept(index) => raw.registers.get(index).copied(),
                },
            };
            after_native(memory, layout, normal_exit, scheduler, scratch, &mut raw);
        }
        Some(ThreadRole::Dirty { data }) => {
            let scheduler = SchedulerRead {
                data,
                registers: None,
                stack_hint: None,
            };
            after_native(memory, layout, normal_exit, scheduler, scratch, &mut raw);
        }
        None => {}
    }
    let runs_nothing = (raw.current_process, raw.current_port) == (0, 0);
    if raw.flags.has(ReadFlags::SCHEDULER_READ) && runs_nothing {
        add_waiting(memory, plan, &mut raw);
    }
    let index_at = plan.code_index.filter(|_| role.is_some());
    raw.code_index = index_at.and_then(|address| memory.read_u32(address).ok());
    if raw.flags.has(ReadFlags::LATE_READ) || !raw.process.is_empty() {
        raw.read_done_ns = sys::monotonic_ns();
    }
    batch.push(&raw);
}

/// Adds whether a scheduler that runs nothing waits, by the VM's own word, right after the sample.
fn add_waiting(memory: &impl TargetMemory, plan: &ReadPlan, raw: &mut RawSample<'_>) {
    if let Some(word) = plan.waiting.get(&raw.tid)
        && let Ok(now) = memory.read_u32(word.address)
    {
        raw.flags.add_waiting(word.waits(now));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use perf_ring::{EventId, REGISTER_COUNT};
    use target_memory::SnapshotMemory;
    use vm_layout::rows::ROWS;
    use vm_tables::scheduler_waits::WaitWord;

    use super::*;
    use crate::read::batch::RawBatch;

    const DATA: u64 = 0x10_000;
    const WAITING: u64 = 0x20_000;

    /// Whether it is known that the scheduler waits, and whether it does.
    fn waits(memory: &SnapshotMemory, role: ThreadRole, word: WaitWord) -> (bool, bool) {
        let plan = ReadPlan {
            layout: ROWS[0],
            normal_exit: 0,
            runs_erlang: Vec::new(),
            stack_pointer: StackPointer::Own,
            code_index: None,
            roles: HashMap::from([(7, role)]),
            waiting: HashMap::from([(7, word)]),
            numbered_from_ns: HashMap::new(),
        };
        let sample = SampleRecord {
            id: EventId::default(),
            ip: 0x1000,
            tid: 7,
            time_ns: 1,
            cpu: 0,
            chain: &[],
            registers: Some([0; REGISTER_COUNT]),
            stack: &[],
        };
        let (cell, mut batch) = (BatchCell::default(), RawBatch::default());
        read_sample(memory, &plan, &mut Scratch::default(), &sample, &cell);
        cell.swap(&mut batch);
        let flags = batch.samples().next().unwrap().flags;
        (
            flags.has(ReadFlags::WAIT_KNOWN),
            flags.has(ReadFlags::WAITS),
        )
    }

    #[test]
    fn a_scheduler_waits_only_where_it_was_read_that_it_runs_nothing() {
        let normal = ThreadRole::Normal {
            data: DATA,
            registers: DATA + 256,
            c_stack_low: DATA,
        };
        let dirty = ThreadRole::Dirty { data: DATA };
        let word = |mask, is_shared| WaitWord {
            address: WAITING,
            mask,
            is_shared,
        };
        let (own, shared, flag) = (word(!0, false), word(!0, true), word(8, false));
        let mut memory = SnapshotMemory::new();
        memory.map_words(WAITING, &[0x19]);
        // The word for its current process cannot be read.
        assert_eq!(waits(&memory, normal, own), (false, false));
        memory.map_words(DATA, &[0; 64]);
        assert_eq!(waits(&memory, normal, own), (true, true));
        assert_eq!(waits(&memory, dirty, shared), (false, false));
        assert_eq!(waits(&memory, dirty, flag), (true, true));
        let mut memory = SnapshotMemory::new();
        memory.map_words(WAITING, &[0]).map_words(DATA, &[0; 64]);
        assert_eq!(waits(&memory, normal, own), (true, false));
        assert_eq!(waits(&memory, dirty, shared), (true, false));
        // It works and will be suspended.
        let mut memory = SnapshotMemory::new();
        memory.map_words(WAITING, &[0x10]).map_words(DATA, &[0; 64]);
        assert_eq!(waits(&memory, dirty, flag), (true, false));
    }
}
