//! Long collections and calls: recorded samples that are taken a second time are of the same call, unless the process has
//! been scheduled since, or has called a function.

#![allow(clippy::unwrap_used)]

use crate::replaying::{attach_recorded, read_corpus, resolver_of};
use capture::pprof::Stay;
use capture::quality::QualityRecord;
use capture::reader::Capture;
use corpus::Snapshot;
use recorder::read::raw_sample::RawSampleRef;
use vm_layout::INTERPRETER;
use vm_layout::process_details::details_for;

const LATER_NS: u64 = 10_000_000;

/// What the second sample has otherwise than the first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    None,
    /// More reductions of the whole life.
    Reductions,
    /// Another process at the same address.
    Pid,
}

/// The stays of samples that are each taken twice.
fn stays_of_pairs(
    snapshot: &Snapshot,
    samples: &[RawSampleRef<'_>],
    change: Change,
) -> (Vec<Stay>, bool) {
    let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
    let process = vm.layout.process;
    let at = match change {
        Change::None => None,
        Change::Reductions => details_for(&process).map(|details| details.reductions / 8),
        Change::Pid => Some(process.id / 8),
    };
    let mut resolver = resolver_of(vm, &snapshot.threads);
    resolver.refresh_code().unwrap();
    for sample in samples {
        resolver.resolve(sample);
        let mut process = sample.process.to_vec();
        if let Some(word) = at.and_then(|at| process.get_mut(at)) {
            *word += 0x10;
        }
        resolver.resolve(&RawSampleRef {
            time_ns: sample.time_ns + LATER_NS,
            read_done_ns: sample.read_done_ns + LATER_NS,
            process: &process,
            ..*sample
        });
    }
    resolver.end_stays(None);
    let can_be_seen = resolver.stays_quality(99.0).is_some();
    let writer = &mut resolver.table.writer;
    let increment = writer.take_increment(1, &QualityRecord::default());
    let capture = Capture::from_bytes(&increment).unwrap();
    (capture.stays().to_vec(), can_be_seen)
}

#[test]
fn a_sample_that_comes_again_is_of_the_same_call_and_of_another_turn_it_is_not() {
    for recorded in read_corpus().unwrap() {
        let snapshot = &recorded.snapshot;
        let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
        let is_interpreter = vm.flavor.kind() == INTERPRETER;
        let samples = recorded.situations.iter().flat_map(|it| &it.samples);
        let samples = samples.filter_map(|sample| RawSampleRef::decode(&sample.words));
        let samples: Vec<RawSampleRef<'_>> = samples.map(|(sample, _)| sample).collect();
        let (stays, can_be_seen) = stays_of_pairs(snapshot, &samples, Change::None);
        assert_eq!(can_be_seen, !is_interpreter);
        assert_eq!(stays.is_empty(), is_interpreter, "{}", snapshot.release);
        for stay in &stays {
            assert!(stay.samples >= 2 && stay.lasts_us >= LATER_NS / 1000);
            assert!(stay.pid.starts_with('<') && !stay.scheduler.is_empty());
        }
        for change in [Change::Reductions, Change::Pid] {
            let (stays, _) = stays_of_pairs(snapshot, &samples, change);
            assert!(stays.is_empty(), "{}: {stays:?}", snapshot.release);
        }
    }
}
