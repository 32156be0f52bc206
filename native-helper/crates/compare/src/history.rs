//! What a program takes over its history: many captures of many commits, the whole and chosen functions.
//!
//! Each capture is [`counted`] by itself and may then be thrown away, so that a thousand take no more
//! memory than one. What was counted is put together by commit ([`commits`]), each with its value and
//! interval ([`series`]); how far values lie apart where nothing changed is learnt from the captures
//! ([`noise`]), and where they step is searched last ([`steps`]).

pub mod answer;
mod commits;
mod condition;
mod counted;
mod latest;
mod markdown;
mod noise;
mod series;
mod steps;

use self::answer::{History, SeriesOf, SkipReason, Skipped};
use self::commits::{Commit, commits};
use self::series::SeriesMaker;
use crate::measure::Measure;
use crate::refusal::Refusal;

pub use self::condition::{HistoryCondition, HistoryConditionError, HistoryGate, TooShort};
pub use self::counted::{CountedCapture, HistoryQuestion};
pub use self::markdown::history_markdown;

/// The history that captures tell. `order` has whole names of commits, the oldest first, as far as
/// somebody knows it; the others go by when they were first captured.
///
/// # Errors
/// [`Refusal::NoCapture`] when no capture can be used; [`Refusal::NoWork`] and [`Refusal::OtherWork`]
/// when work is asked for that not all have counted.
pub fn history(
    question: &HistoryQuestion,
    captures: Vec<CountedCapture>,
    order: &[String],
) -> Result<History, Refusal> {
    let (mut captures, mut skipped) = without_copies(captures);
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
    captures.retain(|capture| match capture.problem(whole) {
        Some(reason) => {
            skipped.push(Skipped::new(&capture.name, reason));
            false
        }
        None => true,
    });
    let commits = commits(captures, order);
    if commits.is_empty() {
        return Err(Refusal::NoCapture {
            side: "the history".to_owned(),
        });
    }
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
    Ok(History {
        work,
        commits: commits.iter().map(Commit::summary).collect(),
        series,
        frequent: frequent(&commits),
        skipped,
    })
}

/// A file that could not be read, as a history names it.
pub fn skipped_unreadable(name: &str, why: &str) -> Skipped {
    Skipped::new(name, SkipReason::Unreadable(why.to_owned()))
}

/// Each capture once: copies of a file prove nothing.
fn without_copies(mut captures: Vec<CountedCapture>) -> (Vec<CountedCapture>, Vec<Skipped>) {
    captures.sort_by(|a, b| {
        let start = a.started_unix_ms.cmp(&b.started_unix_ms);
        start.then_with(|| a.name.cmp(&b.name))
    });
    let mut kept: Vec<CountedCapture> = Vec::new();
    let mut skipped = Vec::new();
    for capture in captures {
        // By their start, so copies are among those that were kept last.
        let same_start = kept
            .iter()
            .rev()
            .take_while(|other| other.started_unix_ms == capture.started_unix_ms);
        let original = same_start
            .into_iter()
            .find(|other| other.is_copy_of(&capture))
            .map(|other| other.name.clone());
        match original {
            Some(original) => {
                skipped.push(Skipped::new(&capture.name, SkipReason::Copy(original)));
            }
            None => kept.push(capture),
        }
    }
    (kept, skipped)
}

/// What all captures have counted, where that is one and the same.
fn common_work(captures: &[CountedCapture]) -> Option<String> {
    let first = captures.first()?.work.as_ref()?;
    let mut others = captures.iter();
    others
        .all(|capture| capture.work.as_ref() == Some(first))
        .then(|| first.clone())
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

/// Functions that newer captures have most of, each once, for those who choose some.
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
