//! Histories: a planted change is found at its commit, and nothing else is.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::simulated;
use std::path::Path;

use crate::simulated::{Program, Random};
use capture::quality::StandstillReason;
use capture::reader::Capture;
use compare::history_answer::{History, HistoryStep, LatestPlace, Series, SeriesOf, SkipReason};
use compare::{
    Answer, CommitOrder, CountedCapture, HistoryCondition, HistoryGate, HistoryQuestion, Measure,
    NoteKind, Reason, Refusal, history_markdown, history_page,
};

pub const FUNCTION: &str = "shop:work_0/1";

/// A history of captures all of which could be read.
fn history(
    question: &HistoryQuestion,
    captures: Vec<CountedCapture>,
    order: &[String],
) -> Result<History, Refusal> {
    let order = CommitOrder {
        names: order.to_vec(),
        ..CommitOrder::default()
    };
    compare::history(question, captures, &[], &order)
}

pub fn question() -> HistoryQuestion {
    HistoryQuestion::new([FUNCTION.to_owned()], None)
}

/// The name of the commit with this number, of 40 letters.
fn commit(number: usize) -> String {
    format!("{number:09x}{:031x}", 0)
}

pub fn program() -> Program {
    let mut program = Program::ordinary().counting("orders");
    program.seconds = 5;
    program
}

/// Captures of a commit.
pub fn captures(program: &Program, number: usize, runs: u64) -> Vec<CountedCapture> {
    let runs = (0..runs).map(|run| {
        let seed = number as u64 * 10 + run;
        let mut counted = question().count(&format!("{number}-{run}"), &program.capture(seed));
        counted.commit = commit(number);
        counted
    });
    runs.collect()
}

/// Commits with the program of each; the order is that of their numbers.
fn history_of(programs: &[Program], runs: u64) -> History {
    let numbered = programs.iter().enumerate();
    let all = numbered.flat_map(|(number, program)| captures(program, number, runs));
    let order: Vec<String> = (0..programs.len()).map(commit).collect();
    history(&question(), all.collect(), &order).unwrap()
}

fn step_of(series: &Series) -> &HistoryStep {
    match series.steps.as_slice() {
        [step] => step,
        steps => panic!("{steps:?}"),
    }
}

fn of(history: &History, of: SeriesOf) -> &Series {
    history
        .series
        .iter()
        .find(|series| series.of == of)
        .unwrap()
}

#[test]
fn what_is_planted_is_found_at_its_commit() {
    let slow = program().scale(0, 2.5);
    let programs: Vec<Program> = (0..16)
        .map(|number| match number < 9 {
            true => program(),
            false => slow.clone(),
        })
        .collect();
    let history = history_of(&programs, 2);
    assert_eq!(history.work.as_deref(), Some("orders"));
    let whole = of(&history, SeriesOf::Whole);
    assert_eq!(whole.measure, Measure::Work);
    let units = |program: &Program| 1.0 / program.units_each_second();
    let truth = (units(&slow) / units(&program()) - 1.0) * 100.0;
    let step = step_of(whole);
    assert_eq!(step.at, 9);
    assert!(
        step.low_pct < truth && truth < step.high_pct,
        "{step:?}, {truth}"
    );
    let itself = step_of(of(&history, SeriesOf::Itself));
    assert_eq!(itself.at, 9);
    assert!(
        itself.low_pct < 150.0 && 150.0 < itself.high_pct,
        "{itself:?}"
    );
    let comment = history_markdown(&history, &[]);
    let last = history.commits.len() - 1;
    let title = format!(
        "### CPU over {} commits: {} to {}\n",
        history.commits.len(),
        &commit(0)[..9],
        &commit(last)[..9]
    );
    assert!(comment.starts_with(&title), "{title} is not in {comment}");
}

#[test]
fn comments_and_pages_have_the_day_of_each_commit() {
    let commit_made = 1_704_067_200_000;
    let all = (0..3).flat_map(|number| captures(&program(), number, 1));
    let order = CommitOrder {
        names: (0..3).map(commit).collect(),
        made_unix_ms: [(commit(1), commit_made)].into(),
    };
    let mut history = compare::history(&question(), all.collect(), &[], &order).unwrap();
    history.commits[2].started_unix_ms = 0;
    let days = history.commits.iter().map(|it| it.day());
    // That of its first capture where it is not known when the commit was made.
    let expected = ["2023-11-14", "2024-01-01", "?"];
    assert_eq!(days.collect::<Vec<_>>(), expected);
    let (comment, page) = (history_markdown(&history, &[]), history_page(&history, &[]));
    for (number, day) in expected.into_iter().enumerate() {
        let name = &commit(number)[..9];
        let row = format!("| {name} | {day} | 1 | ");
        assert!(comment.contains(&row), "{row} is not in {comment}");
        let row = format!("<th scope=\"row\">{name}</th><td>{day}</td><td>1</td>");
        assert!(page.contains(&row), "{row} is not in {page}");
    }
}

