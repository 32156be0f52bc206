//! Damaged, cut and foreign files.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use crate::synthetic;
use std::io::{Read, Write};

use capture::limits::{MAX_COMMENTS, MAX_LABELS, MAX_LINES_PER_LOCATION, MAX_STACK_FRAMES};
use capture::marks::Mark;
use capture::pprof::{Function, Label, Line, Location, Mapping, Profile, Sample, ValueType};
use capture::reader::{Capture, ReadError, ReadLimits};
use capture::sample::FrameKind;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use prost::Message;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn small() -> Vec<Vec<u8>> {
    synthetic::increments(3, 3, 40, 6)
}

fn plain() -> Vec<u8> {
    let mut message = Vec::new();
    for member in small() {
        GzDecoder::new(&member[..])
            .read_to_end(&mut message)
            .unwrap();
    }
    message
}

#[test]
fn the_difference_of_two_profiles_is_refused_as_that() {
    let of = |values: &[i64]| {
        let samples = values.iter().map(|value| Sample {
            location_id: vec![],
            value: vec![*value, 7],
            ..Sample::default()
        });
        let profile = Profile {
            sample_type: vec![ValueType { r#type: 1, unit: 2 }, ValueType::default()],
            sample: samples.collect(),
            string_table: ["", "samples", "count"].map(str::to_owned).to_vec(),
            ..Profile::default()
        };
        Capture::from_bytes(&gzip(&profile.encode_to_vec()))
    };
    assert_eq!(of(&[3, 4]).unwrap().total_samples(), 7);
    let text = of(&[3, -4]).unwrap_err().to_string();
    assert!(text.contains("difference of two profiles"), "{text}");
    assert!(text.contains("extrospect diff"), "{text}");
}

/// Runs all queries on a capture that could be read, so that nothing in it is left untouched.
fn use_all(capture: &Capture) {
    use capture::own::{OwnCode, OwnFunction, OwnSource};
    use capture::percent_of::PercentOf;
    use capture::{blame, class_split, export, hot_lines, top};
    // Every other function is the user's.
    let own = OwnCode::new(
        capture
            .function_indices()
            .map(|function| {
                function
                    .as_usize()
                    .is_multiple_of(2)
                    .then_some(OwnFunction {
                        counts_for: function,
                        source: OwnSource::AsReported,
                    })
            })
            .collect(),
    );
    for (only_erlang, with_addresses, percent_of) in [
        (false, false, PercentOf::All),
        (true, false, PercentOf::Busy),
        (false, true, PercentOf::All),
    ] {
        let options = top::TopOptions {
            only_erlang,
            with_addresses,
            percent_of,
            own: Some(&own),
            ..top::TopOptions::default()
        };
        top::top(capture, &options);
    }
    hot_lines::hot_lines(capture, Some(&own), PercentOf::All);
    blame::blame(capture, "copy", &blame::BlameOptions::default());
    class_split::class_split(capture);
    hot_lines::hot_lines(capture, None, PercentOf::All);
    for places in [
        export::folded::Places::Without,
        export::folded::Places::FileAndLine,
    ] {
        export::folded::write_folded(capture, places, std::io::sink()).unwrap();
    }
    export::firefox::write_firefox(capture, "x", std::io::sink()).unwrap();
    export::html::write_html(capture, "x", PercentOf::Busy, std::io::sink()).unwrap();
    export::speedscope::write_speedscope(capture, "test", std::io::sink()).unwrap();
    let _ = (capture.target(), capture.settings(), capture.quality());
}

#[test]
fn a_file_cut_anywhere_in_its_last_member_keeps_the_others() {
    let members = small();
    let whole = members.concat();
    let kept_len = whole.len() - members.last().unwrap().len();
    let kept = Capture::from_bytes(&whole[..kept_len]).unwrap();
    let full = Capture::from_bytes(&whole).unwrap();
    assert!(!kept.truncated() && !full.truncated());
    assert!(kept.total_samples() < full.total_samples());
    let mut most = kept.samples().len();
    for cut in kept_len + 1..whole.len() {
        let capture = Capture::from_bytes(&whole[..cut]).unwrap();
        assert!(capture.truncated(), "cut at {cut}");
        assert!(capture.samples().len() >= most, "cut at {cut}");
        most = capture.samples().len();
        assert_eq!(capture.samples(), &full.samples()[..most], "cut at {cut}");
        assert!(capture.quality().is_some());
    }
    assert!(
        most > kept.samples().len(),
        "a cut member gives what is complete in it"
    );
}

#[test]
fn what_follows_the_last_member_is_not_read() {
    let mut bytes = small().concat();
    let full = Capture::from_bytes(&bytes).unwrap();
    bytes.extend_from_slice(&[0; 4096]);
    let padded = Capture::from_bytes(&bytes).unwrap();
    assert!(padded.truncated());
    assert_eq!(padded.samples(), full.samples());
}

#[test]
fn a_plain_profile_is_read_as_well() {
    let full = Capture::from_bytes(&small().concat()).unwrap();
    assert_eq!(
        Capture::from_bytes(&plain()).unwrap().samples(),
        full.samples()
    );
    assert_eq!(
        Capture::read(&plain()[..]).unwrap().samples(),
        full.samples()
    );
}

#[test]
fn what_is_beyond_a_limit_is_cut_off() {
    let whole = Capture::from_bytes(&small().concat()).unwrap();
    let cut = |limits: ReadLimits| {
        let capture = Capture::from_bytes_within(&small().concat(), limits).unwrap();
        assert!(capture.truncated());
        let count = capture.samples().len();
        assert_eq!(capture.samples(), &whole.samples()[..count]);
        use_all(&capture);
        count
    };
    let limits = ReadLimits::default();
    assert_eq!(
        cut(ReadLimits {
            max_samples: 5,
            ..limits
        }),
        5
    );
    let message_bytes = plain().len();
    let fewer = cut(ReadLimits {
        max_total_bytes: message_bytes as u64 - 10,
        ..limits
    });
    assert!(fewer > 0 && fewer < whole.samples().len());
    // The first member is longer than one may be.
    let mut first = Vec::new();
    let member = &small()[0];
    let mut decoder = GzDecoder::new(&member[..]);
    decoder.read_to_end(&mut first).unwrap();
    let fewest = cut(ReadLimits {
        max_bytes: first.len() - 10,
        ..limits
    });
    assert!(fewest > 0 && fewest < fewer, "{fewest}");
    let exact = ReadLimits {
        max_total_bytes: message_bytes as u64,
        ..limits
    };
    let exact = Capture::from_bytes_within(&small().concat(), exact).unwrap();
    assert!(!exact.truncated());
    assert_eq!(exact.samples(), whole.samples());
}

/// A member with some samples, then many that only add to the tables, then samples again.
fn growing_tables() -> Vec<u8> {
    let first = Profile {
        sample: (0..40)
            .map(|number| sample_of(number % 4 + 1, number))
            .collect(),
        ..tables(1..5)
    };
    let mut members = vec![gzip(&first.encode_to_vec())];
    for part in 1..10 {
        let ids = part * 4 + 1..part * 4 + 5;
        let more = Profile {
            sample_type: Vec::new(),
            string_table: vec!["x".repeat(20); 20],
            sample: ids.clone().map(|id| sample_of(id, 0)).collect(),
            ..tables(ids)
        };
        members.push(gzip(&more.encode_to_vec()));
    }
    members.concat()
}

fn tables(ids: std::ops::Range<u64>) -> Profile {
    let strings = ["", "samples", "count", "thread"];
    Profile {
        sample_type: vec![ValueType { r#type: 1, unit: 2 }],
        string_table: strings.map(String::from).to_vec(),
        mapping: ids
            .clone()
            .map(|id| Mapping {
                id,
                ..Mapping::default()
            })
            .collect(),
        function: ids
            .clone()
            .map(|id| Function {
                id,
                ..Function::default()
            })
            .collect(),
        location: ids
            .map(|id| Location {
                id,
                line: vec![Line {
                    function_id: id,
                    ..Line::default()
                }],
                ..Location::default()
            })
            .collect(),
        ..Profile::default()
    }
}

/// A sample with a stack of its own and a set of labels of its own.
fn sample_of(location: u64, thread: u64) -> Sample {
    Sample {
        location_id: vec![location; thread as usize + 1],
        value: vec![1],
        label: vec![Label {
            key: 3,
            str: (thread % 4) as i64,
            ..Label::default()
        }],
    }
}

#[test]
fn no_table_grows_beyond_its_limit() {
    let file = growing_tables();
    let whole = Capture::from_bytes(&file).unwrap();
    assert!(!whole.truncated());
    assert_eq!((whole.samples().len(), whole.label_set_count()), (76, 4));
    let limits = ReadLimits::default();
    let read = |limits| Capture::from_bytes_within(&file, limits);
    type Lower = fn(&mut ReadLimits, usize);
    // The counts of the whole file, and of its first member.
    let tables: [(Lower, usize, usize); 6] = [
        (|limits, max| limits.max_strings = max, 184, 4),
        (|limits, max| limits.max_string_bytes = max, 3618, 18),
        (|limits, max| limits.max_mappings = max, 40, 4),
        (|limits, max| limits.max_functions = max, 40, 4),
        (|limits, max| limits.max_locations = max, 40, 4),
        (|limits, max| limits.max_lines = max, 40, 4),
    ];
    for (at, (lower, all, first)) in tables.into_iter().enumerate() {
        let within = |max| {
            let mut limits = limits;
            lower(&mut limits, max);
            read(limits)
        };
        let exact = within(all).unwrap();
        assert!(!exact.truncated(), "{at}");
        assert_eq!(exact.samples(), whole.samples(), "{at}");
        // The last member does not fit, or none but the first does.
        for (max, kept) in [(all - 1, 72), (first, 40)] {
            let cut = within(max).unwrap();
            assert!(cut.truncated(), "{at}");
            assert_eq!(cut.samples(), &whole.samples()[..kept], "{at}");
            use_all(&cut);
        }
        let refused = within(first - 1).unwrap_err();
        assert!(matches!(refused, ReadError::TooMany { .. }), "{refused}");
    }
}

#[test]
fn no_more_stacks_and_labels_are_kept_than_may_be() {
    let file = growing_tables();
    let whole = Capture::from_bytes(&file).unwrap();
    let cut = |lower: fn(&mut ReadLimits)| {
        let mut limits = ReadLimits::default();
        lower(&mut limits);
        let cut = Capture::from_bytes_within(&file, limits).unwrap();
        assert!(cut.truncated());
        use_all(&cut);
        // Samples that would fit behind the first one that does not are no fair part of the rest.
        assert_eq!(cut.samples(), &whole.samples()[..cut.samples().len()]);
        assert!(cut.samples().len() < whole.samples().len());
        cut
    };
    assert_eq!(cut(|limits| limits.max_label_sets = 3).samples().len(), 3);
    assert_eq!(cut(|limits| limits.max_stacks = 5).stack_count(), 5);
    // Of one location, of two, and so on.
    let few = cut(|limits| limits.max_stack_locations = 15);
    assert_eq!(few.stack_count(), 5);
}

#[test]
fn sets_of_labels_that_show_the_same_are_one() {
    let unknown = |number: i64| Sample {
        label: vec![
            Label {
                key: 1,
                num: number,
                ..Label::default()
            };
            MAX_LABELS
        ],
        ..sample_of(1, 0)
    };
    let profile = Profile {
        sample: (0..100).map(unknown).collect(),
        ..tables(1..2)
    };
    let capture = Capture::from_bytes(&profile.encode_to_vec()).unwrap();
    assert_eq!(
        (capture.samples().len(), capture.label_set_count()),
        (100, 1)
    );
}

#[test]
fn a_location_of_countless_lines_takes_no_more_than_those_that_are_kept() {
    // A million lines, of two bytes each, of function 0.
    let mut profile = tables(1..2);
    profile.function[0].id = 0;
    profile.location[0].line = vec![Line::default(); 1 << 20];
    profile.sample = vec![sample_of(1, 0)];
    let capture = Capture::from_bytes(&profile.encode_to_vec()).unwrap();
    let frames: Vec<_> = capture.frames(capture.samples()[0].stack).collect();
    assert_eq!(frames.len(), MAX_LINES_PER_LOCATION);
    assert_eq!(
        capture.function(frames[frames.len() - 1].function).name,
        Mark::TooDeep.name()
    );
}

#[test]
fn a_file_larger_than_memory_allows_for_a_message_is_read_member_by_member() {
    let limits = ReadLimits {
        // The largest member is shorter than that, all of them together are not.
        max_bytes: plain().len() * 3 / 4,
        ..ReadLimits::default()
    };
    let capture = Capture::from_bytes_within(&small().concat(), limits).unwrap();
    let whole = Capture::from_bytes(&small().concat()).unwrap();
    assert!(!capture.truncated());
    assert_eq!(capture.samples(), whole.samples());
}

#[test]
fn a_bomb_is_no_more_than_a_file_of_the_allowed_size() {
    let bomb = gzip(&vec![0x32; 10 << 20]);
    let limits = ReadLimits {
        max_bytes: 1 << 20,
        ..ReadLimits::default()
    };
    assert!(matches!(
        Capture::from_bytes_within(&bomb, limits),
        Err(ReadError::NotAProfile(_))
    ));
}

#[test]
fn a_message_that_is_cut_anywhere_over_members_is_put_together() {
    let (message, whole) = (plain(), Capture::from_bytes(&plain()).unwrap());
    for at in [1, message.len() / 3, message.len() / 2, message.len() - 1] {
        let (first, rest) = message.split_at(at);
        let file = [gzip(first), gzip(rest)].concat();
        let capture = Capture::from_bytes(&file).unwrap();
        assert!(!capture.truncated(), "at {at}");
        assert_eq!(capture.samples(), whole.samples(), "at {at}");
    }
}

fn foreign() -> Profile {
    let strings = [
        "",
        "cpu",
        "nanoseconds",
        "main.work",
        "main.go",
        "alloc",
        "count",
        "bytes",
        "key",
    ];
    Profile {
        sample_type: vec![
            ValueType { r#type: 5, unit: 7 },
            ValueType { r#type: 5, unit: 6 },
        ],
        string_table: strings.map(String::from).to_vec(),
        function: vec![Function {
            id: 900_000,
            name: 3,
            system_name: 3,
            filename: 4,
            start_line: 7,
        }],
        location: vec![
            Location {
                id: 77,
                line: vec![
                    Line {
                        function_id: 900_000,
                        line: 9,
                        column: 1
                    };
                    2
                ],
                ..Location::default()
            },
            Location {
                id: 1 << 40,
                address: 0xabc,
                ..Location::default()
            },
        ],
        sample: vec![Sample {
            location_id: vec![1 << 40, 77],
            value: vec![4096, 3],
            label: vec![Label {
                key: 8,
                str: 3,
                num: 0,
                num_unit: 0,
            }],
        }],
        period: 10,
        ..Profile::default()
    }
}

#[test]
fn foreign_profiles_open() {
    let capture = Capture::from_bytes(&gzip(&foreign().encode_to_vec())).unwrap();
    let [sample] = capture.samples() else {
        panic!("one sample")
    };
    assert_eq!((sample.count, sample.value, sample.bucket_ms), (3, 30, 0));
    let frames: Vec<_> = capture
        .frames(sample.stack)
        .map(|frame| (capture.function(frame.function).name, frame.line))
        .collect();
    assert_eq!(frames, [("0xabc", 0), ("main.work", 9), ("main.work", 9)]);
    let view = capture.function(capture.frames(sample.stack).last().unwrap().function);
    assert_eq!(
        (view.kind, view.raw_name, view.head_line),
        (FrameKind::Native, "main.work", 7)
    );
    let labels = capture.labels(sample.labels);
    assert_eq!(
        (labels.class, labels.trust, labels.thread_name),
        (None, None, None)
    );
    use_all(&capture);
}

#[test]
fn wrong_indices_are_named() {
    let read = |profile: &Profile| Capture::from_bytes(&gzip(&profile.encode_to_vec()));
    let wrong = |change: fn(&mut Profile)| {
        let mut profile = foreign();
        change(&mut profile);
        read(&profile).unwrap_err().to_string()
    };
    assert!(wrong(|p| p.sample[0].location_id[0] = 5).ends_with("there is no location 5"));
    assert!(wrong(|p| p.location[0].line[0].function_id = 6).ends_with("no function 6"));
    assert!(wrong(|p| p.location[0].mapping_id = 8).ends_with("no mapping 8"));
    assert!(wrong(|p| p.function[0].name = 99).ends_with("no string 99"));
    assert!(wrong(|p| p.sample[0].label[0].key = 98).ends_with("no string 98"));
    assert!(wrong(|p| p.sample[0].value.clear()).contains("lacks its values"));
    assert!(wrong(|p| p.sample[0].value.push(1)).contains("too many values"));
    assert!(wrong(|p| p.string_table.clear()).contains("no string table"));
}

/// Files of older helpers and of other programs.
#[test]
fn a_stack_that_is_too_long_loses_its_middle() {
    for frames in [
        MAX_STACK_FRAMES / 2 * 2 + 2,
        20_000,
        5 * MAX_STACK_FRAMES,
        1 << 20,
    ] {
        let mut profile = foreign();
        // Location 77 has two frames; the other one marks both ends.
        let mut stack = vec![77; frames / 2];
        stack.insert(0, 1 << 40);
        stack.push(1 << 40);
        profile.sample[0].location_id = stack;
        let capture = Capture::from_bytes(&gzip(&profile.encode_to_vec())).unwrap();
        assert!(!capture.truncated());
        assert_eq!(capture.stacks_cut(), 3, "each sample counts");
        let [sample] = capture.samples() else {
            panic!("one sample")
        };
        let names: Vec<_> = capture
            .frames(sample.stack)
            .map(|frame| capture.function(frame.function))
            .collect();
        assert!(names.len() <= MAX_STACK_FRAMES);
        assert!(names.len() >= MAX_STACK_FRAMES - 2, "{}", names.len());
        let (first, last) = (names[0], names[names.len() - 1]);
        assert_eq!((first.name, last.name), ("0xabc", "0xabc"));
        let markers: Vec<_> = (0..names.len())
            .filter(|at| names[*at].kind == FrameKind::Marker)
            .collect();
        let [marker] = markers[..] else {
            panic!("one marker")
        };
        assert_eq!(names[marker].name, Mark::TooDeep.name());
        assert!(marker.abs_diff(MAX_STACK_FRAMES / 2) <= 2);
        use_all(&capture);
    }
}

#[test]
fn what_is_too_much_of_one_thing_is_left_out() {
    let mut profile = foreign();
    let line = profile.location[0].line[0];
    profile.location[0].line = vec![line; 200];
    let label = profile.sample[0].label[0];
    profile.sample[0].label = vec![label; MAX_LABELS + 5];
    profile.comment = vec![3; MAX_COMMENTS + 5];
    let capture = Capture::from_bytes(&gzip(&profile.encode_to_vec())).unwrap();
    let names: Vec<_> = capture
        .frames(capture.samples()[0].stack)
        .map(|frame| capture.function(frame.function).name)
        .collect();
    assert_eq!(names.len(), 1 + MAX_LINES_PER_LOCATION);
    assert_eq!(names.last(), Some(&Mark::TooDeep.name()));
    assert!(capture.comments().count() <= MAX_COMMENTS);
    use_all(&capture);
}

#[test]
fn other_files_are_refused() {
    assert!(matches!(Capture::from_bytes(b""), Err(ReadError::Empty)));
    for bytes in [
        &b"hello, world\n"[..],
        &gzip(b"hello, world\n"),
        &gzip(b""),
        &[0x1f, 0x8b],
    ] {
        assert!(
            matches!(Capture::from_bytes(bytes), Err(ReadError::NotAProfile(_))),
            "{bytes:?}"
        );
    }
}

proptest! {
    #[test]
    fn flipped_bytes_never_panic(
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in proptest::option::of(any::<prop::sample::Index>()),
        packed: bool,
    ) {
        // Flips inside gzip mostly end at its checksum; those inside the message get further.
        let mut bytes = if packed { small().concat() } else { plain() };
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(capture) = Capture::from_bytes(&bytes) {
            use_all(&capture);
        }
    }

    #[test]
    fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for bytes in [gzip(&bytes), bytes] {
            if let Ok(capture) = Capture::from_bytes(&bytes) {
                use_all(&capture);
            }
        }
    }
}
