//! The machine in a history: one factor of all functions of the same code between the newest commit and those before it.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::history::{captures, judged, order_of, program, question};
use crate::simulated::{Function, Program};
use compare::history_answer::{History, Series, SeriesOf};
use compare::{Answer, CountedCapture, HistoryQuestion, Measure, NoteKind, Reason};

const LOOP: &str = "shop:loop/1";
const RENDER: &str = "cart:render/1";

/// A tenth of it is in another module than the rest.
fn shop(render: f64) -> Program {
    let function = Function::new(RENDER, render).below(&[LOOP]);
    program()
        .with(&[function])
        .built(&[("shop", 'a'), ("cart", 'a')])
}

/// Five commits, the newest of which is this program.
fn all(newest: &Program) -> Vec<CountedCapture> {
    let before = (0..4).flat_map(|number| captures(&shop(1.0), number, 2));
    before.chain(captures(newest, 4, 2)).collect()
}

fn history(question: &HistoryQuestion, all: Vec<CountedCapture>) -> History {
    compare::history(question, all, &[], &order_of(5, 0)).unwrap()
}

fn of(history: &History, of: SeriesOf) -> &Series {
    let mut series = history.series.iter();
    series.find(|series| series.of == of).unwrap()
}

fn answer(history: &History, subject: &str) -> Answer {
    let gate = judged(&format!("{subject}.slower>history"), history);
    for doubt in &gate.doubts {
        assert_eq!(doubt.reason, Reason::SlowMachine, "{}", gate.text());
    }
    gate.answer
}

fn has_note(series: &Series) -> bool {
    let mut notes = series.unlike.iter();
    notes.any(|note| note.kind == NoteKind::MachineOfWhole)
}

#[test]
fn a_newest_commit_on_a_slower_machine_is_not_known_to_be_slower() {
    const SLOWER: f64 = 1.6;
    let rest: f64 = program().functions.iter().map(|it| it.weight).sum();
    let slower_machine = shop(1.0).on_machine(SLOWER);
    // All takes as long as before, although the machine is faster.
    let hidden = shop(SLOWER * (rest + 1.0) - rest).on_machine(1.0 / SLOWER);
    let slower = shop(8.0);
    for (newest, expected, is_machine) in [
        (&slower_machine, Answer::CannotTell, true),
        (&hidden, Answer::CannotTell, true),
        (&slower, Answer::Holds, false),
    ] {
        let newest = newest.clone().built(&[("shop", 'a'), ("cart", 'b')]);
        let history = history(&question(), all(&newest));
        let whole = of(&history, SeriesOf::Whole);
        assert_eq!(has_note(whole), is_machine, "{:?}", whole.unlike);
        assert_eq!(answer(&history, "whole"), expected, "{:?}", whole.latest);
        if is_machine {
            let line = history.newest_line(whole).unwrap();
            assert!(line.contains("all changed by one factor"), "{line}");
        }
    }
}

#[test]
fn figures_of_functions_have_the_factor_and_shares_do_not() {
    let all = all(&shop(1.0).on_machine(2.5));
    let by_work = history(&question(), all.clone());
    assert!(has_note(of(&by_work, SeriesOf::Itself)));
    let subject = "shop:work_0/1.self";
    assert_eq!(answer(&by_work, subject), Answer::CannotTell);
    let shares = HistoryQuestion::new(question().functions().to_vec(), Some(Measure::Share));
    let by_share = history(&shares, all);
    assert!(!has_note(of(&by_share, SeriesOf::Itself)));
    assert!(has_note(of(&by_share, SeriesOf::Whole)));
}

#[test]
fn without_enough_functions_of_the_same_code_there_is_no_factor() {
    let slower = || shop(1.0).on_machine(2.5);
    let below_cart = {
        let mut program = slower();
        for function in &mut program.functions {
            function.callers = vec![RENDER.to_owned(), LOOP.to_owned()];
        }
        program
    };
    for (what, newest) in [
        (
            "another build",
            slower().built(&[("shop", 'b'), ("cart", 'a')]),
        ),
        ("an unknown build", slower().built(&[("cart", 'a')])),
        ("none", slower().built(&[])),
        // They may run more often.
        (
            "callers of another build",
            below_cart.built(&[("shop", 'a'), ("cart", 'b')]),
        ),
    ] {
        let history = history(&question(), all(&newest));
        let whole = of(&history, SeriesOf::Whole);
        assert!(!has_note(whole), "{what}: {:?}", whole.unlike);
        assert_eq!(answer(&history, "whole"), Answer::Holds, "{what}");
    }
}