#[test]
fn a_history_without_a_change_has_no_step() {
    for first in [1usize, 2, 3] {
        let shifted = (0..20).map(|_| program());
        let programs: Vec<Program> = shifted.collect();
        let numbered = programs.iter().enumerate();
        let all = numbered.flat_map(|(number, program)| captures(program, first * 100 + number, 1));
        let history = history(&question(), all.collect(), &[]).unwrap();
        for series in &history.series {
            assert!(
                series.steps.is_empty(),
                "{}: {:?}",
                series.title(),
                series.steps
            );
        }
    }
}

/// Twelve captures of one program, as real ones differ: taken as twelve commits in many orders.
#[test]
fn real_captures_of_one_program_rarely_have_a_step() {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("tests/recorded");
    let read = |number| {
        let bytes = std::fs::read(folder.join(format!("run-{number:02}.pb.gz"))).unwrap();
        Capture::from_bytes(&bytes).unwrap()
    };
    let all: Vec<Capture> = (0..12).map(read).collect();
    let named = HistoryQuestion::new([], None).count("any", &all[0]);
    let question = HistoryQuestion::new(named.frequent.into_iter().take(12), None);
    let counted: Vec<CountedCapture> = all
        .iter()
        .enumerate()
        .map(|(number, capture)| question.count(&format!("{number}"), capture))
        .collect();
    let mut random = Random::new(7);
    let (mut series, mut claimed) = (0, 0);
    for _ in 0..40 {
        let mut shuffled = counted.clone();
        for end in (1..shuffled.len()).rev() {
            shuffled.swap(end, (random.unit() * (end + 1) as f64) as usize);
        }
        for (position, capture) in shuffled.iter_mut().enumerate() {
            capture.commit = commit(position);
        }
        let order: Vec<String> = (0..12).map(commit).collect();
        let history = history(&question, shuffled, &order).unwrap();
        series += history.series.len();
        claimed += history
            .series
            .iter()
            .filter(|it| !it.steps.is_empty())
            .count();
    }
    println!("{claimed} of {series}");
    assert!(claimed * 20 <= series, "{claimed} of {series}");
}

#[test]
fn a_function_that_appears_steps_from_nothing() {
    let mut programs = vec![program(); 8];
    for program in &mut programs[..4] {
        *program = program.clone().rename(0, "shop:other/1");
    }
    let history = history_of(&programs, 2);
    let itself = of(&history, SeriesOf::Itself);
    assert_eq!(step_of(itself).at, 4);
    assert_eq!(itself.points[0].value, 0.0);
    assert!(itself.points[0].low == 0.0 && itself.points[0].high > 0.0);
    assert!(itself.is_seen());
}

#[test]
fn the_newest_commit_is_held_against_those_before() {
    let mut programs = vec![program(); 8];
    let calm = history_of(&programs, 2);
    let latest = of(&calm, SeriesOf::Whole).latest.unwrap();
    assert_eq!(latest.place, LatestPlace::Within, "{latest:?}");
    assert_eq!(latest.commits, 7);
    programs[7] = program().scale(0, 4.0);
    let history = history_of(&programs, 2);
    let judged = |condition: &str, history: &History| judged(condition, history).answer;
    for condition in [
        "slower>history",
        "whole.slower>history",
        "shop:work_0/1.self.slower>history",
    ] {
        assert_eq!(judged(condition, &history), Answer::Holds, "{condition}");
        assert_eq!(judged(condition, &calm), Answer::DoesNotHold, "{condition}");
    }
    assert_eq!(
        judged("whole.faster>history", &history),
        Answer::DoesNotHold
    );
    let gate = self::judged("whole.slower>history", &history);
    let page = history_page(&history, std::slice::from_ref(&gate));
    let line = format!("<p>✗ {}</p>", gate.text().replace('>', "&gt;"));
    assert!(page.contains(&line), "{line} is not in {page}");
    // Two commits let expect nothing.
    let short = history_of(&programs[..3], 2);
    assert!(short.series[0].latest.is_none());
    let gate = self::judged("whole.slower>history", &short);
    assert_eq!(gate.answer, Answer::CannotTell);
    let fix = &gate.doubts[0].fix;
    assert!(fix.starts_with("record 1 more commit, or "), "{fix}");
}

pub fn judged(condition: &str, history: &History) -> HistoryGate {
    let condition: HistoryCondition = condition.parse().unwrap();
    condition.judge(history)
}

/// Five commits, two captures of each.
pub fn five() -> Vec<CountedCapture> {
    (0..5)
        .flat_map(|number| captures(&program(), number, 2))
        .collect()
}

fn answered(
    captures: Vec<CountedCapture>,
    unreadable: &[&str],
    order: &CommitOrder,
) -> HistoryGate {
    let unreadable: Vec<String> = unreadable.iter().map(|&name| name.to_owned()).collect();
    let history = compare::history(&question(), captures, &unreadable, order).unwrap();
    judged("whole.slower>history", &history)
}

pub fn order_of(commits: usize, newest_made_unix_ms: u64) -> CommitOrder {
    let newest = commit(commits - 1);
    CommitOrder {
        names: (0..commits).map(commit).collect(),
        made_unix_ms: [(newest, newest_made_unix_ms)].into(),
    }
}

