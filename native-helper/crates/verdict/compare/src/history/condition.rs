//! Conditions on the newest commit of a history: `whole.slower>history`, `shop:total/1.total.slower>history`.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::answer::{History, Latest, LatestPlace, Series, SeriesOf};
use crate::condition::{ColumnName, Direction, question, what_and_limit};
use crate::judgement::{Answer, Doubt, Reason, doubts_text};
use crate::machine::Beside;

/// The name of the limit: it comes from the commits before.
const LIMIT: &str = "history";

/// A condition under which `extrospect diff --history FOLDER --fail-if` fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryCondition {
    subject: Subject,
    /// Of the function; both when absent.
    of: Option<SeriesOf>,
    place: LatestPlace,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Subject {
    Any,
    Whole,
    Function(String),
}

/// A condition that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no condition on a history: it is [whole.|FUNCTION.][self.|total.]slower>history or …faster>history"
)]
pub struct HistoryConditionError(String);

/// A condition on a history, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryGate {
    /// As it was given.
    pub condition: String,
    /// Whether a figure lies where the condition names it.
    pub answer: Answer,
    /// Why it cannot tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(default)]
    pub doubts: Vec<Doubt>,
    /// The figures that it was judged by.
    pub judged: Vec<HistoryFinding>,
}

/// The newest commit's figure in one series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryFinding {
    /// `whole program`, `shop:total/1, self`.
    pub series: String,
    /// The unit of its figures.
    pub unit: String,
    /// It lies where the condition names it.
    pub holds: bool,
    /// The figure, and the expectation from the commits before.
    pub latest: Latest,
}

impl HistoryCondition {
    /// Whether a text is meant to be one.
    pub fn is_meant_by(text: &str) -> bool {
        before_limit(text).is_some()
    }

    /// The function that it names, as a history has to follow it.
    pub fn function(&self) -> Option<&str> {
        match &self.subject {
            Subject::Function(name) => Some(name),
            Subject::Any | Subject::Whole => None,
        }
    }

    /// Compares the newest commit with the limits of its history. Where it is not known to be the newest one, no figure
    /// of it answers.
    pub fn judge(&self, history: &History) -> HistoryGate {
        let mut judged: Vec<HistoryFinding> = Vec::new();
        let mut doubts = history.doubts.clone();
        if doubts.is_empty() {
            (judged, doubts) = self.findings(history);
        }
        let any_holds = judged.iter().any(|finding| finding.holds);
        let answer = match (any_holds, doubts.is_empty()) {
            (true, _) => Answer::Holds,
            (false, true) if !judged.is_empty() => Answer::DoesNotHold,
            (false, _) => Answer::CannotTell,
        };
        if answer == Answer::Holds {
            doubts.clear();
        }
        HistoryGate {
            condition: self.text.clone(),
            answer,
            doubts,
            judged,
        }
    }

    /// The figures of the series that it names, and why others have none.
    fn findings(&self, history: &History) -> (Vec<HistoryFinding>, Vec<Doubt>) {
        let named = || history.series.iter().filter(|series| self.names(series));
        let (mut judged, mut doubts) = (Vec::new(), Vec::new());
        // A function that only calls others has nothing in itself, and its total answers.
        let is_any_seen = named().any(Series::is_seen);
        for series in named().filter(|series| series.is_seen() || !is_any_seen) {
            let Some(latest) = series.latest else {
                doubts.push(too_few_commits(series));
                continue;
            };
            let doubt = one_side(series, &latest);
            let of_captures = self.of_captures(&series.beside, &latest);
            let of_series: Vec<Doubt> = doubt.into_iter().chain(of_captures).collect();
            judged.push(HistoryFinding {
                series: series.title(),
                unit: series.unit.clone(),
                holds: latest.place == self.place && of_series.is_empty(),
                latest,
            });
            doubts.extend(of_series);
        }
        (judged, doubts)
    }

    /// The differences between how captures were taken without which the newest commit may lie elsewhere: each by itself,
    /// else all together.
    fn of_captures(&self, differences: &[Beside], latest: &Latest) -> Vec<Doubt> {
        let doubt = |it: &Beside| it.doubt.clone();
        let alone = differences.iter();
        let alone = alone.filter(|it| self.depends_on(it.without(latest.value), latest));
        let alone: Vec<Doubt> = alone.map(doubt).collect();
        let together = Beside::without_all(differences, latest.value);
        match alone.is_empty() && self.depends_on(together, latest) {
            true => differences.iter().map(doubt).collect(),
            false => alone,
        }
    }

    /// Whether the newest commit may lie elsewhere if its figure is between the least and the largest one.
    fn depends_on(&self, ends: [f64; 2], latest: &Latest) -> bool {
        let lies_there = |value: f64| match self.place {
            LatestPlace::Above => value > latest.high,
            LatestPlace::Below => value < latest.low,
            LatestPlace::Within => (latest.low..=latest.high).contains(&value),
        };
        let [least, most] = ends.map(lies_there);
        least != most
    }

