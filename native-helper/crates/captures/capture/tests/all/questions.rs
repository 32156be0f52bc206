//! The questions, on a capture small enough to count by hand.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use crate::synthetic;
use capture::blame::{Blame, BlameOptions, blame};
use capture::class_split::class_split;
use capture::export::folded::{Places, write_folded};
use capture::export::html::write_html;
use capture::export::speedscope::write_speedscope;
use capture::hot_lines::hot_lines;
use capture::percent_of::PercentOf;
use capture::reader::Capture;
use capture::sample::{FrameKind, FunctionFacts, SampleClass, Trust};
use capture::top::{SortBy, Top, TopOptions, TopRow, top};

/// Counts, and frames leaf first as `name` or `name@line`; their kind follows from the name.
const SAMPLES: &[(u64, SampleClass, Trust, &[&str])] = &[
    // Erlang code, with recursion.
    (
        10,
        SampleClass::Erlang,
        Trust::Captured,
        &["m:loop/1@5", "m:loop/1@5", "m:main/0@2"],
    ),
    // A copy in a BIF.
    (
        6,
        SampleClass::Copy,
        Trust::Validated,
        &[
            "copy_struct_x",
            "db_get_hash",
            "ets:lookup/2",
            "m:read/1@8",
            "m:main/0@3",
        ],
    ),
    (
        1,
        SampleClass::Copy,
        Trust::Validated,
        &["copy_shallow_x", "m:loop/1@6", "m:main/0@2"],
    ),
    (
        2,
        SampleClass::Copy,
        Trust::Unproven,
        &["copy_struct_x", "erts_send_message"],
    ),
    (
        1,
        SampleClass::Copy,
        Trust::Bracketed,
        &["copy_struct_x", "m:main/0@4"],
    ),
    (
        5,
        SampleClass::Idle,
        Trust::NoProcess,
        &["epoll_wait", "erts_schedule"],
    ),
];

