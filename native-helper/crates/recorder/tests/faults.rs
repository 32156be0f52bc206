//! What can go wrong while a VM is read: it moves on between two reads, its memory goes away,
//! the kernel refuses. Whatever happens, a stack is the true one, or parts of it with a marker
//! where something is missing.

#![allow(clippy::unwrap_used)]

mod replaying;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::LazyLock;

use corpus::{ExpectedStack, Situation, SituationSample};
use perf_ring::{REGISTER_COUNT, SampleRecord};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use recorder::read::batch::{BatchCell, RawBatch};
use recorder::read::late_read::{REGISTER_BLOCK_BYTES, Scratch};
use recorder::read::plan::{ReadPlan, ThreadRole};
use recorder::read::raw_sample::{RawSampleRef, kernel_register};
use recorder::read::reader::read_sample;
use recorder::resolve::Resolver;
use replaying::truth::{is_compatible, without_c, without_own_functions};
use replaying::worlds::{Failing, World, Worlds};
use replaying::{Recorded, attach_recorded, read_corpus, resolve, resolver_of};
use target_memory::{ReadErrorKind, SnapshotMemory, TargetMemory};
use vm_tables::schedulers::{SchedulerKind, scheduler_of_thread_name};

static CORPUS: LazyLock<Vec<Recorded>> = LazyLock::new(|| read_corpus().unwrap());

/// Long after its sample, but not so long that a read is refused for it.
const SKID_NS: u64 = 50_000;
/// Samples lie so far apart that none is held for the one before another.
const APART_NS: u64 = 10_000_000_000;

fn kinds() -> impl Strategy<Value = ReadErrorKind> {
    prop_oneof![
        Just(ReadErrorKind::Unmapped),
        Just(ReadErrorKind::Short),
        Just(ReadErrorKind::Denied),
        Just(ReadErrorKind::Gone),
        Just(ReadErrorKind::Os(12)),
    ]
}

/// What the VM does while it is read.
#[derive(Debug, Clone)]
enum Happening {
    Nothing,
    /// It goes on to what it did in another sample.
    MovesOn(prop::sample::Index),
    /// The collector moves heap and stack by so many words.
    StackMoves(u64),
    /// The process ends and another one has its place.
    Recycled(u64),
    /// The scheduler puts the process aside.
    PutAside,
    /// The process returns and calls something else, with another's frames in the same place.
    CallsOther(prop::sample::Index),
    /// Its stack is overwritten.
    Overwritten(u64),
}

fn happenings() -> impl Strategy<Value = Happening> {
    prop_oneof![
        1 => Just(Happening::Nothing),
        4 => any::<prop::sample::Index>().prop_map(Happening::MovesOn),
        2 => (1u64..4096).prop_map(Happening::StackMoves),
        2 => any::<u64>().prop_map(Happening::Recycled),
        1 => Just(Happening::PutAside),
        4 => any::<prop::sample::Index>().prop_map(Happening::CallsOther),
        2 => any::<u64>().prop_map(Happening::Overwritten),
    ]
}

/// The VM of one snapshot with a resolver that is used for many samples.
struct Replayed {
    samples: Vec<&'static SituationSample>,
    roles: HashMap<u32, (u64, u64)>,
    resolver: RefCell<Resolver<SnapshotMemory>>,
    clock: Cell<u64>,
}

