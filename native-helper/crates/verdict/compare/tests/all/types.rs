//! Sides compared by samples of another type than processor time.
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used)]

use capture::facts::{CaptureSettings, TargetFacts, WorkFacts};
use capture::faults::FaultsQuality;
use capture::off_cpu::OffCpuQuality;
use capture::quality::{QualityRecord, SamplingGaps};
use capture::reader::Capture;
use capture::sample::{FrameKind, FunctionFacts, SampleClass, SampleLabels, Trust};
use capture::sample_types::{FAULTS, OFF_CPU, TypeSet};
use capture::writer::CaptureWriter;
use compare::{Answer, Condition, Gate, Measure, NoteKind, Options, Reason, Refusal, compare};

use crate::named::side;

const MS: u64 = 1_000_000;

/// Two functions with the same time on processors, which were blocked for so long each time, and had a page fault for each
/// millisecond of it.
fn capture_of(blocks: [(&str, u64); 2]) -> Capture {
    capture_with(blocks, None, &QualityRecord::default())
}

/// The same, with these records of its work and of its quality.
fn capture_with(
    blocks: [(&str, u64); 2],
    work: Option<WorkFacts>,
    quality: &QualityRecord,
) -> Capture {
    let settings = CaptureSettings {
        frequency_hz: 100,
        ..CaptureSettings::default()
    };
    let types = TypeSet::CPU.with(&OFF_CPU).with(&FAULTS);
    let off_cpu = types.index(&OFF_CPU).unwrap();
    let faults = types.index(&FAULTS).unwrap();
    let mut writer = CaptureWriter::new(TargetFacts::default(), settings);
    writer.set_types(types);
    let labels = SampleLabels {
        thread_id: 1,
        thread_name: "1_scheduler".into(),
        scheduler: None,
        erlang_pid: None,
        process_name: None,
        class: SampleClass::Erlang,
        trust: Trust::Captured,
        off_cpu: None,
    };
    for (name, each_ns) in blocks {
        let function = writer.intern_function(&FunctionFacts {
            name: name.into(),
            raw_name: name.into(),
            kind: FrameKind::Erlang,
            file: "shop.erl".into(),
            head_line: 1,
            object: "[erlang]".into(),
        });
        let location = writer.intern_location(function, 1);
        for number in 0..100 {
            let time_ns = number * 100 * MS;
            writer.add_sample(time_ns, &labels, &[location], 1);
            writer.add_weighted(off_cpu, time_ns, &labels, &[location], 1, each_ns);
            writer.add_weighted(faults, time_ns, &labels, &[location], 1, each_ns / MS);
        }
    }
    if let Some(work) = work {
        writer.set_work(work);
    }
    let bytes = writer.take_increment(10_000 * MS, quality);
    Capture::from_bytes(&bytes).unwrap()
}

fn of_off_cpu(blocks: [(&str, u64); 2]) -> Capture {
    let mut capture = capture_of(blocks);
    capture.show("off-cpu").unwrap();
    capture
}

fn options(measure: Option<Measure>) -> Options {
    Options {
        measure,
        ..Options::default()
    }
}

#[test]
fn blocked_time_is_compared_by_its_length_and_not_by_the_number_of_blocks() {
    let base = of_off_cpu([("shop:a/1", 3 * MS), ("shop:b/1", MS)]);
    let new = of_off_cpu([("shop:a/1", MS), ("shop:b/1", MS)]);
    let (base, new) = (side("base", &base), side("new", &new));
    let comparison = compare(&base, &new, &options(None)).unwrap();
    assert_eq!(comparison.measure, Measure::Share);
    assert_eq!(comparison.unit, "% of the busy blocked time");
    assert!(comparison.whole.is_none(), "no processor time");
    let mut functions = comparison.functions.iter();
    let row = functions.find(|row| row.function == "shop:a/1");
    let change = &row.unwrap().itself;
    let rounded = [change.base, change.new].map(|share| share.round());
    assert_eq!(rounded, [75.0, 50.0]);
}

