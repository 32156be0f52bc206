//! Conditions on the newest commit of a history: `whole.slower>history`, `shop:total/1.total.slower>history`.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::answer::{History, Latest, LatestPlace, Series, SeriesOf};
use crate::condition::{ColumnName, Direction, question};

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

/// The commits that a condition's limit would come from are too few.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{condition}`: before the newest commit there are fewer than three since the last step of {series}"
)]
pub struct TooShort {
    condition: String,
    series: String,
}

/// A condition on a history, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryGate {
    /// As it was given.
    pub condition: String,
    /// One figure lies where the condition names it.
    pub holds: bool,
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

    /// Compares the newest commit with the limits of its history.
    ///
    /// # Errors
    /// Where a series that it names has no limit.
    pub fn judge(&self, history: &History) -> Result<HistoryGate, TooShort> {
        let named = history.series.iter().filter(|series| self.names(series));
        let judged = named.map(|series| match series.latest {
            Some(latest) => Ok(HistoryFinding {
                series: series.title(),
                unit: series.unit.clone(),
                holds: latest.place == self.place,
                latest,
            }),
            None => Err(TooShort {
                condition: self.text.clone(),
                series: series.title(),
            }),
        });
        let judged: Vec<HistoryFinding> = judged.collect::<Result<_, _>>()?;
        Ok(HistoryGate {
            condition: self.text.clone(),
            holds: judged.iter().any(|finding| finding.holds),
            judged,
        })
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
    /// For people: the figures that it holds for, else those that it does not hold for.
    pub fn text(&self) -> String {
        let shown = self
            .judged
            .iter()
            .filter(|finding| finding.holds == self.holds);
        let shown: Vec<String> = shown
            .map(|HistoryFinding { series, latest, .. }| format!("{series}: {}", latest.line()))
            .collect();
        let holds = match self.holds {
            true => "holds",
            false => "does not hold",
        };
        format!("{} {holds}: {}", self.condition, shown.join("; "))
    }
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
    let (what, limit) = text.rsplit_once('>')?;
    (limit.trim() == LIMIT).then_some(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<HistoryCondition, HistoryConditionError> {
        text.parse()
    }

    #[test]
    fn conditions_on_a_history_are_read() {
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
