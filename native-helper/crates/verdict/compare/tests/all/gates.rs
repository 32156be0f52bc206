//! Conditions on comparisons of programs of which the truth is known.
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used, clippy::panic)]

use crate::simulated::{Function, Program, side};
use capture::reader::Capture;
use capture::sample::SampleClass;
use compare::answer::Comparison;
use compare::{
    Answer, Caution, Certainty, Condition, Gate, Measure, NoteKind, Options, Reason, Unfit,
    Verdict, compare,
};

fn captures(program: &Program, count: u64, seed: u64) -> Vec<Capture> {
    (0..count)
        .map(|number| program.capture(seed * 1_000 + number))
        .collect()
}

pub fn compared(base: &Program, new: &Program, measure: Option<Measure>) -> Comparison {
    let options = Options {
        measure,
        each_capture: true,
        ..Options::default()
    };
    let (base, new) = (captures(base, 3, 1), captures(new, 3, 2));
    compare(&side("base", &base), &side("new", &new), &options).unwrap()
}

pub fn judged(comparison: &Comparison, condition: &str) -> Result<Gate, Unfit> {
    condition
        .parse::<Condition>()
        .unwrap()
        .judge(comparison, None)
}

pub fn reasons(gate: &Gate) -> Vec<Reason> {
    gate.doubts.iter().map(|doubt| doubt.reason).collect()
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
    assert_eq!(gate.answer, Answer::Holds);
    assert_eq!(gate.certainty, Certainty::Beyond);
    assert!(gate.text().contains("limit 3 %"), "{}", gate.text());
    let far = judged(&comparison, "whole.slower>60%").unwrap();
    assert_eq!(far.answer, Answer::DoesNotHold);
    assert_eq!(far.certainty, Certainty::Within);
    let near = judged(&comparison, "whole.slower>20%").unwrap();
    assert_eq!(near.certainty, Certainty::Unknown);
    assert_eq!(
        (near.answer, reasons(&near)),
        (Answer::CannotTell, vec![Reason::Interval])
    );
    let faster = judged(&comparison, "whole.faster>3%").unwrap();
    assert_eq!(faster.certainty, Certainty::Within);
    // A program takes 6,000 to 7,000 µs for 10,000 units.
    let absolute = judged(&comparison, "whole.slower>1us/unit").unwrap();
    assert_eq!(absolute.certainty, Certainty::Beyond);
}

#[test]
fn of_many_figures_that_seem_to_meet_a_condition_the_first_are_named_and_the_others_counted() {
    let before = Program::ordinary().counting("orders");
    let factors = (0..8).fold(before.clone(), |program, number| program.scale(number, 2.0));
    let comparison = compared(&before, &factors, None);
    let gate = judged(&comparison, "slower>95%").unwrap();
    assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
    assert_eq!(gate.doubts.len(), 3, "{}", gate.text());
    assert!(gate.more_doubts > 0, "{}", gate.text());
    let more = format!("; {} more figures are as uncertain", gate.more_doubts);
    assert!(gate.text().contains(&more), "{}", gate.text());
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
    // The whole of a program that always has work is all of a processor, however few samples there are.
    for condition in ["slower>5%", "shop:work_0/1.self.slower>5%"] {
        let gate = judged(&comparison, condition).unwrap();
        assert_eq!(gate.certainty, Certainty::Unknown, "{condition}");
        assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
        let (what, fix) = gate.undecided_text();
        assert!(what.contains("is not known"), "{what}");
        assert!(!fix.is_empty());
    }
}

#[test]
fn a_gate_names_what_it_is_of_and_what_it_does_not_see() {
    let (before, after) = slower();
    let by_work = judged(&compared(&before, &after, None), "whole.slower>3%").unwrap();
    assert!(
        by_work
            .text()
            .contains("of processor time per unit of work")
    );
    assert_eq!(by_work.cautions, []);
    let faster = judged(&compared(&after, &before, None), "whole.faster>3%").unwrap();
    assert!(faster.text().contains("% less ("), "{}", faster.text());
    // A benchmark that loops takes all of its processor, slow or not.
    let program = Program::ordinary();
    let by_second = judged(&compared(&program, &program, None), "whole.slower>3%").unwrap();
    assert_eq!(by_second.cautions, [Caution::NoWork]);
    assert!(by_second.text().contains("no work was counted"));
}

