//! A reader that fails with one sample, or that the kernel does not wake, goes on; when it cannot,
//! it reports that.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::{HashMap, VecDeque};
use std::io::{self, PipeWriter, Write};
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bpf_engine::record::{HEADER_BYTES, KIND_SAMPLE, offset};
use perf_ring::{EventId, EventSettings, KernelFrames, Rate, Source, WakeUp};
use recorder::read::batch::{BatchCell, RawBatch};
use recorder::read::collector::CpuRings;
use recorder::read::counts::ReaderCounts;
use recorder::read::event_sources::EventSources;
use recorder::read::failure_limit::FailureLimit;
use recorder::read::join::{Join, JoinCounts, RecordSource};
use recorder::read::plan::{PlanCell, PlanView, ReadPlan, StackPointer, ThreadRole};
use recorder::read::raw_sample::{ReadFlags, SampleSource};
use recorder::read::reader::{Reader, SampleRing};
use recorder::read::switch_records::SwitchRecords;
use target_memory::SnapshotMemory;
use vm_layout::rows::ROWS;

/// The next event of the ring.
#[derive(Clone)]
enum Step {
    /// A record of so many lost samples: the reader counts them.
    Record(u64),
    /// A sample of a scheduler, at this time.
    Sample(u64),
    /// A record with which the reader panics.
    Poison,
    /// It is empty for now.
    Empty,
}

