//! Conditions on a comparison: `slower>2%`, `whole.slower>3%`, `shop:total/1.total.slower>10us/unit`.

mod unfit;

use std::str::FromStr;

use capture::bound::{behind_word, number};
use capture::sample::SampleClass;

use crate::answer::{Comparison, FunctionChange};
use crate::measure::Measure;
use crate::name_pattern::NamePattern;

pub use self::unfit::Unfit;

/// A condition under which `extrospect diff --fail-if` fails.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    pub(crate) subject: Subject,
    pub(crate) column: Option<ColumnName>,
    pub(crate) direction: Direction,
    pub(crate) limit: f64,
    pub(crate) unit: Option<Unit>,
    text: String,
}

/// The subject of the change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Subject {
    /// Any function.
    AnyFunction,
    /// All of the program.
    Whole,
    /// All samples of a class.
    Class(SampleClass),
    /// Any function whose code differs between the two commits.
    Touched,
    /// Functions of such names.
    Functions(NamePattern),
}

/// A column of the rows of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnName {
    Itself,
    Total,
    Own,
}

impl ColumnName {
    /// As it is written in conditions.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Itself => "self",
            Self::Total => "total",
            Self::Own => "own",
        }
    }
}

/// How it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Slower,
    Faster,
    New,
    Gone,
}

/// The unit of a limit. Each fits one normalisation; a percentage fits all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Percent of the figure before.
    Percent,
    /// Points of a share.
    Points,
    /// Thousandths of a core.
    Millicores,
    /// Microseconds of processor time per unit of work.
    MicrosecondsPerUnit,
}

impl Unit {
    const ALL: [Self; 4] = [
        Self::Percent,
        Self::Points,
        Self::Millicores,
        Self::MicrosecondsPerUnit,
    ];

    /// As it is written in conditions.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Percent => "%",
            Self::Points => "pp",
            Self::Millicores => "mcores",
            Self::MicrosecondsPerUnit => "us/unit",
        }
    }

    /// The unit of the figures of a normalisation.
    pub const fn of(measure: Measure) -> Self {
        match measure {
            Measure::Share => Self::Points,
            Measure::Cpu => Self::Millicores,
            Measure::Work => Self::MicrosecondsPerUnit,
        }
    }

    /// How many of them one of the normalisation's figures is.
    pub(crate) const fn in_figures(self) -> f64 {
        match self {
            // A hundredth of a core is ten thousandths.
            Self::Millicores => 10.0,
            Self::Percent | Self::Points | Self::MicrosecondsPerUnit => 1.0,
        }
    }
}

/// A condition that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    /// It does not have the form of a condition.
    #[error(
        "`{0}` is no condition: it is [whole.|touched.|CLASS.|FUNCTION.][self.|total.|own.]slower|faster|new|gone, where FUNCTION may have *, and may end in a limit: >2%, >2pp (points of a share), >2us/unit (of work), >2mcores (each second); with --history: >history"
    )]
    Form(String),
    /// A new or gone function has no percentage.
    #[error(
        "`{0}` has a percentage, and new or gone functions have none: give their limit in pp (points of a share), us/unit (of work) or mcores (each second)"
    )]
    NoPercentage(String),
    /// The whole and classes have one figure.
    #[error(
        "`{0}` names a column, and only functions have columns: leave out `self.`, `total.` or `own.`"
    )]
    NoColumn(String),
    /// A whole program is on both sides.
    #[error("`{0}` cannot hold: the whole program is neither new nor gone")]
    WholeIsThere(String),
}

impl Condition {
    /// Whether it is about functions that are new or gone.
    pub(crate) const fn is_of_one_side(&self) -> bool {
        matches!(self.direction, Direction::New | Direction::Gone)
    }

    /// The functions that it names: by the names of the newer side and of functions that are gone, and
    /// by former names only where no function has the name now. So one name is one function, also
    /// where another one had it on the older side.
    pub(crate) fn rows<'c>(&self, functions: &'c [FunctionChange]) -> Vec<&'c FunctionChange> {
        let pattern = match &self.subject {
            Subject::Whole | Subject::Class(_) => return Vec::new(),
            Subject::AnyFunction => return functions.iter().collect(),
            Subject::Touched => {
                let touched = |row: &&FunctionChange| row.touched == Some(true);
                return functions.iter().filter(touched).collect();
            }
            Subject::Functions(pattern) => pattern,
        };
        let called = |row: &&FunctionChange| pattern.fits(&row.function);
        let now: Vec<_> = functions.iter().filter(called).collect();
        if !now.is_empty() {
            return now;
        }
        let was = |row: &&FunctionChange| {
            let before = row.base_function.as_deref();
            before.is_some_and(|name| pattern.fits(name))
        };
        functions.iter().filter(was).collect()
    }

    /// The normalisation of its figures.
    pub(crate) fn measure_in(&self, comparison: &Comparison) -> Measure {
        match (&self.subject, &comparison.whole) {
            (Subject::Whole, Some(whole)) => whole.measure,
            _ => comparison.measure,
        }
    }
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ConditionError::Form(text.to_owned());
        let (what, limit, unit) = match with_limit(text) {
            Some(parts) => parts,
            None => (text, 0.0, None),
        };
        let (subject, column, direction) = question(what).ok_or_else(error)?;
        let subject = match subject {
            None => Subject::AnyFunction,
            Some("whole") => Subject::Whole,
            Some("touched") => Subject::Touched,
            Some(name) => match class_of(name) {
                Some(class) => Subject::Class(class),
                None if name.is_empty() => return Err(error()),
                None => Subject::Functions(NamePattern::new(name)),
            },
        };
        let condition = Self {
            subject,
            column,
            direction,
            limit,
            unit,
            text: text.to_owned(),
        };
        condition.checked()
    }
}

