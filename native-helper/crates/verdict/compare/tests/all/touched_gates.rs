//! Gates on what the commit touched, each beside each defect: none answers for what the captures lack.
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used, clippy::panic)]

use crate::gates::{compared, judged, reasons};
use crate::simulated::Program;
use capture::sample::{FrameKind, SampleClass};
use compare::answer::{Change, Comparison, FunctionChange, MovedAlike};
use compare::{Answer, Certainty, Measure, Note, NoteKind, Reason, Remark, Unmatched, Verdict};

/// The function that the commit touched.
const TOUCHED: &str = "shop:work_2/1";
const COLUMNS: [&str; 4] = ["", "self.", "total.", "own."];
/// Each with the sign of such a change.
pub const DIRECTIONS: [(&str, f64); 2] = [("slower", 1.0), ("faster", -1.0)];
/// Below the limit of all conditions, which is 5 %.
pub const WITHIN: [f64; 3] = [0.0, -2.0, 2.0];
pub const AROUND: [f64; 3] = [2.0, -4.0, 8.0];
const ACROSS: [f64; 3] = [7.0, 3.0, 11.0];
pub const BEYOND: [f64; 3] = [12.0, 8.0, 16.0];

/// Something that leaves conditions on touched functions without an answer.
struct Defect {
    name: &'static str,
    /// Into a comparison in which each such condition does not hold, by the sign of its direction.
    made: fn(&mut Comparison, f64),
    reasons: &'static [Reason],
    /// Conditions on new functions and on those that are gone have no answer either.
    of_one_side: bool,
}