#[test]
fn a_newest_commit_that_cannot_be_judged_is_not_replaced_by_an_older_one() {
    type Spoil = fn(&mut CountedCapture);
    let order = order_of(5, 0);
    assert_eq!(answered(five(), &[], &order).answer, Answer::DoesNotHold);
    let spoils: [(Spoil, Reason); 7] = [
        (|it| it.counts = Default::default(), Reason::NewestLeftOut),
        (|it| it.kernel_time = Some(false), Reason::NewestLeftOut),
        (|it| it.kernel_time = None, Reason::NewestLeftOut),
        (|it| it.work = None, Reason::NewestLeftOut),
        (|it| it.is_of_memory = true, Reason::NewestLeftOut),
        (|it| it.cut = true, Reason::NewestCut),
        (|it| it.commit = String::new(), Reason::OrderUnknown),
    ];
    for (number, (spoil, reason)) in spoils.into_iter().enumerate() {
        let mut all = five();
        for capture in &mut all {
            capture.kernel_time = Some(true);
        }
        all[8..].iter_mut().for_each(spoil);
        let gate = answered(all, &[], &order);
        assert_eq!(gate.answer, Answer::CannotTell, "{number}: {}", gate.text());
        let reasons: Vec<_> = gate.doubts.iter().map(|doubt| doubt.reason).collect();
        assert!(
            reasons.iter().all(|each| *each == reason),
            "{number}: {reasons:?}"
        );
        assert!(!gate.text().contains(" hold"), "{}", gate.text());
        // Of an older commit it is no reason; one that names none may be of any.
        let mut older = five();
        for capture in &mut older {
            capture.kernel_time = Some(true);
        }
        older[2..4].iter_mut().for_each(spoil);
        let answer = answered(older, &[], &order).answer;
        match reason {
            Reason::OrderUnknown => assert_eq!(answer, Answer::CannotTell),
            _ => assert_eq!(answer, Answer::DoesNotHold, "{number}"),
        }
    }
}

/// A history of five commits in which this was done to each capture of the newest one.
fn with_newest(change: impl Fn(&mut CountedCapture)) -> History {
    let mut all = five();
    all[8..].iter_mut().for_each(change);
    compare::history(&question(), all, &[], &order_of(5, 0)).unwrap()
}

/// The answers to `slower` and `faster`, and the notes of the newest commit in that series.
fn answers(history: &History, subject: &str, of: SeriesOf) -> ([Answer; 2], Vec<NoteKind>) {
    let answers = ["slower", "faster"].map(|direction| {
        let gate = judged(&format!("{subject}.{direction}>history"), history);
        let of_answer = gate.doubts.iter().map(|it| it.reason);
        let known = [
            Reason::UnlikeSides,
            Reason::ProcessorTimeLost,
            Reason::SlowMachine,
        ];
        let mut others = of_answer.filter(|it| !known.contains(it));
        assert_eq!(others.next(), None, "{}", gate.text());
        gate.answer
    });
    let notes = self::of(history, of).unlike.iter();
    (answers, notes.map(|note| note.kind).collect())
}

#[test]
fn a_newest_commit_with_another_engine_answers_by_the_whole_and_where_that_can_only_lower() {
    let history = with_newest(|capture| {
        for (kind, fact) in &mut capture.facts {
            if *kind == NoteKind::Engine {
                *fact = "readv".to_owned();
            }
        }
    });
    let whole = answers(&history, "whole", SeriesOf::Whole);
    assert_eq!(whole, ([Answer::DoesNotHold; 2], vec![]));
    // That engine only lowers figures: without it the commit may be slower, and is not faster.
    let expected = [Answer::CannotTell, Answer::DoesNotHold];
    let itself = answers(&history, &format!("{FUNCTION}.self"), SeriesOf::Itself);
    assert_eq!(itself, (expected, vec![NoteKind::Engine]));
    let gate = judged("slower>history", &history);
    assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
    assert!(gate.text().contains("stacks by bpf and by readv"));
}

type Limit = fn(&mut CountedCapture);

/// By the second: what a unit of work takes does not depend on halts and schedulers. Limited is the newest commit, or
/// all others are.
fn five_limited(kind: NoteKind, limit: Limit, of_newest: bool) -> Vec<CountedCapture> {
    let mut all = five();
    for (at, capture) in all.iter_mut().enumerate() {
        capture.work = None;
        capture.traced = Some(false);
        capture.traced_processes = Some(false);
        capture.given_time.lost_ms = Some(0.0);
        capture.given_time.mhz = Some([3_000, 2_990, 3_010]);
        match (at >= 8) == of_newest {
            true => limit(capture),
            false if kind == NoteKind::SchedulersOnline => {
                capture.facts.push((kind, "4".to_owned()));
            }
            false => {}
        }
    }
    all
}

