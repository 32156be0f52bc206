//! Real captures of one program against themselves: that a change is claimed is rare.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

use std::path::Path;

use crate::night_or_day;
use crate::simulated::side;
use capture::reader::Capture;
use compare::{Options, compare};

/// In the order in which they were recorded; tests/recorded/README.md describes how.
fn recorded() -> Vec<Capture> {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("tests/recorded");
    let read = |number| {
        let bytes = std::fs::read(folder.join(format!("run-{number:02}.pb.gz"))).unwrap();
        Capture::from_bytes(&bytes).unwrap()
    };
    (0..12).map(read).collect()
}

fn claims_a_change(base: &[Capture], new: &[Capture]) -> bool {
    let comparison = compare(&side("base", base), &side("new", new), &Options::default())
        .expect("two sides with samples");
    assert_eq!(comparison.moved, [], "nothing moves in one program");
    let changed = comparison
        .functions
        .iter()
        .filter(|row| row.columns().any(|change| change.verdict.is_change()));
    let names: Vec<_> = changed.map(|row| &row.function).collect();
    if !names.is_empty() {
        println!("{names:?}");
    }
    !names.is_empty()
}

#[test]
fn one_capture_against_another_rarely_claims_a_change() {
    let all = recorded();
    let mut pairs = 0;
    let mut alarms = 0;
    for (number, base) in all.iter().enumerate() {
        // By day each is compared with the next two.
        for new in all[number + 1..].iter().take(night_or_day(all.len(), 2)) {
            pairs += 1;
            alarms += usize::from(claims_a_change(
                std::slice::from_ref(base),
                std::slice::from_ref(new),
            ));
        }
    }
    println!("{alarms} of {pairs}");
    assert!(alarms * 20 <= pairs, "{alarms} of {pairs}");
}

#[test]
fn three_captures_against_three_others_claim_none() {
    for six in recorded().chunks_exact(6) {
        assert!(!claims_a_change(&six[..3], &six[3..]));
    }
}