const DEFECTS: &[Defect] = &[
    Defect {
        name: "an interval that contains the limit",
        made: |comparison, sign| touched(comparison, |it| set(it, Verdict::Noise, sign, AROUND)),
        reasons: &[Reason::MostlyUnknown],
        of_one_side: false,
    },
    Defect {
        name: "a claimed change that may be below the limit",
        made: |comparison, sign| {
            touched(comparison, |it| set(it, claim(sign), sign, ACROSS));
        },
        reasons: &[Reason::Interval],
        of_one_side: false,
    },
    Defect {
        name: "too few samples of the function",
        made: |comparison, _| touched(comparison, |it| unset(it, Verdict::TooFew)),
        reasons: &[Reason::MostlyUnknown],
        of_one_side: false,
    },
    Defect {
        name: "a function without a known counterpart",
        made: |comparison, _| {
            touched_row(comparison).unmatched = Some(Unmatched::ArityChanged);
            touched(comparison, |it| unset(it, Verdict::NotMatched));
        },
        reasons: &[Reason::MostlyUnknown],
        of_one_side: false,
    },
    Defect {
        name: "a function of one side",
        made: |comparison, _| {
            touched(comparison, |it| {
                unset(it, Verdict::New);
                (it.base, it.base_samples) = (0.0, 0);
            });
        },
        reasons: &[Reason::MostlyUnknown],
        of_one_side: false,
    },
    Defect {
        name: "collections that moved",
        made: |comparison, sign| {
            touched_row(comparison).remark = Some(Remark::CollectionsMoved);
            touched(comparison, |it| set(it, Verdict::Noise, sign, AROUND));
        },
        reasons: &[Reason::MostlyUnknown],
        of_one_side: false,
    },
    Defect {
        name: "a slow machine",
        made: |comparison, sign| {
            touched(comparison, |it| set(it, claim(sign), sign, BEYOND));
            let ends = [15.0 * sign, 25.0 * sign];
            comparison.whole.as_mut().unwrap().alike = Some(MovedAlike {
                change_pct: 20.0 * sign,
                low_pct: ends[0].min(ends[1]),
                high_pct: ends[0].max(ends[1]),
                functions: 9,
                taken_out: false,
            });
        },
        reasons: &[Reason::SlowMachine],
        of_one_side: false,
    },
    Defect {
        name: "processors of another frequency",
        made: |comparison, sign| {
            touched(comparison, |it| set(it, claim(sign), sign, BEYOND));
            let (slow, fast) = ([2_000, 1_900, 2_100], [3_000, 2_900, 3_100]);
            let (base, new) = if sign > 0.0 {
                (fast, slow)
            } else {
                (slow, fast)
            };
            (comparison.base.mhz, comparison.new.mhz) = (Some(base), Some(new));
        },
        reasons: &[Reason::SlowMachine],
        of_one_side: false,
    },
    Defect {
        name: "processor time that one side was kept from",
        made: |comparison, sign| {
            touched(comparison, |it| set(it, claim(sign), sign, BEYOND));
            (comparison.base.lost_pct, comparison.new.lost_pct) = (Some(0.0), Some(30.0));
        },
        reasons: &[Reason::ProcessorTimeLost],
        of_one_side: false,
    },
    Defect {
        name: "an engine that lowers the figures of one side",
        made: |comparison, sign| {
            let engines = if sign > 0.0 {
                ["bpf", "readv"]
            } else {
                ["readv", "bpf"]
            };
            note(comparison, NoteKind::Engine, engines);
        },
        reasons: &[Reason::UnlikeSides],
        of_one_side: false,
    },
    Defect {
        name: "call tracing on one side alone",
        made: |comparison, sign| {
            let mut sides = [&comparison.base, &comparison.new].map(|side| side.name.clone());
            if sign < 0.0 {
                sides.reverse();
            }
            note(
                comparison,
                NoteKind::TracingOnOneSide,
                sides.each_ref().map(String::as_str),
            );
        },
        reasons: &[Reason::UnlikeSides],
        of_one_side: false,
    },
    Defect {
        name: "time in the kernel that one side may lack",
        made: |comparison, _| note(comparison, NoteKind::KernelTimeUnknown, ["one", "other"]),
        reasons: &[Reason::UnlikeSides],
        of_one_side: false,
    },
    Defect {
        name: "time in the kernel that the newer side lacks, or the older one",
        made: |comparison, sign| {
            // The side whose lack makes the change smaller.
            let (base, new) = if sign > 0.0 {
                (Some(true), Some(false))
            } else {
                (Some(false), Some(true))
            };
            kernel_time(comparison, base, new);
        },
        reasons: &[Reason::UnlikeSides],
        of_one_side: false,
    },
    Defect {
        name: "a capture on both sides",
        made: |comparison, _| note(comparison, NoteKind::OnBothSides, ["one", ""]),
        reasons: &[Reason::OnBothSides],
        of_one_side: true,
    },
    Defect {
        name: "a changed function of unknown code",
        made: |comparison, sign| {
            let row = row(comparison, "shop:work_0/1");
            row.touched = None;
            set(&mut row.itself, claim(sign), sign, BEYOND);
        },
        reasons: &[Reason::CodeUnknown],
        of_one_side: false,
    },
    Defect {
        name: "a changed C function of a NIF library",
        made: |comparison, sign| {
            let row = row(comparison, "shop:work_0/1");
            (row.touched, row.kind) = (None, FrameKind::Nif);
            set(&mut row.itself, claim(sign), sign, BEYOND);
        },
        reasons: &[Reason::CodeUnknown],
        of_one_side: false,
    },
    Defect {
        name: "headers that git did not list",
        made: |comparison, _| comparison.notes.push(Note::headers_unknown()),
        reasons: &[Reason::CodeUnknown],
        of_one_side: true,
    },
    Defect {
        name: "commits without texts",
        made: |comparison, _| {
            let rows = comparison.functions.iter_mut();
            rows.for_each(|row| row.touched = None);
        },
        reasons: &[Reason::CodeUnknown],
        of_one_side: true,
    },
    Defect {
        name: "work that one capture did not count",
        made: |comparison, _| {
            comparison.measure = Measure::Share;
            comparison.notes.push(Note {
                kind: NoteKind::WorkPartly,
                values: Vec::new(),
                text: "only some captures counted their work".to_owned(),
            });
        },
        reasons: &[Reason::WorkLost],
        of_one_side: true,
    },
    Defect {
        name: "no sample of what the commit touched, of few",
        made: |comparison, _| {
            touched_row(comparison).touched = Some(false);
            comparison.new.busy = 299;
        },
        reasons: &[Reason::TooFewSamples],
        of_one_side: true,
    },
    Defect {
        name: "next to nothing in what the commit touched, of few samples",
        made: |comparison, _| {
            touched(comparison, |it| {
                unset(it, Verdict::TooFew);
                (it.base, it.new) = (1e-9, 1e-9);
            });
            comparison.base.busy = 299;
        },
        reasons: &[Reason::TooFewSamples],
        of_one_side: false,
    },
];

