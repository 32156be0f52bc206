//! The figures of a program over its history: many captures of many commits, the whole and chosen
//! functions.
//!
//! Each capture is [`counted`] by itself and may then be thrown away, so that a thousand take no more
//! memory than one. The counts are put together by commit ([`commits`]), each with its value and
//! interval ([`series`]); how far values lie apart where nothing changed is learnt from the captures
//! ([`noise`]), and where they step is searched last ([`steps`]).

pub mod answer;
mod commits;
mod condition;
mod counted;
mod erlang_times;
mod latest;
mod markdown;
mod newest;
mod noise;
mod page;
mod place;
mod same_code;
mod series;
mod steps;
mod unlike;

use std::collections::BTreeMap;

use shared_map::HashMap;
use shared_sort::SharedSort;

use self::answer::{History, SeriesOf, SkipReason, Skipped};
use self::commits::{Commit, commits};
use self::newest::Given;
use self::series::SeriesMaker;
use self::unlike::limits_notes;
use crate::block_length::{MOST_SECONDS, seconds_left_out};
use crate::cuts::Cuts;
use crate::measure::Measure;
use crate::notes::{Note, NoteKind};
use crate::refusal::Refusal;
use crate::side_check::{DefectKind, Member, defects, machine_note};

pub use self::condition::{HistoryCondition, HistoryConditionError, HistoryGate};
pub use self::counted::{CountedCapture, HistoryQuestion};
pub use self::markdown::history_markdown;
pub use self::newest::CommitOrder;
pub use self::page::history_page;

/// The history of these captures. Commits that `order` lacks are in the order of their first captures.
/// `unreadable`: names of files that were meant to be captures of it.
///
/// # Errors
/// [`Refusal::NoCapture`] when no capture can be used; [`Refusal::NoWork`] and [`Refusal::OtherWork`]
/// when work is requested that not all have counted.
pub fn history(
    question: &HistoryQuestion,
    captures: Vec<CountedCapture>,
    unreadable: &[String],
    order: &CommitOrder,
) -> Result<History, Refusal> {
    let given: Vec<Given> = captures.iter().map(Given::of).collect();
    let (mut captures, mut skipped) = (captures, Vec::new());
    captures.shared_sort_by(|a, b| {
        let start = a.started_unix_ms.cmp(&b.started_unix_ms);
        start.then_with(|| a.name.cmp(&b.name))
    });
    leave_out(&mut captures, &mut skipped, CountedCapture::problem);
    leave_out_strangers(&mut captures, &mut skipped);
    let on_machines = leave_out_defects(&mut captures, &mut skipped);
    let work = common_work(&captures);
    if question.measure == Some(Measure::Work) && work.is_none() {
        return Err(no_common_work(&captures));
    }
    let whole = match work {
        Some(_) => Measure::Work,
        None => Measure::Cpu,
    };
    let functions = question.measure.unwrap_or(match work {
        Some(_) => Measure::Work,
        None => Measure::Share,
    });
    leave_out(&mut captures, &mut skipped, |capture| {
        capture.problem_with(whole, work.as_deref())
    });
    let mut notes: Vec<Note> = on_machines.into_iter().collect();
    notes.extend(cut_notes(&captures));
    let commits = commits(captures, &order.names);
    if commits.is_empty() {
        return Err(Refusal::NoCapture {
            side: "the history".to_owned(),
        });
    }
    notes.extend(limits_notes(&commits));
    let maker = SeriesMaker {
        commits: &commits,
        work: work.as_deref(),
    };
    let mut series = vec![maker.series(SeriesOf::Whole, None, whole)];
    for (position, function) in question.functions().iter().enumerate() {
        for of in [SeriesOf::Itself, SeriesOf::Total] {
            series.push(maker.series(of, Some((position, function)), functions));
        }
    }
    place::by_functions(&mut series);
    Ok(History {
        doubts: newest::doubts(&given, unreadable, &skipped, &commits, order),
        work,
        commits: commits
            .iter()
            .map(|commit| commit.summary(&order.made_unix_ms))
            .collect(),
        series,
        frequent: frequent(&commits),
        skipped,
        notes,
    })
}

/// What limits left out of these captures.
fn cut_notes(captures: &[CountedCapture]) -> Vec<Note> {
    let mut cuts = Cuts::default();
    let seconds = captures.iter();
    let seconds = seconds.map(|capture| seconds_left_out(capture.counts.seconds));
    cuts.add(NoteKind::TimesCut, seconds.sum(), MOST_SECONDS);
    cuts.notes().collect()
}

/// A file that could not be read, as a history names it.
pub fn skipped_unreadable(name: &str, why: &str) -> Skipped {
    Skipped::new(name, SkipReason::Unreadable(why.to_owned()))
}

/// Removes copies, which prove nothing, captures of another project than most, and those whose sources were changed in
/// another way than those of most of their commit. Captures of several machines stay, with a note.
fn leave_out_defects(
    captures: &mut Vec<CountedCapture>,
    skipped: &mut Vec<Skipped>,
) -> Option<Note> {
    let mut groups: HashMap<(&str, bool), usize> = HashMap::new();
    let members: Vec<Member> = captures
        .iter()
        .enumerate()
        .map(|(at, capture)| {
            let group = match capture.commit.is_empty() {
                // One that names no commit is its own.
                true => at,
                false => *groups
                    .entry((capture.commit.as_str(), capture.dirty))
                    .or_insert(at),
            };
            capture.member(group)
        })
        .collect();
    let is_copy = |a: usize, b: usize| captures[a].is_copy_of(&captures[b]);
    let mut note = None;
    let mut reasons: BTreeMap<usize, SkipReason> = BTreeMap::new();
    for defect in defects(&members, &is_copy) {
        let (of, beside) = (&members[defect.of], &members[defect.beside]);
        let reason = match defect.kind {
            DefectKind::Copy | DefectKind::InOtherGroup => SkipReason::Copy(beside.name.clone()),
            DefectKind::OtherProject => SkipReason::OtherProject(of.project.repository.clone()),
            DefectKind::OtherVersion => SkipReason::OtherChanges,
            DefectKind::OtherMachine => {
                note = machines_note(beside, of);
                continue;
            }
        };
        reasons.insert(defect.of, reason);
    }
    let mut at = 0..;
    captures.retain(|capture| {
        let reason = at.next().and_then(|at| reasons.remove(&at));
        let is_left = reason.is_none();
        skipped.extend(reason.map(|reason| Skipped::new(&capture.name, reason)));
        is_left
    });
    note
}

