//! A reader that fails with one sample, or that the kernel does not wake, goes on; when it cannot,
//! it says so.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::{HashMap, VecDeque};
use std::io::{self, PipeWriter, Write};
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use perf_ring::{EventKind, EventSettings, KernelFrames, WakeUp};
use recorder::read::counts::ReaderCounts;
use recorder::read::plan::{PlanCell, PlanView, ReadPlan, StackPointer};
use recorder::read::reader::{Reader, SampleRing};
use target_memory::SnapshotMemory;
use vm_layout::rows::ROWS;

/// What the ring does next.
#[derive(Clone)]
enum Step {
    /// A record that says so many samples were lost: the reader counts them.
    Record(u64),
    /// A record with which the reader panics.
    Poison,
    /// It is empty for now.
    Empty,
}

/// A ring that does what a test says, and then tells the reader to stop.
struct ScriptedRing {
    steps: VecDeque<Step>,
    record: Vec<u8>,
    waits_fail: bool,
    stop: PipeWriter,
}

impl SampleRing for ScriptedRing {
    fn next_record(&mut self) -> Option<&[u8]> {
        match self.steps.pop_front()? {
            Step::Record(lost) => {
                let (kind, id) = (2u32, 0u64);
                self.record = [&kind.to_le_bytes()[..], &[0; 4]].concat();
                self.record.extend(id.to_le_bytes());
                self.record.extend(lost.to_le_bytes());
                Some(&self.record)
            }
            Step::Poison => panic!("a mistake with one sample"),
            Step::Empty => None,
        }
    }

    fn wait(&self, _stop: BorrowedFd<'_>, _timeout_ms: i32) -> io::Result<bool> {
        if self.steps.is_empty() {
            (&self.stop).write_all(&[1]).unwrap();
        }
        match self.waits_fail {
            true => Err(io::ErrorKind::BrokenPipe.into()),
            false => Ok(true),
        }
    }
}

/// Runs a reader to its end; its counts, and whether the thread ended without a panic.
fn run(steps: impl IntoIterator<Item = Step>, waits_fail: bool) -> (Arc<ReaderCounts>, bool) {
    let (stop, write_stop) = io::pipe().unwrap();
    let plan = ReadPlan {
        layout: ROWS[0],
        normal_exit: 0,
        runs_erlang: Vec::new(),
        stack_pointer: StackPointer::Own,
        code_index: None,
        roles: HashMap::new(),
        waiting: std::collections::HashMap::new(),
    };
    let counts = Arc::<ReaderCounts>::default();
    let reader = Reader {
        cpu: 0,
        ring: ScriptedRing {
            steps: steps.into_iter().collect(),
            record: Vec::new(),
            waits_fail,
            stop: write_stop,
        },
        settings: EventSettings {
            kind: EventKind::CpuClock,
            frequency_hz: 99,
            stack_bytes: 4096,
            kernel: KernelFrames::Leaf,
            wake_up: WakeUp::EverySample,
        },
        memory: SnapshotMemory::new(),
        plan: PlanView::new(Arc::new(PlanCell::new(plan))),
        batch: Arc::default(),
        counts: Arc::clone(&counts),
        stop: Arc::new(stop.into()),
    };
    // A thread of its own: a reader pins the one it runs in.
    let ended_well = std::thread::spawn(|| reader.run()).join().is_ok();
    (counts, ended_well)
}

#[test]
fn a_reader_whose_waits_are_refused_reads_on_and_counts_them() {
    let steps = [
        Step::Record(1),
        Step::Empty,
        Step::Record(2),
        Step::Empty,
        Step::Record(4),
    ];
    let (counts, ended_well) = run(steps, true);
    assert!(ended_well);
    assert_eq!(counts.lost.load(Ordering::Relaxed), 7, "all was read");
    assert!(counts.failures.load(Ordering::Relaxed) >= 3);
    assert_eq!(counts.why_ended.get(), None, "the CPU is not lost");
}

#[test]
fn a_sample_that_cannot_be_worked_on_is_lost_and_nothing_else() {
    let steps = [
        Step::Record(10),
        Step::Poison,
        Step::Record(20),
        Step::Empty,
        Step::Poison,
        Step::Record(40),
    ];
    let (counts, ended_well) = run(steps, false);
    assert!(ended_well);
    assert_eq!(counts.lost.load(Ordering::Relaxed), 70 + 2);
    assert_eq!(counts.failures.load(Ordering::Relaxed), 2);
    assert_eq!(counts.why_ended.get(), None);
}

#[test]
fn a_reader_that_fails_again_and_again_gives_up_and_says_why() {
    let (counts, ended_well) = run(std::iter::repeat_n(Step::Poison, 10_000), false);
    assert!(ended_well);
    assert!(counts.failures.load(Ordering::Relaxed) < 100);
    let why = counts.why_ended.get().unwrap();
    assert!(why.contains("a mistake with one sample"), "{why}");
}
