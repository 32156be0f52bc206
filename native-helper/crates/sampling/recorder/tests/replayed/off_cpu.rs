//! A recorded sample as one of a thread that is switched out: it has the same stack and process, and counts for no
//! processor time.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::replaying::{attach_recorded, read_corpus, resolver_of};
use capture::facts::{CaptureSettings, TargetFacts};
use capture::quality::QualityRecord;
use capture::reader::Capture;
use capture::sample::{OffCpuWhy, SampleClass};
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
