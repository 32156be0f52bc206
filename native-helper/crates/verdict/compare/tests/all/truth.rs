//! Verdicts against programs of which the truth is known.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

use crate::night_or_day;
use crate::simulated::{Program, side};
use capture::reader::Capture;
use compare::answer::{Comparison, FunctionChange};
use compare::{Options, Verdict, compare};

fn captures(program: &Program, count: u64, seed: u64) -> Vec<Capture> {
    (0..count)
        .map(|number| program.capture(seed * 1_000 + number))
        .collect()
}

fn compared(base: &[Capture], new: &[Capture]) -> Comparison {
    compare(&side("base", base), &side("new", new), &Options::default())
        .expect("two sides with samples")
}

fn row<'c>(comparison: &'c Comparison, name: &str) -> &'c FunctionChange {
    let mut rows = comparison.functions.iter();
    rows.find(|row| row.function == name)
        .unwrap_or_else(|| panic!("no row for {name}"))
}

/// One in twenty comparisons at most claims a change.
fn assert_rarely_alarmed(comparisons: u64, repetitions: u64) {
    let alarms = false_alarms(comparisons, repetitions);
    println!("{alarms} of {comparisons}");
    assert!(
        alarms * 20 <= comparisons,
        "{alarms} of {comparisons} comparisons claim a change"
    );
}

fn false_alarms(comparisons: u64, repetitions: u64) -> u64 {
    let program = Program::ordinary();
    let claims_a_change = |seed: &u64| {
        let base = captures(&program, repetitions, seed * 2);
        let new = captures(&program, repetitions, seed * 2 + 1);
        let comparison = compared(&base, &new);
        let changed = comparison
            .functions
            .iter()
            .filter(|row| row.columns().any(|change| change.verdict.is_change()));
        let changed: Vec<_> = changed.map(|row| (&row.function, row.headline())).collect();
        if !changed.is_empty() {
            println!("seed {seed}: {changed:?} {:?}", comparison.method);
        }
        !changed.is_empty()
    };
    (1..=comparisons).filter(claims_a_change).count() as u64
}

#[test]
fn the_same_program_against_itself_rarely_changes_in_three_captures_a_side() {
    assert_rarely_alarmed(night_or_day(100, 20), 3);
}

#[test]
fn the_same_program_against_itself_rarely_changes_in_one_capture_a_side() {
    assert_rarely_alarmed(night_or_day(100, 20), 1);
}

#[test]
fn a_large_slowdown_is_found_and_its_interval_holds_the_truth() {
    let program = Program::ordinary();
    let base = captures(&program, 3, 1);
    let slower = program.clone().scale(2, 1.5).scale(12, 0.5);
    let comparison = compared(&base, &captures(&slower, 3, 2));
    let share = |program: &Program, number: usize| {
        let all: f64 = program
            .functions
            .iter()
            .map(|function| function.weight)
            .sum();
        program.functions[number].weight / all
    };
    for (number, verdict) in [(2, Verdict::Slower), (12, Verdict::Faster)] {
        let row = row(&comparison, &format!("shop:work_{number}/1"));
        assert_eq!(row.itself.verdict, verdict, "{row:?}");
        let truth = (share(&slower, number) / share(&program, number) - 1.0) * 100.0;
        let (low, high) = (row.itself.low_pct.unwrap(), row.itself.high_pct.unwrap());
        assert!(
            (low..high).contains(&truth),
            "{truth} is not in {low} to {high}"
        );
    }
    assert!(comparison.method.resampled_captures && comparison.method.spread_measured);
}

#[test]
fn intervals_hold_the_truth_as_often_as_stated() {
    let program = Program::ordinary();
    let (mut inside, mut all) = (0, 0);
    for seed in 1..=night_or_day(40, 12) {
        let comparison = compared(
            &captures(&program, 3, seed * 2),
            &captures(&program, 3, seed * 2 + 1),
        );
        for number in 0..30 {
            let row = row(&comparison, &format!("shop:work_{number}/1"));
            all += 1;
            if row.itself.low_pct.unwrap() <= 0.0 && row.itself.high_pct.unwrap() >= 0.0 {
                inside += 1;
            }
        }
    }
    let share = f64::from(inside) / f64::from(all);
    println!("{:.1} % of {all} intervals", share * 100.0);
    assert!(share >= 0.94, "{share}");
}

#[test]
fn what_appears_and_what_goes_is_named_so() {
    let program = Program::ordinary();
    let base = captures(&program, 2, 1);
    let renamed = program.clone().rename(5, "shop:other/9");
    let comparison = compared(&base, &captures(&renamed, 2, 2));
    let gone = row(&comparison, "shop:work_5/1");
    assert_eq!(
        (gone.itself.verdict, gone.matched_by),
        (Verdict::Gone, None)
    );
    assert_eq!((gone.itself.change_pct, gone.itself.new), (None, 0.0));
    let new = row(&comparison, "shop:other/9");
    assert_eq!((new.itself.verdict, new.matched_by), (Verdict::New, None));
}

#[test]
fn with_one_capture_a_side_it_names_the_part_that_was_not_resampled() {
    let program = Program::ordinary();
    let comparison = compared(&captures(&program, 1, 1), &captures(&program, 1, 2));
    assert!(!comparison.method.resampled_captures && !comparison.method.spread_measured);
    let one = comparison
        .notes
        .iter()
        .any(|note| note.kind == compare::NoteKind::OneCapture);
    assert!(one, "{:?}", comparison.notes);
}

#[test]
fn rarely_seen_functions_get_no_verdict() {
    let program = Program::ordinary();
    let comparison = compared(
        &captures(&program, 1, 1),
        &captures(&program.clone().scale(59, 4.0), 1, 2),
    );
    let rare = row(&comparison, "shop:work_59/1");
    assert_eq!(rare.itself.verdict, Verdict::TooFew, "{rare:?}");
}
