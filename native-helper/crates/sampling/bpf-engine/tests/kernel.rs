//! The kernel's verifier takes the programs, and they do as they should at events of this very process. Needs the
//! right to load them.
#![allow(clippy::expect_used, clippy::panic)] // A test: an unmet expectation is its failure.

use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arch::interrupted::SavedRegister;
use bpf_engine::program::KernelSamples;
use bpf_engine::record::{Parsed, Status};
use bpf_engine::{
    BpfEngine, BpfRing, StackPointer, TargetOffsets, ThreadFacts, Trigger, parse_record,
};
use perf_ring::{
    Event, EventSettings, KernelFrames, Rate, Record, Ring, SampleRecord, Scope, Source, WakeUp,
    Way,
};

const TRIGGERS: [Trigger; 3] = [Trigger::Clock, Trigger::SwitchOut, Trigger::PageFault];
const CURRENT_PROCESS: usize = 168;
const CURRENT_PORT: usize = 224;
const PROCESS_BYTES: usize = 776;
const PORT_BYTES: usize = 488;
const STOP: usize = 88;
const HEAP: usize = 128;
const HEND: usize = 136;
const BOTTOM_WORD: u64 = 0x7f00_0000_0308;

fn offsets(stack_pointer: StackPointer) -> TargetOffsets {
    TargetOffsets {
        current_process: CURRENT_PROCESS,
        current_port: CURRENT_PORT,
        process_bytes: PROCESS_BYTES,
        port_bytes: PORT_BYTES,
        id: 0,
        stop: STOP,
        heap: HEAP,
        hend: HEND,
        state: 640,
        collecting: 0x2_0000,
        bottom_word: BOTTOM_WORD,
        stack_pointer,
        code_index: Some(0x55_0000),
    }
}