pub fn note(comparison: &mut Comparison, kind: NoteKind, values: [&str; 2]) {
    comparison.notes.push(Note {
        kind,
        values: values.map(str::to_owned).to_vec(),
        text: "unlike sides".to_owned(),
    });
}

/// What the sides have of it, with the note that they would have.
pub fn kernel_time(comparison: &mut Comparison, base: Option<bool>, new: Option<bool>) {
    (comparison.base.kernel_time, comparison.new.kernel_time) = (base, new);
    let has = |state| base == Some(state) || new == Some(state);
    let kind = match (has(true), has(false)) {
        (true, true) | (false, false) => NoteKind::KernelTimeOnOneSide,
        (false, true) => NoteKind::KernelTimeUnknown,
        (true, false) => NoteKind::KernelTimeNotRecorded,
    };
    note(comparison, kind, ["one", "other"]);
}

pub fn claim(sign: f64) -> Verdict {
    if sign > 0.0 {
        Verdict::Slower
    } else {
        Verdict::Faster
    }
}

/// Percent, and the ends of the interval; of a decrease the same with the other sign.
pub fn set(change: &mut Change, verdict: Verdict, sign: f64, [pct, low, high]: [f64; 3]) {
    let ends = [low * sign, high * sign];
    change.verdict = verdict;
    change.change_pct = Some(pct * sign);
    change.low_pct = Some(ends[0].min(ends[1]));
    change.high_pct = Some(ends[0].max(ends[1]));
}

pub fn unset(change: &mut Change, verdict: Verdict) {
    change.verdict = verdict;
    (change.change_pct, change.low_pct, change.high_pct) = (None, None, None);
}

fn row<'c>(comparison: &'c mut Comparison, name: &str) -> &'c mut FunctionChange {
    let mut rows = comparison.functions.iter_mut();
    rows.find(|row| row.function == name).unwrap()
}

pub fn touched_row(comparison: &mut Comparison) -> &mut FunctionChange {
    row(comparison, TOUCHED)
}

/// Changes all figures of the touched function.
fn touched(comparison: &mut Comparison, change: impl Fn(&mut Change)) {
    let row = touched_row(comparison);
    let own = [&mut row.own, &mut row.own_without_gc];
    change(&mut row.itself);
    change(&mut row.total);
    own.into_iter().flatten().for_each(change);
}

/// One function was touched, and is known to be as fast as before.
pub fn prepared() -> Comparison {
    let program = Program::ordinary().counting("orders");
    let mut comparison = compared(&program, &program, None);
    for row in &mut comparison.functions {
        row.touched = Some(row.function == TOUCHED);
        row.own = Some(row.itself.clone());
        row.own_without_gc = Some(row.itself.clone());
    }
    touched(&mut comparison, |it| set(it, Verdict::Noise, 1.0, WITHIN));
    comparison
}

#[test]
fn no_gate_on_what_the_commit_touched_answers_for_what_its_captures_lack() {
    let sound = prepared();
    for column in COLUMNS {
        for (direction, sign) in DIRECTIONS {
            let condition = format!("touched.{column}{direction}>5%");
            let gate = judged(&sound, &condition).unwrap();
            assert_eq!(
                (gate.answer, gate.certainty),
                (Answer::DoesNotHold, Certainty::Within),
                "{}",
                gate.text()
            );
            for defect in DEFECTS {
                cannot_tell(&sound, defect, sign, &condition);
            }
        }
        for direction in ["new", "gone"] {
            for defect in DEFECTS.iter().filter(|defect| defect.of_one_side) {
                let condition = format!("touched.{column}{direction}");
                cannot_tell(&sound, defect, 1.0, &condition);
            }
        }
    }
}