#[test]
fn a_newest_commit_that_was_limited_in_another_way_than_those_before_is_named_and_its_gates_know() {
    use Answer::{CannotTell, DoesNotHold};
    /// The answers if it is in the newest commit, and if it is in those before: to slower, to faster.
    type Case = (NoteKind, Limit, [Answer; 2], [Answer; 2]);
    let (not_slower, not_faster) = ([DoesNotHold, CannotTell], [CannotTell, DoesNotHold]);
    let other_schedulers: Limit = |it| {
        it.facts.push((NoteKind::SchedulersOnline, "1".to_owned()));
    };
    let cases: [Case; 6] = [
        // Tracing only raises the whole.
        (
            NoteKind::TracingOnOneSide,
            |it| it.traced = Some(true),
            not_slower,
            not_faster,
        ),
        (
            NoteKind::ProcessTracingOnOneSide,
            |it| it.traced_processes = Some(true),
            not_slower,
            not_faster,
        ),
        // A VM that was halted has less of each second, and one with fewer schedulers.
        (
            NoteKind::HaltedOnOneSide,
            |it| it.given_time.halted_ms = Some(2_500.0),
            not_faster,
            not_slower,
        ),
        (
            NoteKind::SchedulersOnline,
            other_schedulers,
            not_faster,
            not_slower,
        ),
        // The rest may have moved it to either side, at most by so much.
        (
            NoteKind::ProcessorTimeLost,
            |it| it.given_time.lost_ms = Some(5_000.0),
            [CannotTell; 2],
            [CannotTell; 2],
        ),
        (
            NoteKind::ProcessorFrequency,
            |it| it.given_time.mhz = Some([800, 790, 810]),
            not_slower,
            not_faster,
        ),
    ];
    for (kind, limit, newest, older) in cases {
        for (of_newest, expected) in [(true, newest), (false, older)] {
            let all = five_limited(kind, limit, of_newest);
            let history = compare::history(&question(), all, &[], &order_of(5, 0)).unwrap();
            let found = answers(&history, "whole", SeriesOf::Whole);
            assert_eq!(found, (expected, vec![kind]), "{kind:?} {of_newest}");
            // The line of the newest commit, and the notes of the history, name it.
            let whole = of(&history, SeriesOf::Whole);
            let text = &whole.unlike[0].text;
            let line = history.newest_line(whole).unwrap();
            assert!(line.ends_with(&format!("; {text}")), "{line}");
            let notes: Vec<NoteKind> = history.notes.iter().map(|note| note.kind).collect();
            assert_eq!(notes, [kind], "{of_newest}");
            let page = history_page(&history, &[]);
            assert!(page.contains(text.split(':').next().unwrap()), "{page}");
        }
    }
}

#[test]
fn tracing_in_some_captures_before_or_that_is_not_known_is_named_and_its_gates_know() {
    use Answer::{CannotTell, DoesNotHold};
    use NoteKind::{TracingOnOneSide, TracingUnknown};
    let (not_slower, not_faster) = ([DoesNotHold, CannotTell], [CannotTell, DoesNotHold]);
    let [on, off] = [true, false].map(Some);
    // Of the first capture, of the others before, of the newest commit.
    for (facts, kind, expected) in [
        ([on, off, on], TracingOnOneSide, not_slower),
        ([off, on, on], TracingOnOneSide, not_slower),
        ([on, off, off], TracingOnOneSide, not_faster),
        ([None, off, on], TracingOnOneSide, not_slower),
        ([on, None, on], TracingUnknown, not_slower),
        ([on, on, None], TracingUnknown, not_faster),
        ([None, None, on], TracingUnknown, not_slower),
        ([on, None, None], TracingUnknown, [CannotTell; 2]),
    ] {
        let mut all = five();
        for (at, capture) in all.iter_mut().enumerate() {
            let of = [at == 0, at < 8, true];
            let group = of.iter().position(|it| *it).unwrap_or_default();
            capture.traced = facts[group];
        }
        let history = compare::history(&question(), all, &[], &order_of(5, 0)).unwrap();
        let found = answers(&history, "whole", SeriesOf::Whole);
        assert_eq!(found, (expected, vec![kind]), "{facts:?}");
    }
}

#[test]
fn a_difference_that_is_smaller_than_a_change_does_not_make_its_answer() {
    let mut all: Vec<CountedCapture> = (0..4)
        .flat_map(|number| captures(&program(), number, 2))
        .collect();
    all.extend(captures(&program().scale(0, 6.0), 4, 2));
    for (at, capture) in all.iter_mut().enumerate() {
        let lost_ms = if at >= 8 { 100.0 } else { 0.0 };
        capture.given_time.lost_ms = Some(lost_ms);
    }
    let history = compare::history(&question(), all, &[], &order_of(5, 0)).unwrap();
    let notes = &of(&history, SeriesOf::Whole).unlike;
    assert_eq!(notes[0].kind, NoteKind::ProcessorTimeLost);
    let gate = judged("whole.slower>history", &history);
    assert_eq!(gate.answer, Answer::Holds, "{}", gate.text());
}