fn machines_note(one: &Member, other: &Member) -> Option<Note> {
    let [on_one, on_other] = one.differing_machine(other)?;
    let facts = [one.name.as_str(), on_one, &other.name, on_other].map(str::to_owned);
    Some(machine_note(&facts))
}

/// Takes away the captures that have a problem, and names them.
fn leave_out(
    captures: &mut Vec<CountedCapture>,
    skipped: &mut Vec<Skipped>,
    problem: impl Fn(&CountedCapture) -> Option<SkipReason>,
) {
    captures.retain(|capture| match problem(capture) {
        Some(reason) => {
            skipped.push(Skipped::new(&capture.name, reason));
            false
        }
        None => true,
    });
}

/// Removes captures of another tool than most, and those that lack time in the kernel that
/// most have, or have it where most lack it, or do not contain whether they have it, as most do.
fn leave_out_strangers(captures: &mut Vec<CountedCapture>, skipped: &mut Vec<Skipped>) {
    let tool = most_of(captures.iter(), |one, other| {
        one.other_tool == other.other_tool
    });
    let tool = tool.map(|capture| capture.other_tool.clone());
    leave_out(captures, skipped, |capture| {
        let differs = tool
            .as_ref()
            .is_some_and(|tool| *tool != capture.other_tool);
        differs.then(|| SkipReason::OtherTool(capture.other_tool.clone().unwrap_or_default()))
    });
    let recorded = captures.iter().filter(|it| it.kernel_time.is_some());
    let has_kernel_time = most_of(recorded, |one, other| one.kernel_time == other.kernel_time);
    let has_kernel_time = has_kernel_time.and_then(|capture| capture.kernel_time);
    let alike = captures
        .iter()
        .filter(|capture| capture.kernel_time == has_kernel_time);
    // As most of those that contain it, which may be few, or as the newest where as many have it as lack it.
    let are_most = alike.count() * 2 > captures.len();
    leave_out(captures, skipped, |capture| {
        match (has_kernel_time, capture.kernel_time, are_most) {
            (Some(true), Some(false), true) => Some(SkipReason::NoKernelTime),
            (Some(true), Some(false), false) => Some(SkipReason::NoKernelTimeAsOthers),
            (Some(false), Some(true), true) => Some(SkipReason::KernelTime),
            (Some(false), Some(true), false) => Some(SkipReason::KernelTimeUnlikeOthers),
            (Some(_), None, true) => Some(SkipReason::KernelTimeNotRecorded),
            _ => None,
        }
    });
}

/// A capture that more others are like than any other: the newest of those. Captures that are like a
/// looked at one are not looked at themselves.
fn most_of<'c>(
    captures: impl DoubleEndedIterator<Item = &'c CountedCapture>,
    are_alike: impl Fn(&CountedCapture, &CountedCapture) -> bool,
) -> Option<&'c CountedCapture> {
    let mut groups: Vec<(&CountedCapture, usize)> = Vec::new();
    // In the order of their start.
    for capture in captures.rev() {
        match groups
            .iter_mut()
            .find(|(first, _)| are_alike(first, capture))
        {
            Some((_, count)) => *count += 1,
            None => groups.push((capture, 1)),
        }
    }
    let most = groups.into_iter().reduce(|best, one| match one.1 > best.1 {
        true => one,
        false => best,
    });
    most.map(|(capture, _)| capture)
}

/// The work that most captures have counted: a few without it are left out, as the history would be of
/// something else for their sake.
fn common_work(captures: &[CountedCapture]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for work in captures
        .iter()
        .filter_map(|capture| capture.work.as_deref())
    {
        *counts.entry(work).or_default() += 1;
    }
    let (work, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (count * 2 > captures.len()).then(|| work.to_owned())
}

fn no_common_work(captures: &[CountedCapture]) -> Refusal {
    let without = captures.iter().find(|capture| capture.work.is_none());
    if let Some(capture) = without {
        return Refusal::NoWork {
            capture: capture.name.clone(),
        };
    }
    let mut names = captures.iter().filter_map(|capture| capture.work.clone());
    let one = names.next().unwrap_or_default();
    let other = names.find(|name| *name != one).unwrap_or_default();
    match one.is_empty() {
        true => Refusal::NoCapture {
            side: "the history".to_owned(),
        },
        false => Refusal::OtherWork { one, other },
    }
}

/// Functions that newer captures have most of, each once, to choose from.
fn frequent(commits: &[Commit]) -> Vec<String> {
    const MOST: usize = 200;
    let mut names: Vec<String> = Vec::new();
    let newest_first = commits.iter().rev().flat_map(|commit| &commit.captures);
    for name in newest_first.flat_map(|capture| &capture.frequent) {
        if names.len() >= MOST {
            break;
        }
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}