/// A ring that follows the script of a test, and then stops the reader.
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
            Step::Sample(time_ns) => {
                let words = [EVENT, IP, u64::from(TID) << 32, time_ns, 0, 2];
                let registers = [0; perf_ring::REGISTER_COUNT];
                let no_stack = [0];
                self.record = [9u32, 0].iter().flat_map(|it| it.to_le_bytes()).collect();
                let words = words.iter().chain(&registers).chain(&no_stack);
                self.record.extend(words.flat_map(|it| it.to_le_bytes()));
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

const SETTINGS: EventSettings = EventSettings {
    source: Source::CpuClock,
    rate: Rate::Hz(99),
    stack_bytes: 4096,
    kernel: KernelFrames::Leaf,
    wake_up: WakeUp::EverySample,
};
const EVENT: u64 = 1;
const TID: u32 = 7;
const IP: u64 = 0x1000;
const TIME_NS: u64 = 1_000;

/// A VM with one scheduler.
fn plan() -> ReadPlan {
    let role = ThreadRole::Normal {
        data: 0,
        registers: 0,
        c_stack_low: 0,
    };
    ReadPlan {
        layout: ROWS[0],
        normal_exit: 0,
        runs_erlang: Vec::new(),
        stack_pointer: StackPointer::Own,
        code_index: None,
        roles: HashMap::from([(TID, role)]),
        waiting: HashMap::new(),
        numbered_from_ns: HashMap::new(),
    }
}

/// Runs a reader to its end; its counts, and whether the thread ended without a panic.
fn run(steps: impl IntoIterator<Item = Step>, waits_fail: bool) -> (Arc<ReaderCounts>, bool) {
    let (stop, write_stop) = io::pipe().unwrap();
    let plan = plan();
    let counts = Arc::<ReaderCounts>::default();
    let reader = Reader {
        cpu: 0,
        ring: ScriptedRing {
            steps: steps.into_iter().collect(),
            record: Vec::new(),
            waits_fail,
            stop: write_stop,
        },
        settings: SETTINGS,
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
fn a_reader_that_fails_repeatedly_gives_up_with_the_reason() {
    let (counts, ended_well) = run(std::iter::repeat_n(Step::Poison, 10_000), false);
    assert!(ended_well);
    assert!(counts.failures.load(Ordering::Relaxed) < 100);
    let why = counts.why_ended.get().unwrap();
    assert!(why.contains("a mistake with one sample"), "{why}");
}

/// Copies of samples of the scheduler, with their numbers.
struct Copies(VecDeque<Vec<u8>>);

impl Copies {
    fn numbered(numbers: std::ops::Range<u64>) -> Self {
        let copy = |number: u64| {
            let mut bytes = vec![0; HEADER_BYTES];
            let kind = u64::from(KIND_SAMPLE.cast_unsigned()) | u64::from(TID) << 32;
            for (place, value) in [
                (offset::KIND, kind),
                (offset::TIME, TIME_NS),
                (offset::IP, IP),
                (offset::SEQUENCE, number),
            ] {
                let place = usize::try_from(place).unwrap();
                bytes[place..place + 8].copy_from_slice(&value.to_le_bytes());
            }
            bytes
        };
        Self(numbers.map(copy).collect())
    }
}

impl RecordSource for Copies {
    fn peek(&mut self) -> Option<&[u8]> {
        self.0.front().map(Vec::as_slice)
    }

    fn release(&mut self) {
        self.0.pop_front();
    }
}

/// Empties the rings of one CPU that hold this; their counts and the flags of the samples.
fn joined(
    steps: impl IntoIterator<Item = Step>,
    records: Copies,
    plan: ReadPlan,
) -> (Arc<ReaderCounts>, Vec<ReadFlags>) {
    joined_of(Arc::default(), steps, records, plan)
}

/// The same, with events of other sources than the clock.
fn joined_of(
    sources: Arc<EventSources>,
    steps: impl IntoIterator<Item = Step>,
    records: Copies,
    plan: ReadPlan,
) -> (Arc<ReaderCounts>, Vec<ReadFlags>) {
    let (_stop, write_stop) = io::pipe().unwrap();
    let batch = Arc::<BatchCell>::default();
    let counts = Arc::<ReaderCounts>::default();
    let mut rings = CpuRings {
        samples: ScriptedRing {
            steps: steps.into_iter().collect(),
            record: Vec::new(),
            waits_fail: false,
            stop: write_stop,
        },
        records,
        batch: Arc::clone(&batch),
        counts: Arc::clone(&counts),
        join: Join::new(8),
        switches: SwitchRecords::of_cpu(0, sources),
        published: JoinCounts::default(),
        failure_limit: FailureLimit::default(),
    };
    rings.empty(&SETTINGS, &mut PlanView::new(Arc::new(PlanCell::new(plan))));
    let mut queued = RawBatch::default();
    batch.swap(&mut queued);
    let flags = queued.samples().map(|sample| sample.flags).collect();
    (counts, flags)
}

#[test]
fn samples_that_were_joined_before_a_failure_stay_counted() {
    let sample = Step::Sample(TIME_NS);
    let steps = [sample.clone(), sample.clone(), Step::Poison, sample];
    let (counts, queued) = joined(steps, Copies::numbered(1..4), plan());
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    assert_eq!((count(&counts.matched), count(&counts.unmatched)), (3, 0));
    assert_eq!((count(&counts.lost), count(&counts.failures)), (1, 1));
    assert_eq!(queued.len(), 3);
}

#[test]
fn a_sample_from_before_its_thread_was_known_as_a_scheduler_takes_no_record() {
    let times = [TIME_NS - 2, TIME_NS - 1, TIME_NS, TIME_NS];
    let plan = ReadPlan {
        numbered_from_ns: HashMap::from([(TID, TIME_NS)]),
        ..plan()
    };
    let (counts, queued) = joined(times.map(Step::Sample), Copies::numbered(1..3), plan);
    let has_record: Vec<bool> = queued.iter().map(|it| it.has(ReadFlags::COPIED)).collect();
    assert_eq!(has_record, [false, false, true, true]);
    let unmatched = |flags: &ReadFlags| flags.has(ReadFlags::UNMATCHED);
    assert_eq!(queued.iter().filter(|it| unmatched(it)).count(), 2);
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    assert_eq!((count(&counts.matched), count(&counts.unmatched)), (2, 2));
}

#[test]
fn a_sample_has_the_source_of_its_event_and_losses_are_marked_where_a_source_needs_that() {
    let steps = || {
        [
            Step::Sample(TIME_NS),
            Step::Record(3),
            Step::Sample(TIME_NS),
            Step::Poison,
            Step::Sample(TIME_NS),
        ]
    };
    let of_switches = Arc::<EventSources>::default();
    of_switches.add(SampleSource::Switches, [EventId(EVENT)]);
    let (_, queued) = joined_of(of_switches, steps(), Copies::numbered(1..4), plan());
    let is_switches = |flags: &ReadFlags| flags.source() == SampleSource::Switches;
    assert!(queued.iter().all(is_switches));
    let marks = [ReadFlags::LOSS_BEGINS, ReadFlags::LOSS_ENDS];
    let marks = queued.iter().map(|it| marks.map(|mark| it.has(mark)));
    let (sample, begin, end) = ([false, false], [true, false], [false, true]);
    let expected = [sample, begin, sample, end, begin, sample, end];
    assert_eq!(marks.collect::<Vec<_>>(), expected);

    let of_faults = Arc::<EventSources>::default();
    of_faults.add(SampleSource::Faults, [EventId(EVENT)]);
    let (sample, copies) = (Step::Sample(TIME_NS), Copies::numbered(1..2));
    let (_, queued) = joined_of(of_faults, [sample], copies, plan());
    assert!(matches!(queued[..], [flags] if flags.source() == SampleSource::Faults));

    // The events of a clock alone have neither.
    let (_, queued) = joined(steps(), Copies::numbered(1..4), plan());
    assert_eq!(queued.len(), 3);
    assert!(!queued.iter().any(is_switches));
}