#[test]
fn one_capture_without_work_does_not_change_what_a_percentage_is_of() {
    let (before, after) = slower();
    let base = captures(&before, 3, 1);
    let mut new = captures(&after, 3, 2);
    new[1] = Program::ordinary().capture(9);
    let judged_by = |condition: &str, measure| {
        let options = Options {
            measure,
            ..Options::default()
        };
        let comparison = compare(&side("base", &base), &side("new", &new), &options).unwrap();
        let condition: Condition = condition.parse().unwrap();
        condition.judge(&comparison, measure)
    };
    for condition in [
        "whole.slower>3%",
        "slower>3%",
        "shop:work_2/1.self.slower>3%",
    ] {
        let gate = judged_by(condition, None).unwrap();
        assert_eq!(
            (gate.answer, reasons(&gate)),
            (Answer::CannotTell, vec![Reason::WorkLost]),
            "{condition}"
        );
    }
    assert!(judged_by("whole.slower>3%", Some(Measure::Cpu)).is_ok());
    assert!(judged_by("slower>3%", Some(Measure::Share)).is_ok());
    // The whole has no shares.
    let whole = judged_by("whole.slower>3%", Some(Measure::Share)).unwrap();
    assert_eq!(reasons(&whole), [Reason::WorkLost]);
}

#[test]
fn the_whole_is_judged_by_its_own_runs_and_not_by_what_functions_do() {
    // The start and end of each run take another time in each, as the kernel's part of real ones.
    let run = |extra: f64| {
        let mut program = Program::ordinary().counting("orders");
        for function in &mut program.functions {
            function.weight *= extra;
        }
        program
    };
    let recorded = |extras: [f64; 3], seed: u64| -> Vec<Capture> {
        let numbered = extras.iter().zip(0..);
        let each = numbered.map(|(extra, number)| run(*extra).capture(seed + number));
        each.collect()
    };
    let base = recorded([1.5, 1.35, 1.45], 1_000);
    let new = recorded([1.0, 1.4, 0.95], 2_000);
    let comparison = compare(
        &side("base", &base),
        &side("new", &new),
        &Options::default(),
    )
    .unwrap();
    let whole = comparison.whole.as_ref().unwrap();
    assert_eq!(whole.change.verdict, compare::Verdict::Noise, "{whole:?}");
    let gate = judged(&comparison, "whole.faster>3%").unwrap();
    assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
}

#[test]
fn with_one_capture_a_side_times_may_differ_by_more_than_shares() {
    let program = Program::ordinary().counting("orders");
    let mut later = program.clone();
    for function in &mut later.functions {
        function.weight *= 1.2;
    }
    let (base, new) = (captures(&program, 1, 1), captures(&later, 1, 2));
    let comparison = compare(
        &side("base", &base),
        &side("new", &new),
        &Options::default(),
    )
    .unwrap();
    let gate = judged(&comparison, "whole.slower>3%").unwrap();
    assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
    assert!(gate.doubts[0].captures.is_some(), "{:?}", gate.doubts);
    assert_eq!(gate.certainty, Certainty::Unknown);
    assert_eq!(gate.cautions, [Caution::OneCapture]);
}

/// One named column of one function is a single question, as the whole is: its own interval answers it.
#[test]
fn a_gate_on_one_function_holds_where_its_interval_lies_beyond_the_limit() {
    let before = Program::ordinary().counting("orders");
    let after = before.clone().scale(2, 1.5);
    let mut comparison = compared(&before, &after, None);
    let name = "shop:work_2/1";
    let row = comparison
        .functions
        .iter_mut()
        .find(|row| row.function == name)
        .unwrap();
    assert!(row.itself.low_pct.unwrap() > 10.0, "{:?}", row.itself);
    // Among so many functions that it is not claimed.
    row.itself.verdict = Verdict::Noise;
    let named = judged(&comparison, "shop:work_2/1.self.slower>10%").unwrap();
    assert_eq!(named.answer, Answer::Holds, "{}", named.text());
    assert_eq!(named.certainty, Certainty::Beyond);
    let any = judged(&comparison, "shop:*.self.slower>10%").unwrap();
    assert_ne!(any.answer, Answer::Holds, "{}", any.text());
}