    fn names(&self, series: &Series) -> bool {
        let is_subject = match &self.subject {
            Subject::Any => true,
            Subject::Whole => series.of == SeriesOf::Whole,
            Subject::Function(name) => series.function.as_ref() == Some(name),
        };
        is_subject && self.of.is_none_or(|of| series.of == of)
    }
}

impl HistoryGate {
    /// For people: the figures that it holds for, else those that it does not hold for, else why it cannot tell.
    pub fn text(&self) -> String {
        let holds = self.answer == Answer::Holds;
        let shown = self.judged.iter().filter(|finding| finding.holds == holds);
        let shown: Vec<String> = shown
            .map(|HistoryFinding { series, latest, .. }| format!("{series}: {}", latest.line()))
            .collect();
        let why = match self.answer {
            Answer::Holds | Answer::DoesNotHold => shown.join("; "),
            Answer::CannotTell => doubts_text(&self.doubts),
        };
        format!("{} {}: {why}", self.condition, self.answer.words())
    }
}

fn too_few_commits(series: &Series) -> Doubt {
    let title = series.title();
    let lacking = series.commits_lacking;
    let commits = if lacking == 1 { "commit" } else { "commits" };
    Doubt::new(
        Reason::TooFewCommits,
        &[&title, &lacking.to_string()],
        format!(
            "before the newest commit there are fewer than three since the last step of {title}"
        ),
        format!("record {lacking} more {commits}, or compare two: extrospect diff BASE -- NEW"),
    )
}

/// A function that the newest commit alone has, or lacks: it may have another name now, or before.
fn one_side(series: &Series, latest: &Latest) -> Option<Doubt> {
    let (newest, before) = series.points.split_last()?;
    let mut compared = before.iter().rev().take(latest.commits);
    let is_seen = [newest.samples > 0, compared.any(|point| point.samples > 0)];
    let side = match (latest.place, is_seen) {
        (LatestPlace::Within, _) | (_, [true, true]) => return None,
        (_, [true, false]) => "the newest commit alone",
        (_, [false, _]) => "the commits before the newest one alone",
    };
    let title = series.title();
    Some(Doubt::new(
        Reason::OneSide,
        &[&title],
        format!("{title} is in {side}, so that it is not known whether it became slower or faster"),
        "name the function that does its work, or the whole",
    ))
}

impl FromStr for HistoryCondition {
    type Err = HistoryConditionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || HistoryConditionError(text.to_owned());
        let what = before_limit(text).ok_or_else(error)?;
        let (subject, column, direction) = question(what).ok_or_else(error)?;
        let place = match direction {
            Direction::Slower => LatestPlace::Above,
            Direction::Faster => LatestPlace::Below,
            Direction::New | Direction::Gone => return Err(error()),
        };
        let of = match column {
            None => None,
            Some(ColumnName::Itself) => Some(SeriesOf::Itself),
            Some(ColumnName::Total) => Some(SeriesOf::Total),
            Some(ColumnName::Own) => return Err(error()),
        };
        let subject = match subject {
            None => Subject::Any,
            Some("whole") if of.is_none() => Subject::Whole,
            Some("" | "whole") => return Err(error()),
            Some(name) => Subject::Function(name.to_owned()),
        };
        Ok(Self {
            subject,
            of,
            place,
            text: text.to_owned(),
        })
    }
}

fn before_limit(text: &str) -> Option<&str> {
    let (what, limit) = what_and_limit(text)?;
    (limit == LIMIT).then_some(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<HistoryCondition, HistoryConditionError> {
        text.parse()
    }

    #[test]
    fn conditions_on_a_history_are_read() {
        assert!(read("slower >= history").is_ok());
        let any = read("slower > history").unwrap();
        assert_eq!((any.function(), any.of), (None, None));
        assert_eq!(
            read("whole.slower>history").unwrap().subject,
            Subject::Whole
        );
        let named = read("shop:total/1.total.faster>history").unwrap();
        assert_eq!(named.function(), Some("shop:total/1"));
        assert_eq!(named.of, Some(SeriesOf::Total));
        assert_eq!(named.place, LatestPlace::Below);
        assert_eq!(
            read("Shop.Cart.total/1.slower>history").unwrap().function(),
            Some("Shop.Cart.total/1")
        );
    }

    #[test]
    fn what_is_none_is_refused() {
        for bad in [
            "history",
            ">history",
            "slower",
            "slower>2%",
            "new>history",
            "own.slower>history",
            "whole.total.slower>history",
            ".slower>history",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(!HistoryCondition::is_meant_by("slower>2%"));
    }
}