/// The answer of a gate on blocked time, and the values of a note of that kind.
fn judged(
    [base, new]: [&Capture; 2],
    condition: &str,
    kind: NoteKind,
) -> (Gate, Option<Vec<String>>) {
    let (base, new) = (side("base", base), side("new", new));
    let comparison = compare(&base, &new, &options(None)).unwrap();
    let condition: Condition = condition.parse().unwrap();
    let gate = condition.judge(&comparison, None).unwrap();
    let mut notes = comparison.notes.into_iter();
    let note = notes.find(|note| note.kind == kind);
    (gate, note.map(|note| note.values))
}

/// No gate had an answer, as if blocked time were compared by the unit of work.
#[test]
fn blocked_time_is_compared_by_shares_where_some_captures_counted_work() {
    let blocks = [("shop:a/1", 3 * MS), ("shop:b/1", MS)];
    let work = WorkFacts {
        name: "orders".into(),
        at_start: 100.0,
        start_unix_ms: 1_700_000_000_000,
        at_end: Some(300.0),
        end_unix_ms: 1_700_000_010_000,
        problem: String::new(),
    };
    let mut counted = capture_with(blocks, Some(work), &QualityRecord::default());
    // No copy of it.
    let silent = of_off_cpu([("shop:a/1", 3 * MS + 1_000), ("shop:b/1", MS)]);
    counted.show("off-cpu").unwrap();
    for sides in [[&counted, &silent], [&silent, &counted]] {
        let (gate, note) = judged(sides, "shop:a/1.self.slower>100%", NoteKind::WorkPartly);
        assert_eq!(gate.measure, Measure::Share);
        assert_eq!(gate.answer, Answer::DoesNotHold, "{}", gate.text());
        assert_eq!(note, None);
    }
}

/// Shares answered although one side lacked half of its blocked time, which may be of any function.
#[test]
fn a_side_that_lacks_blocks_is_named_and_no_side_to_judge_by() {
    const CONDITION: &str = "shop:a/1.self.slower>100%";
    // 200 blocks that take 400 ms.
    let recorded = OffCpuQuality {
        blocks: 200,
        whole: 200,
        blocked_ms: 400,
        ..OffCpuQuality::default()
    };
    let capture = |each_ns: u64, off_cpu: &OffCpuQuality, unwritten: u64| {
        let quality = QualityRecord {
            event: "cpu-clock".into(),
            off_cpu: Some(off_cpu.clone()),
            gaps: SamplingGaps {
                unwritten,
                ..SamplingGaps::default()
            },
            ..QualityRecord::default()
        };
        let blocks = [("shop:a/1", each_ns), ("shop:b/1", MS)];
        let mut capture = capture_with(blocks, None, &quality);
        capture.show("off-cpu").unwrap();
        capture
    };
    let all = capture(3 * MS, &recorded, 0);
    // The same captures on both sides would be copies.
    let other_ns = 3 * MS + 1_000;
    let of = |change: fn(&mut OffCpuQuality)| {
        let mut lacking = recorded.clone();
        change(&mut lacking);
        capture(other_ns, &lacking, 0)
    };
    let lacking_half = [
        of(|it| (it.lost, it.losses, it.unknown_ms) = (99, 1, 400)),
        of(|it| (it.left_out, it.idle_or_left_out_ms) = (100, 5_000)),
        capture(other_ns, &recorded, 200),
    ];
    for lacks in &lacking_half {
        for (sides, named) in [([&all, lacks], "new"), ([lacks, &all], "base")] {
            let (gate, values) = judged(sides, CONDITION, NoteKind::SamplesMissing);
            let values = values.unwrap();
            assert_eq!([&values[0], &values[1], &values[3]], [named, "50", "0"]);
            assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
            assert_eq!(gate.doubts[0].reason, Reason::UnlikeSides);
        }
        let (gate, values) = judged([lacks, lacks], CONDITION, NoteKind::SamplesMissing);
        assert_eq!(values, None, "{}", gate.text());
    }
    // Little of it is as if spread evenly.
    let little = of(|it| (it.losses, it.unknown_ms) = (1, 12));
    let (gate, values) = judged([&all, &little], CONDITION, NoteKind::SamplesMissing);
    assert_eq!(values.unwrap(), ["new", "3", "base", "0"]);
    assert_eq!(gate.answer, Answer::DoesNotHold, "{}", gate.text());
    let none_lacking = [
        // Schedulers that were idle while blocks were left out lack nothing.
        of(|it| it.idle_or_left_out_ms = 5_000),
        // Shorter ones were not requested.
        of(|it| (it.blocks, it.short_blocks, it.short_ms) = (900, 700, 400)),
    ];
    for whole in &none_lacking {
        let (gate, values) = judged([&all, whole], CONDITION, NoteKind::SamplesMissing);
        assert_eq!(values, None);
        assert_eq!(gate.answer, Answer::DoesNotHold, "{}", gate.text());
    }
}

