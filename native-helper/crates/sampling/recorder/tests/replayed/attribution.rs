//! Every sample has a process, a port, a scheduler or a thread, or counts as not attributed: made of recorded samples, without
//! the facts that show whose they are.

#![allow(clippy::unwrap_used)]

use crate::replaying::{attach_recorded, read_corpus, resolver_of};
use capture::reader::{Capture, Sample};
use recorder::read::raw_sample::{RawSampleRef, ReadFlags};
use recorder::resolve::Resolver;
use target_memory::TargetMemory;

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Of {
    Process,
    Scheduler,
    Nothing,
}

fn counts<M: TargetMemory>(resolver: &Resolver<M>) -> [u64; 3] {
    let now = resolver.tally.record();
    let unattributed = now.no_process.unwrap().unattributed;
    [now.native_in_process.samples, now.scheduler, unattributed]
}

/// Resolves a sample in C code with these flags and this process, and nothing that shows the caller of the C function.
fn counted<M: TargetMemory>(
    resolver: &mut Resolver<M>,
    sample: RawSampleRef<'_>,
    flags: u64,
    current_process: u64,
) -> Vec<Of> {
    let before = counts(resolver);
    resolver.resolve(&RawSampleRef {
        flags: ReadFlags(ReadFlags::REGISTERS | flags),
        current_process,
        current_port: 0,
        process: &[],
        call_slot: 0,
        stack: &[],
        stack_rest: &[],
        ..sample
    });
    let all = [Of::Process, Of::Scheduler, Of::Nothing];
    let changes = all
        .into_iter()
        .zip(before.into_iter().zip(counts(resolver)));
    changes
        .filter(|(_, (before, now))| now - before == 1)
        .map(|(of, _)| of)
        .collect()
}

#[test]
fn the_parts_are_all_samples() {
    for recorded in read_corpus().unwrap() {
        let snapshot = &recorded.snapshot;
        let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
        let mut resolver = resolver_of(vm, &snapshot.threads);
        resolver.refresh_code().unwrap();
        let samples = recorded.situations.iter().flat_map(|s| &s.samples);
        let mut resolved = 0;
        for (sample, _) in samples.filter_map(|sample| RawSampleRef::decode(&sample.words)) {
            resolver.resolve(&sample);
            resolved += 1;
        }
        let all = resolver.tally.record();
        let in_process = all.erlang.samples + all.native_in_process.samples;
        let rest = all.no_process.unwrap();
        let others = all.scheduler + all.other + rest.port_tasks + rest.unattributed;
        assert_eq!(in_process + others, all.samples);
        assert_eq!(all.samples, resolved);
        assert!(all.scheduler_unnamed <= all.scheduler);
    }
}

#[test]
fn a_sample_of_no_known_process_is_counted_as_that() {
    for recorded in read_corpus().unwrap() {
        let snapshot = &recorded.snapshot;
        let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
        let mut resolver = resolver_of(vm, &snapshot.threads);
        resolver.refresh_code().unwrap();
        let samples = recorded.situations.iter().flat_map(|s| &s.samples);
        let samples: Vec<_> = samples
            .filter_map(|sample| RawSampleRef::decode(&sample.words))
            .map(|(sample, _)| sample)
            .collect();
        let in_c = |dirty| {
            let is_wanted = |sample: &&RawSampleRef<'_>| {
                let flags = sample.flags;
                flags.has(ReadFlags::REGISTERS)
                    && !flags.has(ReadFlags::IN_ERLANG)
                    && flags.has(ReadFlags::DIRTY) == dirty
                    && sample.current_process != 0
            };
            *samples.iter().find(is_wanted).unwrap()
        };
        let release = &snapshot.release;
        let (copied, read) = (ReadFlags::COPIED, ReadFlags::SCHEDULER_READ);
        let normal = in_c(false);
        for (flags, of) in [
            (ReadFlags::UNMATCHED, Of::Nothing),
            (0, Of::Nothing),
            (copied, Of::Scheduler),
            (read, Of::Scheduler),
        ] {
            let counted = counted(&mut resolver, normal, flags, 0);
            assert_eq!(counted, [of], "OTP {release}, flags {flags:#x}");
        }
        let of = counted(&mut resolver, normal, copied, normal.current_process);
        let is_right = of == [Of::Nothing] || of == [Of::Process];
        assert!(is_right, "OTP {release}: {of:?}");

        let (dirty, on_dirty) = (ReadFlags::DIRTY, in_c(true));
        for (flags, process, of) in [
            (ReadFlags::UNMATCHED, 0, Of::Nothing),
            (0, 0, Of::Nothing),
            (copied, 0, Of::Scheduler),
            (copied, on_dirty.current_process, Of::Process),
        ] {
            let counted = counted(&mut resolver, on_dirty, dirty | flags, process);
            assert_eq!(counted, [of], "OTP {release}, dirty, flags {flags:#x}");
        }
    }
}

#[test]
fn a_held_sample_has_what_a_resolved_one_writes_and_is_counted_nowhere() {
    for recorded in read_corpus().unwrap() {
        let snapshot = &recorded.snapshot;
        let [mut resolves, mut holds] = [(); 2].map(|()| {
            let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
            let mut resolver = resolver_of(vm, &snapshot.threads);
            resolver.refresh_code().unwrap();
            resolver
        });
        let samples = recorded.situations.iter().flat_map(|s| &s.samples);
        for (sample, _) in samples.filter_map(|sample| RawSampleRef::decode(&sample.words)) {
            resolves.resolve(&sample);
            let held = holds.hold(&sample);
            assert_eq!(holds.last_trust(), held.labels.trust);
            let writer = &mut holds.table.writer;
            writer.add_sample(sample.time_ns, &held.labels, &held.locations, 1);
        }
        let counted = holds.tally.record();
        assert_eq!((counted.samples, counted.frames), (0, 0));
        assert_eq!(
            written(resolves),
            written(holds),
            "OTP {}",
            snapshot.release
        );
    }
}

/// All samples of the capture, each as text.
fn written<M: TargetMemory>(mut resolver: Resolver<M>) -> Vec<String> {
    let quality = resolver.tally.record();
    let bytes = resolver.table.writer.take_increment(0, &quality);
    let capture = Capture::from_bytes(&bytes).unwrap();
    let text = |sample: &Sample| {
        let frames = capture.frames(sample.stack);
        let frames: Vec<_> = frames
            .map(|frame| (capture.function(frame.function).name, frame.line))
            .collect();
        let labels = capture.labels(sample.labels);
        format!(
            "{} {} {labels:?} {frames:?}",
            sample.bucket_ms, sample.count
        )
    };
    let mut texts: Vec<String> = capture.samples().iter().map(text).collect();
    texts.sort();
    texts
}