fn cannot_tell(sound: &Comparison, defect: &Defect, sign: f64, condition: &str) {
    let mut comparison = sound.clone();
    (defect.made)(&mut comparison, sign);
    let gate = judged(&comparison, condition).unwrap();
    let what = format!("{}: {}", defect.name, gate.text());
    assert_eq!(gate.answer, Answer::CannotTell, "{what}");
    assert!(!gate.doubts.is_empty(), "{what}");
    let has_known = |reason: &Reason| defect.reasons.contains(reason);
    assert!(
        reasons(&gate).iter().all(has_known),
        "{what}: {:?}",
        gate.doubts
    );
    let mut doubts = gate.doubts.iter();
    assert!(doubts.all(|doubt| !doubt.text.is_empty() && !doubt.fix.is_empty()));
    assert_eq!(gate.by_intervals().answer, Answer::CannotTell, "{what}");
}

#[test]
fn of_enough_samples_what_the_commit_touched_is_known_to_be_little() {
    let names = [
        "no sample of what the commit touched, of few",
        "next to nothing",
    ];
    for name in names {
        let mut defects = DEFECTS.iter();
        let defect = defects.find(|it| it.name.starts_with(name)).unwrap();
        let mut comparison = prepared();
        (defect.made)(&mut comparison, 1.0);
        (comparison.base.busy, comparison.new.busy) = (300, 300);
        let gate = judged(&comparison, "touched.slower>5%").unwrap();
        assert_eq!(gate.answer, Answer::DoesNotHold, "{}", gate.text());
        comparison.base.busy = 11;
        let gate = judged(&comparison, "touched.slower>5%").unwrap();
        assert!(
            gate.text()
                .contains("a side has 11 samples, and fewer than 300"),
            "{}",
            gate.text()
        );
        assert!(gate.doubts[0].seconds.is_some(), "{:?}", gate.doubts);
    }
}

/// Each took less than a hundredth of the time, so that the gate did not hold however many they were.
#[test]
fn what_is_little_for_each_function_may_be_much_for_all_that_the_commit_touched() {
    for (functions, answer) in [(1, Answer::DoesNotHold), (2, Answer::CannotTell)] {
        let mut comparison = prepared();
        touched_row(&mut comparison).touched = Some(false);
        let rows = comparison.functions.iter();
        let all: f64 = rows.map(|row| row.itself.base).sum();
        for row in comparison.functions.iter_mut().take(functions) {
            row.touched = Some(true);
            unset(&mut row.itself, Verdict::TooFew);
            let own = [&mut row.own, &mut row.own_without_gc];
            for it in own.into_iter().flatten().chain([&mut row.total]) {
                unset(it, Verdict::TooFew);
                (it.base, it.new) = (all * 0.006, all * 0.006);
            }
        }
        let gate = judged(&comparison, "touched.slower>5%").unwrap();
        let pct = gate.touched_pct.unwrap();
        let part = 0.6 * functions as f64;
        assert!((pct / part - 1.0).abs() < 0.2, "{pct}");
        assert_eq!(gate.answer, answer, "{}", gate.text());
    }
}