#[test]
fn page_faults_are_compared_by_what_their_samples_stand_for() {
    let of_faults = |blocks| {
        let mut capture = capture_of(blocks);
        capture.show("faults").unwrap();
        capture
    };
    let base = of_faults([("shop:a/1", 3 * MS), ("shop:b/1", MS)]);
    let new = of_faults([("shop:a/1", MS), ("shop:b/1", MS)]);
    let (base, new) = (side("base", &base), side("new", &new));
    let comparison = compare(&base, &new, &options(None)).unwrap();
    assert_eq!(comparison.unit, "% of the busy page faults");
    let mut functions = comparison.functions.iter();
    let row = functions.find(|row| row.function == "shop:a/1");
    let change = &row.unwrap().itself;
    let rounded = [change.base, change.new].map(|share| share.round());
    assert_eq!(rounded, [75.0, 50.0]);
}

#[test]
fn a_side_that_lacks_page_faults_is_named_and_no_side_to_judge_by() {
    const CONDITION: &str = "shop:a/1.self.slower>100%";
    let capture = |each: u64, faults: FaultsQuality, unwritten: u64| {
        let quality = QualityRecord {
            event: "cpu-clock".into(),
            faults: Some(faults),
            gaps: SamplingGaps {
                unwritten,
                ..SamplingGaps::default()
            },
            ..QualityRecord::default()
        };
        let blocks = [("shop:a/1", 3 * each * MS), ("shop:b/1", each * MS)];
        let mut capture = capture_with(blocks, None, &quality);
        capture.show("faults").unwrap();
        capture
    };
    // A hundred samples of each of the two functions.
    let of = |each: u64, change: fn(&mut FaultsQuality), unwritten| {
        let mut faults = FaultsQuality {
            faults: 400 * each,
            samples: 200,
            whole: 200,
            ..FaultsQuality::default()
        };
        change(&mut faults);
        capture(each, faults, unwritten)
    };
    let all = of(1, |_| (), 0);
    for (lacks, pct) in [
        (of(10, |it| it.left_out = 2_000, 0), "50"),
        (of(10, |it| it.lost = 200, 0), "50"),
        (of(10, |_| (), 200), "50"),
        (of(10, |it| it.threads = 1, 0), "100"),
    ] {
        let (gate, values) = judged([&all, &lacks], CONDITION, NoteKind::SamplesMissing);
        let values = values.unwrap();
        assert_eq!([&values[0], &values[1], &values[3]], ["new", pct, "0"]);
        assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
        assert_eq!(gate.doubts[0].reason, Reason::UnlikeSides);
    }
    let (gate, values) = judged(
        [&all, &of(10, |_| (), 0)],
        CONDITION,
        NoteKind::SamplesMissing,
    );
    assert_eq!(values, None);
    assert_eq!(gate.answer, Answer::DoesNotHold, "{}", gate.text());
}

#[test]
fn samples_of_two_types_are_not_compared() {
    let blocks = [("shop:a/1", MS), ("shop:b/1", MS)];
    let (of_time, blocked) = (capture_of(blocks), of_off_cpu(blocks));
    let (base, new) = (side("base", &of_time), side("new", &blocked));
    let refused = compare(&base, &new, &options(None)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "base has samples of cpu and new of off-cpu, so no figure of the one compares with a figure of the other"
    );
    assert!(matches!(refused, Refusal::OtherType { .. }));
}

#[test]
fn only_shares_of_blocked_time_are_compared() {
    let base = of_off_cpu([("shop:a/1", 3 * MS), ("shop:b/1", MS)]);
    let new = of_off_cpu([("shop:a/1", MS), ("shop:b/1", MS)]);
    for measure in [Measure::Cpu, Measure::Work] {
        let (base, new) = (side("base", &base), side("new", &new));
        let refused = compare(&base, &new, &options(Some(measure))).unwrap_err();
        assert!(matches!(refused, Refusal::SharesAlone { .. }));
    }
}