#[test]
fn differences_that_are_smaller_than_a_change_may_make_its_answer_together() {
    let of = |slower: [f64; 2]| {
        let mut all: Vec<CountedCapture> = (0..4)
            .flat_map(|number| captures(&program(), number, 2))
            .collect();
        all.extend(captures(&program().scale(0, 6.0), 4, 2));
        for (at, capture) in all.iter_mut().enumerate() {
            let [by_lost_time, by_clock] = if at >= 8 { slower } else { [1.0; 2] };
            let used_ms = capture.counts.busy * capture.counts.sample_seconds * 1_000.0;
            capture.given_time.lost_ms = Some((by_lost_time - 1.0) * used_ms);
            let mhz = (3_000.0 / by_clock) as u32;
            capture.given_time.mhz = Some([mhz, mhz - 1, mhz + 1]);
        }
        compare::history(&question(), all, &[], &order_of(5, 0)).unwrap()
    };
    let latest = self::of(&of([1.0; 2]), SeriesOf::Whole).latest.unwrap();
    // Each makes a little more than half of the excess over the limit.
    let half = (latest.value / latest.high).powf(0.6);
    assert!(half > 1.02, "{latest:?}");
    for (slower, answer, doubts) in [
        ([half, 1.0], Answer::Holds, vec![]),
        ([1.0, half], Answer::Holds, vec![]),
        (
            [half, half],
            Answer::CannotTell,
            vec![Reason::ProcessorTimeLost, Reason::SlowMachine],
        ),
    ] {
        let gate = judged("whole.slower>history", &of(slower));
        assert_eq!(gate.answer, answer, "{slower:?}: {}", gate.text());
        let mut reasons: Vec<Reason> = gate.doubts.iter().map(|doubt| doubt.reason).collect();
        reasons.sort_by_key(|reason| format!("{reason:?}"));
        assert_eq!(reasons, doubts, "{slower:?}");
    }
}

#[test]
fn what_does_not_move_a_figure_is_no_doubt_of_its_gate() {
    // Of a halted VM a unit of work takes the same.
    let halted = with_newest(|it| it.given_time.halted_ms = Some(2_500.0));
    let whole = answers(&halted, "whole", SeriesOf::Whole);
    assert_eq!(whole, ([Answer::DoesNotHold; 2], vec![]));
    assert_eq!(halted.notes[0].kind, NoteKind::HaltedOnOneSide);
}

#[test]
fn a_step_where_captures_were_limited_names_that() {
    let slow = program().scale(0, 2.5);
    let of = |number: usize| if number < 8 { program() } else { slow.clone() };
    let mut all: Vec<CountedCapture> = Vec::new();
    for number in 0..16 {
        let mut taken = captures(&of(number), number, 2);
        for capture in &mut taken {
            let lost_ms = if number < 8 { 0.0 } else { 2_000.0 };
            capture.given_time.lost_ms = Some(lost_ms);
        }
        all.extend(taken);
    }
    let history = history_in_order(all, 16);
    let step = step_of(self::of(&history, SeriesOf::Whole));
    assert_eq!(step.at, 8);
    let kinds: Vec<NoteKind> = step.notes.iter().map(|note| note.kind).collect();
    assert_eq!(kinds, [NoteKind::ProcessorTimeLost]);
}

#[test]
fn time_in_the_kernel_that_is_known_of_the_newest_commit_alone_may_make_its_answer() {
    let history = with_newest(|it| it.kernel_time = Some(true));
    let (found, notes) = answers(&history, "whole", SeriesOf::Whole);
    // Those before may lack it: with it, they may have taken more.
    assert_eq!(found, [Answer::DoesNotHold, Answer::CannotTell]);
    assert_eq!(notes, [NoteKind::KernelTimeNotRecorded]);
}

#[test]
fn time_in_the_kernel_that_is_known_of_a_part_of_both_may_make_any_answer() {
    let mut all = five();
    for at in [0, 8] {
        all[at].kernel_time = Some(true);
    }
    let (known, unknown) = (all[0].name.clone(), all[1].name.clone());
    let history = compare::history(&question(), all, &[], &order_of(5, 0)).unwrap();
    let (found, notes) = answers(&history, "whole", SeriesOf::Whole);
    assert_eq!(found, [Answer::CannotTell; 2]);
    assert_eq!(notes, [NoteKind::KernelTimeNotRecorded]);
    let note = &of(&history, SeriesOf::Whole).unlike[0];
    assert_eq!(note.values, [unknown, known]);
}

#[test]
fn a_file_that_cannot_be_read_may_be_of_the_newest_commit() {
    let gate = answered(five(), &["9.pb.gz"], &order_of(5, 0));
    assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
    assert_eq!(gate.doubts[0].reason, Reason::Unreadable);
    assert!(gate.text().contains("9.pb.gz"), "{}", gate.text());
}

#[test]
fn the_commits_of_a_history_have_their_own_times_where_these_are_known() {
    let history = compare::history(&question(), five(), &[], &order_of(5, 7_000)).unwrap();
    let made = history.commits.iter().map(|commit| commit.made_unix_ms);
    let made: Vec<Option<u64>> = made.collect();
    assert_eq!(made, [None, None, None, None, Some(7_000)]);
}