/// Kind and values of a note, a change, whether it is that of the whole, and the answer of a gate at 5 %.
type Unlike = (NoteKind, [&'static str; 2], [f64; 3], bool, Answer);

const UNLIKE: [Unlike; 14] = {
    use Answer::{CannotTell, DoesNotHold, Holds};
    use NoteKind::{
        Engine, KernelTimeUnknown, NoKernelTime, OtherTool, ProcessTracingOnOneSide,
        TracingOnOneSide, TracingUnknown,
    };
    [
        // Stacks that one engine leaves unproven lower the figures of functions, and nothing else.
        (Engine, ["bpf", "readv"], BEYOND, false, Holds),
        (Engine, ["readv", "bpf"], BEYOND, false, CannotTell),
        (Engine, ["readv", "bpf"], WITHIN, false, DoesNotHold),
        (Engine, ["readv", "bpf"], BEYOND, true, Holds),
        // Tools differ in the frames that they show, so that either answer may be theirs.
        (OtherTool, ["1.pb.gz", "perf"], BEYOND, false, CannotTell),
        (OtherTool, ["1.pb.gz", "perf"], WITHIN, false, CannotTell),
        // Tracing takes time.
        (TracingOnOneSide, ["base", "new"], BEYOND, true, Holds),
        (TracingOnOneSide, ["new", "base"], BEYOND, true, CannotTell),
        (TracingOnOneSide, ["new", "base"], WITHIN, true, DoesNotHold),
        (TracingUnknown, ["new", "base"], WITHIN, true, DoesNotHold),
        (
            ProcessTracingOnOneSide,
            ["new", "base"],
            BEYOND,
            true,
            CannotTell,
        ),
        // Two captures, where both sides have traced ones.
        (TracingOnOneSide, ["1", "2"], WITHIN, true, CannotTell),
        (
            KernelTimeUnknown,
            ["one", "other"],
            BEYOND,
            true,
            CannotTell,
        ),
        // All of them are alike in it.
        (NoKernelTime, ["one", ""], BEYOND, true, Holds),
    ]
};

#[test]
fn sides_that_were_recorded_in_another_way_answer_where_that_cannot_have_made_the_answer() {
    let sound = prepared();
    for (kind, values, percent, is_whole, answer) in UNLIKE {
        let mut comparison = sound.clone();
        let verdict = match percent[0] > 5.0 {
            true => Verdict::Slower,
            false => Verdict::Noise,
        };
        touched(&mut comparison, |it| set(it, verdict, 1.0, percent));
        let whole = comparison.whole.as_mut().unwrap();
        set(&mut whole.change, verdict, 1.0, percent);
        note(&mut comparison, kind, values);
        let condition = match is_whole {
            true => "whole.slower>5%",
            false => "shop:work_2/1.self.slower>5%",
        };
        let gate = judged(&comparison, condition).unwrap();
        assert_eq!(gate.answer, answer, "{kind:?} {values:?}: {}", gate.text());
        if answer == Answer::CannotTell {
            let (text, _) = gate.undecided_text();
            assert!(text.contains(": unlike sides; record both sides"), "{text}");
        }
    }
}

#[test]
fn fewer_schedulers_online_can_have_made_a_figure_by_the_second_and_none_by_work() {
    let ordinary = Program::ordinary();
    let (by_second, by_work) = (compared(&ordinary, &ordinary, None), prepared());
    for (sound, measure, values, answer) in [
        // The newer side had fewer, and took more each second nevertheless.
        (&by_second, Measure::Cpu, ["4", "2"], Answer::Holds),
        (&by_second, Measure::Cpu, ["2", "4"], Answer::CannotTell),
        (
            &by_second,
            Measure::Cpu,
            ["2 to 4", "4"],
            Answer::CannotTell,
        ),
        (&by_work, Measure::Work, ["2", "4"], Answer::Holds),
    ] {
        let mut comparison = sound.clone();
        let whole = comparison.whole.as_mut().unwrap();
        assert_eq!(whole.measure, measure);
        set(&mut whole.change, Verdict::Slower, 1.0, BEYOND);
        note(&mut comparison, NoteKind::SchedulersOnline, values);
        let gate = judged(&comparison, "whole.slower>5%").unwrap();
        assert_eq!(gate.answer, answer, "{values:?}: {}", gate.text());
        if answer == Answer::CannotTell {
            let (text, _) = gate.undecided_text();
            assert!(
                text.contains("; record both sides with the same number"),
                "{text}"
            );
        }
    }
}

#[test]
fn influences_that_are_smaller_than_a_change_may_have_made_it_together() {
    let sound = prepared();
    for (lost_pct, mhz, answer) in [
        (10.0, 3_000, Answer::Holds),
        (0.0, 2_727, Answer::Holds),
        (10.0, 2_727, Answer::CannotTell),
    ] {
        let mut comparison = sound.clone();
        let whole = comparison.whole.as_mut().unwrap();
        set(&mut whole.change, Verdict::Slower, 1.0, [30.0, 20.0, 40.0]);
        (comparison.base.lost_pct, comparison.new.lost_pct) = (Some(0.0), Some(lost_pct));
        comparison.base.mhz = Some([3_000, 2_990, 3_010]);
        comparison.new.mhz = Some([mhz, mhz - 10, mhz + 10]);
        let gate = judged(&comparison, "whole.slower>5%").unwrap();
        assert_eq!(gate.answer, answer, "{lost_pct} {mhz}: {}", gate.text());
    }
}

#[test]
fn a_function_that_tracing_may_have_brought_is_not_new() {
    let mut comparison = prepared();
    let names = [&comparison.base, &comparison.new].map(|side| side.name.clone());
    let [base, new] = names.each_ref().map(String::as_str);
    touched(&mut comparison, |it| {
        unset(it, Verdict::New);
        (it.base, it.base_samples) = (0.0, 0);
    });
    let condition = "shop:work_2/1.self.new";
    for (values, answer) in [
        ([base, new], Answer::Holds),
        ([new, base], Answer::CannotTell),
    ] {
        let mut comparison = comparison.clone();
        note(&mut comparison, NoteKind::TracingOnOneSide, values);
        let gate = judged(&comparison, condition).unwrap();
        assert_eq!(gate.answer, answer, "{}", gate.text());
    }
}

/// What each side has of time in the kernel: whether a larger increase than measured is possible, and a smaller one.
const KERNEL_TIMES: [([Option<bool>; 2], [bool; 2]); 7] = [
    ([Some(true), Some(false)], [true, false]),
    ([Some(true), None], [true, false]),
    ([None, Some(false)], [true, false]),
    ([Some(false), Some(true)], [false, true]),
    ([None, Some(true)], [false, true]),
    ([Some(false), None], [false, true]),
    // Captures of one side differ, or do not contain it.
    ([None, None], [true, true]),
];

#[test]
fn gates_by_processor_time_answer_where_time_in_the_kernel_can_only_be_missing_the_other_way() {
    let sound = prepared();
    let subjects = [
        "whole",
        "erlang",
        "shop:work_2/1.self",
        "shop:work_2/1.total",
        "shop:work_2/1.own",
        "touched",
        "touched.own",
    ];
    for ([base, new], [larger, smaller]) in KERNEL_TIMES {
        for (direction, sign) in DIRECTIONS {
            // The same of a decrease.
            let (larger, smaller) = match sign > 0.0 {
                true => (larger, smaller),
                false => (smaller, larger),
            };
            let answers = [
                (BEYOND, claim(sign), Answer::Holds, smaller),
                (WITHIN, Verdict::Noise, Answer::DoesNotHold, larger),
            ];
            for (percent, verdict, answer, is_unknown) in answers {
                let mut comparison = sound.clone();
                changed_everywhere(&mut comparison, verdict, sign, percent);
                kernel_time(&mut comparison, base, new);
                let by_time = match is_unknown {
                    true => Answer::CannotTell,
                    false => answer,
                };
                check_answers(&comparison, &subjects, direction, by_time);
                // Shares have no such direction, and the whole is none.
                comparison.measure = Measure::Share;
                check_answers(&comparison, &subjects[1..], direction, Answer::CannotTell);
            }
        }
    }
}

fn check_answers(comparison: &Comparison, subjects: &[&str], direction: &str, answer: Answer) {
    let sides = [&comparison.base, &comparison.new].map(|side| side.kernel_time);
    for subject in subjects {
        let gate = judged(comparison, &format!("{subject}.{direction}>5%")).unwrap();
        assert_eq!(gate.answer, answer, "{sides:?}: {}", gate.text());
    }
}

/// The whole, a class and the touched function change alike.
pub fn changed_everywhere(
    comparison: &mut Comparison,
    verdict: Verdict,
    sign: f64,
    percent: [f64; 3],
) {
    touched(comparison, |it| set(it, verdict, sign, percent));
    let whole = comparison.whole.as_mut().unwrap();
    set(&mut whole.change, verdict, sign, percent);
    let mut classes = comparison.classes.iter_mut();
    let erlang = classes.find(|row| row.class == Some(SampleClass::Erlang));
    set(&mut erlang.unwrap().change, verdict, sign, percent);
}

#[test]
fn a_new_function_that_may_lack_time_is_not_known_to_be_small() {
    let mut comparison = prepared();
    touched(&mut comparison, |it| {
        unset(it, Verdict::New);
        (it.base, it.base_samples) = (0.0, 0);
    });
    let condition = "shop:work_2/1.self.new>1000000us/unit";
    for (base, new, answer) in [
        (Some(false), Some(true), Answer::DoesNotHold),
        (Some(true), Some(false), Answer::CannotTell),
    ] {
        let mut comparison = comparison.clone();
        kernel_time(&mut comparison, base, new);
        let gate = judged(&comparison, condition).unwrap();
        assert_eq!(gate.answer, answer, "{}", gate.text());
        // Another figure than the requested one.
        let gone = judged(&comparison, "shop:work_2/1.self.gone").unwrap();
        assert_eq!(gone.answer, Answer::DoesNotHold, "{}", gone.text());
    }
}

#[test]
fn a_limit_that_the_machine_may_have_carried_a_one_sided_function_over_has_no_answer() {
    let alike = |taken_out: bool| MovedAlike {
        change_pct: 45.0,
        low_pct: 40.0,
        high_pct: 50.0,
        functions: 9,
        taken_out,
    };
    type Made = fn(&mut Comparison, MovedAlike);
    let clock: Made = |it, _| {
        (it.base.mhz, it.new.mhz) = (Some([3_000, 2_990, 3_010]), Some([2_000, 1_990, 2_010]));
    };
    let lost: Made = |it, _| (it.base.lost_pct, it.new.lost_pct) = (Some(0.0), Some(50.0));
    let factor: Made = |it, alike| it.whole.as_mut().unwrap().alike = Some(alike);
    // A slower newer side takes half as much more, so that by the conditions of the other side a new function takes up to a
    // third less, and one that is gone half as much more. Lost time may have raised a figure or lowered it.
    let (raised, either) = ([100.0 / 1.5, 100.0], [100.0 / 1.5, 150.0]);
    for (made, alike, new, gone) in [
        (clock, alike(false), raised, [100.0, 150.0]),
        (lost, alike(false), either, either),
        (factor, alike(false), raised, [100.0, 150.0]),
        // That of the intervals; such a figure has none.
        (factor, alike(true), raised, [100.0, 150.0]),
    ] {
        let sides = [(Verdict::New, "new", new), (Verdict::Gone, "gone", gone)];
        for (verdict, direction, [least, most]) in sides {
            let mut comparison = prepared();
            touched(&mut comparison, |it| {
                unset(it, verdict);
                let (one, none) = ((100.0, 5_000), (0.0, 0));
                let (base, new) = if verdict == Verdict::New {
                    (none, one)
                } else {
                    (one, none)
                };
                ((it.base, it.base_samples), (it.new, it.new_samples)) = (base, new);
            });
            made(&mut comparison, alike);
            for (limit, answer) in [
                (least - 1.0, Answer::Holds),
                (least + 1.0, Answer::CannotTell),
                (most - 1.0, Answer::CannotTell),
                (most + 1.0, Answer::DoesNotHold),
            ] {
                // Of all functions it is the only one that is new or gone.
                for subject in ["shop:work_2/1.", ""] {
                    let condition = format!("{subject}self.{direction}>{limit:.3}us/unit");
                    let gate = judged(&comparison, &condition).unwrap();
                    assert_eq!(gate.answer, answer, "{}", gate.text());
                }
            }
        }
    }
}
