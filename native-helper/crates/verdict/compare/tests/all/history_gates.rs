//! Gates of a history, each beside each defect: none answers for what the captures lack, by work or by the second, in
//! either direction.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::history::{FUNCTION, captures, five, judged, order_of, program, question};
use compare::{Answer, CountedCapture, HistoryGate, NoteKind, Reason};

/// Parts of conditions, and whether figures of the whole and of a function answer them.
const SUBJECTS: [(&str, [bool; 2]); 5] = [
    ("", [true, true]),
    ("whole.", [true, false]),
    ("shop:work_0/1.", [false, true]),
    ("shop:work_0/1.self.", [false, true]),
    ("shop:work_0/1.total.", [false, true]),
];
/// The newest commit seems to be within the limits, and may lie above or below them without the defect.
const DIRECTIONS: [(&str, f64); 2] = [("slower", 1.0), ("faster", -1.0)];
/// The captures of the newest of five commits come behind these.
const BEFORE: usize = 8;

struct Defect {
    name: &'static str,
    /// By the sign of the direction that it is to keep from an answer.
    made: fn(&mut Vec<CountedCapture>, f64),
    reason: Reason,
    /// Whether it is of a figure: of the whole or a function, by work or not (then of the second, of functions by share).
    is_of: fn(is_of_whole: bool, by_work: bool) -> bool,
}

const ALWAYS: fn(bool, bool) -> bool = |_, _| true;
/// Shares have nothing of the machine.
const BUT_SHARES: fn(bool, bool) -> bool = |is_of_whole, by_work| is_of_whole || by_work;
/// Work has nothing of how much runs at a time.
const BY_THE_SECOND: fn(bool, bool) -> bool = |is_of_whole, by_work| is_of_whole && !by_work;

const fn newest(name: &'static str, made: fn(&mut Vec<CountedCapture>, f64)) -> Defect {
    Defect {
        name,
        made,
        reason: Reason::NewestLeftOut,
        is_of: ALWAYS,
    }
}

const DEFECTS: [Defect; 19] = [
    newest("a newest commit without samples", |all, _| {
        of_newest(all, |it| it.counts = Default::default());
    }),
    newest("a newest commit that lacks time in the kernel", |all, _| {
        all.iter_mut().for_each(|it| it.kernel_time = Some(true));
        of_newest(all, |it| it.kernel_time = Some(false));
    }),
    newest(
        "a newest commit that does not contain whether it has time in the kernel",
        |all, _| {
            all.iter_mut().for_each(|it| it.kernel_time = Some(true));
            of_newest(all, |it| it.kernel_time = None);
        },
    ),
    newest("a newest commit of another tool", |all, _| {
        of_newest(all, |it| it.other_tool = Some("perf".to_owned()));
    }),
    newest("a newest commit with memory", |all, _| {
        of_newest(all, |it| it.is_of_memory = true);
    }),
    newest("a newest commit with waiting", |all, _| {
        of_newest(all, |it| it.is_of_waiting = true);
    }),
    Defect {
        is_of: |_, by_work| by_work,
        ..newest("a newest commit that counted no work", |all, _| {
            of_newest(all, |it| it.work = None);
        })
    },
    Defect {
        name: "a newest commit that is cut",
        made: |all, _| of_newest(all, |it| it.cut = true),
        reason: Reason::NewestCut,
        is_of: ALWAYS,
    },
    Defect {
        name: "captures that name no commit",
        made: |all, _| of_newest(all, |it| it.commit = String::new()),
        reason: Reason::OrderUnknown,
        is_of: ALWAYS,
    },
    Defect {
        name: "too few commits",
        made: |all, _| drop(all.drain(..4)),
        reason: Reason::TooFewCommits,
        is_of: ALWAYS,
    },
    Defect {
        name: "a function that the newest commit lacks",
        made: |all, _| {
            all.truncate(BEFORE);
            all.extend(captures(&program().rename(0, "shop:other/1"), 4, 2));
        },
        reason: Reason::OneSide,
        is_of: |is_of_whole, _| !is_of_whole,
    },
    Defect {
        name: "another engine",
        // That one only lowers figures.
        made: |all, sign| {
            of_side(all, sign > 0.0, |it| {
                let facts = it.facts.iter_mut();
                let engine = facts.filter(|(kind, _)| *kind == NoteKind::Engine);
                engine.for_each(|(_, fact)| *fact = "readv".to_owned());
            });
        },
        reason: Reason::UnlikeSides,
        is_of: |is_of_whole, _| !is_of_whole,
    },
    Defect {
        name: "call tracing",
        made: |all, sign| {
            all.iter_mut().for_each(|it| it.traced = Some(false));
            of_side(all, sign < 0.0, |it| it.traced = Some(true));
        },
        reason: Reason::UnlikeSides,
        is_of: ALWAYS,
    },
    Defect {
        name: "process tracing",
        made: |all, sign| {
            let untraced = |it: &mut CountedCapture| it.traced_processes = Some(false);
            all.iter_mut().for_each(untraced);
            of_side(all, sign < 0.0, |it| it.traced_processes = Some(true));
        },
        reason: Reason::UnlikeSides,
        is_of: ALWAYS,
    },
    Defect {
        name: "time in the kernel that is known of a part of both",
        made: |all, _| {
            for at in [0, BEFORE] {
                all[at].kernel_time = Some(true);
            }
        },
        reason: Reason::UnlikeSides,
        is_of: ALWAYS,
    },
    Defect {
        name: "a halted VM",
        made: |all, sign| {
            of_side(all, sign > 0.0, |it| {
                it.given_time.halted_ms = Some(2_500.0);
            });
        },
        reason: Reason::UnlikeSides,
        is_of: BY_THE_SECOND,
    },
    Defect {
        name: "missing samples",
        made: |all, sign| {
            of_side(all, sign > 0.0, |it| {
                it.given_time.missing_ms = Some(50_000.0);
            });
        },
        reason: Reason::UnlikeSides,
        is_of: ALWAYS,
    },
    Defect {
        name: "processor time that it was kept from",
        made: |all, _| {
            let given = |it: &mut CountedCapture| it.given_time.lost_ms = Some(0.0);
            all.iter_mut().for_each(given);
            of_newest(all, |it| it.given_time.lost_ms = Some(50_000.0));
        },
        reason: Reason::ProcessorTimeLost,
        is_of: BUT_SHARES,
    },
    Defect {
        name: "processors of another frequency",
        made: |all, sign| {
            let fast = |it: &mut CountedCapture| it.given_time.mhz = Some([3_000, 2_990, 3_010]);
            all.iter_mut().for_each(fast);
            of_side(all, sign < 0.0, |it| {
                it.given_time.mhz = Some([300, 290, 310]);
            });
        },
        reason: Reason::SlowMachine,
        is_of: BUT_SHARES,
    },
];