#[test]
fn times_of_captures_do_not_show_which_commit_is_the_newest() {
    // The repository does not have the last commit: its captures began after all others.
    let gate = answered(five(), &[], &order_of(4, 0));
    assert_eq!(
        gate.doubts[0].reason,
        Reason::OrderUnknown,
        "{}",
        gate.text()
    );
    // Nor any of them.
    let gate = answered(five(), &[], &CommitOrder::default());
    assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
    // It lacks an older one, which was captured before the newest one was made.
    let mut names = order_of(5, 0).names;
    names.remove(1);
    let mut order = CommitOrder {
        names,
        ..CommitOrder::default()
    };
    assert_eq!(answered(five(), &[], &order).answer, Answer::CannotTell);
    let made = five()[8].started_unix_ms - 1;
    order.made_unix_ms = [(commit(4), made)].into();
    assert_eq!(answered(five(), &[], &order).answer, Answer::DoesNotHold);
    // Clocks by which the newest commit was captured before it was made prove nothing.
    order.made_unix_ms = [(commit(4), made + 2)].into();
    assert_eq!(answered(five(), &[], &order).answer, Answer::CannotTell);
    // Captures without a commit are as old as they are.
    let mut nameless = five();
    for capture in &mut nameless {
        capture.commit = String::new();
    }
    let gate = answered(nameless, &[], &CommitOrder::default());
    assert_eq!(gate.answer, Answer::DoesNotHold, "{}", gate.text());
}

#[test]
fn a_function_that_the_newest_commit_lacks_is_neither_slower_nor_faster() {
    let mut programs = vec![program(); 6];
    programs[5] = program().rename(0, "shop:other/1");
    let gone = history_of(&programs, 2);
    for condition in [
        "shop:work_0/1.slower>history",
        "shop:work_0/1.faster>history",
    ] {
        let gate = judged(condition, &gone);
        assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
        assert_eq!(gate.doubts[0].reason, Reason::OneSide);
    }
    assert_eq!(
        judged("whole.slower>history", &gone).answer,
        Answer::DoesNotHold
    );
}

#[test]
fn commits_go_as_they_were_made_and_others_by_their_time() {
    let mut all: Vec<CountedCapture> = [3, 1, 2, 7]
        .into_iter()
        .flat_map(|number| captures(&program(), number, 2))
        .collect();
    // One was taken of changed sources, one names no commit.
    all[1].dirty = true;
    let mut nameless = all[5].clone();
    nameless.commit = String::new();
    nameless.name = "nameless.pb.gz".into();
    nameless.started_unix_ms += 1;
    all.push(nameless);
    let order = [commit(2), commit(3), commit(1)];
    let history = history(&question(), all, &order).unwrap();
    let names: Vec<&str> = history.commits.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(
        names,
        [
            &commit(2)[..9],
            "nameless.pb.gz",
            &commit(3)[..9],
            &format!("{} with changes", &commit(3)[..9]),
            &commit(1)[..9],
            &commit(7)[..9]
        ]
    );
}

#[test]
fn copies_and_captures_without_samples_are_left_out_by_name() {
    let mut all = captures(&program(), 1, 2);
    let mut copy = all[0].clone();
    copy.name = "copy".into();
    let mut empty = all[1].clone();
    empty.name = "empty".into();
    empty.counts = Default::default();
    let mut stopped = empty.clone();
    stopped.name = "stopped".into();
    stopped.started_unix_ms += 1;
    stopped.halted = Some(StandstillReason::Stopped);
    all.extend([copy, empty, stopped]);
    let history = history(&question(), all, &[]).unwrap();
    let skipped: Vec<_> = history
        .skipped
        .iter()
        .map(|it| (it.capture.as_str(), &it.reason))
        .collect();
    assert!(
        skipped.contains(&("copy", &SkipReason::Copy("1-0".into()))),
        "{skipped:?}"
    );
    assert!(
        skipped.contains(&("empty", &SkipReason::NoSamples)),
        "{skipped:?}"
    );
    let of_stopped = history.skipped.iter().find(|it| it.capture == "stopped");
    assert_eq!(
        of_stopped.unwrap().text,
        "it has no busy samples, and a signal had stopped its VM"
    );
    assert_eq!(history.commits[0].captures, ["1-0", "1-1"]);
}

#[test]
fn a_step_has_a_note_that_another_machine_took_it() {
    let mut all: Vec<CountedCapture> = Vec::new();
    for number in 0..8 {
        let program = match number < 4 {
            true => program(),
            false => program().scale(0, 3.0),
        };
        let mut taken = captures(&program, number, 2);
        for capture in &mut taken {
            capture.facts.retain(|(kind, _)| *kind != NoteKind::Host);
            let host = if number < 4 { "one" } else { "two" };
            capture.facts.push((NoteKind::Host, host.into()));
        }
        all.extend(taken);
    }
    let history = history(&question(), all, &[]).unwrap();
    let notes = &step_of(of(&history, SeriesOf::Whole)).notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert_eq!(notes[0].kind, NoteKind::Host);
}

/// Captures that counted their work, and one that did not.
fn with_one_without_work(counted: u64) -> Vec<CountedCapture> {
    let mut all = captures(&program(), 1, counted);
    let mut without = program();
    without.work = None;
    all.extend(captures(&without, 2, 1));
    all
}