#[test]
fn the_verifier_accepts_the_programs_for_both_kinds_of_vm() {
    for stack_pointer in [
        StackPointer::Exact(SavedRegister::STACK_POINTER),
        StackPointer::Hint(SavedRegister::JIT_PROCESS),
    ] {
        let pid = std::process::id();
        let offsets = offsets(stack_pointer);
        let engine = BpfEngine::load(pid, &offsets, &[0, 1], &TRIGGERS).expect("accepted");
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
fn the_verifier_looks_at_few_ways_through_each_program() {
    let pid = std::process::id();
    let own = StackPointer::Exact(SavedRegister::STACK_POINTER);
    let engine = BpfEngine::load(pid, &offsets(own), &[0, 1], &TRIGGERS).expect("accepted");
    for trigger in TRIGGERS {
        let program = engine.program(trigger).expect("it was loaded");
        let info = format!("/proc/self/fdinfo/{}", program.as_raw_fd());
        let info = std::fs::read_to_string(info).expect("it is open");
        let mut lines = info.lines();
        let verified = lines.find_map(|line| line.strip_prefix("verified_insns:"));
        // Linux 5.16 and later show the count.
        if let Some(count) = verified {
            let count: u32 = count.trim().parse().expect("a number");
            assert!(count < 30_000, "{trigger:?}: {count}");
        }
    }
}

#[test]
fn nothing_is_attached_of_which_there_is_no_program() {
    let pid = std::process::id();
    let own = offsets(StackPointer::Exact(SavedRegister::STACK_POINTER));
    assert!(BpfEngine::load(pid, &own, &[0], &[]).is_err());
    let engine = BpfEngine::load(pid, &own, &[0], &[Trigger::Clock]).expect("accepted");
    assert!(engine.program(Trigger::SwitchOut).is_none());
    let (tid, cpu) = (own_thread(), Some(0));
    let event = Event::open(&TICKS, Scope::Thread { tid, cpu }).expect("an event");
    let attached = engine.attach(event.descriptor(), Trigger::SwitchOut);
    assert!(attached.is_err());
}

const TICKS: EventSettings = EventSettings {
    source: Source::CpuClock,
    rate: Rate::Hz(997),
    stack_bytes: 8,
    kernel: KernelFrames::Leaf,
    wake_up: WakeUp::HalfFull,
};
const SWITCHES: EventSettings = EventSettings {
    source: Source::ContextSwitches,
    rate: Rate::Every(1),
    ..TICKS
};

const FAULTS: EventSettings = EventSettings {
    source: Source::PageFaults,
    rate: Rate::Every(1),
    ..TICKS
};

fn own_thread() -> u32 {
    let link = std::fs::read_link("/proc/thread-self").expect("proc is mounted");
    let tid = link.file_name().and_then(|name| name.to_str());
    tid.expect("a tid").parse().expect("a number")
}

/// A scheduler in our own memory, with all that it may run: this thread is it.
struct OwnScheduler {
    scheduler: Box<[AtomicU64]>,
    process: Box<[AtomicU64]>,
    port: Box<[AtomicU64]>,
    heap: Box<[AtomicU64]>,
}

fn address(words: &[AtomicU64]) -> u64 {
    words.as_ptr() as u64
}

impl OwnScheduler {
    const STACK: [u64; 3] = [0x71, 0x72, BOTTOM_WORD];

    fn new() -> Self {
        let words = |bytes: usize| (0..bytes / 8).map(|_| AtomicU64::new(0)).collect();
        let own = Self {
            scheduler: words(CURRENT_PORT + 8),
            process: words(PROCESS_BYTES),
            port: words(PORT_BYTES),
            heap: words(512),
        };
        let set = |offset: usize, value| own.process[offset / 8].store(value, Ordering::SeqCst);
        let stack_begins = own.heap.len() - Self::STACK.len();
        for (word, value) in own.heap[stack_begins..].iter().zip(Self::STACK) {
            word.store(value, Ordering::SeqCst);
        }
        set(0, 0x1003); // A pid.
        set(STOP, address(&own.heap[stack_begins..]));
        set(HEAP, address(&own.heap));
        set(HEND, address(&own.heap) + 512);
        own
    }

    fn runs(&self, process: u64, port: u64) {
        self.scheduler[CURRENT_PROCESS / 8].store(process, Ordering::SeqCst);
        self.scheduler[CURRENT_PORT / 8].store(port, Ordering::SeqCst);
    }

    fn facts(&self) -> ThreadFacts {
        ThreadFacts {
            scheduler: address(&self.scheduler),
            registers: 0,
            waiting: 0,
            waiting_mask: 0,
        }
    }
}

/// Events of this thread on one CPU, where their samples go, and where the copies.
struct OnCpu {
    ticks: Event,
    switches: Event,
    faults: Event,
    samples: Ring,
    copies: BpfRing,
    /// The number of the next sample.
    next: u64,
}

/// Switches and samples of all CPUs.
#[derive(Default)]
struct Seen {
    /// How often the thread was switched out.
    outs: usize,
    ticks: usize,
    /// Copies of switches.
    switches: Vec<Copied>,
    /// Copies of page faults.
    faults: Vec<Copied>,
    /// When the thread came to a CPU and left it.
    ways: Vec<(u64, Way)>,
}

struct Copied {
    process: u64,
    port: u64,
    status: Status,
    stack: Vec<u8>,
}

impl OnCpu {
    fn new(engine: &BpfEngine, cpu: u32, copies: BpfRing) -> Self {
        let samples = Ring::new(cpu, 64).expect("a ring");
        let anchor = samples.anchor().expect("an anchor");
        let (tid, cpu) = (own_thread(), Some(cpu));
        let event = |settings: &EventSettings, trigger| {
            let event = Event::open(settings, Scope::Thread { tid, cpu }).expect("an event");
            event.output_to(&anchor).expect("one CPU, one ring");
            let attached = engine.attach(event.descriptor(), trigger);
            attached.expect("a program");
            event.enable().expect("enabled");
            event
        };
        Self {
            ticks: event(&TICKS, Trigger::Clock),
            switches: event(&SWITCHES, Trigger::SwitchOut),
            faults: event(&FAULTS, Trigger::PageFault),
            samples,
            copies,
            next: 1,
        }
    }

    /// Each sample has the next copy, which has the next number: none was counted that was dropped, and none was
    /// copied.
    fn look(&mut self, seen: &mut Seen) {
        let switches = self.switches.id().expect("an identifier");
        let faults = self.faults.id().expect("an identifier");
        while let Some(bytes) = self.samples.next_record() {
            match perf_ring::parse_record(&TICKS, bytes).expect("a whole record") {
                Record::Sample(sample) => {
                    let copied = copy_of(&mut self.copies, &sample, self.next);
                    self.next += 1;
                    let is_switch = copied.status.has(Status::SWITCH_OUT);
                    let is_fault = copied.status.has(Status::PAGE_FAULT);
                    assert_eq!(is_switch, sample.id == switches);
                    assert_eq!(is_fault, sample.id == faults);
                    match (is_switch, is_fault) {
                        (true, _) => seen.switches.push(copied),
                        (_, true) => seen.faults.push(copied),
                        _ => seen.ticks += 1,
                    }
                }
                Record::Switch(switch) => {
                    seen.outs += usize::from(matches!(switch.way, Way::Out { .. }));
                    seen.ways.push((switch.time_ns, switch.way));
                }
                Record::Lost(_) | Record::Throttled | Record::Other => {}
            }
        }
    }
}

impl OnCpu {
    /// Nothing more is sampled, and all that was is seen.
    fn end(&mut self, seen: &mut Seen) {
        for event in [&self.ticks, &self.switches, &self.faults] {
            event.disable().expect("disabled");
        }
        self.look(seen);
        assert!(self.copies.peek().is_none(), "a copy without a sample");
    }
}

fn copy_of(copies: &mut BpfRing, sample: &SampleRecord<'_>, number: u64) -> Copied {
    let bytes = copies.peek().expect("a sample has a copy");
    let Some(Parsed::Sample(copy)) = parse_record(PROCESS_BYTES, bytes) else {
        panic!("another record")
    };
    assert_eq!((copy.sequence, copy.tid), (number, sample.tid));
    assert_eq!(copy.ip, sample.ip);
    let copied = Copied {
        process: copy.current_process,
        port: copy.current_port,
        status: copy.status,
        stack: copy.stack.to_vec(),
    };
    copies.release();
    copied
}

/// Lets this thread be switched out and sampled until `is_enough`. The first samples may be from before.
fn seen_until(cpus: &mut [OnCpu], is_enough: impl Fn(&Seen) -> bool) -> Seen {
    let mut seen = Seen::default();
    loop {
        // Nothing is waited for: to sleep is to be switched out.
        std::thread::sleep(Duration::from_millis(1));
        burn(Duration::from_millis(1));
        cpus.iter_mut().for_each(|on_cpu| on_cpu.look(&mut seen));
        if is_enough(&seen) {
            return seen;
        }
    }
}

fn burn(duration: Duration) {
    let (start, mut sum) = (Instant::now(), 0u64);
    while start.elapsed() < duration {
        sum = (0..10_000).fold(sum, |sum, n| sum.wrapping_mul(31).wrapping_add(n));
    }
    std::hint::black_box(sum);
}

/// Where the kernel could read the scheduler, as it nearly always can.
fn read(switches: &[Copied]) -> impl Iterator<Item = &Copied> {
    let is_read = |copied: &&Copied| !copied.status.has(Status::NO_SCHEDULER);
    switches.iter().filter(is_read)
}

#[test]
fn a_scheduler_that_is_switched_out_is_sampled_while_it_runs_something_and_numbers_stay_in_step() {
    let own = OwnScheduler::new();
    let cpus = std::thread::available_parallelism().expect("a number of CPUs");
    let cpus: Vec<u32> = (0..cpus.get() as u32).collect();
    let own_stack = StackPointer::Exact(SavedRegister::STACK_POINTER);
    let (pid, offsets) = (std::process::id(), offsets(own_stack));
    let mut engine = BpfEngine::load(pid, &offsets, &cpus, &TRIGGERS).expect("accepted");
    let added = engine.add_thread(own_thread(), own.facts());
    assert!(added.expect("a thread").is_some());
    let rings = cpus.iter().zip(engine.take_rings());
    let mut cpus: Vec<OnCpu> = rings
        .map(|(cpu, copies)| OnCpu::new(&engine, *cpu, copies))
        .collect();

    let is_idle = |seen: &Seen| seen.outs >= 10 && seen.ticks > 0;
    let seen = seen_until(&mut cpus, is_idle);
    assert_eq!(read(&seen.switches).count(), 0);

    let (process, port) = (address(&own.process), address(&own.port));
    own.runs(process, 0);
    let stack: Vec<u8> = OwnScheduler::STACK.map(u64::to_le_bytes).concat();
    let has_stack = |copied: &Copied| copied.process == process && copied.stack.ends_with(&stack);
    let seen = seen_until(&mut cpus, |seen| seen.switches.iter().any(has_stack));
    assert!(read(&seen.switches).all(|copied| (copied.process, copied.port) == (process, 0)));

    own.runs(0, port);
    let has_port = |copied: &Copied| copied.port == port && copied.status.has(Status::HAS_PORT);
    seen_until(&mut cpus, |seen| seen.switches.iter().any(has_port));

    own.runs(0, 0);
    seen_until(&mut cpus, |_| true);
    let seen = seen_until(&mut cpus, is_idle);
    assert_eq!(read(&seen.switches).count(), 0);

    // Its process and port are not known: such a sample is not dropped.
    let unreadable = ThreadFacts {
        scheduler: 0x1000,
        ..own.facts()
    };
    let added = engine.add_thread(own_thread(), unreadable);
    added.expect("a thread");
    let is_unknown = |copied: &Copied| copied.status.has(Status::NO_SCHEDULER);
    seen_until(&mut cpus, |seen| seen.switches.iter().any(is_unknown));

    for on_cpu in &mut cpus {
        on_cpu.end(&mut Seen::default());
    }
    assert_eq!(engine.dropped(), (0, true));
}

/// Each third of a CPU is kept, and the first of it: the others have neither a sample, nor a copy, nor a number.
#[test]
fn of_blocks_that_are_thinned_out_each_nth_is_sampled_and_the_others_are_counted() {
    let own = OwnScheduler::new();
    let cpus = std::thread::available_parallelism().expect("a number of CPUs");
    let cpus: Vec<u32> = (0..cpus.get() as u32).collect();
    let own_stack = StackPointer::Exact(SavedRegister::STACK_POINTER);
    let (pid, offsets) = (std::process::id(), offsets(own_stack));
    let mut engine = BpfEngine::load(pid, &offsets, &cpus, &TRIGGERS).expect("accepted");
    let added = engine.add_thread(own_thread(), own.facts());
    let inner = added.expect("a thread").expect("it is there");
    assert_eq!(engine.left_out_at(inner), None);
    own.runs(address(&own.process), 0);
    engine.keep_each(Trigger::SwitchOut, 3).expect("set");
    let rings = cpus.iter().zip(engine.take_rings());
    let mut cpus: Vec<OnCpu> = rings
        .map(|(cpu, copies)| OnCpu::new(&engine, *cpu, copies))
        .collect();

    // Of how many CPUs it is, the kernel decides.
    let most_in_progress = 2 * cpus.len();
    let mut seen = seen_until(&mut cpus, |seen| {
        engine.left_out(Trigger::SwitchOut) > 2 * most_in_progress as u64 && seen.ticks > 0
    });
    for on_cpu in &mut cpus {
        on_cpu.end(&mut seen);
    }
    let (kept, left_out) = (
        seen.switches.len(),
        engine.left_out(Trigger::SwitchOut) as usize,
    );
    assert!(left_out <= 2 * kept, "{left_out} for {kept}");
    assert!(
        left_out + most_in_progress >= 2 * kept,
        "{left_out} for {kept}"
    );
    assert_eq!(engine.dropped(), (0, true));
    // When it was: after the thread had come to its CPU, and before it left it.
    assert_eq!(engine.left_out_at(inner.wrapping_add(1)), None);
    let at_ns = engine.left_out_at(inner).expect("of the last one");
    seen.ways.sort_by_key(|(time_ns, _)| *time_ns);
    let leaves = |(time_ns, way): &(u64, Way)| *time_ns >= at_ns && *way != Way::In;
    let left = seen.ways.iter().position(leaves).expect("it left its CPU");
    let before = seen.ways[..left].last().expect("it came to its CPU");
    assert!(before.1 == Way::In && before.0 <= at_ns, "{before:?}");
}

/// Touches some memory for the first time: it is not given back, or it would be used again. Its faults have room in the
/// rings.
fn touch_memory() {
    std::hint::black_box(vec![1u8; 128 << 10].leak());
}

#[test]
fn touched_memory_is_a_page_fault_and_each_nth_is_sampled_where_they_are_thinned_out() {
    let own = OwnScheduler::new();
    let cpus = std::thread::available_parallelism().expect("a number of CPUs");
    let cpus: Vec<u32> = (0..cpus.get() as u32).collect();
    let own_stack = StackPointer::Exact(SavedRegister::STACK_POINTER);
    let (pid, offsets) = (std::process::id(), offsets(own_stack));
    let mut engine = BpfEngine::load(pid, &offsets, &cpus, &TRIGGERS).expect("accepted");
    let added = engine.add_thread(own_thread(), own.facts());
    assert!(added.expect("a thread").is_some());
    let process = address(&own.process);
    own.runs(process, 0);
    let rings = cpus.iter().zip(engine.take_rings());
    let mut cpus: Vec<OnCpu> = rings
        .map(|(cpu, copies)| OnCpu::new(&engine, *cpu, copies))
        .collect();

    let stack: Vec<u8> = OwnScheduler::STACK.map(u64::to_le_bytes).concat();
    let has_stack = |copied: &Copied| copied.process == process && copied.stack.ends_with(&stack);
    seen_until(&mut cpus, |seen| {
        touch_memory();
        seen.faults.iter().any(has_stack)
    });
    assert_eq!(engine.left_out(Trigger::PageFault), 0);

    // None in between is of both kinds.
    for on_cpu in &mut cpus {
        on_cpu.faults.disable().expect("disabled");
        on_cpu.look(&mut Seen::default());
    }
    engine.keep_each(Trigger::PageFault, 3).expect("set");
    for on_cpu in &cpus {
        on_cpu.faults.enable().expect("enabled");
    }
    let most_in_progress = 2 * cpus.len();
    let mut seen = seen_until(&mut cpus, |_| {
        touch_memory();
        engine.left_out(Trigger::PageFault) > 2 * most_in_progress as u64
    });
    for on_cpu in &mut cpus {
        on_cpu.end(&mut seen);
    }
    let left_out = engine.left_out(Trigger::PageFault) as usize;
    let kept = seen.faults.len();
    assert!(left_out <= 2 * kept, "{left_out} for {kept}");
    assert!(
        left_out + most_in_progress >= 2 * kept,
        "{left_out} for {kept}"
    );
    assert_eq!(engine.left_out(Trigger::SwitchOut), 0);
}
