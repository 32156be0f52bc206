//! C functions whose names were stripped, on a capture small enough to count by hand.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use crate::synthetic;
use capture::reader::Capture;
use capture::sample::{FrameKind, FunctionFacts, SampleClass, Trust};
use capture::top::{TopOptions, TopRow, top};

const ENCODE: &str = "erlang:term_to_binary/1";
const DECODE: &str = "erlang:binary_to_term/1";

/// Counts, and frames leaf first.
const SAMPLES: &[(u64, &[&str])] = &[
    (3, &["beam.smp!fn@0x10", "beam.smp!fn@0x20", ENCODE]),
    (2, &["beam.smp!fn@0x10", DECODE]),
    (
        8,
        &[
            "beam.smp!fn@0x10",
            "global::collect",
            "memmove",
            "beam.smp!fn@0x20",
            ENCODE,
        ],
    ),
    (16, &["memmove", "beam.smp!fn@0x20", ENCODE]),
    (32, &["beam.smp!fn@0x30", "libcrypto.so!fn@0x10"]),
    (64, &["crypto.so!fn@0x10", ENCODE]),
];

fn capture() -> Capture {
    let frame = |name: &&str| {
        let object = name
            .split_once('!')
            .map_or("beam.smp", |(object, _)| object);
        let facts = FunctionFacts {
            name: (*name).into(),
            raw_name: (*name).into(),
            kind: match *name {
                ENCODE | DECODE => FrameKind::Bif,
                "global::collect" => FrameKind::Fragment,
                _ if object == "crypto.so" => FrameKind::Nif,
                _ => FrameKind::Native,
            },
            file: String::new(),
            head_line: 0,
            object: object.into(),
        };
        (facts, 0)
    };
    let samples = SAMPLES.iter().map(|(count, frames)| {
        let labels = synthetic::labels_of(SampleClass::Binary, Trust::Validated);
        (*count, labels, frames.iter().map(frame).collect())
    });
    synthetic::capture_of(samples.collect())
}

fn rows(with_addresses: bool) -> Vec<TopRow> {
    let options = TopOptions {
        with_addresses,
        ..TopOptions::default()
    };
    top(&capture(), &options).functions
}

#[test]
fn unnamed_code_is_one_row_for_each_function_that_it_is_inside_of() {
    let rows = rows(false);
    let shown: Vec<_> = rows
        .iter()
        .map(|row| {
            assert_eq!(row.called_from, None);
            let counts = (row.self_samples, row.total_samples);
            (row.function.as_str(), row.kind, counts)
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("(inside erlang:term_to_binary/1)", FrameKind::Nif, (64, 64)),
            // No function with a name called it.
            ("(inside beam.smp)", FrameKind::Native, (32, 32)),
            ("memmove", FrameKind::Native, (16, 24)),
            // Code that the collector calls is code of the function before.
            ("(inside memmove)", FrameKind::Native, (8, 8)),
            // Two of one sample count once.
            (
                "(inside erlang:term_to_binary/1)",
                FrameKind::Native,
                (3, 27)
            ),
            (
                "(inside erlang:binary_to_term/1)",
                FrameKind::Native,
                (2, 2)
            ),
            (ENCODE, FrameKind::Bif, (0, 91)),
            ("(inside libcrypto.so)", FrameKind::Native, (0, 32)),
            ("global::collect", FrameKind::Fragment, (0, 8)),
            (DECODE, FrameKind::Bif, (0, 2)),
        ]
    );
}

#[test]
fn with_addresses_a_stripped_function_names_its_callers() {
    let rows = rows(true);
    let row = |name: &str| rows.iter().find(|row| row.function == name).unwrap();
    let stripped = row("beam.smp!fn@0x10");
    assert_eq!((stripped.self_samples, stripped.total_samples), (13, 13));
    assert_eq!(stripped.called_from.as_deref(), Some("memmove"));
    assert_eq!(
        row("crypto.so!fn@0x10").called_from.as_deref(),
        Some(ENCODE)
    );
    assert_eq!(row(DECODE).called_from, None);
    assert!(rows.iter().all(|row| !row.function.contains("inside")));
}