#[test]
fn work_that_not_all_have_counted_is_time_each_second() {
    let all = with_one_without_work(1);
    let made = history(&question(), all.clone(), &[]).unwrap();
    assert_eq!(made.series[0].measure, Measure::Cpu);
    assert_eq!(made.series[1].measure, Measure::Share);
    let by_work = HistoryQuestion::new([], Some(Measure::Work));
    let refused = history(&by_work, all, &[]);
    assert!(
        matches!(refused, Err(Refusal::NoWork { .. })),
        "{refused:?}"
    );
    let nothing = history(&question(), Vec::new(), &[]);
    assert!(
        matches!(nothing, Err(Refusal::NoCapture { .. })),
        "{nothing:?}"
    );
}

#[test]
fn a_few_captures_without_work_do_not_make_it_time_each_second() {
    let all = with_one_without_work(3);
    let made = history(&question(), all, &[]).unwrap();
    assert_eq!(made.series[0].measure, Measure::Work);
    let skipped: Vec<_> = made.skipped.iter().map(|each| &each.reason).collect();
    assert_eq!(skipped, [&SkipReason::NoWork("orders".to_owned())]);
}

#[test]
fn counts_are_those_of_a_comparison() {
    let capture = program().capture(5);
    let counted = question().count("one", &capture);
    let both = [capture.clone()];
    let comparison = compare::compare(
        &simulated::side("a", &both),
        &simulated::side("b", &both),
        &compare::Options::default(),
    )
    .unwrap();
    let rows = &comparison.functions;
    let row = rows.iter().find(|row| row.function == FUNCTION).unwrap();
    let made = history(&question(), vec![counted], &[]).unwrap();
    assert!((made.series[1].points[0].value / row.itself.base - 1.0).abs() < 1e-9);
    assert!((made.series[2].points[0].value / row.total.base - 1.0).abs() < 1e-9);
}

/// A capture of this program, counted under this name.
fn counted(name: &str, capture: &Capture) -> CountedCapture {
    question().count(name, capture)
}

fn imported(profile: &[u8]) -> Capture {
    let limits = foreign_profiles::Limits::default();
    let converted = foreign_profiles::convert(profile, &limits)
        .unwrap()
        .unwrap();
    Capture::from_bytes(&converted.message).unwrap()
}

#[test]
fn what_is_of_another_project_or_tool_than_most_is_left_out() {
    let of = |repository: &str, commit: &str, seed: u64| {
        program().of_commit(repository, commit).capture(seed)
    };
    let (shop, fork, other) = (
        "https://example.org/acme/shop",
        "git@example.org:me/shop.git",
        "https://example.org/acme/warehouse",
    );
    let mut captures: Vec<CountedCapture> = (0..6)
        .map(|number| {
            counted(
                &format!("shop-{number}"),
                &of(shop, &commit(number), number as u64),
            )
        })
        .collect();
    captures.push(counted("fork", &of(fork, &commit(7), 7)));
    captures.push(counted("other", &of(other, &commit(8), 8)));
    captures.push(counted("nobody's", &program().capture(9)));
    captures.push(counted(
        "folded",
        &imported(b"shop:run/0;shop:work_0/1 500\n"),
    ));
    let history = history(&question(), captures, &[]).unwrap();
    let mut skipped: Vec<(&str, SkipReason)> = history
        .skipped
        .iter()
        .map(|skipped| (skipped.capture.as_str(), skipped.reason.clone()))
        .collect();
    skipped.sort_by_key(|(name, _)| *name);
    let expected = [
        ("folded", SkipReason::OtherTool("folded stacks".to_owned())),
        ("other", SkipReason::OtherProject(other.to_owned())),
    ];
    assert_eq!(skipped, expected);
    assert_eq!(history.commits.len(), 8);
}

#[test]
fn a_folder_of_another_tools_profiles_is_a_history_of_its_own() {
    let speedscope = |weight: u64| {
        let profile = format!(
            r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[{{"name":"shop:work_0/1"}}]}},"profiles":[
            {{"type":"sampled","name":"x","unit":"milliseconds","startValue":0,"endValue":900,"samples":[[0],[0]],"weights":[{weight},400]}}]}}"#
        );
        imported(profile.as_bytes())
    };
    let captures = vec![
        counted("a", &speedscope(400)),
        counted("b", &speedscope(500)),
    ];
    let history = history(&question(), captures, &[]).unwrap();
    assert_eq!(
        (history.commits.len(), history.skipped.len()),
        (2, 0),
        "{:?}",
        history.skipped
    );
}

fn history_in_order(all: Vec<CountedCapture>, commits: usize) -> History {
    let order: Vec<String> = (0..commits).map(commit).collect();
    history(&question(), all, &order).unwrap()
}

/// Eight commits, then eight that take 2.5 times as long, two captures of each.
fn with_a_step() -> Vec<CountedCapture> {
    let slow = program().scale(0, 2.5);
    let of = |number: usize| if number < 8 { program() } else { slow.clone() };
    (0..16)
        .flat_map(|number| captures(&of(number), number, 2))
        .collect()
}

