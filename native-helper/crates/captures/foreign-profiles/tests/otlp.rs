//! OpenTelemetry's profiles: captures there and back, and messages from other programs.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use capture::export::otlp::otlp_of_file;
use capture::otlp::{
    AnyValue, Attribute, Function, Line, Location, Mapping, Profile, ProfilesData,
    ProfilesDictionary, ResourceProfiles, Sample, ScopeProfiles, Stack, Value, ValueType,
};
use capture::reader::Capture;
use capture::sample::FrameKind;
use foreign_profiles::{Defect, Format, ImportError, Imported, Limits, convert};
use proptest::prelude::*;
use prost::Message;

fn imported(bytes: &[u8]) -> Imported {
    convert(bytes, &Limits::default()).unwrap().unwrap()
}

fn read(bytes: &[u8]) -> Capture {
    Capture::from_bytes(&imported(bytes).message).unwrap()
}

fn demo() -> Vec<u8> {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    let file = format!("{folder}/../../../../test/unit/capture/fixtures/demo.pb.gz");
    std::fs::read(file).unwrap()
}

/// All that is known of samples, in words, with counts and times.
fn sums_of(capture: &Capture) -> BTreeMap<String, (u64, u64)> {
    let mut sums = BTreeMap::new();
    for sample in capture.samples() {
        let frames = capture.frames(sample.stack).map(|frame| {
            let function = capture.function(frame.function);
            format!("{function:?}@{}", frame.line)
        });
        let frames: Vec<String> = frames.collect();
        let labels = capture.labels(sample.labels);
        let key = format!("{} {labels:?} {}", sample.bucket_ms, frames.join(";"));
        let sum: &mut (u64, u64) = sums.entry(key).or_default();
        sum.0 += sample.count;
        sum.1 += sample.value;
    }
    sums
}

#[test]
fn a_capture_comes_back_as_it_was() {
    let file = demo();
    let before = Capture::from_bytes(&file).unwrap();
    let message = otlp_of_file(&file, Vec::new(), 0).unwrap();
    let found = imported(&message);
    assert_eq!((found.format, &found.notes[..]), (Format::Otlp, &[][..]));
    let after = Capture::from_bytes(&found.message).unwrap();
    assert_eq!(sums_of(&after), sums_of(&before));
    assert_eq!(after.target(), before.target());
    assert_eq!(after.quality(), before.quality());
    assert_eq!(after.period_ns(), before.period_ns());
    assert_eq!(after.started_unix_ns(), before.started_unix_ns());
    assert_eq!(after.duration_ns(), before.duration_ns());
}

#[test]
fn files_of_collectors_have_lengths_between_messages_and_may_be_compressed() {
    let message = otlp_of_file(&demo(), Vec::new(), 0).unwrap();
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    let framed = [&length[..], &message, &length[..], &message].concat();
    let whole = read(&message).total_samples();
    assert_eq!(read(&framed).total_samples(), 2 * whole);
    assert_eq!(
        read(&capture::writer::file_of(&message)).total_samples(),
        whole
    );
    let cut = convert(&framed[..framed.len() - 5], &Limits::default());
    let is = |found: Result<Option<Imported>, ImportError>, expected: &Defect| match found {
        Err(ImportError::Malformed { defect, .. }) => defect == *expected,
        _ => false,
    };
    assert!(is(cut, &Defect::Cut));
    for end in [10, 1000, message.len() - 1] {
        let cut = convert(&message[..end], &Limits::default());
        assert!(is(cut, &Defect::OtherRevision), "{end}");
    }
}

#[test]
fn captures_are_not_taken_for_it() {
    let file = demo();
    assert_eq!(convert(&file, &Limits::default()), Ok(None));
    for text in ["\n{\n  \"shared\": 1}", "\na\nb;c 1\n", "\n\u{12}\n"] {
        let found = convert(text.as_bytes(), &Limits::default());
        assert!(
            !matches!(
                found,
                Ok(Some(Imported {
                    format: Format::Otlp,
                    ..
                }))
            ),
            "{text:?}"
        );
    }
}

