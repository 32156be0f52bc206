//! Captures that count more than processor time.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::io::Read;

use capture::facts::{QUALITY_COMMENT, SETTINGS_COMMENT, TARGET_COMMENT};
use capture::pprof::{Function, Label, Line, Location, Mapping, Profile, Sample, ValueType};
use capture::sample::{FrameKind, FunctionFacts, SampleClass, SampleLabels, Trust};
use capture::sample_types::{ALLOC, CPU, OFF_CPU, TypeSet};
use capture::writer::{CaptureWriter, LocationId};
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