#[test]
fn what_lacks_time_in_the_kernel_that_most_have_is_left_out() {
    let mut all = with_a_step();
    for counted in &mut all {
        counted.kernel_time = Some(true);
    }
    let known = history_in_order(all.clone(), 17);
    let mut without = captures(&program(), 16, 1);
    without[0].kernel_time = Some(false);
    all.extend(without);
    let history = history_in_order(all, 17);
    let [left_out] = history.skipped.as_slice() else {
        panic!("{:?}", history.skipped);
    };
    assert_eq!(left_out.reason, SkipReason::NoKernelTime);
    assert_eq!(history.series, known.series);
}

#[test]
fn of_as_many_captures_with_time_in_the_kernel_as_without_the_newest_decide_and_none_are_most() {
    use SkipReason::{KernelTime, KernelTimeUnlikeOthers, NoKernelTime, NoKernelTimeAsOthers};
    let left_out = |each: &[Option<bool>]| {
        let all = each.iter().enumerate().map(|(number, has)| {
            let mut capture = captures(&program(), number, 1).remove(0);
            capture.kernel_time = *has;
            capture
        });
        let history = history_in_order(all.collect(), each.len());
        let skipped = history.skipped.into_iter().map(|it| it.reason);
        skipped.collect::<Vec<_>>()
    };
    let (has, lacks) = (Some(true), Some(false));
    assert_eq!(left_out(&[has, lacks]), [KernelTimeUnlikeOthers]);
    assert_eq!(left_out(&[lacks, has]), [NoKernelTimeAsOthers]);
    assert_eq!(left_out(&[has, lacks, lacks]), [KernelTime]);
    assert_eq!(left_out(&[has, has, lacks]), [NoKernelTime]);
    // One that does not contain it is not the newest that does.
    assert_eq!(left_out(&[lacks, has, None]), [NoKernelTimeAsOthers]);
    assert_eq!(left_out(&[None, None]), []);
}

#[test]
fn one_newest_capture_does_not_change_an_older_step() {
    let before = history_in_order(with_a_step(), 17);
    let known = step_of(of(&before, SeriesOf::Total)).clone();
    // As before the step: with one capture it begins none of its own.
    let mut all = with_a_step();
    all.extend(captures(&program(), 16, 1));
    let after = history_in_order(all, 17);
    let series = of(&after, SeriesOf::Total);
    assert_eq!(series.latest.as_ref().unwrap().place, LatestPlace::Below);
    let step = step_of(series);
    assert_eq!(step.at, known.at);
    assert!(
        (step.change_pct - known.change_pct).abs() < 1.0,
        "{} and {}",
        step.change_pct,
        known.change_pct
    );
}

#[test]
fn a_step_beside_a_commit_that_may_be_either_names_both() {
    let mut all = with_a_step();
    let plain = history_in_order(all.clone(), 16);
    let step = step_of(of(&plain, SeriesOf::Total));
    assert_eq!((step.from, step.at, step.to), (7, 8, 8));
    assert!(
        plain
            .step_line(step)
            .contains("at 000000008, the one before is 000000007")
    );
    // Of the first commit behind it there is one short capture, of something between.
    all.retain(|counted| counted.commit != commit(8));
    let mut between = program().scale(0, 1.6);
    between.seconds = 1;
    between.frequency_hz = 9;
    all.extend(captures(&between, 8, 1));
    let history = history_in_order(all, 16);
    let step = step_of(of(&history, SeriesOf::Total));
    assert_eq!((step.from, step.to), (7, 9), "{step:?}");
    let line = history.step_line(step);
    assert!(
        line.contains("between 000000007 and 000000009, most likely at "),
        "{line}"
    );
}

/// The whole differs more from run to run than any function does.
#[test]
fn the_step_of_a_function_is_the_place_of_the_whole_s() {
    let slow = program().scale(0, 5.0);
    let mut all = Vec::new();
    for number in 0..16 {
        let program = if number < 8 { program() } else { slow.clone() };
        let mut taken = captures(&program, number, 2);
        // The machine was slower for one run of each commit than for the other.
        taken[0].counts.sample_seconds *= 1.15;
        taken[1].counts.sample_seconds /= 1.15;
        all.extend(taken);
    }
    let question = |functions: &[&str]| {
        HistoryQuestion::new(functions.iter().map(|&name| name.to_owned()), None)
    };
    let order: Vec<String> = (0..16).map(commit).collect();
    let alone = history(&question(&[]), all.clone(), &order).unwrap();
    let step = step_of(of(&alone, SeriesOf::Whole));
    assert!(
        step.to - step.from > 1 && step.placed_by.is_none(),
        "{step:?}"
    );
    let by_share = HistoryQuestion::new([FUNCTION.to_owned()], Some(Measure::Share));
    let with_function = history(&by_share, all, &order).unwrap();
    let placed = step_of(of(&with_function, SeriesOf::Whole));
    assert_eq!((placed.from, placed.at, placed.to), (7, 8, 8), "{placed:?}");
    assert_eq!(placed.placed_by.as_deref(), Some(FUNCTION));
    assert_eq!(placed.change_pct, step.change_pct);
    let line = with_function.step_line(placed);
    assert!(line.contains("; shop:work_0/1 steps there"), "{line}");
}