/// As the collector's own encoder writes it: the last fields first.
#[test]
fn the_dictionary_may_come_first_and_its_fields_in_any_order() {
    let tables = dictionary();
    let part = |part: ProfilesDictionary| part.encode_to_vec();
    let strings = part(ProfilesDictionary {
        string_table: tables.string_table.clone(),
        ..ProfilesDictionary::default()
    });
    let others = part(ProfilesDictionary {
        string_table: Vec::new(),
        ..tables
    });
    let content = [strings, others].concat();
    let mut bytes = Vec::new();
    capture::wire::put_bytes_field(&mut bytes, 2, &content);
    let profile = on_cpu(vec![sample(&[3], &[])]);
    bytes.extend(message(vec![profile], ProfilesDictionary::default()));
    assert_eq!(counted(&read(&bytes)), [(0, 3, 30_000_000)]);
}

const STRINGS: [&str; 14] = [
    "",
    "samples",
    "count",
    "cpu",
    "nanoseconds",
    "off_cpu",
    "lists:sort/1",
    "do_syscall_64",
    "memcpy",
    "/usr/lib/libc.so.6",
    "profile.frame.type",
    "thread.name",
    "bytes",
    "inuse",
];

fn attribute(key_strindex: i32, text: &str) -> Attribute {
    Attribute {
        key_strindex,
        value: Some(AnyValue {
            value: Some(Value::Text(text.to_owned())),
        }),
        unit_strindex: 0,
    }
}

fn location(function_index: i32, mapping_index: i32, attribute: i32) -> Location {
    Location {
        mapping_index,
        lines: vec![Line {
            function_index,
            line: 5,
            column: 0,
        }],
        attribute_indices: vec![attribute],
        ..Location::default()
    }
}

/// As the profiler of OpenTelemetry has it: a kernel function called by C called by Erlang.
fn dictionary() -> ProfilesDictionary {
    let function = |name_strindex| Function {
        name_strindex,
        ..Function::default()
    };
    let mapping = Mapping {
        filename_strindex: 9,
        ..Mapping::default()
    };
    ProfilesDictionary {
        mapping_table: vec![Mapping::default(), mapping],
        function_table: vec![Function::default(), function(6), function(7), function(8)],
        location_table: vec![
            Location::default(),
            location(1, 0, 1),
            location(2, 0, 2),
            location(3, 1, 3),
        ],
        string_table: STRINGS.map(str::to_owned).to_vec(),
        attribute_table: vec![
            Attribute::default(),
            attribute(10, "beam"),
            attribute(10, "kernel"),
            attribute(10, "native"),
            attribute(11, "1_scheduler"),
        ],
        stack_table: vec![
            Stack::default(),
            Stack {
                location_indices: vec![2, 3, 1],
            },
        ],
        ..ProfilesDictionary::default()
    }
}

fn value(type_strindex: i32, unit_strindex: i32) -> Option<ValueType> {
    Some(ValueType {
        type_strindex,
        unit_strindex,
    })
}

fn sample(values: &[i64], times: &[u64]) -> Sample {
    Sample {
        stack_index: 1,
        attribute_indices: vec![4],
        values: values.to_vec(),
        timestamps_unix_nano: times.to_vec(),
    }
}

fn message(profiles: Vec<Profile>, dictionary: ProfilesDictionary) -> Vec<u8> {
    let scope_profiles = vec![ScopeProfiles {
        scope: None,
        profiles,
    }];
    let data = ProfilesData {
        resource_profiles: vec![ResourceProfiles {
            resource: None,
            scope_profiles,
        }],
        dictionary: Some(dictionary),
    };
    data.encode_to_vec()
}

fn on_cpu(samples: Vec<Sample>) -> Profile {
    Profile {
        sample_type: value(1, 2),
        samples,
        time_unix_nano: 1_000_000_000,
        duration_nano: 1_000_000_000,
        period_type: value(3, 4),
        period: 10_000_000,
        attribute_indices: Vec::new(),
    }
}

