//! Conditions judged: what was measured, how sure that is, and what follows.

use serde::{Deserialize, Serialize};

use crate::answer::{Change, Comparison, FunctionChange};
use crate::condition::{ColumnName, Condition, Direction, Subject, Unfit, Unit};
use crate::verdicts::Verdict;

/// Findings that are kept of each kind.
const MOST_FINDINGS: usize = 20;
/// More captures than this are no advice.
const MOST_CAPTURES: f64 = 200.0;
/// Less of the time in functions without a partner is not worth a word.
const LEAST_UNMATCHED_PCT: f64 = 5.0;

/// A condition, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// As it was given.
    pub condition: String,
    /// It holds: something is claimed to have changed so, by more than the limit.
    pub holds: bool,
    /// What the intervals alone say, as a bisection needs it.
    pub certainty: Certainty,
    /// What it holds for, the largest first.
    pub met_by: Vec<Finding>,
    /// What nobody can tell of: their intervals hold the limit.
    pub undecided: Vec<Finding>,
    /// How many findings of both kinds there are.
    pub counts: [usize; 2],
    /// The one figure that a condition on the whole or on one function is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Finding>,
    /// How much of the time that it asks about is in functions of which nobody knows what they are on the
    /// other side, percent of both sides together: it cannot tell whether those became slower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmatched_pct: Option<f64>,
}

/// What the intervals of all that a condition names say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// One lies beyond the limit.
    Beyond,
    /// All lie within it.
    Within,
    /// Neither.
    Unknown,
}

/// One figure held against a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is of: `the whole`, `gc`, `shop:total/1`.
    pub name: String,
    /// Which column, of a function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What was measured, in `unit`; null where a side has nothing to compare with.
    pub value: Option<f64>,
    /// 95 % of such intervals hold the true value.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// What they may not be more than.
    pub limit: f64,
    /// What all four are counted in.
    pub unit: String,
    /// How many captures a side would decide, where so many would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captures_to_decide: Option<u32>,
}

/// A figure that a condition asks about.
struct Figure<'c> {
    name: &'c str,
    column: Option<ColumnName>,
    change: &'c Change,
    /// It changed by collections alone, which its code is not to be blamed for.
    is_taken_back: bool,
}

/// The same, held against the limit.
struct Judged {
    holds: bool,
    certainty: Certainty,
    finding: Finding,
}

impl Condition {
    /// Judges a comparison.
    ///
    /// # Errors
    /// [`Unfit`] where the comparison has no figure for it.
    pub fn judge(&self, comparison: &Comparison) -> Result<Gate, Unfit> {
        self.check(comparison)?;
        let judging = Judging {
            condition: self,
            captures: comparison.base.captures.min(comparison.new.captures),
            is_one_question: self.is_one_question(),
        };
        let figures = self.figures(comparison);
        let judged: Vec<Judged> = figures.iter().map(|each| judging.judge(each)).collect();
        Ok(self.gate(judged, self.unmatched_pct(comparison)))
    }

    /// See [`Gate::unmatched_pct`]; absent where it is next to nothing.
    fn unmatched_pct(&self, comparison: &Comparison) -> Option<f64> {
        if self.is_of_one_side() {
            return None;
        }
        let (mut unmatched, mut all) = (0.0, 0.0);
        for row in self.rows(comparison) {
            let time = row.itself.base + row.itself.new;
            all += time;
            if row.unmatched.is_some() {
                unmatched += time;
            }
        }
        let pct = unmatched / all * 100.0;
        (pct >= LEAST_UNMATCHED_PCT).then_some(pct)
    }

