//! Conditions on a comparison: `slower>2%`.

use std::str::FromStr;

use crate::answer::{Change, Comparison, FunctionChange};
use crate::verdicts::Verdict;

/// What makes `extrospect diff --fail-if` fail.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    column: Option<ColumnName>,
    verdict: Verdict,
    more_than: f64,
    unit: Unit,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnName {
    Itself,
    Total,
    Own,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// Percent of the function's own figure.
    Percent,
    /// In the unit of the measure: points of a share.
    Points,
}

/// A condition that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no condition: it is [self.|total.|own.]slower|faster|new|gone, and may end in >2% of the function or >2pp of the measure"
)]
pub struct ConditionError(String);

impl Condition {
    /// The functions that meet it.
    pub fn met_by<'c>(
        &'c self,
        comparison: &'c Comparison,
    ) -> impl Iterator<Item = &'c FunctionChange> {
        let functions = comparison.functions.iter();
        functions.filter(|function| match self.column {
            Some(ColumnName::Itself) => self.holds(&function.itself),
            Some(ColumnName::Total) => self.holds(&function.total),
            Some(ColumnName::Own) => function.own.as_ref().is_some_and(|own| self.holds(own)),
            None => function.columns().any(|change| self.holds(change)),
        })
    }

    fn holds(&self, change: &Change) -> bool {
        let size = match self.unit {
            // Something that was not there before has no percentage: it is more than any.
            Unit::Percent => change.change_pct.map_or(f64::INFINITY, f64::abs),
            Unit::Points => change.difference().abs(),
        };
        change.verdict == self.verdict && size > self.more_than
    }
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ConditionError(text.to_owned());
        let (what, size) = match text.split_once('>') {
            Some((what, size)) => (what, Some(size.trim())),
            None => (text, None),
        };
        let (column, verdict) = match what.trim().split_once('.') {
            Some((column, verdict)) => (Some(column), verdict),
            None => (None, what.trim()),
        };
        let column = match column {
            None => None,
            Some("self") => Some(ColumnName::Itself),
            Some("total") => Some(ColumnName::Total),
            Some("own") => Some(ColumnName::Own),
            Some(_) => return Err(error()),
        };
        let verdict = match verdict {
            "slower" => Verdict::Slower,
            "faster" => Verdict::Faster,
            "new" => Verdict::New,
            "gone" => Verdict::Gone,
            _ => return Err(error()),
        };
        let (number, unit) = match size {
            None => ("0", Unit::Percent),
            Some(size) => match (size.strip_suffix("pp"), size.strip_suffix('%')) {
                (Some(number), _) => (number, Unit::Points),
                (None, Some(number)) => (number, Unit::Percent),
                (None, None) => return Err(error()),
            },
        };
        let more_than: f64 = number.trim().parse().map_err(|_| error())?;
        match more_than.is_finite() && more_than >= 0.0 {
            true => Ok(Self {
                column,
                verdict,
                more_than,
                unit,
                text: text.to_owned(),
            }),
            false => Err(error()),
        }
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_or_refused() {
        for good in [
            "slower>2%",
            "own.slower > 0.5pp",
            "new",
            "total.faster>10%",
            "gone>1pp",
        ] {
            assert!(good.parse::<Condition>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "slower>",
            "slower>2",
            "slow>2%",
            "slower>-1%",
            "slower>NaN%",
            "x.slower",
            "slower<2%",
        ] {
            assert!(bad.parse::<Condition>().is_err(), "{bad}");
        }
    }
}