#[test]
fn a_function_of_one_side_is_neither_slower_nor_faster() {
    let mut before = Program::ordinary().counting("orders");
    before.functions.push(Function::new("shop:before/1", 30.0));
    let mut after = Program::ordinary().counting("orders");
    after.functions.push(Function::new("shop:after/1", 60.0));
    let comparison = compared(&before, &after, None);
    for (name, on_newer) in [("shop:before/1", false), ("shop:after/1", true)] {
        for what in ["slower>10%", "total.slower>10%", "self.faster>1%"] {
            let gate = judged(&comparison, &format!("{name}.{what}")).unwrap();
            assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
            assert_eq!(reasons(&gate), [Reason::OneSide], "{}", gate.text());
            let side = if on_newer { "newer" } else { "older" };
            assert!(gate.text().contains(side), "{}", gate.text());
        }
    }
    // Nor are several, by whatever pattern: none of them has a figure on both sides.
    for pattern in ["shop:after*", "shop:before*", "*:*fte*"] {
        let condition = format!("{pattern}.self.slower>1%");
        let gate = judged(&comparison, &condition).unwrap();
        assert_eq!(reasons(&gate), [Reason::OneSide], "{}", gate.text());
    }
    let new = judged(&comparison, "shop:after/1.new>1us/unit").unwrap();
    assert_eq!(new.answer, Answer::Holds, "{}", new.text());
}

#[test]
fn a_gate_on_waiting_which_is_not_compared_cannot_tell() {
    let program = Program::ordinary();
    let comparison = compared(&program, &program, None);
    for class in ["idle", "busy_wait"] {
        for condition in ["slower>1%", "faster>1%", "slower>1pp", "new>1pp"] {
            let gate = judged(&comparison, &format!("{class}.{condition}")).unwrap();
            assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
            assert_eq!(reasons(&gate), [Reason::NotCompared], "{}", gate.text());
            assert!(
                gate.text()
                    .contains("leaves it out; gate on a class of work")
            );
        }
    }
}

#[test]
fn a_class_that_neither_side_has_leaves_its_gate_without_an_answer() {
    let program = Program::ordinary();
    let comparison = compared(&program, &program, None);
    for condition in ["nif.slower>1%", "gc.faster>1%", "lock.new>1pp"] {
        let gate = judged(&comparison, condition).unwrap();
        assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
        assert_eq!(reasons(&gate), [Reason::NoSamples], "{}", gate.text());
    }
}

#[test]
fn a_class_of_one_side_is_neither_slower_nor_faster() {
    let before = Program::ordinary();
    let nif = Function::new("work", 5.0).of_class(SampleClass::Nif);
    let comparison = compared(&before, &before.clone().with(&[nif]), None);
    let gate = judged(&comparison, "nif.slower>1%").unwrap();
    assert_eq!(
        (gate.answer, reasons(&gate)),
        (Answer::CannotTell, vec![Reason::OneSide])
    );
    let new = judged(&comparison, "nif.new>1pp").unwrap();
    assert_eq!(new.answer, Answer::Holds, "{}", new.text());
}

#[test]
fn many_functions_are_answered_for_where_half_of_their_time_is_known() {
    let program = Program::ordinary();
    let comparison = compared(&program, &program, None);
    let wide = judged(&comparison, "self.slower>50%").unwrap();
    assert_eq!(wide.answer, Answer::DoesNotHold, "{}", wide.text());
    assert!(wide.known_pct.unwrap() > 50.0);
    // Some are too rare, and a bisection has to know all.
    assert_eq!(wide.certainty, Certainty::Unknown);
    let narrow = judged(&comparison, "self.slower>0.1%").unwrap();
    assert_eq!(narrow.answer, Answer::CannotTell, "{}", narrow.text());
    assert_eq!(reasons(&narrow), [Reason::MostlyUnknown]);
    assert!(narrow.known_pct.unwrap() < 50.0);
}