    /// The functions that it names.
    fn rows<'c>(&self, comparison: &'c Comparison) -> impl Iterator<Item = &'c FunctionChange> {
        let rows = comparison.functions.iter();
        rows.filter(|row| match &self.subject {
            Subject::Whole | Subject::Class(_) => false,
            Subject::AnyFunction => true,
            Subject::Functions(pattern) => row.is_called(pattern),
        })
    }

    fn gate(&self, judged: Vec<Judged>, unmatched_pct: Option<f64>) -> Gate {
        let any = |certainty| judged.iter().any(|each| each.certainty == certainty);
        let certainty = match (any(Certainty::Beyond), any(Certainty::Unknown)) {
            (true, _) => Certainty::Beyond,
            // That what was never sampled did not change is not known.
            (false, false) if !judged.is_empty() => Certainty::Within,
            (false, _) => Certainty::Unknown,
        };
        let measured = match judged.as_slice() {
            [only] => Some(only.finding.clone()),
            _ => None,
        };
        let is_undecided = |each: &&Judged| !each.holds && each.certainty == Certainty::Unknown;
        let counts = [
            judged.iter().filter(|each| each.holds).count(),
            judged.iter().filter(is_undecided).count(),
        ];
        let (met_by, others): (Vec<_>, Vec<_>) = judged.into_iter().partition(|each| each.holds);
        let undecided = others.into_iter().filter(|each| is_undecided(&each));
        let findings = |all: &mut dyn Iterator<Item = Judged>| {
            let kept = all.take(MOST_FINDINGS);
            kept.map(|each| each.finding).collect::<Vec<_>>()
        };
        Gate {
            condition: self.to_string(),
            holds: !met_by.is_empty(),
            certainty,
            met_by: findings(&mut met_by.into_iter()),
            undecided: findings(&mut { undecided }),
            counts,
            measured,
            unmatched_pct,
        }
    }

    /// The whole, a class, or one column of one function: no family of questions.
    fn is_one_question(&self) -> bool {
        match &self.subject {
            Subject::Whole | Subject::Class(_) => true,
            Subject::Functions(pattern) => pattern.names_one() && self.column.is_some(),
            Subject::AnyFunction => false,
        }
    }

    fn figures<'c>(&self, comparison: &'c Comparison) -> Vec<Figure<'c>> {
        match &self.subject {
            Subject::Whole => comparison
                .whole
                .iter()
                .map(|whole| Figure {
                    name: "the whole",
                    column: None,
                    change: &whole.change,
                    is_taken_back: false,
                })
                .collect(),
            Subject::Class(class) => comparison
                .classes
                .iter()
                .filter(|row| row.class == Some(*class))
                .map(|row| Figure {
                    name: class.as_str(),
                    column: None,
                    change: &row.change,
                    is_taken_back: false,
                })
                .collect(),
            Subject::AnyFunction | Subject::Functions(_) => self
                .rows(comparison)
                .flat_map(|row| self.columns(row))
                .collect(),
        }
    }

    fn columns<'c>(&self, row: &'c FunctionChange) -> Vec<Figure<'c>> {
        let columns = [
            (ColumnName::Itself, Some(&row.itself)),
            (ColumnName::Total, Some(&row.total)),
            (ColumnName::Own, row.own.as_ref()),
        ];
        let wanted = columns
            .into_iter()
            .filter(|(name, _)| self.column.is_none_or(|column| column == *name));
        wanted
            .filter_map(|(column, change)| {
                let change = change.filter(|change| change.is_sampled())?;
                Some(Figure {
                    name: &row.function,
                    column: Some(column),
                    change,
                    is_taken_back: column != ColumnName::Itself && row.is_taken_back(change),
                })
            })
            .collect()
    }
}

/// What all figures of a condition are judged by.
struct Judging<'a> {
    condition: &'a Condition,
    captures: usize,
    is_one_question: bool,
}

impl Judging<'_> {
    fn judge(&self, figure: &Figure<'_>) -> Judged {
        let wanted = self.condition.direction;
        let (value, low, high) = self.in_unit(figure.change);
        let limit = self.condition.limit;
        let is_claimed = figure.change.verdict == claim(wanted);
        // What has no percentage is more than any.
        let is_more = value.is_none_or(|value| value > limit);
        let is_seen = figure.change.verdict != Verdict::TooFew;
        let certainty = match (low, high) {
            _ if figure.is_taken_back => Certainty::Within,
            _ if self.condition.is_of_one_side() => one_sided(is_claimed && is_more, figure.change),
            (Some(low), _) if is_seen && low > limit && (self.is_one_question || is_claimed) => {
                Certainty::Beyond
            }
            (_, Some(high)) if is_seen && high < limit => Certainty::Within,
            _ => Certainty::Unknown,
        };
        let decides = certainty == Certainty::Unknown;
        Judged {
            holds: is_claimed && is_more,
            certainty,
            finding: Finding {
                name: figure.name.to_owned(),
                column: figure.column.map(|column| column.as_str().to_owned()),
                value,
                low,
                high,
                limit,
                unit: self.unit().as_str().to_owned(),
                captures_to_decide: decides.then(|| self.captures_to_decide(figure)).flatten(),
            },
        }
    }

    fn unit(&self) -> Unit {
        self.condition.unit.unwrap_or(Unit::Percent)
    }

    /// How much more it is than before and the interval of that, in the unit of the limit; how much less
    /// where that is what the condition asks.
    fn in_unit(&self, change: &Change) -> (Option<f64>, Option<f64>, Option<f64>) {
        let factor = self.unit().in_figures();
        let relative = |pct: Option<f64>| match self.unit() {
            Unit::Percent => pct,
            _ => pct.map(|pct| change.base * pct / 100.0 * factor),
        };
        let (low, high) = (relative(change.low_pct), relative(change.high_pct));
        let value = match self.unit() {
            Unit::Percent => change.change_pct,
            _ => Some(change.difference() * factor),
        };
        match self.condition.direction {
            Direction::Slower | Direction::New => (value, low, high),
            Direction::Faster | Direction::Gone => (
                value.map(|value| -value),
                high.map(|high| -high),
                low.map(|low| -low),
            ),
        }
    }

    /// An interval is as much narrower as the root of the number of captures is larger.
    fn captures_to_decide(&self, figure: &Figure<'_>) -> Option<u32> {
        let change = figure.change;
        let log = |pct: f64| (pct / 100.0).ln_1p();
        let (value, low, high) = (change.change_pct?, change.low_pct?, change.high_pct?);
        let limit_pct = match self.unit() {
            Unit::Percent => self.condition.limit,
            unit => self.condition.limit / unit.in_figures() / change.base * 100.0,
        };
        let limit_pct = match self.condition.direction {
            Direction::Faster => -limit_pct,
            _ => limit_pct,
        };
        let margin = (log(high) - log(low)) / 2.0;
        let distance = (log(value) - log(limit_pct)).abs();
        let captures = (self.captures as f64 * (margin / distance).powi(2)).ceil();
        let more = captures.max(self.captures as f64 + 1.0);
        (more.is_finite() && more <= MOST_CAPTURES).then_some(more as u32)
    }
}