impl Condition {
    fn checked(self) -> Result<Self, ConditionError> {
        let text = || self.text.clone();
        let has_columns = !matches!(self.subject, Subject::Whole | Subject::Class(_));
        if self.column.is_some() && !has_columns {
            return Err(ConditionError::NoColumn(text()));
        }
        if self.is_of_one_side() {
            if self.subject == Subject::Whole {
                return Err(ConditionError::WholeIsThere(text()));
            }
            if self.unit == Some(Unit::Percent) {
                return Err(ConditionError::NoPercentage(text()));
            }
        }
        Ok(self)
    }
}

/// The text before the limit, and the limit. Names of functions may have `>` in them: without a number
/// and a unit after it, it is none.
fn with_limit(text: &str) -> Option<(&str, f64, Option<Unit>)> {
    let (what, size) = what_and_limit(text)?;
    let (limit, length) = number(size)?;
    let rest = size.get(length..)?.trim();
    let mut units = Unit::ALL.into_iter();
    let unit = units.find(|unit| behind_word(rest, unit.as_str()) == Some(""))?;
    Some((what, limit, Some(unit)))
}

/// The text before a limit, and the limit, from the end: names of functions may have `>` in them. `>=` is the same: no
/// measured value is exactly the limit.
pub(crate) fn what_and_limit(text: &str) -> Option<(&str, &str)> {
    let (what, limit) = text.rsplit_once('>')?;
    Some((what, limit.strip_prefix('=').unwrap_or(limit).trim()))
}

/// The parts before a limit: the subject, the column and the direction. Only a direction is always there.
pub(crate) fn question(what: &str) -> Option<(Option<&str>, Option<ColumnName>, Direction)> {
    let (before, direction) = match what.trim().rsplit_once('.') {
        Some((before, direction)) => (Some(before), direction),
        None => (None, what),
    };
    let (subject, column) = before.map_or((None, None), subject_and_column);
    Some((subject, column, direction_of(direction)?))
}

fn direction_of(word: &str) -> Option<Direction> {
    Some(match word.trim() {
        "slower" => Direction::Slower,
        "faster" => Direction::Faster,
        "new" => Direction::New,
        "gone" => Direction::Gone,
        _ => return None,
    })
}

/// `shop:total/1.own` and `own` and `shop:total/1`.
fn subject_and_column(before: &str) -> (Option<&str>, Option<ColumnName>) {
    let column = |word: &str| match word {
        "self" => Some(ColumnName::Itself),
        "total" => Some(ColumnName::Total),
        "own" => Some(ColumnName::Own),
        _ => None,
    };
    if let Some(only) = column(before) {
        return (None, Some(only));
    }
    match before.rsplit_once('.') {
        Some((subject, word)) if column(word).is_some() => (Some(subject), column(word)),
        _ => (Some(before), None),
    }
}

fn class_of(name: &str) -> Option<SampleClass> {
    SampleClass::ALL
        .into_iter()
        .find(|class| class.as_str() == name)
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Condition {
        text.parse().expect("a condition")
    }

    #[test]
    fn conditions_are_read() {
        for good in [
            "slower>2%",
            "own.slower > 0.5pp",
            "new",
            "total.faster>10%",
            "gone>1pp",
            "whole.slower>3%",
            "gc.slower>5%",
            "copy.new>2us/unit",
            "shop_cart:total/1.total.slower>10%",
            "Jason.Encode.*.slower>5%",
            "erlang:'>'/2.slower",
            "touched.slower>5%",
            "touched.own.slower>5us/unit",
            "erlang:'>='/2.slower >= 2 %",
            "own.slower>5e-1 PP",
        ] {
            assert!(good.parse::<Condition>().is_ok(), "{good}");
        }
        let named = read("Jason.Encode.*.own.slower>5us/unit");
        assert_eq!(
            named.subject,
            Subject::Functions(NamePattern::new("Jason.Encode.*"))
        );
        assert_eq!(named.column, Some(ColumnName::Own));
        assert_eq!(named.unit, Some(Unit::MicrosecondsPerUnit));
        let spaced = read("erlang:'>='/2.slower >= 2 %");
        assert_eq!((spaced.limit, spaced.unit), (2.0, Some(Unit::Percent)));
        assert_eq!(
            spaced.subject,
            Subject::Functions(NamePattern::new("erlang:'>='/2"))
        );
        assert_eq!(
            read("gc.slower>5%").subject,
            Subject::Class(SampleClass::Gc)
        );
        assert_eq!(
            read("erlang:'>'/2.slower").subject,
            Subject::Functions(NamePattern::new("erlang:'>'/2"))
        );
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for bad in [
            "",
            "slower>",
            "slower>2",
            "slow>2%",
            "slower>-1%",
            "slower>NaN%",
            "slower<2%",
            "slower>=2%s",
            ".slower",
            "whole.own.slower>2%",
            "gc.total.slower>2%",
            "whole.new>1us/unit",
            "new>5%",
        ] {
            assert!(bad.parse::<Condition>().is_err(), "{bad}");
        }
    }
}