#[test]
fn of_many_functions_that_too_many_captures_would_decide_a_limit_is_named_that_these_show() {
    let program = Program::ordinary().counting("orders");
    let mut comparison = compared(&program, &program, None);
    for row in &mut comparison.functions {
        let change = &mut row.itself;
        change.verdict = Verdict::Noise;
        change.change_pct = Some(0.0);
        (change.low_pct, change.high_pct) = (Some(-20.0), Some(20.25));
    }
    for condition in ["self.slower>1%", "self.faster>1%"] {
        let gate = judged(&comparison, condition).unwrap();
        assert_eq!(reasons(&gate), [Reason::MostlyUnknown], "{}", gate.text());
        let fix = &gate.doubts[0].fix;
        assert!(fix.starts_with("choose a limit of 21 %, or name"), "{fix}");
        let wide = judged(&comparison, &condition.replace("1%", "21%")).unwrap();
        assert_eq!(wide.answer, Answer::DoesNotHold, "{}", wide.text());
    }
}

#[test]
fn a_claimed_change_that_may_be_below_the_limit_is_not_proven() {
    let before = Program::ordinary().counting("orders");
    let after = before.clone().scale(2, 1.5);
    let mut comparison = compared(&before, &after, None);
    let mut rows = comparison.functions.iter_mut();
    let row = rows.find(|row| row.function == "shop:work_2/1").unwrap();
    assert!(row.itself.change_pct.unwrap() > 10.0, "{:?}", row.itself);
    row.itself.verdict = Verdict::Slower;
    row.itself.low_pct = Some(5.0);
    for condition in ["shop:work_2/1.self.slower>10%", "self.slower>10%"] {
        let gate = judged(&comparison, condition).unwrap();
        assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
        assert_eq!(reasons(&gate), [Reason::Interval], "{}", gate.text());
        assert_eq!(gate.undecided[0].name, "shop:work_2/1", "{condition}");
    }
}

#[test]
fn where_too_many_captures_would_decide_a_limit_is_named_that_these_show() {
    let program = Program::ordinary().counting("orders");
    let mut comparison = compared(&program, &program, None);
    let change = &mut comparison.whole.as_mut().unwrap().change;
    change.change_pct = Some(0.5);
    (change.low_pct, change.high_pct) = (Some(-20.0), Some(30.25));
    for condition in ["whole.slower>1%", "whole.slower>0.0001us/unit"] {
        let gate = judged(&comparison, condition).unwrap();
        assert_eq!(reasons(&gate), [Reason::Interval], "{}", gate.text());
        let fix = &gate.doubts[0].fix;
        let text = "it takes more than 50 captures of 10 s for each side to decide: choose a limit";
        assert!(fix.starts_with(text), "{fix}");
        let limit = fix.rsplit("limit of ").next().unwrap().replace(' ', "");
        let gate = judged(&comparison, &format!("whole.slower>{limit}")).unwrap();
        assert_eq!(gate.answer, Answer::DoesNotHold, "{}", gate.text());
    }
}

