//! Conditions on comparisons of programs of which the truth is known.
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used)]

mod simulated;

use capture::reader::Capture;
use compare::answer::Comparison;
use compare::{Certainty, Condition, Gate, Measure, Options, Unfit, compare};
use simulated::{Program, side};

fn captures(program: &Program, count: u64, seed: u64) -> Vec<Capture> {
    (0..count)
        .map(|number| program.capture(seed * 1_000 + number))
        .collect()
}

fn compared(base: &Program, new: &Program, measure: Option<Measure>) -> Comparison {
    let options = Options {
        measure,
        each_capture: true,
        ..Options::default()
    };
    let (base, new) = (captures(base, 3, 1), captures(new, 3, 2));
    compare(&side("base", &base), &side("new", &new), &options).unwrap()
}

fn judged(comparison: &Comparison, condition: &str) -> Result<Gate, Unfit> {
    condition.parse::<Condition>().unwrap().judge(comparison)
}

/// All functions take a fifth more for each order.
fn slower() -> (Program, Program) {
    let before = Program::ordinary().counting("orders");
    let mut after = before.clone();
    for function in &mut after.functions {
        function.weight *= 1.2;
    }
    (before, after)
}

#[test]
fn the_whole_has_its_change_and_that_of_each_capture() {
    let (before, after) = slower();
    let comparison = compared(&before, &after, None);
    let whole = comparison.whole.as_ref().unwrap();
    assert_eq!(whole.measure, Measure::Work);
    let pct = whole.change.change_pct.unwrap();
    assert!((19.0..21.0).contains(&pct), "{pct}");
    assert_eq!(whole.base_captures.len(), 3);
    assert!(whole.smallest_visible_pct > 0.0 && whole.smallest_visible_pct < 20.0);
    let row = &comparison.functions[0];
    assert_eq!(row.total.captures.as_ref().unwrap().new.len(), 3);
}

#[test]
fn the_whole_of_shares_is_processor_time() {
    let program = Program::ordinary();
    let comparison = compared(&program, &program, None);
    assert_eq!(comparison.measure, Measure::Share);
    assert_eq!(comparison.whole.unwrap().measure, Measure::Cpu);
}

#[test]
fn gates_on_the_whole_hold_beyond_their_limit_alone() {
    let (before, after) = slower();
    let comparison = compared(&before, &after, None);
    let gate = judged(&comparison, "whole.slower>3%").unwrap();
    assert!(gate.holds);
    assert_eq!(gate.certainty, Certainty::Beyond);
    assert!(gate.text().contains("limit 3 %"), "{}", gate.text());
    let far = judged(&comparison, "whole.slower>60%").unwrap();
    assert!(!far.holds);
    assert_eq!(far.certainty, Certainty::Within);
    let near = judged(&comparison, "whole.slower>20%").unwrap();
    assert_eq!(near.certainty, Certainty::Unknown);
    let faster = judged(&comparison, "whole.faster>3%").unwrap();
    assert_eq!(faster.certainty, Certainty::Within);
    // A program takes 6,000 to 7,000 µs for what is 10,000 units.
    let absolute = judged(&comparison, "whole.slower>1us/unit").unwrap();
    assert_eq!(absolute.certainty, Certainty::Beyond);
}

#[test]
fn gates_name_functions_classes_and_columns() {
    let before = Program::ordinary().counting("orders");
    let after = before.clone().scale(2, 3.0);
    let comparison = compared(&before, &after, None);
    for (condition, certainty) in [
        ("shop:work_2/1.self.slower>10%", Certainty::Beyond),
        ("shop:work_2/1.total.slower>500%", Certainty::Within),
        ("shop:work_3/1.self.slower>100%", Certainty::Within),
        ("erlang.slower>100%", Certainty::Within),
        ("shop:work_2*.self.slower>10%", Certainty::Beyond),
        ("slower>10%", Certainty::Beyond),
    ] {
        let gate = judged(&comparison, condition).unwrap();
        assert_eq!(gate.certainty, certainty, "{}", gate.text());
    }
}

#[test]
fn what_no_figure_answers_is_an_error_that_names_the_right_one() {
    let program = Program::ordinary();
    let by_share = compared(&program, &program, None);
    let by_work = {
        let counting = program.clone().counting("orders");
        compared(&counting, &counting, None)
    };
    let fix =
        |comparison: &Comparison, condition: &str| judged(comparison, condition).unwrap_err().fix();
    assert!(fix(&by_share, "own.slower>1pp").contains("--own DIR"));
    assert!(fix(&by_share, "slower>1us/unit").contains("pp"));
    assert!(fix(&by_work, "slower>1pp").contains("us/unit"));
    assert!(fix(&by_share, "whole.slower>1pp").contains("mcores"));
    let unknown = judged(&by_share, "shop:wark_1/1.slower>1%").unwrap_err();
    assert!(matches!(unknown, Unfit::NoFunction { .. }));
}

#[test]
fn too_few_samples_decide_nothing() {
    let program = Program {
        seconds: 1,
        frequency_hz: 20,
        ..Program::ordinary()
    };
    let comparison = compared(&program, &program, None);
    for condition in [
        "slower>5%",
        "whole.slower>5%",
        "shop:work_0/1.self.slower>5%",
    ] {
        let gate = judged(&comparison, condition).unwrap();
        assert_eq!(gate.certainty, Certainty::Unknown, "{condition}");
        let (what, fix) = gate.undecided_text();
        assert!(what.contains("is not known"), "{what}");
        assert!(!fix.is_empty());
    }
}
