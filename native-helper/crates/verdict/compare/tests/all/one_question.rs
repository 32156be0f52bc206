//! Gates on one question (the whole, a class, a column of one function), each beside each defect: none answers for what
//! the captures lack.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::gates::{judged, reasons};
use crate::touched_gates::{
    AROUND, BEYOND, DIRECTIONS, WITHIN, changed_everywhere, claim, kernel_time, note, prepared,
    touched_row, unset,
};
use capture::sample::SampleClass;
use compare::answer::{Change, Comparison, MovedAlike};
use compare::{Answer, Measure, NoteKind, Reason, Verdict};

const SUBJECTS: [&str; 5] = [
    "whole",
    "erlang",
    "shop:work_2/1.self",
    "shop:work_2/1.total",
    "shop:work_2/1.own",
];

/// Into a comparison in which no such condition holds, by the sign of its direction.
type Made = fn(&mut Comparison, f64);

const DEFECTS: [(&str, Made, Reason); 9] = [
    (
        "an interval that contains the limit",
        |comparison, sign| changed_everywhere(comparison, Verdict::Noise, sign, AROUND),
        Reason::Interval,
    ),
    (
        "too few samples",
        |comparison, _| each(comparison, |it| unset(it, Verdict::TooFew)),
        Reason::TooFewSamples,
    ),
    (
        "a slow machine",
        |comparison, sign| {
            changed_everywhere(comparison, claim(sign), sign, BEYOND);
            let ends = [15.0 * sign, 25.0 * sign];
            comparison.whole.as_mut().unwrap().alike = Some(MovedAlike {
                change_pct: 20.0 * sign,
                low_pct: ends[0].min(ends[1]),
                high_pct: ends[0].max(ends[1]),
                functions: 9,
                taken_out: false,
            });
        },
        Reason::SlowMachine,
    ),
    (
        "processors of another frequency",
        |comparison, sign| {
            changed_everywhere(comparison, claim(sign), sign, BEYOND);
            let (slow, fast) = ([2_000, 1_900, 2_100], [3_000, 2_900, 3_100]);
            let (base, new) = if sign > 0.0 {
                (fast, slow)
            } else {
                (slow, fast)
            };
            (comparison.base.mhz, comparison.new.mhz) = (Some(base), Some(new));
        },
        Reason::SlowMachine,
    ),
    (
        "processor time that one side was kept from",
        |comparison, sign| {
            changed_everywhere(comparison, claim(sign), sign, BEYOND);
            (comparison.base.lost_pct, comparison.new.lost_pct) = (Some(0.0), Some(30.0));
        },
        Reason::ProcessorTimeLost,
    ),
    (
        "call tracing on one side alone",
        |comparison, sign| {
            let mut sides = [&comparison.base, &comparison.new].map(|side| side.name.clone());
            if sign < 0.0 {
                sides.reverse();
            }
            let sides = sides.each_ref().map(String::as_str);
            note(comparison, NoteKind::TracingOnOneSide, sides);
        },
        Reason::UnlikeSides,
    ),
    (
        "time in the kernel that each side may lack",
        |comparison, _| kernel_time(comparison, None, None),
        Reason::UnlikeSides,
    ),
    (
        "a capture on both sides",
        |comparison, _| note(comparison, NoteKind::OnBothSides, ["one", ""]),
        Reason::OnBothSides,
    ),
    (
        "work that one capture did not count",
        |comparison, _| {
            comparison.measure = Measure::Share;
            comparison.whole.as_mut().unwrap().measure = Measure::Cpu;
            note(comparison, NoteKind::WorkPartly, ["", ""]);
        },
        Reason::WorkLost,
    ),
];

/// Changes the figures that the subjects are about.
fn each(comparison: &mut Comparison, change: impl Fn(&mut Change)) {
    let row = touched_row(comparison);
    change(&mut row.itself);
    change(&mut row.total);
    [&mut row.own, &mut row.own_without_gc]
        .into_iter()
        .flatten()
        .for_each(&change);
    change(&mut comparison.whole.as_mut().unwrap().change);
    let mut classes = comparison.classes.iter_mut();
    let erlang = classes.find(|row| row.class == Some(SampleClass::Erlang));
    change(&mut erlang.unwrap().change);
}

#[test]
fn no_gate_on_one_question_answers_for_what_its_captures_lack() {
    let mut sound = prepared();
    changed_everywhere(&mut sound, Verdict::Noise, 1.0, WITHIN);
    for (direction, sign) in DIRECTIONS {
        for subject in SUBJECTS {
            let condition = format!("{subject}.{direction}>5%");
            let gate = judged(&sound, &condition).unwrap();
            assert_eq!(gate.answer, Answer::DoesNotHold, "{}", gate.text());
            for (name, made, reason) in DEFECTS {
                let mut comparison = sound.clone();
                made(&mut comparison, sign);
                let gate = judged(&comparison, &condition).unwrap();
                let what = format!("{name}: {}", gate.text());
                assert_eq!(gate.answer, Answer::CannotTell, "{what}");
                assert_eq!(reasons(&gate), [reason], "{what}");
                let doubt = &gate.doubts[0];
                assert!(!doubt.text.is_empty() && !doubt.fix.is_empty(), "{what}");
            }
        }
    }
}
