//! Captures that count more than processor time.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::io::Read;

use capture::class_split::class_split;
use capture::export::firefox::write_firefox;
use capture::export::folded::{Places, write_folded};
use capture::export::html::write_html;
use capture::export::speedscope::write_speedscope;
use capture::facts::{QUALITY_COMMENT, SETTINGS_COMMENT, TARGET_COMMENT};
use capture::hot_lines::hot_lines;
use capture::interval::Intervals;
use capture::percent_of::PercentOf;
use capture::pprof::{Function, Label, Line, Location, Mapping, Profile, Sample, ValueType};
use capture::reader::{Capture, NoSuchType, ReadError};
use capture::sample::{FrameKind, FunctionFacts, OffCpuWhy, SampleClass, SampleLabels, Trust};
use capture::sample_types::{ALLOC, CPU, FAULTS, OFF_CPU, TypeSet};
use capture::top::{TopOptions, top};
use capture::writer::{CaptureWriter, LocationId};
use proptest::prelude::*;
use prost::Message;

use crate::synthetic;

/// Of 499 Hz.
const PERIOD_NS: i64 = 2_004_008;

fn function() -> FunctionFacts {
    FunctionFacts {
        name: "m:f/1".into(),
        raw_name: "m:f/1".into(),
        kind: FrameKind::Erlang,
        file: "m.erl".into(),
        head_line: 3,
        object: "[erlang]".into(),
    }
}

fn writer_of(types: TypeSet) -> (CaptureWriter, LocationId, SampleLabels) {
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    writer.set_types(types);
    let function = writer.intern_function(&function());
    let location = writer.intern_location(function, 5);
    let labels = synthetic::labels_of(SampleClass::Erlang, Trust::Captured);
    (writer, location, labels)
}

fn message_of(member: &[u8]) -> Vec<u8> {
    let mut message = Vec::new();
    flate2::read::GzDecoder::new(member)
        .read_to_end(&mut message)
        .unwrap();
    message
}

fn profile_of(writer: &mut CaptureWriter) -> Profile {
    let member = writer.take_increment(1, &synthetic::quality(3));
    Profile::decode(&message_of(&member)[..]).unwrap()
}

