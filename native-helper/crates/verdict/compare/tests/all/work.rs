//! Time for each unit of work: changes that shares hide, and counters that are of no use.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use crate::simulated::{Program, side};
use capture::facts::WorkFacts;
use capture::reader::Capture;
use compare::answer::{Comparison, FunctionChange};
use compare::{Measure, NoteKind, Options, Refusal, RefusalKind, Verdict, compare};

fn captures(program: &Program, seed: u64) -> Vec<Capture> {
    (0..3)
        .map(|number| program.capture(seed + number))
        .collect()
}

fn by(measure: Option<Measure>, base: &[Capture], new: &[Capture]) -> Result<Comparison, Refusal> {
    let options = Options {
        measure,
        ..Options::default()
    };
    compare(&side("base", base), &side("new", new), &options)
}

fn row<'a>(comparison: &'a Comparison, function: &str) -> &'a FunctionChange {
    let mut rows = comparison.functions.iter();
    rows.find(|row| row.function == function).unwrap()
}

fn has_note(comparison: &Comparison, kind: NoteKind) -> bool {
    comparison.notes.iter().any(|note| note.kind == kind)
}

/// A capture with this record of its work; `None`: without one.
fn recorded(seed: u64, work: Option<WorkFacts>) -> Capture {
    let mut program = Program::ordinary();
    program.seconds = 2;
    let bytes = match work {
        Some(work) => program.capture_bytes_with(seed, work),
        None => program.capture_bytes(seed),
    };
    Capture::from_bytes(&bytes).unwrap()
}

fn orders(at_end: Option<f64>) -> WorkFacts {
    WorkFacts {
        name: "orders".into(),
        at_start: 100.0,
        start_unix_ms: 1_700_000_000_000,
        at_end,
        end_unix_ms: 1_700_000_002_000,
        problem: String::new(),
    }
}

#[test]
fn a_function_that_did_not_change_grows_in_share_and_not_in_work() {
    let before = Program::ordinary().counting("orders");
    // The largest takes next to nothing now; all others do the same as before, for more orders.
    let after = before.clone().scale(0, 0.05).scale(1, 0.05).scale(2, 0.05);
    let (base, new) = (captures(&before, 10), captures(&after, 20));
    let by_share = by(Some(Measure::Share), &base, &new).unwrap();
    let by_work = by(None, &base, &new).unwrap();
    assert_eq!(by_work.measure, Measure::Work);
    assert_eq!(by_work.work.as_deref(), Some("orders"));
    assert!(by_work.unit.contains("orders"), "{}", by_work.unit);
    let untouched = "shop:work_3/1";
    assert_eq!(row(&by_share, untouched).itself.verdict, Verdict::Slower);
    assert_eq!(row(&by_work, untouched).itself.verdict, Verdict::Noise);
    assert_eq!(
        row(&by_work, "shop:work_0/1").itself.verdict,
        Verdict::Faster
    );
    assert!(has_note(&by_share, NoteKind::ShareAgainstWork));
    assert!(!has_note(&by_work, NoteKind::ShareAgainstWork));
    // The largest has a ninth of the time, of a second that does 10,000 units of weight 1.
    let figure = row(&by_work, "shop:work_0/1").itself.base;
    assert!((figure / 100.0 - 1.0).abs() < 0.15, "{figure} µs");
    // By processor time each second, all of it is used on either side, for more work on one.
    let by_time = by(Some(Measure::Cpu), &base, &new).unwrap();
    assert!(has_note(&by_time, NoteKind::Load));
    assert!(has_note(&by_time, NoteKind::LoadAgainstWork));
}

#[test]
fn work_is_the_measure_only_where_all_have_counted_the_same() {
    let counted = || vec![recorded(1, Some(orders(Some(300.0))))];
    let silent = || vec![recorded(2, None)];
    let comparison = by(None, &counted(), &silent()).unwrap();
    assert_eq!(comparison.measure, Measure::Share);
    assert_eq!(comparison.work, None);
    assert!(has_note(&comparison, NoteKind::WorkPartly));
    let error = by(Some(Measure::Work), &counted(), &silent()).unwrap_err();
    assert!(matches!(error, Refusal::NoWork { .. }), "{error}");
    let refused = error.refused();
    assert_eq!(refused.kind, RefusalKind::NoWork);
    assert_eq!(refused.values, ["new 1"]);
    assert_eq!(refused.text, "new 1 does not contain the amount of work");

    let messages = WorkFacts {
        name: "messages".into(),
        ..orders(Some(300.0))
    };
    let other = vec![recorded(3, Some(messages))];
    let comparison = by(None, &counted(), &other).unwrap();
    assert_eq!(comparison.measure, Measure::Share);
    assert!(has_note(&comparison, NoteKind::WorkDiffers));
    let error = by(Some(Measure::Work), &counted(), &other).unwrap_err();
    assert_eq!(
        error.to_string(),
        "some captures count orders, others messages"
    );

    let comparison = by(None, &silent(), &silent()).unwrap();
    assert!(!has_note(&comparison, NoteKind::WorkPartly));
}

#[test]
fn a_counter_that_is_of_no_use_is_not_used_and_has_a_note() {
    let good = || vec![recorded(1, Some(orders(Some(300.0))))];
    let failed = WorkFacts {
        problem: "it answers 500".into(),
        ..orders(None)
    };
    for (work, kind, noted, refusal) in [
        (
            orders(Some(50.0)),
            NoteKind::WorkBackwards,
            "from 100 to 50. The counting program was restarted",
            "from 100 to 50",
        ),
        (
            orders(Some(100.0)),
            NoteKind::WorkStoodStill,
            "stood still, so its work is not used",
            "stood still at 100",
        ),
        (
            orders(None),
            NoteKind::WorkCut,
            "was cut short before work (orders) was counted again",
            "was cut before",
        ),
        (
            failed,
            NoteKind::WorkNotRead,
            "work (orders) could not be counted at the end: it answers 500",
            "it answers 500",
        ),
    ] {
        let bad = vec![recorded(2, Some(work))];
        let comparison = by(None, &good(), &bad).unwrap();
        assert_eq!(comparison.measure, Measure::Share);
        let note = comparison.notes.iter().find(|note| note.kind == kind);
        let note = note.unwrap_or_else(|| panic!("{:?}", comparison.notes));
        assert!(note.text.contains(noted), "{}", note.text);
        assert_eq!(note.values.first().map(String::as_str), Some("new 1"));
        let error = by(Some(Measure::Work), &good(), &bad).unwrap_err();
        assert!(error.to_string().contains(refusal), "{error}");
        let refused = error.refused();
        assert_eq!(format!("{:?}", refused.kind), format!("{kind:?}"));
        assert_eq!(refused.values[..2], ["new 1", "orders"]);
    }
}