const fn claim(direction: Direction) -> Verdict {
    match direction {
        Direction::Slower => Verdict::Slower,
        Direction::Faster => Verdict::Faster,
        Direction::New => Verdict::New,
        Direction::Gone => Verdict::Gone,
    }
}

/// What is on both sides neither came nor went.
fn one_sided(holds: bool, change: &Change) -> Certainty {
    let on_both = change.base_samples > 0 && change.new_samples > 0;
    match (holds, on_both) {
        (true, _) => Certainty::Beyond,
        (false, true) => Certainty::Within,
        (false, false) if change.verdict.is_change() => Certainty::Within,
        (false, false) => Certainty::Unknown,
    }
}

impl Gate {
    /// One line: measured value, interval, limit, verdict.
    pub fn text(&self) -> String {
        let verdict = match self.holds {
            true => "holds",
            false => "does not hold",
        };
        let names = |findings: &[Finding], count: usize| {
            const NAMED: usize = 3;
            let named: Vec<String> = findings.iter().take(NAMED).map(Finding::text).collect();
            let more = match count.saturating_sub(named.len()) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{}{more}", named.join("; "))
        };
        let what = match (&self.measured, self.holds) {
            (Some(measured), _) => format!(": {}", measured.text()),
            (None, true) => format!(" for {}", names(&self.met_by, self.counts[0])),
            (None, false) => String::new(),
        };
        let unknown = self.unmatched_pct.map(|pct| {
            format!("; of {pct:.0} % of the time it cannot tell: nobody knows what those functions are on the other side")
        });
        format!(
            "{} {verdict}{what}{}",
            self.condition,
            unknown.unwrap_or_default()
        )
    }

    /// What a bisection cannot tell, and what would tell it.
    pub fn undecided_text(&self) -> (String, String) {
        let Some(first) = self.undecided.first() else {
            let what = format!("no sample tells whether {} holds", self.condition);
            return (what, "record longer captures".to_owned());
        };
        let others = match self.counts[1].saturating_sub(1) {
            0 => String::new(),
            others => format!(", and {others} more are as uncertain"),
        };
        let what = format!(
            "whether {} holds is not known: {}{others}",
            self.condition,
            first.text()
        );
        let fix = match (first.captures_to_decide, self.counts[1]) {
            (_, 2..) => "name the function or the whole: --fail-if 'whole.slower>5%'".to_owned(),
            (Some(captures), _) => {
                format!("take about {captures} captures of this length for each side")
            }
            (None, _) => {
                "choose another limit: this one is too close to what is measured".to_owned()
            }
        };
        (what, fix)
    }
}

impl Finding {
    /// `shop:total/1 total +12.3 % (+9.1 … +15.6), limit 10 %`.
    pub fn text(&self) -> String {
        let unit = match self.unit.as_str() {
            "us/unit" => "µs/unit",
            unit => unit,
        };
        let column = self.column.as_deref();
        let name = column.map_or_else(
            || self.name.clone(),
            |column| format!("{} ({column})", self.name),
        );
        let value = match (self.value, self.low, self.high) {
            (Some(value), Some(low), Some(high)) => {
                format!("{value:+.1} {unit} ({low:+.1} … {high:+.1})")
            }
            (Some(value), ..) => format!("{value:+.1} {unit}"),
            (None, ..) => "on one side only".to_owned(),
        };
        format!("{name} {value}, limit {} {unit}", self.limit)
    }
}
