//! Samples that take the way of the readers once more: read from memory, queued, resolved.

#![allow(clippy::unwrap_used)]

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use corpus::{ShownStack, Situation, SituationSample};
use perf_ring::{EventId, REGISTER_COUNT, SampleRecord};
use recorder::read::batch::{BatchCell, RawBatch};
use recorder::read::late_read::Scratch;
use recorder::read::plan::{ReadPlan, StackPointer, ThreadRole};
use recorder::read::raw_sample::RawSampleRef;
use recorder::read::reader::read_sample;
use recorder::resolve::Resolver;
use target_memory::SnapshotMemory;
use vm_tables::schedulers::{SchedulerKind, scheduler_of_thread_name};

use super::worlds::{World, Worlds};
use super::{Recorded, attach_recorded, resolve, resolver_of};

/// Long after its sample, but not so long that a read is refused for it.
const SKID_NS: u64 = 50_000;
/// Samples lie so far apart that none is held for the one before another.
const APART_NS: u64 = 10_000_000_000;
/// Or so close to each other that a proven stack counts for the next sample of its process.
const CLOSE_NS: u64 = 10_000_000;

/// The VM of one snapshot with a resolver that is used for many samples.
pub struct Replayed {
    pub samples: Vec<&'static SituationSample>,
    /// ErtsSchedulerData and register block by thread.
    pub roles: HashMap<u32, (u64, u64)>,
    pub resolver: RefCell<Resolver<SnapshotMemory>>,
    clock: Cell<u64>,
}

impl Replayed {
    pub fn new(recorded: &'static Recorded) -> Self {
        let snapshot = &recorded.snapshot;
        let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
        let role = |name: &str| {
            let (kind, number) = scheduler_of_thread_name(name)?;
            let scheduler = vm
                .schedulers
                .iter()
                .find(|s| s.kind == kind && s.number == number)?;
            let registers = if kind == SchedulerKind::Normal {
                scheduler.registers
            } else {
                0
            };
            Some((scheduler.data, registers))
        };
        let threads = &snapshot.threads;
        Self {
            samples: samples_of(&recorded.situations),
            roles: threads
                .iter()
                .filter_map(|(tid, name)| Some((*tid, role(name)?)))
                .collect(),
            resolver: RefCell::new(resolver_of(vm, threads)),
            clock: Cell::new(APART_NS),
        }
    }

    /// The samples of schedulers.
    pub fn on_schedulers(&self) -> Vec<&'static SituationSample> {
        let on_scheduler =
            |sample: &&&SituationSample| self.roles.contains_key(&(sample.words[2] as u32));
        self.samples.iter().filter(on_scheduler).copied().collect()
    }

    /// The memory a sample of a scheduler was read from.
    pub fn world(&self, sample: &SituationSample) -> World {
        let (raw, _) = RawSampleRef::decode(&sample.words).unwrap();
        let layout = *self.resolver.borrow().vm.layout;
        World::of(layout, self.roles[&raw.tid], &raw)
    }

    /// Whether the stack of a sample that is resolved now may count as the one before the next: it
    /// is that of the sample itself, or one of another process, which proves nothing about it.
    pub fn may_precede(&self, earlier: &SituationSample, later: &SituationSample) -> bool {
        let process_of = |sample: &SituationSample| {
            let (raw, _) = RawSampleRef::decode(&sample.words).unwrap();
            raw.current_process
        };
        std::ptr::eq(earlier, later) || process_of(earlier) != process_of(later)
    }

    /// Reads and resolves a sample while nothing happens: its proven stack is then known of its
    /// process when the next one is read [`Replayed::close_after`] it.
    pub fn settle(&self, sample: &SituationSample) {
        let (raw, _) = RawSampleRef::decode(&sample.words).unwrap();
        self.read_and_resolve(&raw, &Worlds::still(&self.world(sample)));
    }

    /// Reads a sample from memory in which something happens, and resolves it: shortly after the one
    /// before.
    pub fn close_after(&self, sample: &RawSampleRef<'_>, worlds: &Worlds) -> ShownStack {
        self.clock.set(self.clock.get() - APART_NS + CLOSE_NS);
        self.read_and_resolve(sample, worlds)
    }

    /// Reads a sample from memory in which something happens, and resolves it.
    ///
    /// A reader that takes the CPU from the thread in the interrupt of the sample finds the VM as it
    /// was then; one that finds it changed at its first read did not.
    pub fn read_and_resolve(&self, sample: &RawSampleRef<'_>, worlds: &Worlds) -> ShownStack {
        let mut resolver = self.resolver.borrow_mut();
        let (data, registers) = self.roles[&sample.tid];
        let role = match registers {
            0 => ThreadRole::Dirty { data },
            _ => ThreadRole::Normal {
                data,
                registers,
                c_stack_low: registers - (1 << 20),
            },
        };
        let plan = ReadPlan {
            code_index: None,
            layout: *resolver.vm.layout,
            normal_exit: resolver.vm.code.normal_exit,
            runs_erlang: resolver.vm.runs_erlang().to_vec(),
            stack_pointer: StackPointer::of(&resolver.vm.flavor),
            roles: HashMap::from([(sample.tid, role)]),
            waiting: HashMap::new(),
            numbered_from_ns: HashMap::new(),
        };
        let mut user = [0; REGISTER_COUNT];
        user.iter_mut()
            .zip(sample.registers)
            .for_each(|(to, from)| *to = *from);
        let bytes = |words: &[u64]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let (chain, stack) = (bytes(sample.chain), bytes(sample.stack));
        let record = SampleRecord {
            id: EventId::default(),
            ip: sample.ip,
            tid: sample.tid,
            time_ns: self.clock.get(),
            cpu: sample.cpu,
            chain: &chain,
            registers: Some(user),
            stack: &stack,
        };
        self.clock.set(self.clock.get() + APART_NS);
        let (cell, mut batch) = (BatchCell::default(), RawBatch::default());
        let mut scratch = Scratch::default();
        scratch.realtime = worlds.switch_at > 0;
        read_sample(worlds, &plan, &mut scratch, &record, &cell);
        cell.swap(&mut batch);
        let mut words = Vec::new();
        batch.samples().for_each(|sample| sample.encode(&mut words));
        // The reader looked at today's clock; lateness is not under test.
        if words[1] != 0 {
            words[1] = words[0] + SKID_NS;
        }
        resolve(&mut resolver, &words).unwrap()
    }
}

fn samples_of(situations: &'static [Situation]) -> Vec<&'static SituationSample> {
    let all = situations.iter().flat_map(|situation| &situation.samples);
    // The readers' own path needs the registers of a scheduler.
    all.filter(|sample| sample.words[4] & 1 != 0).collect()
}