fn counted(capture: &Capture) -> Vec<(u64, u64, u64)> {
    let samples = capture.samples().iter();
    samples
        .map(|it| (it.bucket_ms, it.count, it.value))
        .collect()
}

#[test]
fn a_message_of_another_profiler_has_kinds_of_frames_threads_and_times() {
    let off_cpu = Profile {
        sample_type: value(5, 4),
        samples: vec![sample(&[7], &[])],
        period_type: None,
        ..on_cpu(Vec::new())
    };
    let times = [1_000_000_000, 1_100_000_000, 1_100_000_001];
    let found = imported(&message(
        vec![on_cpu(vec![sample(&[], &times)]), off_cpu],
        dictionary(),
    ));
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
    let capture = Capture::from_bytes(&found.message).unwrap();
    assert_eq!(
        counted(&capture),
        [(0, 1, 10_000_000), (100, 2, 20_000_000)]
    );
    let first = capture.samples()[0];
    let frames = capture.frames(first.stack).map(|frame| {
        let function = capture.function(frame.function);
        (function.kind, function.name, frame.line)
    });
    assert_eq!(
        frames.collect::<Vec<_>>(),
        [
            (FrameKind::Kernel, "do_syscall_64", 5),
            (FrameKind::Native, "memcpy", 5),
            (FrameKind::Erlang, "lists:sort/1", 5)
        ]
    );
    let labels = capture.labels(first.labels);
    assert_eq!(labels.thread_name, Some("1_scheduler"));
}

#[test]
fn times_and_counts_of_the_same_samples_are_one_capture() {
    let cpu = Profile {
        sample_type: value(3, 4),
        samples: vec![sample(&[25_000_000], &[])],
        ..on_cpu(Vec::new())
    };
    let counts = on_cpu(vec![sample(&[2], &[])]);
    for profiles in [vec![cpu.clone(), counts.clone()], vec![counts, cpu.clone()]] {
        let capture = read(&message(profiles, dictionary()));
        assert_eq!(counted(&capture), [(0, 2, 25_000_000)]);
    }
    // Alone, samples follow from the period.
    assert_eq!(
        counted(&read(&message(vec![cpu], dictionary()))),
        [(0, 3, 25_000_000)]
    );
    let memory = Profile {
        sample_type: value(13, 12),
        samples: vec![sample(&[4096], &[])],
        period_type: None,
        ..on_cpu(Vec::new())
    };
    let capture = read(&message(vec![memory], dictionary()));
    assert_eq!(counted(&capture)[0].1, 4096);
}

#[test]
fn values_below_zero_are_left_out_and_counted() {
    let both = on_cpu(vec![sample(&[2], &[]), sample(&[-3], &[])]);
    let found = convert(&message(vec![both], dictionary()), &Limits::default());
    let found = found.unwrap().unwrap();
    assert_eq!(found.notes, ["left out, below zero: 1 value"]);
    let capture = Capture::from_bytes(&found.message).unwrap();
    let samples: Vec<u64> = counted(&capture)
        .iter()
        .map(|(_, count, _)| *count)
        .collect();
    assert_eq!(samples, [2]);
    let none = message(vec![on_cpu(vec![sample(&[-3], &[])])], dictionary());
    let message = convert(&none, &Limits::default()).unwrap_err().to_string();
    assert!(message.contains("below zero"), "{message}");
}

type Break = fn(&mut ProfilesDictionary, &mut Profile);