#[test]
fn a_gate_that_cannot_tell_names_what_would_decide() {
    let program = Program {
        seconds: 2,
        frequency_hz: 50,
        ..Program::ordinary()
    };
    let comparison = compared(&program, &program, None);
    let rare = comparison
        .functions
        .iter()
        .find(|row| row.itself.verdict == Verdict::TooFew && row.itself.base_samples > 0)
        .unwrap();
    let gate = judged(&comparison, &format!("{}.self.slower>5%", rare.function)).unwrap();
    let [doubt] = gate.doubts.as_slice() else {
        panic!("{:?}", gate.doubts);
    };
    assert_eq!(doubt.reason, Reason::TooFewSamples);
    assert!(doubt.seconds.unwrap() > 2, "{doubt:?}");
    assert!(gate.text().contains(&doubt.fix), "{}", gate.text());
    let options = Options {
        paired: true,
        ..Options::default()
    };
    let counting = Program::ordinary().counting("orders");
    let taken = |starts: [u64; 3]| starts.map(|start| counting.capture(start));
    let (base, new) = (taken([0, 3, 4]), taken([1, 2, 5]));
    let paired = compare(&side("base", &base), &side("new", &new), &options).unwrap();
    let change = paired.whole.as_ref().unwrap().change.clone();
    // Half of the way from the measured value to the end of the interval.
    let limit = (change.change_pct.unwrap().max(0.0) + change.high_pct.unwrap()) / 2.0;
    let gate = judged(&paired, &format!("whole.slower>{limit:.3}%")).unwrap();
    assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
    let text = gate.text();
    assert!(text.contains("pairs of 10 s"), "{text}");
}

#[test]
fn a_gate_without_a_limit_names_none() {
    let before = Program::ordinary().counting("orders");
    let fresh = Function::new("shop:fresh/1", 1.0);
    let comparison = compared(&before, &before.clone().with(&[fresh]), None);
    let gate = judged(&comparison, "shop:fresh/1.self.new").unwrap();
    assert_eq!(gate.answer, Answer::Holds);
    let text = gate.text();
    assert!(
        text.contains("(self) on one side only") && !text.contains("limit"),
        "{text}"
    );
}

/// Its captures have no sample at all, as those of a VM that never waits busily.
fn idle() -> Capture {
    let program = Program {
        is_idle: true,
        ..Program::ordinary()
    };
    program.capture(9_000)
}

#[test]
fn a_capture_of_a_vm_that_did_nothing_leaves_the_shares_of_the_others_as_they_are() {
    // Runs differ by much, and less is expected where nothing is known of them.
    let program = Program {
        spread: 0.2,
        ..Program::ordinary()
    };
    let of_one_side = Function::new("shop:fresh/1", 0.02);
    let (mut base, new) = (
        captures(&program, 3, 1),
        captures(&program.clone().with(&[of_one_side]), 3, 2),
    );
    for paired in [false, true] {
        let options = Options {
            paired,
            anyway: true,
            ..Options::default()
        };
        let compared = |base: &[Capture], new: &[Capture]| {
            compare(&side("base", base), &side("new", new), &options).unwrap()
        };
        let without = compared(&base, &new);
        let mut new = new.clone();
        base.push(idle());
        if paired {
            new.push(idle());
        }
        let with = compared(&base, &new);
        base.pop();
        assert_eq!(with.functions, without.functions);
        assert_eq!(with.classes, without.classes);
        assert_eq!(with.method.spread_pct, without.method.spread_pct);
    }
}

#[test]
fn a_capture_of_a_vm_that_did_nothing_has_processor_time_and_classes() {
    let program = Program::ordinary();
    let (mut base, new) = (captures(&program, 3, 1), captures(&program, 3, 2));
    base.push(idle());
    for measure in [None, Some(Measure::Cpu)] {
        let options = Options {
            measure,
            ..Options::default()
        };
        let comparison = compare(&side("base", &base), &side("new", &new), &options).unwrap();
        for condition in ["whole.slower>50%", "whole.faster>50%"] {
            let gate = judged(&comparison, condition).unwrap();
            let answer = (gate.answer, reasons(&gate));
            assert_eq!(
                answer,
                (Answer::CannotTell, vec![Reason::Interval]),
                "{}",
                gate.text()
            );
        }
        let whole = comparison.whole.as_ref().unwrap();
        assert_eq!(whole.base_captures[3], 0.0);
        // It has work of one class, as the others.
        let gate = judged(&comparison, "erlang.slower>500%");
        assert!(gate.is_ok(), "{gate:?}");
        let kinds = comparison.notes.iter().map(|note| note.kind);
        let untrue = [NoteKind::NoTimes, NoteKind::WaitingCounts];
        let found: Vec<NoteKind> = kinds.filter(|kind| untrue.contains(kind)).collect();
        assert_eq!(found, []);
    }
}
