//! Faults while a VM is read: it moves on between two reads, its memory disappears, the kernel
//! refuses. Whatever happens, a stack is the true one, or parts of it with a marker where something
//! is missing.

#![allow(clippy::unwrap_used)]

use std::cell::{Cell, RefCell};
use std::sync::{Arc, LazyLock};

use crate::replaying::interferences::{interfere, interferences, move_on, shows_nothing};
use crate::replaying::reader_path::Replayed;
use crate::replaying::truth::{is_compatible, without_c, without_own_functions};
use crate::replaying::worlds::{Failing, Worlds};
use crate::replaying::{
    Recorded, attach_recorded, night_or_day, read_corpus, resolve, resolver_of,
};
use corpus::{ShownStack, SituationSample};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use recorder::read::raw_sample::{RawSampleRef, ReadFlags};
use target_memory::{ReadErrorKind, SnapshotMemory, TargetMemory};
use vm_code::blob::ModuleCode;
use vm_layout::INTERPRETER;

static CORPUS: LazyLock<Vec<Recorded>> = LazyLock::new(|| read_corpus().unwrap());

/// One in so many reads is made to fail, alone: a prime, so that each kind of read is among them.
const READS_APART: usize = 41;
const READS_APART_BY_DAY: usize = 397;
/// One in so many of the pairs of samples by day.
const PAIRS_APART_BY_DAY: usize = 31;

fn kinds() -> impl Strategy<Value = ReadErrorKind> {
    prop_oneof![
        Just(ReadErrorKind::Unmapped),
        Just(ReadErrorKind::Short),
        Just(ReadErrorKind::Denied),
        Just(ReadErrorKind::Gone),
        Just(ReadErrorKind::Os(12)),
    ]
}

const DAYS_SEED: u64 = 40;

/// By day the cases are the same each time: few random ones would differ in which kinds come.
fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config {
        cases,
        failure_persistence: None,
        rng_seed: night_or_day(RngSeed::Random, RngSeed::Fixed(DAYS_SEED)),
        ..Config::default()
    })
}

fn judge(release: &str, shown: &ShownStack, truth: &ShownStack) -> Result<(), TestCaseError> {
    prop_assert!(
        is_compatible(shown, truth),
        "OTP {release}: shown {shown:#?}\ntrue {truth:#?}"
    );
    Ok(())
}

/// Stacks that are shown in part and those that are shown whole are each a tenth of the cases at least; by day, when
/// there are fewer, a twentieth.
fn assert_both_come(release: &str, [in_part, whole]: [u32; 2], cases: u32) {
    let least = cases / night_or_day(10, 20);
    assert!(
        whole > least && in_part > least,
        "OTP {release}: whole {whole}, in part {in_part}"
    );
}