#[test]
fn indices_of_no_entry_are_reported() {
    let broken: [(&str, Break); 9] = [
        ("stack", |_, profile| profile.samples[0].stack_index = 9),
        ("stack", |_, profile| profile.samples[0].stack_index = -1),
        ("attribute", |_, profile| {
            profile.samples[0].attribute_indices = vec![99]
        }),
        ("location", |tables, _| {
            tables.stack_table[1].location_indices = vec![77]
        }),
        ("function", |tables, _| {
            tables.location_table[2].lines[0].function_index = 77
        }),
        ("mapping", |tables, _| {
            tables.location_table[2].mapping_index = 77
        }),
        ("string", |tables, _| {
            tables.function_table[2].name_strindex = i32::MIN
        }),
        ("string", |_, profile| profile.sample_type = value(77, 1)),
        ("values at", |_, profile| {
            profile.samples[0].values = vec![1, 2]
        }),
    ];
    for (what, break_it) in broken {
        let (mut tables, mut profile) = (dictionary(), on_cpu(vec![sample(&[1], &[5])]));
        break_it(&mut tables, &mut profile);
        let found = convert(&message(vec![profile], tables), &Limits::default());
        let Err(error @ ImportError::Malformed { .. }) = found else {
            panic!("{what}: {found:?}")
        };
        assert!(error.to_string().contains(what), "{error}");
    }
    assert!(convert(&message(Vec::new(), dictionary()), &Limits::default()).is_err());
}

#[test]
fn bounds_hold() {
    let limits = Limits {
        max_bytes: 4000,
        max_samples: 20,
        max_depth: 3,
        max_frames: 100,
    };
    let bounded = |profile: Profile, tables| convert(&message(vec![profile], tables), &limits);
    let is_too_many = |found| matches!(found, Err(ImportError::TooMany { .. }));
    let many = vec![sample(&[1], &[]); 21];
    assert!(is_too_many(bounded(on_cpu(many), dictionary())));
    let mut tables = dictionary();
    tables.stack_table = vec![Stack::default(); 21];
    assert!(is_too_many(bounded(
        on_cpu(vec![sample(&[1], &[])]),
        tables
    )));
    let mut tables = dictionary();
    tables.stack_table[1].location_indices = vec![1; 200];
    let found = bounded(on_cpu(vec![sample(&[1], &[])]), tables)
        .unwrap()
        .unwrap();
    let capture = Capture::from_bytes(&found.message).unwrap();
    assert_eq!(capture.frames(capture.samples()[0].stack).count(), 3);
}

fn index() -> impl Strategy<Value = i32> {
    prop_oneof![8 => 0..5_i32, 1 => any::<i32>()]
}

prop_compose! {
    fn any_sample()(
        stack_index in index(),
        attribute_indices in proptest::collection::vec(index(), 0..3),
        values in proptest::collection::vec(any::<i64>(), 0..3),
        timestamps_unix_nano in proptest::collection::vec(any::<u64>(), 0..3),
    ) -> Sample {
        Sample { stack_index, attribute_indices, values, timestamps_unix_nano }
    }
}

prop_compose! {
    fn any_profile()(
        kind in (index(), index(), index(), index()),
        samples in proptest::collection::vec(any_sample(), 0..5),
        time_unix_nano: u64,
        duration_nano: u64,
        period: i64,
    ) -> Profile {
        Profile {
            sample_type: value(kind.0, kind.1),
            samples,
            time_unix_nano,
            duration_nano,
            period_type: value(kind.2, kind.3),
            period,
            attribute_indices: vec![],
        }
    }
}

proptest! {
    #[test]
    fn any_message_is_an_error_or_a_capture(
        profiles in proptest::collection::vec(any_profile(), 0..4),
        stack in proptest::collection::vec(index(), 0..6),
    ) {
        let mut tables = dictionary();
        tables.stack_table.push(Stack { location_indices: stack });
        if let Ok(Some(found)) = convert(&message(profiles, tables), &Limits::default()) {
            Capture::from_bytes(&found.message).unwrap();
        }
    }

    #[test]
    fn a_message_with_a_byte_changed_is_an_error_or_a_capture(at in 0_usize..400, byte: u8) {
        let mut bytes = message(vec![on_cpu(vec![sample(&[1], &[5])])], dictionary());
        let length = bytes.len();
        bytes[at % length] = byte;
        if let Ok(Some(found)) = convert(&bytes, &Limits::default()) {
            Capture::from_bytes(&found.message).unwrap();
        }
    }
}