/// All commits have the counts of the first, so that the newest one lies where those before it let expect, and not by
/// chance. They are no copies of each other: each began at another time.
fn sound() -> Vec<CountedCapture> {
    let mut all = five();
    let (first, others) = all.split_at_mut(2);
    for commit in others.chunks_mut(first.len()) {
        for (capture, counted) in commit.iter_mut().zip(&*first) {
            capture.counts = counted.counts.clone();
        }
    }
    all
}

fn of_newest(all: &mut [CountedCapture], change: impl Fn(&mut CountedCapture)) {
    all[BEFORE..].iter_mut().for_each(change);
}

/// Of the newest commit, else of all before it.
fn of_side(all: &mut [CountedCapture], is_newest: bool, change: impl Fn(&mut CountedCapture)) {
    let (before, newest) = all.split_at_mut(BEFORE);
    let side = if is_newest { newest } else { before };
    side.iter_mut().for_each(change);
}

fn gate(condition: &str, mut all: Vec<CountedCapture>, by_work: bool) -> HistoryGate {
    if !by_work {
        all.iter_mut().for_each(|it| it.work = None);
    }
    let history = compare::history(&question(), all, &[], &order_of(5, 0)).unwrap();
    judged(condition, &history)
}

#[test]
fn no_gate_of_a_history_answers_for_what_its_captures_lack() {
    assert!(SUBJECTS[2].0.starts_with(FUNCTION));
    let sound_captures = sound();
    for by_work in [true, false] {
        for (subject, [of_whole, of_function]) in SUBJECTS {
            for (direction, sign) in DIRECTIONS {
                let condition = format!("{subject}{direction}>history");
                let sound = gate(&condition, sound_captures.clone(), by_work);
                assert_eq!(sound.answer, Answer::DoesNotHold, "{}", sound.text());
                for defect in &DEFECTS {
                    let mut all = sound_captures.clone();
                    (defect.made)(&mut all, sign);
                    let gate = gate(&condition, all, by_work);
                    let what = format!("{}, work: {by_work}: {}", defect.name, gate.text());
                    let is_of_figure = (of_whole && (defect.is_of)(true, by_work))
                        || (of_function && (defect.is_of)(false, by_work));
                    if !is_of_figure {
                        assert_eq!(gate.answer, Answer::DoesNotHold, "{what}");
                        continue;
                    }
                    assert_eq!(gate.answer, Answer::CannotTell, "{what}");
                    assert!(!gate.doubts.is_empty(), "{what}");
                    for doubt in &gate.doubts {
                        assert_eq!(doubt.reason, defect.reason, "{what}");
                        assert!(!doubt.text.is_empty() && !doubt.fix.is_empty(), "{what}");
                    }
                }
            }
        }
    }
}