#[test]
fn a_vm_that_moves_on_while_it_is_read_gives_no_wrong_frame() {
    for recorded in CORPUS.iter() {
        let release = &recorded.snapshot.release;
        let replayed = Replayed::new(recorded);
        let on_schedulers = replayed.on_schedulers();
        let counts = RefCell::new([0u32; 2]);
        let strategy = (
            any::<prop::sample::Index>(),
            any::<prop::sample::Index>(),
            interferences(),
            0u32..12,
            prop::option::weighted(0.3, (0u32..10, kinds(), any::<bool>())),
        );
        let cases = night_or_day(600, 30);
        runner(cases)
            .run(
                &strategy,
                |(index, earlier, interference, switch_at, failing)| {
                    let sample = *index.get::<&SituationSample>(&on_schedulers);
                    let (raw, _) = RawSampleRef::decode(&sample.words).unwrap();
                    let before = replayed.world(sample);
                    let mut after = replayed.world(sample);
                    interfere(
                        &mut after,
                        |index| replayed.world(index.get::<&SituationSample>(&on_schedulers)),
                        &interference,
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
                    let check = |shown: &ShownStack| judge(release, shown, &sample.golden);
                    let shown = replayed.read_and_resolve(&raw, &worlds);
                    counts.borrow_mut()[usize::from(shown.frames == sample.golden.frames)] += 1;
                    check(&shown)?;
                    // Once more with a stack that was proven shortly before: its own, and the one that is
                    // there afterwards.
                    let earlier = interference.other().unwrap_or(&earlier);
                    let earlier = earlier.get::<&SituationSample>(&on_schedulers);
                    for earlier in [sample, earlier] {
                        if replayed.may_precede(earlier, sample) {
                            replayed.settle(earlier);
                            worlds.reads.set(0);
                            check(&replayed.close_after(&raw, &worlds))?;
                        }
                    }
                    Ok(())
                },
            )
            .unwrap();
        assert_both_come(release, *counts.borrow(), cases);
    }
}

/// Of every sample: whatever else of the corpus its thread may have gone on to before the first read; by day a part of
/// that.
#[test]
fn a_vm_that_has_moved_on_before_it_is_read_gives_no_wrong_frame() {
    for recorded in CORPUS.iter() {
        let release = &recorded.snapshot.release;
        let replayed = Replayed::new(recorded);
        let all = replayed.on_schedulers();
        let (mut pairs, mut bracketed) = (0, 0);
        let apart = night_or_day(1, PAIRS_APART_BY_DAY);
        for (number, sample) in all.iter().enumerate() {
            let (raw, _) = RawSampleRef::decode(&sample.words).unwrap();
            // Those beside it, of the same situation, are states that its thread was in shortly before or after.
            let beside = all[number + 1..].iter().take(night_or_day(0, 2));
            let apart_from_it = all.iter().skip(number % apart).step_by(apart);
            for other in beside.chain(apart_from_it) {
                let before = replayed.world(sample);
                let mut after = replayed.world(sample);
                move_on(&mut after, replayed.world(other));
                if after.erlang == before.erlang || shows_nothing(&before, &after) {
                    continue;
                }
                pairs += 1;
                let worlds = Worlds {
                    before: before.memory(),
                    after: after.memory(),
                    switch_at: 0,
                    failing: None,
                    reads: Cell::new(0),
                };
                let check = |shown: &ShownStack| {
                    assert!(
                        is_compatible(shown, &sample.golden),
                        "OTP {release}: shown {shown:#?}\ntrue {:#?}",
                        sample.golden
                    );
                };
                check(&replayed.read_and_resolve(&raw, &worlds));
                // Once more with a stack that was proven shortly before: that of the thread's state
                // at the sample, or that of its state by now.
                for earlier in [sample, other] {
                    if replayed.may_precede(earlier, sample) {
                        replayed.settle(earlier);
                        worlds.reads.set(0);
                        let shown = replayed.close_after(&raw, &worlds);
                        bracketed += usize::from(shown.trust == "bracketed");
                        check(&shown);
                    }
                }
            }
        }
        assert!(pairs > 10_000 / apart, "OTP {release}: {pairs}");
        assert!(bracketed > 0, "OTP {release}: {bracketed} of {pairs}");
    }
}

fn shown_of(replayed: &Replayed, sample: &RawSampleRef<'_>) -> ShownStack {
    let mut words = Vec::new();
    sample.encode(&mut words);
    resolve(&mut replayed.resolver.borrow_mut(), &words).unwrap()
}

/// How many words of an outer end that is copied apart, whichever it begins with, show frames below the mark. Each of
/// these is one of the stack; a frame that begins before the first word is left out at most.
fn shown_outer_ends(
    replayed: &Replayed,
    raw: &RawSampleRef<'_>,
    stack: &[u64],
    golden: &ShownStack,
) -> usize {
    let top = raw.register(arch::sample::STACK_POINTER);
    let cut = RawSampleRef {
        flags: ReadFlags(raw.flags.0 | ReadFlags::COPIED | ReadFlags::STACK_CUT),
        stack: &stack[..1],
        erlang_top: top + 8,
        erlang: &stack[1..stack.len() - 1],
        ..*raw
    };
    // Longer than its copy: that is the reason, however much of it was copied.
    let shown = shown_of(replayed, &cut);
    assert_eq!(shown.frames.last().unwrap(), "marker [not copied]:0");
    assert!(is_compatible(&shown, golden), "{shown:#?}");
    let shows = |from: usize| {
        let ends = RawSampleRef {
            flags: ReadFlags(cut.flags.0 | ReadFlags::HAS_OUTER),
            erlang: &[],
            outer_at: top + 8 * from as u64,
            outer: &stack[from..],
            ..cut
        };
        let shown = shown_of(replayed, &ends);
        assert!(is_compatible(&shown, golden), "{shown:#?}");
        let mut frames = shown.frames.iter();
        frames.any(|frame| frame == "marker [not copied]:0") && frames.next().is_some()
    };
    (1..stack.len()).filter(|from| shows(*from)).count()
}

/// Of a sample in Erlang code `readv` reads the lower part of a long stack after the sample.
#[test]
fn the_part_of_a_stack_that_is_read_later_is_not_called_captured() {
    const SAMPLED_WORDS: usize = 2;
    for recorded in CORPUS.iter() {
        let release = &recorded.snapshot.release;
        let replayed = Replayed::new(recorded);
        let (mut checked, mut with_end) = (0, 0);
        for sample in &replayed.samples {
            let (raw, _) = RawSampleRef::decode(&sample.words).unwrap();
            let is_whole = sample.golden.trust == "captured"
                && !sample
                    .golden
                    .frames
                    .iter()
                    .any(|frame| frame.starts_with("marker"));
            let stack = raw.stack.split_at_checked(SAMPLED_WORDS);
            let Some((sampled, below)) = stack.filter(|_| is_whole) else {
                continue;
            };
            let is_bottom = |word: &&u64| **word == replayed.resolver.borrow().vm.code.normal_exit;
            let reaches_down = below.iter().any(|word| is_bottom(&word));
            if !raw.flags.has(ReadFlags::IN_ERLANG) || !raw.erlang.is_empty() || !reaches_down {
                continue;
            }
            let top = raw.register(arch::sample::STACK_POINTER);
            let read_after = |late_ns: u64| {
                let flags = (raw.flags.0 | ReadFlags::LATE_READ) & !ReadFlags::COPIED;
                let late = RawSampleRef {
                    flags: ReadFlags(flags),
                    read_done_ns: raw.time_ns + late_ns,
                    stack: sampled,
                    erlang_top: top + 8 * SAMPLED_WORDS as u64,
                    erlang: below,
                    ..raw
                };
                shown_of(&replayed, &late)
            };
            let soon = read_after(50_000);
            assert_eq!(soon.frames, sample.golden.frames, "OTP {release}");
            assert_eq!(soon.trust, "validated", "OTP {release}: {soon:#?}");
            let bottom = replayed.resolver.borrow().vm.code.normal_exit;
            let stack = raw.stack.split_inclusive(|word| *word == bottom);
            let stack = stack.into_iter().next().unwrap();
            with_end += shown_outer_ends(&replayed, &raw, stack, &sample.golden);
            // Too late to prove anything: only the sampled part is shown.
            let late = read_after(5_000_000);
            assert_eq!(late.trust, "captured");
            assert_eq!(late.frames.last().unwrap(), "marker [unproven]:0");
            assert!(is_compatible(&late, &sample.golden), "{late:#?}");
            checked += 1;
        }
        let is_interpreter = replayed.resolver.borrow().vm.flavor.kind() == INTERPRETER;
        assert!(
            checked > 0 && with_end > 0 || is_interpreter,
            "OTP {release}"
        );
    }
}

#[test]
fn the_readers_own_path_gives_what_was_recorded_when_nothing_happens() {
    for recorded in CORPUS.iter() {
        let replayed = Replayed::new(recorded);
        let (mut same, mut all) = (0, 0);
        for sample in replayed.on_schedulers() {
            let (raw, _) = RawSampleRef::decode(&sample.words).unwrap();
            let worlds = Worlds::still(&replayed.world(sample));
            let shown = replayed.read_and_resolve(&raw, &worlds);
            assert!(
                is_compatible(&shown, &sample.golden),
                "{shown:#?}\ntrue {:#?}",
                sample.golden
            );
            all += 1;
            same += usize::from(shown == sample.golden);
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
        runner(night_or_day(24, 6))
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

/// A module that is left out makes its frames be taken for others', one without its lines looks as if
/// it had none.
#[test]
fn a_read_that_fails_during_attach_leaves_no_module_and_no_line_out() {
    let modules_of = |vm: &attach::AttachedVm<Failing<SnapshotMemory>>| -> Vec<Arc<ModuleCode>> {
        vm.code.current().modules().cloned().collect()
    };
    for recorded in CORPUS.iter() {
        let (snapshot, memory) = (&recorded.snapshot, recorded.snapshot.memory());
        let release = &snapshot.release;
        let attach_failing_at = |read: u32| {
            let memory = Failing::new(memory.clone(), read, 0, ReadErrorKind::Unmapped);
            attach_recorded(snapshot, memory)
        };
        let vm = attach_failing_at(u32::MAX).unwrap();
        let (whole, reads) = (modules_of(&vm), vm.memory.reads.get());
        let mut attached = 0;
        let apart = night_or_day(READS_APART, READS_APART_BY_DAY);
        for read in (0..reads).step_by(apart) {
            let Ok(vm) = attach_failing_at(read) else {
                continue;
            };
            attached += 1;
            assert!(modules_of(&vm) == whole, "OTP {release}: read {read}");
        }
        assert!(
            attached > night_or_day(10, 2),
            "OTP {release}: {attached} of {reads}"
        );
    }
}

#[test]
fn code_that_cannot_be_read_any_more_gives_no_wrong_frame() {
    for recorded in CORPUS.iter() {
        let snapshot = &recorded.snapshot;
        let strategy = (0u32..200, prop_oneof![Just(1u32), 2u32..12], kinds());
        runner(night_or_day(12, 3))
            .run(&strategy, |(after, every, kind)| {
                let memory = Failing::new(snapshot.memory(), u32::MAX, 0, kind);
                let vm = attach_recorded(snapshot, memory).unwrap();
                // From here on: the resolver's reads of code, names and the list of code.
                vm.memory.from.set(vm.memory.reads.get() + after);
                vm.memory.every.set(every);
                judge_all(recorded, vm)
            })
            .unwrap();
    }
}

/// Resolves every sample of a VM and compares it with the truth.
fn judge_all<M: TargetMemory>(
    recorded: &'static Recorded,
    vm: attach::AttachedVm<M>,
) -> Result<(), TestCaseError> {
    let release = &recorded.snapshot.release;
    let is_interpreter = vm.flavor.kind() == INTERPRETER;
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
            true => without_own_functions(shown.clone(), &sample.golden),
            false => shown.clone(),
        };
        prop_assert!(
            is_compatible(&without_c(&judged), &without_c(&sample.golden)),
            "OTP {release}: shown {shown:#?}\ntrue {:#?}",
            sample.golden
        );
    }
    Ok(())
}

#[test]
fn the_judge_knows_right_from_wrong() {
    let stack = |trust: &str, frames: &[&str]| ShownStack {
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