fn capture() -> Capture {
    let frame = |frame: &&str| {
        let (name, line) = frame.split_once('@').unwrap_or((frame, "0"));
        let (kind, file, head_line) = match name {
            "ets:lookup/2" => (FrameKind::Bif, "", 0),
            name if name.starts_with("m:") => (FrameKind::Erlang, "m.erl", 1),
            _ => (FrameKind::Native, "", 0),
        };
        let facts = FunctionFacts {
            name: name.into(),
            raw_name: name.into(),
            kind,
            file: file.into(),
            head_line,
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

fn row<'t>(top: &'t Top, function: &str) -> &'t TopRow {
    top.functions
        .iter()
        .find(|row| row.function == function)
        .unwrap()
}

#[test]
fn top_counts_self_and_total() {
    let top = top(&capture(), &TopOptions::default());
    assert_eq!((top.samples, top.busy), (25, 20));
    assert_eq!(
        top.functions
            .iter()
            .map(|row| row.self_samples)
            .sum::<u64>(),
        25
    );
    let looping = row(&top, "m:loop/1");
    assert_eq!(
        (looping.self_samples, looping.total_samples),
        (10, 11),
        "recursion counts once"
    );
    assert_eq!((looping.self_pct, looping.self_busy_pct), (40.0, 50.0));
    assert_eq!((looping.file.as_str(), looping.line), ("m.erl", 1));
    assert_eq!(row(&top, "m:main/0").total_samples, 18);
    assert_eq!(top.functions[0].function, "m:loop/1");
    assert_eq!(top.quality, Some(synthetic::quality(25)));
}

#[test]
fn top_by_total() {
    let options = TopOptions {
        sort: SortBy::TotalSamples,
        ..TopOptions::default()
    };
    let top = top(&capture(), &options);
    let names: Vec<_> = top
        .functions
        .iter()
        .map(|row| row.function.as_str())
        .collect();
    assert_eq!(names[..2], ["m:main/0", "m:loop/1"]);
}

#[test]
fn only_erlang_drops_no_sample() {
    let top = top(
        &capture(),
        &TopOptions {
            only_erlang: true,
            ..TopOptions::default()
        },
    );
    assert_eq!(
        top.functions
            .iter()
            .map(|row| row.self_samples)
            .sum::<u64>(),
        25
    );
    assert_eq!(row(&top, "ets:lookup/2").self_samples, 6);
    assert_eq!(row(&top, "m:loop/1").self_samples, 11);
    assert_eq!(row(&top, "[unproven]").self_samples, 2);
    assert_eq!(row(&top, "[idle]").self_samples, 5);
    assert_eq!(row(&top, "[bracketed]").self_samples, 1);
    assert_eq!(row(&top, "m:main/0").self_samples, 0);
    assert_eq!(row(&top, "m:main/0").total_samples, 18);
}

fn callers(blame: &Blame) -> Vec<(&str, u64, bool, u32)> {
    let row = |caller: &capture::blame::BlameCaller| caller.samples;
    assert_eq!(blame.callers.iter().map(row).sum::<u64>(), blame.samples);
    let shown = blame.callers.iter();
    shown
        .map(|c| (c.function.as_str(), c.samples, c.at_or_below, c.line))
        .collect()
}

#[test]
fn blame_finds_callers_and_drops_nothing() {
    let blamed = blame(&capture(), "copy", &BlameOptions::default());
    assert_eq!(blamed.symbols, ["copy_shallow_x", "copy_struct_x"]);
    assert_eq!(
        (blamed.samples, blamed.pct, blamed.busy_pct),
        (10, 40.0, 50.0)
    );
    assert_eq!(
        callers(&blamed),
        [
            ("m:read/1", 6, false, 8),
            ("[unproven]", 2, false, 0),
            ("m:loop/1", 1, false, 6),
            ("m:main/0", 1, true, 4),
        ]
    );
    let read = &blamed.callers[0];
    assert_eq!((read.pct, read.pct_of_all), (60.0, 24.0));
    assert_eq!(read.pct_of_busy, 30.0);
    assert_eq!((blamed.all_samples, blamed.busy_samples), (25, 20));
    assert_eq!(
        (read.callers[0].function.as_str(), read.callers[0].line),
        ("m:main/0", 3)
    );
    assert!(!read.callers[0].at_or_below && read.callers[0].callers.is_empty());
}

#[test]
fn blame_takes_old_names_and_bifs() {
    let old = blame(&capture(), "copy_struct", &BlameOptions::default());
    assert_eq!(
        (old.symbols.as_slice(), old.samples),
        (&["copy_struct_x".to_owned()][..], 9)
    );
    let ets = blame(&capture(), "ets", &BlameOptions::default());
    assert_eq!(ets.symbols, ["db_get_hash", "ets:lookup/2"]);
    assert_eq!(callers(&ets), [("m:read/1", 6, false, 8)]);
    let idle = blame(&capture(), "schedule", &BlameOptions::default());
    assert_eq!(callers(&idle), [("[idle]", 5, false, 0)]);
    let none = blame(&capture(), "m:main/0", &BlameOptions::default());
    assert_eq!((none.samples, none.pct, none.callers.len()), (0, 0.0, 0));
}

fn function_of(name: &str, kind: FrameKind) -> FunctionFacts {
    FunctionFacts {
        name: name.into(),
        raw_name: name.into(),
        kind,
        file: String::new(),
        head_line: 0,
        object: "x".into(),
    }
}

#[test]
fn the_owner_of_work_for_no_process_stands_for_the_function_that_it_has_not() {
    let made = |count, outermost: Option<&str>| {
        let outermost = outermost.map(|name| (function_of(name, FrameKind::Marker), 0));
        let dtor = (function_of("dtor", FrameKind::Nif), 0);
        let labels = synthetic::labels_of(SampleClass::Nif, Trust::NoProcess);
        (count, labels, [dtor].into_iter().chain(outermost).collect())
    };
    let capture = synthetic::capture_of(vec![
        made(4, Some("[persistent_term or purged code]")),
        made(3, Some("[destructor of img:png]")),
        made(2, Some("[destructor of img:gif]")),
        made(1, None),
    ]);
    let options = TopOptions {
        only_erlang: true,
        ..TopOptions::default()
    };
    let top = top(&capture, &options);
    let expected = [
        ("[persistent_term or purged code]", 4),
        ("[destructor of img:png]", 3),
        ("[destructor of img:gif]", 2),
        ("[NIF in no process]", 1),
    ];
    for (name, count) in expected {
        assert_eq!(row(&top, name).self_samples, count, "{name}");
    }
    let blamed = blame(&capture, "nif:x", &BlameOptions::default());
    let found: Vec<_> = callers(&blamed)
        .iter()
        .map(|(name, count, ..)| (*name, *count))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn the_port_of_a_task_stands_for_the_function_that_it_has_not() {
    let named = function_of;
    let port = || named("[port tcp_inet of shop]", FrameKind::Marker);
    let made = |count, class, leaf: &str, outermost| {
        let callback = named("tcp_inet:timeout (driver)", FrameKind::Native);
        let leaf = named(leaf, FrameKind::Native);
        let frames = [(leaf, 0), (callback, 0)].into_iter().chain(outermost);
        let labels = synthetic::labels_of(class, Trust::NoProcess);
        (count, labels, frames.collect())
    };
    let capture = synthetic::capture_of(vec![
        made(3, SampleClass::Port, "scan", Some((port(), 0))),
        made(2, SampleClass::Alloc, "malloc", Some((port(), 0))),
        made(1, SampleClass::Port, "scan", None),
    ]);
    let options = TopOptions {
        only_erlang: true,
        ..TopOptions::default()
    };
    let top = top(&capture, &options);
    let of_row = |name| row(&top, name).self_samples;
    assert_eq!(
        (of_row("[port tcp_inet of shop]"), of_row("[port]")),
        (5, 1)
    );
    for (query, expected) in [
        (
            "port",
            [("[port tcp_inet of shop]", 5), ("[port]", 1)].as_slice(),
        ),
        (
            "port:tcp_inet",
            &[("[port tcp_inet of shop]", 5), ("[port]", 1)],
        ),
        ("port:udp_inet", &[]),
        ("alloc", &[("[port tcp_inet of shop]", 2)]),
    ] {
        let blamed = blame(&capture, query, &BlameOptions::default());
        let found = callers(&blamed);
        let found: Vec<_> = found
            .iter()
            .map(|(name, count, ..)| (*name, *count))
            .collect();
        assert_eq!(found, expected, "{query}");
    }
}

#[test]
fn json_has_the_promised_names() {
    let top = serde_json::to_value(top(&capture(), &TopOptions::default())).unwrap();
    let row = &top["functions"][0];
    for name in [
        "function",
        "kind",
        "file",
        "line",
        "self",
        "total",
        "self_pct",
        "total_pct",
    ] {
        assert!(!row[name].is_null(), "{name}");
    }
    assert_eq!(row["kind"], "erlang");
    assert_eq!(top["quality"]["samples"], 25);
    let blamed = serde_json::to_value(blame(&capture(), "copy", &BlameOptions::default())).unwrap();
    for name in ["native", "symbols", "samples", "pct", "callers"] {
        assert!(!blamed[name].is_null(), "{name}");
    }
    for name in ["function", "samples", "pct"] {
        assert!(!blamed["callers"][0][name].is_null(), "{name}");
    }
}

#[test]
fn classes_add_up() {
    let split = class_split(&capture());
    assert_eq!((split.samples, split.busy), (25, 20));
    let rows: Vec<_> = split
        .classes
        .iter()
        .map(|row| (row.class.unwrap(), row.samples, row.busy_pct))
        .collect();
    assert_eq!(
        rows,
        [
            (SampleClass::Erlang, 10, 50.0),
            (SampleClass::Copy, 10, 50.0),
            (SampleClass::Idle, 5, 0.0)
        ]
    );
}

#[test]
fn of_busy_samples_those_of_waiting_are_in_no_row() {
    let capture = capture();
    for only_erlang in [false, true] {
        let options = TopOptions {
            only_erlang,
            percent_of: PercentOf::Busy,
            ..TopOptions::default()
        };
        let top = top(&capture, &options);
        assert_eq!((top.samples, top.busy), (25, 20));
        let of_rows = top.functions.iter().map(|row| row.self_samples);
        assert_eq!(of_rows.sum::<u64>(), 20);
        let waits = ["epoll_wait", "erts_schedule", "[idle]"];
        let has = |row: &TopRow| waits.contains(&row.function.as_str());
        assert!(!top.functions.iter().any(has), "{:?}", top.functions);
    }
    let lines = hot_lines(&capture, None, PercentOf::Busy);
    assert_eq!(lines, hot_lines(&capture, None, PercentOf::All));
}

#[test]
fn the_page_names_what_its_shares_are_of_and_has_no_others() {
    let page = |percent_of| {
        let mut out = Vec::new();
        write_html(&capture(), "demo", percent_of, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let busy = page(PercentOf::Busy);
    let heading = "25 samples, 20 busy, idle 20.0 % of all, shares of busy samples";
    assert!(busy.contains(heading) && busy.contains("\"of\":\"busy\""));
    let sum = |page: &str| {
        let (_, counts) = page.split_once("\"self\":[").unwrap();
        let (counts, _) = counts.split_once(']').unwrap();
        let counts = counts.split(',').map(|count| count.parse::<u64>().unwrap());
        counts.sum::<u64>()
    };
    let all = page(PercentOf::All);
    assert!(all.contains("shares of all samples") && all.contains("\"of\":\"all\""));
    assert_eq!((sum(&busy), sum(&all)), (20, 25));
}

#[test]
fn lines_are_counted_once_a_sample() {
    let lines = hot_lines(&capture(), None, PercentOf::All);
    let line = |number| lines.iter().find(|line| line.line == number).unwrap();
    assert_eq!((line(5).self_samples, line(5).total_samples), (10, 10));
    assert_eq!((line(8).self_samples, line(8).total_samples), (6, 6));
    assert_eq!((line(2).self_samples, line(2).total_samples), (0, 11));
}

#[test]
fn folded_stacks_are_root_first() {
    let mut out = Vec::new();
    write_folded(&capture(), Places::Without, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("m:main/0;m:loop/1;m:loop/1 10\n"), "{text}");
    assert!(text.contains("erts_schedule;epoll_wait 5\n"), "{text}");
    assert_eq!(text.lines().count(), 6);
}

#[test]
fn speedscope_weights_add_up() {
    let mut out = Vec::new();
    write_speedscope(&capture(), "demo", &mut out).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
    let profile = &json["profiles"][0];
    let weights = profile["weights"].as_array().unwrap();
    let sum: u64 = weights.iter().map(|weight| weight.as_u64().unwrap()).sum();
    assert_eq!(sum, 25 * (1_000_000_000 / 499));
    assert_eq!(profile["endValue"], sum);
    assert_eq!(profile["samples"].as_array().unwrap().len(), weights.len());
    let root = profile["samples"][0][0].as_u64().unwrap() as usize;
    let names = ["m:main/0", "erts_schedule", "erts_send_message"];
    assert!(names.contains(&json["shared"]["frames"][root]["name"].as_str().unwrap()));
}