impl Replayed {
    fn new(recorded: &'static Recorded) -> Self {
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

    /// Reads a sample from memory in which something happens, and resolves it.
    ///
    /// A reader that takes the CPU from the thread in the interrupt of the sample finds the VM as it
    /// was then; one that finds it changed at its first read did not.
    fn read_and_resolve(&self, sample: &RawSampleRef<'_>, worlds: &Worlds) -> ExpectedStack {
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
            layout: *resolver.vm.layout,
            normal_exit: resolver.vm.code.normal_exit,
            jit: resolver.vm.objects.jit.clone(),
            stack_register: resolver
                .vm
                .interpreter
                .map(|interpreter| kernel_register(interpreter.registers.stack)),
            roles: HashMap::from([(sample.tid, role)]),
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
        // The reader looked at today's clock; what is tested is not lateness.
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

/// The memory after something has happened.
fn happen(world: &mut World, other: impl Fn(&prop::sample::Index) -> World, what: &Happening) {
    let fields = world.layout.process;
    if !matches!(what, Happening::Nothing) {
        // What runs writes its X registers at nearly every step.
        world.x_register ^= 1;
    }
    match what {
        Happening::Nothing => {}
        Happening::MovesOn(index) => {
            let other = other(index);
            let (scheduler, registers) = (world.scheduler, world.registers);
            *world = World {
                scheduler,
                registers,
                ..other
            };
        }
        Happening::StackMoves(words) => {
            for offset in [fields.heap, fields.hend, fields.htop, fields.stop] {
                if let Some(word) = world.process_word(offset) {
                    *word = word.wrapping_add(words * 8);
                }
            }
            world.erlang_at = world.erlang_at.wrapping_add(words * 8);
            world
                .stack
                .iter_mut()
                .take(4)
                .for_each(|word| *word = word.wrapping_add(words * 8));
        }
        Happening::Recycled(seed) => {
            for (index, word) in world.process.iter_mut().enumerate() {
                *word = word.rotate_left((seed % 64) as u32) ^ seed.wrapping_mul(index as u64 + 1);
            }
        }
        Happening::PutAside => (world.current_process, world.call_slot) = (0, 0),
        Happening::CallsOther(index) => {
            // Only the words of the stack, its bounds and the process stay as they are: the C
            // stack and the reductions tell, as they do in a VM that has run on.
            let other = other(index);
            let len = world.erlang.len();
            let frames = other
                .erlang
                .iter()
                .rev()
                .chain(std::iter::repeat(&0x3b))
                .take(len);
            world.erlang = frames
                .copied()
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            world.stack.iter_mut().for_each(|word| *word ^= 0x10);
            if let Some(word) = world.process_word(fields.fcalls) {
                *word = word.wrapping_sub(3);
            }
        }
        Happening::Overwritten(seed) => {
            let step = seed % 7 + 1;
            for (index, word) in world.erlang.iter_mut().enumerate() {
                if (index as u64).is_multiple_of(step) {
                    *word = seed.wrapping_mul(index as u64 | 1);
                }
            }
            world.stack.iter_mut().for_each(|word| *word ^= 0x10);
            if let Some(word) = world.process_word(fields.fcalls) {
                *word = word.wrapping_sub(1);
            }
        }
    }
}

/// What the proof takes for granted is that this does not happen within a millisecond: a thread has
/// run on and comes back to the same C stack and X registers, word for word, for another Erlang
/// stack. (Of a dirty scheduler's C stack only the lower half counts.)
fn shows_nothing(before: &World, after: &World) -> bool {
    let (from, end) = match before.registers {
        0 => (before.stack.len() / 2, u64::MAX),
        registers if registers < before.stack_at => (0, u64::MAX),
        registers => (0, registers + REGISTER_BLOCK_BYTES),
    };
    let after = after.memory();
    let sampled = (before.stack_at..).step_by(8).zip(&before.stack).skip(from);
    sampled
        .take_while(|(address, _)| *address < end)
        .all(|(address, word)| after.read_u64(address).is_ok_and(|now| now == *word))
}

#[test]
fn a_vm_that_moves_on_while_it_is_read_gives_no_wrong_frame() {
    for recorded in CORPUS.iter() {
        let release = &recorded.snapshot.release;
        let replayed = Replayed::new(recorded);
        let layout = *replayed.resolver.borrow().vm.layout;
        let world = |sample: &SituationSample| {
            let (raw, _) = RawSampleRef::decode(&sample.words).unwrap();
            World::of(layout, replayed.roles[&raw.tid], &raw)
        };
        let on_schedulers: Vec<&SituationSample> = replayed
            .samples
            .iter()
            .filter(|sample| replayed.roles.contains_key(&(sample.words[2] as u32)))
            .copied()
            .collect();
        let counts = RefCell::new([0u32; 2]);
        let strategy = (
            any::<prop::sample::Index>(),
            happenings(),
            0u32..12,
            prop::option::weighted(0.3, (0u32..10, kinds(), any::<bool>())),
        );
        let mut runner = TestRunner::new(Config {
            cases: 600,
            failure_persistence: None,
            ..Config::default()
        });
        runner
            .run(&strategy, |(index, happening, switch_at, failing)| {
                let sample = *index.get::<&SituationSample>(&on_schedulers);
                let (raw, _) = RawSampleRef::decode(&sample.words).unwrap();
                let before = world(sample);
                let mut after = world(sample);
                happen(
                    &mut after,
                    |index| world(index.get::<&SituationSample>(&on_schedulers)),
                    &happening,
                );
                if after.erlang != before.erlang && shows_nothing(&before, &after) {
                    after.stack.iter_mut().for_each(|word| *word ^= 0x10);
                }
                let worlds = Worlds {
                    before: before.memory(),
                    after: after.memory(),
                    switch_at,
                    failing,
                    reads: Cell::new(0),
                };
                let shown = replayed.read_and_resolve(&raw, &worlds);
                counts.borrow_mut()[usize::from(shown.frames == sample.expected.frames)] += 1;
                prop_assert!(
                    is_compatible(&shown, &sample.expected),
                    "OTP {release}: shown {shown:#?}\ntrue {:#?}",
                    sample.expected
                );
                Ok(())
            })
            .unwrap();
        let [in_part, whole] = *counts.borrow();
        assert!(
            whole > 60 && in_part > 60,
            "OTP {release}: whole {whole}, in part {in_part}"
        );
    }
}

#[test]
fn the_readers_own_path_gives_what_was_recorded_when_nothing_happens() {
    for recorded in CORPUS.iter() {
        let replayed = Replayed::new(recorded);
        let layout = *replayed.resolver.borrow().vm.layout;
        let (mut same, mut all) = (0, 0);
        for sample in &replayed.samples {
            let (raw, _) = RawSampleRef::decode(&sample.words).unwrap();
            let Some(role) = replayed.roles.get(&raw.tid) else {
                continue;
            };
            let world = World::of(layout, *role, &raw);
            let worlds = Worlds {
                before: world.memory(),
                after: world.memory(),
                switch_at: u32::MAX,
                failing: None,
                reads: Cell::new(0),
            };
            let shown = replayed.read_and_resolve(&raw, &worlds);
            assert!(
                is_compatible(&shown, &sample.expected),
                "{shown:#?}\ntrue {:#?}",
                sample.expected
            );
            all += 1;
            same += usize::from(shown == sample.expected);
        }
        assert!(
            all > 50 && same * 10 > all * 8,
            "OTP {}: {same} of {all}",
            recorded.snapshot.release
        );
    }
}

#[test]
fn reads_that_fail_during_attach_or_later_give_no_wrong_frame() {
    for recorded in CORPUS.iter() {
        let snapshot = &recorded.snapshot;
        let counting = Failing::new(snapshot.memory(), u32::MAX, 0, ReadErrorKind::Short);
        let reads = attach_recorded(snapshot, counting)
            .unwrap()
            .memory
            .reads
            .get();
        let strategy = (
            0..reads * 2,
            prop_oneof![Just(0u32), Just(1), 2u32..50],
            kinds(),
        );
        let mut runner = TestRunner::new(Config {
            cases: 24,
            failure_persistence: None,
            ..Config::default()
        });
        runner
            .run(&strategy, |(from, every, kind)| {
                let memory = Failing::new(snapshot.memory(), from, every, kind);
                let Ok(vm) = attach_recorded(snapshot, memory) else {
                    return Ok(());
                };
                judge_all(recorded, vm)
            })
            .unwrap();
    }
}

#[test]
fn code_that_cannot_be_read_any_more_gives_no_wrong_frame() {
    for recorded in CORPUS.iter() {
        let snapshot = &recorded.snapshot;
        let strategy = (0u32..200, prop_oneof![Just(1u32), 2u32..12], kinds());
        let mut runner = TestRunner::new(Config {
            cases: 12,
            failure_persistence: None,
            ..Config::default()
        });
        runner
            .run(&strategy, |(after, every, kind)| {
                let memory = Failing::new(snapshot.memory(), u32::MAX, 0, kind);
                let vm = attach_recorded(snapshot, memory).unwrap();
                // From here on: what the resolver reads of code, names and the list of code.
                vm.memory.from.set(vm.memory.reads.get() + after);
                vm.memory.every.set(every);
                judge_all(recorded, vm)
            })
            .unwrap();
    }
}

/// Resolves every sample of a VM and holds it against the truth.
fn judge_all<M: TargetMemory>(
    recorded: &'static Recorded,
    vm: attach::AttachedVm<M>,
) -> Result<(), TestCaseError> {
    let release = &recorded.snapshot.release;
    let is_interpreter = vm.interpreter.is_some();
    let mut resolver = resolver_of(vm, &recorded.snapshot.threads);
    for (number, sample) in recorded
        .situations
        .iter()
        .flat_map(|s| &s.samples)
        .enumerate()
    {
        if number % 8 == 0 {
            let _ = resolver.refresh_code();
        }
        let Some(shown) = resolve(&mut resolver, &sample.words) else {
            continue;
        };
        let judged = match is_interpreter {
            true => without_own_functions(shown.clone(), &sample.expected),
            false => shown.clone(),
        };
        prop_assert!(
            is_compatible(&without_c(&judged), &without_c(&sample.expected)),
            "OTP {release}: shown {shown:#?}\ntrue {:#?}",
            sample.expected
        );
    }
    Ok(())
}

#[test]
fn the_judge_knows_right_from_wrong() {
    let stack = |trust: &str, frames: &[&str]| ExpectedStack {
        trust: trust.into(),
        frames: frames.iter().map(ToString::to_string).collect(),
    };
    let truth = stack("validated", &["native c", "erlang a:1", "erlang b:2"]);
    let shown = |trust: &str, frames: &[&str]| is_compatible(&stack(trust, frames), &truth);
    let gap = "marker [unproven]:0";
    assert!(shown(
        "validated",
        &["native c", "erlang a:1", "erlang b:2"]
    ));
    assert!(shown("bracketed", &["native c", gap, "erlang b:2"]));
    assert!(shown("unproven", &["native c", gap]));
    assert!(shown("no_process", &["native c"]));
    assert!(!shown("validated", &["native c"]), "missing without a mark");
    assert!(!shown("validated", &["native c", "erlang b:2"]));
    assert!(!shown("bracketed", &["native c", gap, "erlang a:1"]));
    assert!(
        !shown(
            "bracketed",
            &["native c", "erlang a:1", gap, "erlang a:1", "erlang b:2"]
        ),
        "one twice"
    );
    let part = stack("unproven", &["native c", gap]);
    assert!(is_compatible(&truth, &part), "the truth is known in part");
    assert!(!is_compatible(&stack("validated", &["native d"]), &part));
}

#[test]
fn samples_without_meaning_are_resolved_to_something() {
    let recorded = &CORPUS[0];
    let replayed = Replayed::new(recorded);
    let mut runner = TestRunner::new(Config {
        cases: 300,
        failure_persistence: None,
        ..Config::default()
    });
    let strategy = (
        any::<prop::sample::Index>(),
        prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 0..40),
    );
    runner
        .run(&strategy, |(index, changes)| {
            let mut words = index.get(&replayed.samples).words.clone();
            for (place, word) in changes {
                // Not the lengths: those are the reader's own.
                let place = place.index(words.len());
                if !(10..13).contains(&place) {
                    words[place] = word;
                }
            }
            resolve(&mut replayed.resolver.borrow_mut(), &words);
            Ok(())
        })
        .unwrap();
}
