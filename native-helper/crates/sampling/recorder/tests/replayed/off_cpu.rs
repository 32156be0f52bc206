//! A recorded sample as one of a thread that is switched out: it has the same stack and process, and counts for no
//! processor time.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::replaying::{attach_recorded, read_corpus, resolver_of};
use capture::facts::{CaptureSettings, TargetFacts};
use capture::marks::Mark;
use capture::quality::QualityRecord;
use capture::reader::Capture;
use capture::sample::{OffCpuWhy, SampleClass, Trust};
use capture::sample_types::{CPU, OFF_CPU, TypeSet};
use capture::writer::CaptureWriter;
use recorder::read::raw_sample::{RawSampleRef, ReadFlags, SampleSource};

#[test]
fn a_sample_of_a_thread_that_is_switched_out_counts_for_its_block_alone() {
    let types = TypeSet::CPU.with(&OFF_CPU);
    let off_cpu = types.index(&OFF_CPU).unwrap();
    for recorded in read_corpus().unwrap() {
        let snapshot = &recorded.snapshot;
        let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
        let mut resolver = resolver_of(vm, &snapshot.threads);
        let mut writer = CaptureWriter::new(TargetFacts::default(), CaptureSettings::default());
        writer.set_types(types);
        resolver.table.writer = writer;
        resolver.refresh_code().unwrap();
        let samples = recorded.situations.iter().flat_map(|s| &s.samples);
        let mut blocks = 0;
        for (sample, _) in samples.filter_map(|sample| RawSampleRef::decode(&sample.words)) {
            let flags = sample.flags.0 | SampleSource::Switches.flags();
            let sample = RawSampleRef {
                flags: ReadFlags(flags),
                ..sample
            };
            let mut held = resolver.hold(&sample);
            held.labels.off_cpu = Some(OffCpuWhy::Blocked);
            resolver.add_held(off_cpu, sample.time_ns, &held, (1, 1_000));
            blocks += 1;
        }
        let idle = resolver.idle(1);
        resolver.add_held(off_cpu, 0, &idle, (1, 5));
        let quality = QualityRecord::default();
        let bytes = resolver.table.writer.take_increment(0, &quality);
        let mut capture = Capture::from_bytes(&bytes).unwrap();
        assert!(capture.samples_of(&CPU).is_empty());
        assert_eq!(resolver.tally.record().samples, 0);
        capture.show(OFF_CPU.id).unwrap();
        let rows = capture.samples();
        assert_eq!(rows.iter().map(|it| it.count).sum::<u64>(), blocks + 1);
        let value = rows.iter().map(|it| capture.amount(it)).sum::<u64>();
        assert_eq!(value, blocks * 1_000 + 5);
        let of_rows = || rows.iter().map(|it| capture.labels(it.labels));
        assert!(of_rows().any(|labels| labels.erlang_pid.is_some()));
        let idle: Vec<_> = of_rows()
            .filter(|labels| labels.off_cpu.is_none())
            .collect();
        let [idle] = idle[..] else {
            panic!("OTP {}: {idle:?}", snapshot.release);
        };
        assert_eq!(
            (idle.class, idle.erlang_pid),
            (Some(SampleClass::Idle), None)
        );
    }
}

#[test]
fn a_block_without_a_sample_is_work_of_which_nothing_else_is_known() {
    let types = TypeSet::of(&OFF_CPU);
    let off_cpu = types.index(&OFF_CPU).unwrap();
    for recorded in read_corpus().unwrap() {
        let snapshot = &recorded.snapshot;
        let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
        let mut resolver = resolver_of(vm, &snapshot.threads);
        let mut writer = CaptureWriter::new(TargetFacts::default(), CaptureSettings::default());
        writer.set_types(types);
        resolver.table.writer = writer;
        let mut left_out = resolver.left_out(7);
        assert!(!left_out.is_whole);
        left_out.labels.off_cpu = Some(OffCpuWhy::Preempted);
        resolver.add_held(off_cpu, 0, &left_out, (1, 30));
        let quality = QualityRecord::default();
        let bytes = resolver.table.writer.take_increment(0, &quality);
        let capture = Capture::from_bytes(&bytes).unwrap();
        let [row] = capture.samples_of(&OFF_CPU)[..] else {
            panic!("OTP {}: not one row", snapshot.release);
        };
        assert_eq!((row.count, row.value), (1, 30));
        let labels = capture.labels(row.labels);
        assert!(labels.is_busy());
        assert_eq!(labels.off_cpu, Some(OffCpuWhy::Preempted));
        assert_eq!(
            (labels.trust, labels.erlang_pid),
            (Some(Trust::Unproven), None)
        );
        let frames: Vec<_> = capture.frames(row.stack).collect();
        let [frame] = frames[..] else {
            panic!("OTP {}: {} frames", snapshot.release, frames.len());
        };
        let name = capture.function(frame.function).name;
        assert_eq!(name, Mark::LeftOut.name());
    }
}