fn columns(profile: &Profile) -> Vec<[&str; 2]> {
    let text = |index: i64| profile.string_table[index as usize].as_str();
    let types = profile.sample_type.iter();
    types.map(|it| [text(it.r#type), text(it.unit)]).collect()
}

#[test]
fn each_row_has_the_values_of_one_type() {
    let types = TypeSet::CPU.with(&OFF_CPU);
    let off_cpu = types.index(&OFF_CPU).unwrap();
    let (mut writer, location, labels) = writer_of(types);
    let stack = [location];
    writer.add_sample(1, &labels, &stack, 1);
    writer.add_weighted(off_cpu, 1, &labels, &stack, 1, 700);
    writer.add_sample(2, &labels, &stack, 1);
    // A block goes on: no further one, but more time.
    writer.add_weighted(off_cpu, 2, &labels, &stack, 0, 90);
    assert_eq!(writer.pending_samples(), 2);
    assert_eq!(
        (writer.sampled_ns(), writer.busy_ns()),
        (2 * PERIOD_NS as u64, 2 * PERIOD_NS as u64),
        "of processor time alone"
    );

    let profile = profile_of(&mut writer);
    assert_eq!(
        columns(&profile),
        [CPU.count, CPU.value, OFF_CPU.count, OFF_CPU.value]
    );
    let rows: Vec<_> = profile.sample.iter().map(|it| it.value.clone()).collect();
    assert_eq!(rows, [[2, 2 * PERIOD_NS, 0, 0], [0, 0, 1, 790]]);
    assert_eq!(profile.period, PERIOD_NS);
    let first = &profile.string_table[profile.default_sample_type as usize];
    assert_eq!(first, CPU.value[0]);
}

#[test]
fn samples_without_a_processor_have_the_reason() {
    let types = TypeSet::CPU.with(&OFF_CPU);
    let off_cpu = types.index(&OFF_CPU).unwrap();
    let (mut writer, location, mut labels) = writer_of(types);
    writer.add_sample(1, &labels, &[location], 1);
    for (why, value) in OffCpuWhy::ALL.into_iter().zip([700, 90]) {
        labels.off_cpu = Some(why);
        writer.add_weighted(off_cpu, 1, &labels, &[location], 1, value);
    }
    let member = writer.take_increment(1, &synthetic::quality(3));
    let read = Capture::from_bytes(&member).unwrap();
    for capture in [Capture::from_decoded(&read.to_decoded()).unwrap(), read] {
        let why = |of| {
            let samples = capture.samples_of(of).iter();
            let rows = samples.map(|it| (capture.labels(it.labels).off_cpu, it.value));
            rows.collect::<Vec<_>>()
        };
        assert_eq!(why(&CPU), [(None, PERIOD_NS as u64)]);
        let (blocked, preempted) = (OffCpuWhy::Blocked, OffCpuWhy::Preempted);
        assert_eq!(why(&OFF_CPU), [(Some(blocked), 700), (Some(preempted), 90)]);
    }
}

#[test]
fn a_capture_without_processor_time_has_no_period() {
    let types = TypeSet::of(&ALLOC);
    let (mut writer, location, labels) = writer_of(types);
    writer.add_sample(0, &labels, &[location], 5);
    let alloc = types.index(&ALLOC).unwrap();
    writer.add_weighted(alloc, 0, &labels, &[location], 1, 64);
    let profile = profile_of(&mut writer);
    assert_eq!(columns(&profile), [ALLOC.count, ALLOC.value]);
    assert_eq!((profile.period_type, profile.period), (None, 0));
    let rows: Vec<_> = profile.sample.iter().map(|it| it.value.clone()).collect();
    assert_eq!(rows, [[1, 64]], "without samples of another type");
}

#[test]
fn samples_of_a_type_that_the_capture_lacks_are_left_out() {
    let (mut writer, location, labels) = writer_of(TypeSet::CPU);
    assert_eq!(TypeSet::CPU.index(&ALLOC), None);
    let of_another = TypeSet::of(&ALLOC).index(&ALLOC).unwrap();
    writer.add_weighted(of_another, 0, &labels, &[location], 1, 64);
    assert_eq!(writer.pending_samples(), 0);
    let profile = profile_of(&mut writer);
    assert!(profile.sample.is_empty());
    // The first increment has stated them.
    writer.set_types(TypeSet::of(&ALLOC));
    writer.add_weighted(of_another, 0, &labels, &[location], 1, 64);
    assert_eq!(writer.pending_samples(), 0);
}

#[test]
fn sums_end_at_the_largest_value_of_the_format() {
    let types = TypeSet::CPU.with(&OFF_CPU);
    let off_cpu = types.index(&OFF_CPU).unwrap();
    let (mut writer, location, labels) = writer_of(types);
    for _ in 0..2 {
        writer.add_sample(0, &labels, &[location], u64::MAX / 2);
        writer.add_weighted(off_cpu, 0, &labels, &[location], u64::MAX, u64::MAX);
    }
    let profile = profile_of(&mut writer);
    let rows: Vec<_> = profile.sample.iter().map(|it| it.value.clone()).collect();
    let most = i64::MAX;
    assert_eq!(rows, [[most, most, 0, 0], [0, 0, most, most]]);
}

/// The layout from before there were other types, field by field: files of it are read by helpers and programs of
/// any age.
#[test]
fn a_capture_of_processor_time_alone_is_written_byte_for_byte_as_ever() {
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    let known = writer.intern_function(&function());
    let inner = writer.intern_location(known, 5);
    let outer = writer.intern_location(known, 7);
    let labels = synthetic::labels_of(SampleClass::Gc, Trust::Captured);
    writer.add_sample(0, &labels, &[inner], 2);
    writer.add_sample(19_999_999, &labels, &[inner], 1);
    writer.set_weight(20_000_000, 4);
    writer.add_sample(20_000_000, &labels, &[inner, outer], 1);
    let member = writer.take_increment(40_000_000, &synthetic::quality(4));

    let strings = expected_strings();
    let rows = [
        (&[1][..], [3, 3 * PERIOD_NS], 0),
        (&[1, 2], [1, 4 * PERIOD_NS], 20),
    ];
    let samples = Profile {
        sample: rows.map(|row| expected_sample(&strings, row)).to_vec(),
        ..Profile::default()
    };
    let tables = expected_tables(strings);
    let expected = [tables.encode_to_vec(), samples.encode_to_vec()].concat();
    assert_eq!(message_of(&member), expected);
}

/// Keys, names, types, comments (18 to 20) and labels, in this order.
fn expected_strings() -> Vec<String> {
    let comment =
        |prefix: &str, json: Result<String, serde_json::Error>| prefix.to_owned() + &json.unwrap();
    let quality = serde_json::to_string(&synthetic::quality(4));
    let settings = serde_json::to_string(&synthetic::settings());
    let comments = [
        comment(TARGET_COMMENT, serde_json::to_string(&synthetic::target())),
        comment(SETTINGS_COMMENT, settings),
        comment(QUALITY_COMMENT, quality),
    ];
    let keys = "|bucket_ms|milliseconds|thread|tid|scheduler|pid|process|class|trust";
    let names = "[erlang]|m:f/1|erlang!m:f/1|m.erl";
    let types = "samples|count|cpu|nanoseconds";
    let labels = "gc|captured|1_scheduler";
    let before = [keys, names, types]
        .into_iter()
        .flat_map(|it| it.split('|'));
    let before = before.map(str::to_owned).chain(comments);
    before.chain(labels.split('|').map(str::to_owned)).collect()
}

fn index(strings: &[String], text: &str) -> i64 {
    strings.iter().position(|it| it == text).unwrap() as i64
}

fn expected_tables(strings: Vec<String>) -> Profile {
    let value_type = |name: &str, unit: &str| ValueType {
        r#type: index(&strings, name),
        unit: index(&strings, unit),
    };
    let location = |id, line| Location {
        id,
        mapping_id: 1,
        line: vec![Line {
            function_id: 1,
            line,
            column: 0,
        }],
        ..Location::default()
    };
    let cpu = value_type("cpu", "nanoseconds");
    Profile {
        sample_type: vec![value_type("samples", "count"), cpu],
        mapping: vec![Mapping {
            id: 1,
            filename: index(&strings, "[erlang]"),
            has_functions: true,
            has_filenames: true,
            has_line_numbers: true,
            has_inline_frames: true,
            ..Mapping::default()
        }],
        location: vec![location(1, 5), location(2, 7)],
        function: vec![Function {
            id: 1,
            name: index(&strings, "m:f/1"),
            system_name: index(&strings, "erlang!m:f/1"),
            filename: index(&strings, "m.erl"),
            start_line: 3,
        }],
        time_nanos: 1_700_000_000_000_000_000,
        duration_nanos: 40_000_000,
        period_type: Some(cpu),
        period: PERIOD_NS,
        comment: vec![18, 19, 20],
        default_sample_type: cpu.r#type,
        string_table: strings,
        ..Profile::default()
    }
}

/// Of locations, values and a bucket.
fn expected_sample(
    strings: &[String],
    (location_id, value, bucket_ms): (&[u64], [i64; 2], i64),
) -> Sample {
    let number = |key: &str, num, num_unit| Label {
        key: index(strings, key),
        num,
        num_unit,
        ..Label::default()
    };
    let text = |key: &str, value: &str| Label {
        key: index(strings, key),
        str: index(strings, value),
        ..Label::default()
    };
    Sample {
        location_id: location_id.to_vec(),
        value: value.to_vec(),
        label: vec![
            text("class", "gc"),
            text("trust", "captured"),
            text("thread", "1_scheduler"),
            number("tid", 7, 0),
            number("bucket_ms", bucket_ms, index(strings, "milliseconds")),
        ],
    }
}

/// Two samples of `m:f/1` on a processor. Blocks: 790 ns in it, and 210 ms without work.
fn of_two_types() -> Vec<u8> {
    increments_of_two_types().concat()
}

/// The second one has the rest of a block.
fn increments_of_two_types() -> [Vec<u8>; 2] {
    let types = TypeSet::CPU.with(&OFF_CPU);
    let off_cpu = types.index(&OFF_CPU).unwrap();
    let (mut writer, location, labels) = writer_of(types);
    let idle = synthetic::labels_of(SampleClass::Idle, Trust::NoProcess);
    writer.add_sample(0, &labels, &[location], 2);
    writer.add_weighted(off_cpu, 0, &labels, &[location], 1, 700);
    writer.add_weighted(off_cpu, 0, &idle, &[], 1, 210);
    let first = writer.take_increment(1_000_000_000, &synthetic::quality(2));
    writer.add_weighted(off_cpu, 1_000_000_000, &labels, &[location], 0, 90);
    let second = writer.take_increment(2_000_000_000, &synthetic::quality(2));
    [first, second]
}

fn names(capture: &Capture) -> Vec<String> {
    capture.counted_types().map(|it| it.name).collect()
}

fn text_of(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_capture_shows_its_first_type_until_another_one_is_chosen() {
    let mut capture = Capture::from_bytes(&of_two_types()).unwrap();
    assert_eq!(names(&capture), ["cpu", "off-cpu"]);
    assert_eq!(capture.shown(), CPU);
    assert_eq!(capture.unit(), "samples");
    assert_eq!((capture.total_samples(), capture.total_amount()), (2, 2));

    capture.show("off-cpu").unwrap();
    assert_eq!(capture.shown(), OFF_CPU);
    assert_eq!(capture.unit(), "nanoseconds of blocked time");
    let counted = capture.counted_type();
    assert_eq!(
        [counted.name, counted.unit, counted.label],
        ["off-cpu", "nanoseconds", "blocked time"]
    );
    assert_eq!((capture.total_samples(), capture.total_amount()), (2, 1000));
    assert_eq!(capture.samples().len(), 3);
    let of_time = capture.samples_of(&CPU);
    assert_eq!(of_time.iter().map(|it| it.count).sum::<u64>(), 2);
    assert!(capture.samples_of(&ALLOC).is_empty());
    assert!(capture.has(&CPU) && !capture.has(&ALLOC));

    capture.show("cpu").unwrap();
    assert_eq!(capture.total_samples(), 2);
    assert_eq!(
        capture.show("alloc"),
        Err(NoSuchType {
            requested: "alloc".to_owned(),
            has: vec!["cpu".to_owned(), "off-cpu".to_owned()],
        })
    );
    assert_eq!(capture.shown(), CPU, "as before");
}

#[test]
fn what_was_chosen_stays_when_more_is_read() {
    let [first, second] = increments_of_two_types();
    let mut capture = Capture::empty();
    capture.extend(&first).unwrap();
    capture.show("off-cpu").unwrap();
    assert_eq!(capture.total_amount(), 910);
    capture.extend(&second).unwrap();
    assert_eq!((capture.shown(), capture.total_amount()), (OFF_CPU, 1000));
}

#[test]
fn answers_and_exports_are_of_the_type_that_is_shown() {
    let mut capture = Capture::from_bytes(&of_two_types()).unwrap();
    capture.show("off-cpu").unwrap();
    let split = class_split(&capture);
    assert_eq!((split.samples, split.busy), (1000, 790));
    let answer = top(&capture, &TopOptions::default());
    let row = &answer.functions[0];
    assert_eq!((row.function.as_str(), row.self_samples), ("m:f/1", 790));
    assert_eq!((row.self_pct, row.self_busy_pct), (79.0, 100.0));
    let lines = hot_lines(&capture, None, PercentOf::All);
    assert_eq!((lines[0].line, lines[0].self_samples), (5, 790));

    let folded = text_of(|out| write_folded(&capture, Places::Without, out));
    assert_eq!(folded, "[no stack] 210\nm:f/1 790\n");
    let speedscope = text_of(|out| write_speedscope(&capture, "x", out));
    let file: serde_json::Value = serde_json::from_str(&speedscope).unwrap();
    let profile = &file["profiles"][0];
    assert_eq!(profile["unit"], "nanoseconds");
    assert_eq!(profile["endValue"], 1000);
    let firefox = text_of(|out| write_firefox(&capture, "x", out));
    let file: serde_json::Value = serde_json::from_str(&firefox).unwrap();
    let samples = &file["threads"][0]["samples"];
    assert_eq!(samples["weightType"], "tracing-ms");
    let html = text_of(|out| write_html(&capture, "x", PercentOf::Busy, out));
    assert!(html.contains("shares of busy blocked time"), "{html}");
}

#[test]
fn all_types_are_handed_over_with_the_one_that_is_shown() {
    let mut read = Capture::from_bytes(&of_two_types()).unwrap();
    read.show("off-cpu").unwrap();
    let mut handed_over = Capture::from_decoded(&read.to_decoded()).unwrap();
    assert_eq!(handed_over.shown(), OFF_CPU);
    assert_eq!(handed_over.samples(), read.samples());
    assert_eq!(names(&handed_over), names(&read));
    handed_over.show("cpu").unwrap();
    assert_eq!(handed_over.samples(), read.samples_of(&CPU));
}

#[test]
fn old_samples_of_all_types_are_forgotten() {
    let mut capture = Capture::from_bytes(&of_two_types()).unwrap();
    capture.forget_samples_before(500);
    assert_eq!(capture.total_samples(), 0);
    capture.show("off-cpu").unwrap();
    assert_eq!(capture.total_amount(), 90);
}

#[test]
fn the_first_type_of_a_capture_without_processor_time_is_shown() {
    let types = TypeSet::of(&ALLOC).with(&OFF_CPU);
    let (mut writer, location, labels) = writer_of(types);
    let alloc = types.index(&ALLOC).unwrap();
    writer.add_weighted(alloc, 0, &labels, &[location], 1, 64);
    let member = writer.take_increment(1, &synthetic::quality(0));
    let mut capture = Capture::from_bytes(&member).unwrap();
    assert_eq!(names(&capture), ["off-cpu", "alloc"]);
    assert_eq!((capture.shown(), capture.total_amount()), (OFF_CPU, 0));
    capture.show("alloc").unwrap();
    assert_eq!(capture.total_amount(), 64);
    assert!(!capture.is_of_memory(), "which other tools' profiles are");
}

#[test]
fn page_faults_are_counted_by_what_their_samples_stand_for_and_have_no_other_unit() {
    let types = TypeSet::CPU.with(&FAULTS);
    let (mut writer, location, labels) = writer_of(types);
    let faults = types.index(&FAULTS).unwrap();
    writer.add_sample(0, &labels, &[location], 2);
    writer.add_weighted(faults, 0, &labels, &[location], 3, 21);
    let member = writer.take_increment(1, &synthetic::quality(2));
    let mut capture = Capture::from_bytes(&member).unwrap();
    assert_eq!(names(&capture), ["cpu", "faults"]);
    assert_eq!(
        (capture.total_amount(), capture.unit()),
        (2, "samples".to_owned())
    );
    capture.show("faults").unwrap();
    assert_eq!((capture.total_samples(), capture.total_amount()), (3, 21));
    assert_eq!(capture.unit(), "page faults");
    assert_eq!(capture.counted_type().unit, "count");
}

/// A profile with the columns of two types, and a row without frames for each of these.
fn profile_with(comments: &[&str], rows: &[&[i64]]) -> Vec<u8> {
    let names = [
        "",
        "samples",
        "count",
        "cpu",
        "nanoseconds",
        "off_cpu_blocks",
        "off_cpu",
    ];
    let strings = names.iter().chain(comments);
    let pairs = [(1, 2), (3, 4), (5, 2), (6, 4)];
    let types = pairs.map(|(name, unit)| ValueType { r#type: name, unit });
    let row = |value: &&[i64]| Sample {
        value: value.to_vec(),
        ..Sample::default()
    };
    let profile = Profile {
        sample_type: types.to_vec(),
        sample: rows.iter().map(row).collect(),
        comment: (0..comments.len())
            .map(|it| (names.len() + it) as i64)
            .collect(),
        string_table: strings.map(|text| (*text).to_owned()).collect(),
        period: 10,
        ..Profile::default()
    };
    profile.encode_to_vec()
}

const OWN: &str = "extrospect/settings {}";

#[test]
fn a_row_counts_once_whatever_it_has() {
    let rows: [&[i64]; 4] = [
        &[1, 20, 1, 700],
        &[0, 0, 0, 0],
        &[0, 0, 1, 5],
        &[0, 0, 0, 6],
    ];
    let mut capture = Capture::from_bytes(&profile_with(&[OWN], &rows)).unwrap();
    assert_eq!((capture.samples().len(), capture.total_samples()), (2, 2));
    capture.show("off-cpu").unwrap();
    assert_eq!((capture.samples().len(), capture.total_amount()), (2, 11));

    let read = |row: &[i64]| Capture::from_bytes(&profile_with(&[OWN], &[row]));
    assert!(matches!(read(&[0, 0, 1]), Err(ReadError::Corrupt(_))));
    assert!(matches!(read(&[0, 0, 1, -5]), Err(ReadError::Difference)));
    assert!(matches!(read(&[0, 0, 1, 5, 0]), Err(ReadError::Corrupt(_))));
}

#[test]
fn the_profile_of_another_tool_has_one_type_whatever_its_columns_are_called() {
    let rows: [&[i64]; 2] = [&[1, 20, 1, 700], &[0, 0, 1, 5]];
    let mut capture = Capture::from_bytes(&profile_with(&[], &rows)).unwrap();
    assert_eq!(names(&capture), ["cpu"]);
    assert_eq!((capture.samples().len(), capture.total_samples()), (2, 1));
    let refused = capture.show("off-cpu").unwrap_err();
    assert_eq!(refused.has, ["cpu"]);
    capture.show("cpu").unwrap();
}

#[test]
fn types_of_earlier_captures_and_of_other_tools_have_names() {
    let counted = |name: &str| {
        let folder = "../../../../test/unit/capture/fixtures";
        let bytes = std::fs::read(format!("{folder}/{name}")).unwrap();
        let capture = Capture::from_bytes(&bytes).unwrap();
        let counted = capture.counted_type();
        assert_eq!(names(&capture), std::slice::from_ref(&counted.name));
        [counted.name, counted.unit, counted.label]
    };
    let of_time = ["cpu", "samples", "CPU time"];
    assert_eq!(counted("demo.pb.gz"), of_time);
    assert_eq!(counted("go-cpu.pb.gz"), of_time);
    let of_memory = ["alloc_objects", "count", "alloc_objects"];
    assert_eq!(counted("go-heap.pb.gz"), of_memory);
}

#[test]
fn intervals_keep_the_types_apart_and_can_have_one_alone() {
    let member = of_two_types();
    let mut intervals = Intervals::default();
    intervals.add(&member).unwrap();
    assert_eq!(intervals.samples(), 4, "of both types");
    let mut whole = Capture::from_bytes(&intervals.take(1, 2)).unwrap();
    assert_eq!(whole.total_samples(), 2);
    whole.show("off-cpu").unwrap();
    assert_eq!((whole.total_samples(), whole.total_amount()), (2, 1000));

    let mut intervals = Intervals::with_columns(whole.shown_columns());
    intervals.add(&member).unwrap();
    let profile = message_of(&intervals.take(1, 2));
    let profile = Profile::decode(&profile[..]).unwrap();
    assert_eq!(columns(&profile), [OFF_CPU.count, OFF_CPU.value]);
    assert_eq!((profile.period_type, profile.period), (None, 0));
    let values = profile.sample.iter().map(|it| it.value[1]);
    assert_eq!(values.sum::<i64>(), 1000);
}

/// A VM that does nothing but wait in one call has no further block, and still something to show.
#[test]
fn an_interval_with_further_time_of_a_block_is_not_empty() {
    let [first, second] = &synthetic::of_two_types(&[0; 2])[..] else {
        panic!("two increments");
    };
    let mut intervals = Intervals::default();
    assert!(intervals.is_empty());
    intervals.add(first).unwrap();
    intervals.take(1, 2);
    assert!(intervals.is_empty());
    intervals.add(second).unwrap();
    assert!(!intervals.is_empty());
    let profile = message_of(&intervals.take(3, 2));
    let profile = Profile::decode(&profile[..]).unwrap();
    let mut rows = profile.sample.iter();
    let blocked_ns = i64::try_from(synthetic::blocked_ns(1)).unwrap();
    assert!(rows.any(|row| row.value == [0, 0, 0, blocked_ns]));
}

proptest! {
    #[test]
    fn no_columns_and_values_are_too_strange(
        types in proptest::collection::vec((0i64..9, 0i64..9), 1..8),
        rows in proptest::collection::vec(proptest::collection::vec(-1i64..3, 0..8), 0..8),
        is_own: bool,
        default_sample_type in 0i64..9,
    ) {
        let texts = [
            "", "samples", "count", "cpu", "nanoseconds", "off_cpu_blocks", "off_cpu", "alloc_samples", "bytes", OWN,
        ];
        let value_type = |(name, unit): (i64, i64)| ValueType { r#type: name, unit };
        let row = |value: &Vec<i64>| Sample { value: value.clone(), ..Sample::default() };
        let profile = Profile {
            sample_type: types.into_iter().map(value_type).collect(),
            sample: rows.iter().map(row).collect(),
            comment: Vec::from_iter(is_own.then_some(9)),
            string_table: texts.map(str::to_owned).to_vec(),
            period: 10,
            default_sample_type,
            ..Profile::default()
        };
        if let Ok(mut capture) = Capture::from_bytes(&profile.encode_to_vec()) {
            let mut all = 0;
            for name in names(&capture) {
                capture.show(&name).unwrap();
                all += capture.samples().len();
                class_split(&capture);
                prop_assert!(!capture.shown_columns().is_empty());
            }
            prop_assert_eq!(all, rows.len());
        }
    }
}
