//! Processes that end: made of the recorded samples of one whose stack is still there.

#![allow(clippy::unwrap_used)]

use crate::replaying::{Recorded, attach_recorded, read_corpus, resolver_of};
use recorder::read::raw_sample::{RawSampleRef, ReadFlags};
use recorder::resolve::Resolver;
use target_memory::{SnapshotMemory, TargetMemory};
use vm_layout::Flavor;
use vm_tables::processes::initial_call;

/// Frames, innermost first, and how they are known.
fn shown<M: TargetMemory>(
    resolver: &mut Resolver<M>,
    sample: &RawSampleRef<'_>,
) -> (Vec<String>, &'static str) {
    resolver.resolve(sample);
    let frames = resolver.last_stack().map(|(_, name, _)| name.to_owned());
    (frames.collect(), resolver.last_trust().as_str())
}

/// One that has seen no sample.
fn resolver(recorded: &Recorded) -> Resolver<SnapshotMemory> {
    let snapshot = &recorded.snapshot;
    let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
    let mut resolver = resolver_of(vm, &snapshot.threads);
    resolver.refresh_code().unwrap();
    resolver
}

fn samples(recorded: &Recorded) -> Vec<RawSampleRef<'_>> {
    let samples = recorded.situations.iter().flat_map(|s| &s.samples);
    let decoded = samples.filter_map(|sample| RawSampleRef::decode(&sample.words));
    decoded.map(|(sample, _)| sample).collect()
}

/// Samples of processes that continue to end, with a stack.
fn ends(recorded: &Recorded) -> Vec<RawSampleRef<'_>> {
    let samples = recorded.situations.iter().flat_map(|s| &s.samples);
    let continued = samples.filter(|sample| {
        let mut frames = sample.golden.frames.iter();
        frames.any(|frame| frame.contains("erts_beamasm:continue_exit/0:"))
    });
    let decoded = continued.filter_map(|sample| RawSampleRef::decode(&sample.words));
    decoded.map(|(sample, _)| sample).collect()
}

/// The first initial call in the recorded structs that names a function, as the VM spells it, and its words.
fn some_call(resolver: &mut Resolver<SnapshotMemory>, recorded: &Recorded) -> (String, Vec<u64>) {
    let vm = &mut resolver.vm;
    let layout = vm.layout.process;
    let first = layout.initial_call / 8;
    let mut samples = samples(recorded).into_iter();
    let found = samples.find_map(|sample| {
        let words = sample.process.iter();
        let bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        let name = initial_call(&vm.memory, &mut vm.atoms, &layout, &bytes)?;
        Some((name, sample.process[first..first + 3].to_vec()))
    });
    found.unwrap()
}

#[test]
fn a_process_that_ends_without_a_stack_shows_its_first_function_if_that_was_seen() {
    let mut ended = 0;
    for recorded in read_corpus().unwrap() {
        for sample in ends(&recorded) {
            ended += 1;
            let mut seen = resolver(&recorded);
            let layout = seen.vm.layout.process;
            // It has returned: nothing is on its stack.
            let mut process = sample.process.to_vec();
            process[layout.stop / 8] = process[layout.hend / 8];
            let returned = RawSampleRef {
                process: &process,
                ..sample
            };
            let (frames, trust) = shown(&mut resolver(&recorded), &returned);
            let end = frames.last().unwrap().as_str();
            assert_eq!((end, trust), ("[exiting]", "validated"));

            // The same after a sample from before its end: then its struct has a module.
            let (name, call) = some_call(&mut seen, &recorded);
            let mut process = sample.process.to_vec();
            let first = layout.initial_call / 8;
            process[first..first + 3].copy_from_slice(&call);
            let before = RawSampleRef {
                process: &process,
                ..sample
            };
            let (frames, trust) = shown(&mut seen, &before);
            assert_eq!(trust, "validated", "{frames:?}");
            let (frames, trust) = shown(&mut seen, &returned);
            assert_eq!(trust, "validated");
            assert_eq!(frames[frames.len() - 2..], ["[exiting]", &*name]);
        }
    }
    assert!(ended > 0);
}

#[test]
fn a_stack_of_a_process_that_ends_is_in_doubt_where_it_was_not_read() {
    let mut ended = 0;
    for recorded in read_corpus().unwrap() {
        for sample in ends(&recorded) {
            ended += 1;
            let unread = RawSampleRef {
                erlang: &[],
                ..sample
            };
            let (frames, trust) = shown(&mut resolver(&recorded), &unread);
            let end = frames.last().unwrap().as_str();
            assert_eq!((end, trust), ("[unproven]", "unproven"));
        }
    }
    assert!(ended > 0);
}

#[test]
fn what_frees_a_process_that_has_ended_is_not_work_of_the_scheduler() {
    let mut ended = 0;
    for recorded in read_corpus().unwrap() {
        for sample in ends(&recorded) {
            let mut fresh = resolver(&recorded);
            if !matches!(fresh.vm.flavor, Flavor::Jit(_)) {
                continue;
            }
            ended += 1;
            // Its scheduler has let go of it; the C functions return to where it continued to end all the same.
            let freed = RawSampleRef {
                flags: ReadFlags(sample.flags.0 | ReadFlags::COPIED),
                current_process: 0,
                current_port: 0,
                process: &[],
                erlang: &[],
                ..sample
            };
            let (frames, trust) = shown(&mut fresh, &freed);
            let end = frames.last().unwrap().as_str();
            assert_eq!((end, trust), ("erts_beamasm:continue_exit/0", "captured"));
            let counted = fresh.tally.record();
            assert_eq!(counted.native_in_process.complete, 1);
            assert_eq!((counted.scheduler, counted.scheduler_unnamed), (0, 0));

            // Read late: the scheduler may have let go of it after the sample, and its stack is not known.
            let late = RawSampleRef {
                flags: ReadFlags(sample.flags.0 & !ReadFlags::COPIED),
                ..freed
            };
            let (frames, trust) = shown(&mut fresh, &late);
            let end = frames.last().unwrap().as_str();
            assert_eq!((end, trust), ("[unproven]", "unproven"));
        }
    }
    assert!(ended > 0);
}
