//! Time of the user's own code, on a capture small enough to count by hand.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use crate::synthetic;
use capture::hot_lines::{HotLine, hot_lines};
use capture::own::{NO_OWN_CODE, OwnCode, OwnFunction, OwnSource};
use capture::percent_of::PercentOf;
use capture::reader::{Capture, FunctionIndex};
use capture::sample::{FrameKind, FunctionFacts, SampleClass, Trust};
use capture::top::{SortBy, TopOptions, top};

/// Counts, and frames leaf first as `FILE name@line`: a function in `own.ex` is the user's, and so
/// is code that a macro of `dep.ex` brought there.
const SAMPLES: &[(u64, SampleClass, Trust, &[&str])] = &[
    (
        8,
        SampleClass::Erlang,
        Trust::Captured,
        &[
            "enum.ex Enum.map/2@5",
            "own.ex Shop.total/1@12",
            "own.ex Shop.run/0@3",
        ],
    ),
    (
        4,
        SampleClass::Gc,
        Trust::Captured,
        &[
            " copy_struct_x@0",
            "own.ex Shop.total/1@12",
            "own.ex Shop.total/1@13",
            "own.ex Shop.run/0@3",
        ],
    ),
    (
        2,
        SampleClass::Erlang,
        Trust::Captured,
        &["dep.ex Shop.total/1@77", "own.ex Shop.run/0@4"],
    ),
    (
        16,
        SampleClass::Erlang,
        Trust::Captured,
        &["enum.ex Enum.map/2@5", "gen.ex GenServer.call/2@9"],
    ),
    (
        32,
        SampleClass::Copy,
        Trust::Bracketed,
        &[" copy_struct_x@0", "own.ex Shop.run/0@3"],
    ),
    (
        64,
        SampleClass::Copy,
        Trust::Unproven,
        &[" copy_struct_x@0"],
    ),
    (128, SampleClass::Idle, Trust::NoProcess, &[" epoll_wait@0"]),
];
const ALL: u64 = 254;

fn capture() -> Capture {
    let frame = |frame: &&str| {
        let (file, rest) = frame.split_once(' ').unwrap();
        let (name, line) = rest.split_once('@').unwrap();
        let facts = FunctionFacts {
            name: name.into(),
            raw_name: name.into(),
            kind: match file {
                "" => FrameKind::Native,
                _ => FrameKind::Erlang,
            },
            file: file.into(),
            head_line: 1,
            object: "x".into(),
        };
        (facts, line.parse().unwrap())
    };
    let samples = SAMPLES.iter().map(|&(count, class, trust, frames)| {
        let labels = synthetic::labels_of(class, trust);
        (count, labels, frames.iter().map(frame).collect())
    });
    synthetic::capture_of(samples.collect())
}

fn own(capture: &Capture) -> OwnCode {
    let all: Vec<FunctionIndex> = capture.function_indices().collect();
    let own_one = |name: &str| {
        let found = all.iter().copied().find(|index| {
            let view = capture.function(*index);
            view.name == name && view.file == "own.ex"
        });
        found.unwrap()
    };
    let of = |index: &FunctionIndex| {
        let view = capture.function(*index);
        let file = "lib/own.ex".into();
        match (view.file, view.name) {
            ("own.ex", _) => Some(OwnFunction {
                counts_for: *index,
                source: OwnSource::File(file),
            }),
            ("dep.ex", name) => Some(OwnFunction {
                counts_for: own_one(name),
                source: OwnSource::LinesElsewhere(file),
            }),
            _ => None,
        }
    };
    OwnCode::new(all.iter().map(of).collect())
}

#[test]
fn a_sample_counts_for_the_innermost_own_function_with_all_that_it_called() {
    let capture = capture();
    let own = own(&capture);
    let options = TopOptions {
        own: Some(&own),
        sort: SortBy::OwnSamples,
        ..TopOptions::default()
    };
    let rows = top(&capture, &options).functions;
    let shown: Vec<_> = rows
        .iter()
        .map(|row| {
            let own = row.own_samples.unwrap();
            assert_eq!(row.own_pct, Some(own as f64 * 100.0 / ALL as f64));
            (
                row.function.as_str(),
                own,
                row.self_samples,
                row.total_samples,
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("[idle]", 128, 0, 0),
            ("[unproven]", 64, 0, 0),
            ("[bracketed]", 32, 0, 0),
            (NO_OWN_CODE, 16, 0, 0),
            // Its own part, and the part that a macro brought.
            ("Shop.total/1", 14, 2, 14),
            ("epoll_wait", 0, 128, 128),
            ("copy_struct_x", 0, 100, 100),
            ("Enum.map/2", 0, 24, 24),
            ("Shop.run/0", 0, 0, 46),
            ("GenServer.call/2", 0, 0, 16),
        ]
    );
    let sum = |of: fn(&(&str, u64, u64, u64)) -> u64| shown.iter().map(of).sum::<u64>();
    assert_eq!((sum(|row| row.1), sum(|row| row.2)), (ALL, ALL));
}

#[test]
fn lines_have_own_time_too() {
    let capture = capture();
    let lines = hot_lines(&capture, Some(&own(&capture)), PercentOf::All);
    let shown: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                (line.file.as_str(), line.line, line.function.as_str()),
                line.own_samples.unwrap(),
                (line.self_samples, line.total_samples),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (("", 0, "[idle]"), 128, (0, 0)),
            (("", 0, "[unproven]"), 64, (0, 0)),
            (("", 0, "[bracketed]"), 32, (0, 0)),
            (("", 0, NO_OWN_CODE), 16, (0, 0)),
            (("lib/own.ex", 12, "Shop.total/1"), 12, (4, 12)),
            // The line is one of the file that the macro is in.
            (("lib/own.ex", 0, "Shop.total/1"), 2, (2, 2)),
            (("lib/own.ex", 3, "Shop.run/0"), 0, (32, 44)),
            (("enum.ex", 5, "Enum.map/2"), 0, (24, 24)),
            (("gen.ex", 9, "GenServer.call/2"), 0, (0, 16)),
            (("lib/own.ex", 13, "Shop.total/1"), 0, (0, 4)),
            (("lib/own.ex", 4, "Shop.run/0"), 0, (0, 2)),
        ]
    );
}

#[test]
fn without_own_code_there_is_no_note_of_it() {
    let json = serde_json::to_value(hot_lines(&capture(), None, PercentOf::All)).unwrap();
    let keys: Vec<_> = json[0].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["file", "function", "line", "self", "total"]);
    let capture = capture();
    let json =
        serde_json::to_value(hot_lines(&capture, Some(&own(&capture)), PercentOf::All)).unwrap();
    let keys: Vec<_> = json[0].as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        keys,
        [
            "file", "function", "line", "own", "own_pct", "self", "total"
        ]
    );
    let back: Vec<HotLine> = serde_json::from_value(json).unwrap();
    assert_eq!(
        back,
        hot_lines(&capture, Some(&own(&capture)), PercentOf::All)
    );
    let json = serde_json::to_value(top(&capture, &TopOptions::default())).unwrap();
    assert!(json["functions"][0].get("own").is_none());
}
