//! Judged conditions: the measured value, its certainty, and the consequence.
//!
//! One question (the whole, a class, a column of one function) is answered by its interval. A family of functions
//! holds where a claimed change is proven to be beyond the limit. It does not hold where the functions whose intervals
//! end below the limit have half of the time or more: among thousands of functions, some are always too rare for an
//! interval, so a family that had to know all of them would never be green.

mod doubts;
mod little;
mod on_both_sides;
mod unknown_code;
pub mod unlike_sides;
mod words;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shared_sort::{Inserted, SharedSort};

use crate::answer::{Change, Comparison, FunctionChange};
use crate::condition::{ColumnName, Condition, Direction, Subject, Unfit, Unit};
use crate::given_time::{LostTime, OtherClock};
use crate::judgement::{Answer, Doubt, Reason};
use crate::machine::Beside;
use crate::measure::Measure;
use crate::verdicts::Verdict;

/// Findings that are kept of each kind.
const MOST_FINDINGS: usize = 20;
/// More captures than this are no advice: the editor takes no more of a side.
const MOST_CAPTURES: f64 = 50.0;
/// Less of the time in functions without a partner is not worth a word.
const LEAST_UNMATCHED_PCT: f64 = 5.0;
/// The answer about a family of functions needs to know of this much of its time.
const LEAST_KNOWN_PCT: f64 = 50.0;

/// A commit that touched nothing but functions that take less of the time together, with all that they call, made the
/// program slower by less than that.
const LEAST_TOUCHED_PCT: f64 = 1.0;

/// A condition, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Gate {
    /// As it was given.
    pub condition: String,
    /// The normalisation of its figures.
    pub measure: Measure,
    /// Whether something is proven to have changed so, by more than the limit.
    pub answer: Answer,
    /// Why it cannot tell, and what would decide.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<Doubt>>"))]
    pub doubts: Vec<Doubt>,
    /// How many more such doubts there are: those of the first figures are kept.
    #[serde(skip_serializing_if = "is_zero")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<usize>"))]
    pub more_doubts: usize,
    /// The result by the intervals alone, as a bisection needs it.
    pub certainty: Certainty,
    /// The figures that meet it, the largest first.
    pub met_by: Vec<Finding>,
    /// The figures that it cannot decide: their intervals contain the limit. Those that seem to meet it come first.
    pub undecided: Vec<Finding>,
    /// How many findings of both kinds there are.
    pub counts: [usize; 2],
    /// The one figure that a condition on the whole or on one function is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub measured: Option<Finding>,
    /// Of a condition on many functions: percent of their time in functions whose interval ends below the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub known_pct: Option<f64>,
    /// Of a condition on functions that the commit touched: how many of them have samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub touched: Option<usize>,
    /// Percent of the program's time in them, each with all that it calls, on the side where that is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub touched_pct: Option<f64>,
    /// Percent of the time in question, of both sides together, in functions without a known counterpart
    /// on the other side: the condition cannot decide whether those became slower.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub unmatched_pct: Option<f64>,
    /// Why it may be green, or red, for another reason than the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<Caution>>"))]
    pub cautions: Vec<Caution>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A reason why an answer is worth less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Caution {
    /// The whole is by the second: a program that takes all the processors that it gets takes as much
    /// each second however slow it is.
    NoWork,
    /// A side has one capture, so that how much runs differ is assumed.
    OneCapture,
}

/// The result of the intervals of all figures that a condition names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// One lies beyond the limit.
    Beyond,
    /// All lie within it.
    Within,
    /// Neither.
    Unknown,
}

/// One figure compared with a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Finding {
    /// Its subject: `the whole`, `gc`, `shop:total/1`.
    pub name: String,
    /// Which column, of a function.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub column: Option<String>,
    /// The measured value, in `unit`; null where a side has nothing to compare with.
    pub value: Option<f64>,
    /// 95 % of such intervals hold the true value, of the whole 99 %.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// They are decreases, as the condition is about functions that became faster or are gone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<bool>"))]
    pub less: bool,
    /// The largest value that is permitted.
    pub limit: f64,
    /// The unit of all four.
    pub unit: String,
    /// How many captures a side would decide, where so many would.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub captures_to_decide: Option<u32>,
}

/// A figure that a condition is about.
struct Figure<'c> {
    name: &'c str,
    column: Option<ColumnName>,
    change: &'c Change,
    /// The time that is its own, of both sides together: what a function calls is that of others.
    time: f64,
    /// Collections make its change, and are not charged to the function.
    is_uncharged: bool,
}

/// The same, compared with the limit.
struct Judged {
    certainty: Certainty,
    /// It is claimed to have changed so, and measured beyond the limit; or to be new or gone, and may be beyond it.
    seems_met: bool,
    time: f64,
    finding: Finding,
    /// Why it is not certain.
    doubt: Option<Doubt>,
}

impl Condition {
    /// Judges a comparison. `chosen` is the normalisation that the user chose, if any.
    ///
    /// # Errors
    /// [`Unfit`] where the comparison has no figure for it.
    pub fn judge(&self, comparison: &Comparison, chosen: Option<Measure>) -> Result<Gate, Unfit> {
        let measure = self.measure_in(comparison);
        if let Some(doubt) = self.check(comparison, chosen)? {
            return Ok(self.blind(doubt, measure));
        }
        let rows = self.rows(&comparison.functions);
        let judging = Judging {
            condition: self,
            captures: Captures::of(comparison),
            is_one_question: self.is_one_question(rows.len()),
            is_family: self.is_family(&rows),
            beside: self.beside(comparison, measure),
            taken_out: self.taken_out(comparison, measure),
        };
        let figures = self.figures(comparison, &rows);
        if self.subject == Subject::Touched && figures.is_empty() {
            let gate = self.untouched(measure);
            let gate = gate.beside_few_samples(comparison, judging.captures);
            let gate = self.beside_unknown_code(gate, comparison, &judging);
            return Ok(gate.beside_same_captures(comparison));
        }
        let judged: Vec<Judged> = figures.iter().map(|each| judging.judge(each)).collect();
        let is_by_the_second = self.subject == Subject::Whole && measure == Measure::Cpu;
        let cautions = [
            is_by_the_second.then_some(Caution::NoWork),
            (judging.captures.count == 1).then_some(Caution::OneCapture),
        ];
        let gate = Gate {
            touched: self.touched(&figures),
            touched_pct: self.touched_pct(&rows, comparison),
            unmatched_pct: self.unmatched_pct(&rows),
            cautions: cautions.into_iter().flatten().collect(),
            ..self.gate(judged, measure, judging.is_family, judging.captures)
        };
        let gate = gate.of_little();
        let gate = gate.beside_few_samples(comparison, judging.captures);
        let gate = self.beside_unknown_code(gate, comparison, &judging);
        Ok(gate.beside_same_captures(comparison))
    }

    /// Influences on its figures beside the program. Shares have nothing of the machine.
    fn beside(&self, comparison: &Comparison, measure: Measure) -> Vec<Beside> {
        let unlike = self.unlike_sides(comparison, measure);
        if measure == Measure::Share {
            return unlike;
        }
        let whole = comparison.whole.as_ref();
        let alike = whole.filter(|whole| whole.measure == measure);
        let alike = alike.and_then(|whole| whole.alike.as_ref());
        // The factor of the functions is measured, and what a frequency does to a program is not.
        let (base, new) = (&comparison.base, &comparison.new);
        let clock = OtherClock::between(base.mhz, new.mhz).filter(|_| alike.is_none());
        let is_of_functions = !matches!(self.subject, Subject::Whole | Subject::Class(_));
        let alike = alike.filter(|alike| !(is_of_functions && alike.taken_out));
        let lost = LostTime::between(base.lost_pct, new.lost_pct);
        let alike = alike.map(Beside::of_alike).into_iter();
        let clock = clock.map(Beside::of_clock);
        let lost = lost.map(Beside::of_lost);
        alike.chain(clock).chain(lost).chain(unlike).collect()
    }

    /// The factor that is taken out of the intervals of functions: figures without an interval have it still.
    fn taken_out(&self, comparison: &Comparison, measure: Measure) -> Option<Beside> {
        let whole = comparison.whole.as_ref()?;
        let alike = whole.alike.filter(|it| it.taken_out);
        let alike = alike.filter(|_| whole.measure == measure)?;
        Some(Beside::of_alike(&alike))
    }

    /// The commit touched no function that was sampled: it made none slower by its code.
    fn untouched(&self, measure: Measure) -> Gate {
        Gate {
            answer: Answer::DoesNotHold,
            doubts: Vec::new(),
            certainty: Certainty::Within,
            touched: Some(0),
            ..self.without_figures(measure)
        }
    }

    /// See [`Gate::touched`].
    fn touched(&self, figures: &[Figure<'_>]) -> Option<usize> {
        let names: BTreeSet<&str> = figures.iter().map(|figure| figure.name).inserted();
        (self.subject == Subject::Touched).then_some(names.len())
    }

    /// See [`Gate::touched_pct`].
    fn touched_pct(&self, rows: &[&FunctionChange], comparison: &Comparison) -> Option<f64> {
        if self.subject != Subject::Touched {
            return None;
        }
        // The part that two of them have in common counts twice: it is no less.
        let share = |of: fn(&Change) -> f64| {
            let all: f64 = comparison.functions.iter().map(|row| of(&row.itself)).sum();
            let touched: f64 = rows.iter().map(|row| of(&row.total)).sum();
            (all > 0.0).then(|| (touched / all * 100.0).min(100.0))
        };
        let (base, new) = (share(|change| change.base), share(|change| change.new));
        Some(f64::max(base?, new?))
    }

    /// A gate that has no figure and cannot tell.
    fn blind(&self, doubt: Doubt, measure: Measure) -> Gate {
        Gate {
            doubts: vec![doubt],
            ..self.without_figures(measure)
        }
    }

    fn without_figures(&self, measure: Measure) -> Gate {
        Gate {
            condition: self.to_string(),
            measure,
            answer: Answer::CannotTell,
            doubts: Vec::new(),
            more_doubts: 0,
            certainty: Certainty::Unknown,
            met_by: Vec::new(),
            undecided: Vec::new(),
            counts: [0, 0],
            measured: None,
            known_pct: None,
            touched: None,
            touched_pct: None,
            unmatched_pct: None,
            cautions: Vec::new(),
        }
    }

    /// Functions of which some are always too rare to be known.
    fn is_family(&self, rows: &[&FunctionChange]) -> bool {
        match &self.subject {
            Subject::Whole | Subject::Class(_) => false,
            Subject::Functions(pattern) => !pattern.names_one() || rows.len() != 1,
            Subject::AnyFunction | Subject::Touched => true,
        }
    }

    /// See [`Gate::unmatched_pct`]; absent where it is next to nothing.
    fn unmatched_pct(&self, rows: &[&FunctionChange]) -> Option<f64> {
        if self.is_of_one_side() {
            return None;
        }
        let (mut unmatched, mut all) = (0.0, 0.0);
        for row in rows {
            let time = row.itself.base + row.itself.new;
            all += time;
            if row.unmatched.is_some() {
                unmatched += time;
            }
        }
        let pct = unmatched / all * 100.0;
        (pct >= LEAST_UNMATCHED_PCT).then_some(pct)
    }

    fn gate(
        &self,
        mut judged: Vec<Judged>,
        measure: Measure,
        is_family: bool,
        captures: Captures,
    ) -> Gate {
        let any = |certainty| judged.iter().any(|each| each.certainty == certainty);
        let certainty = match (any(Certainty::Beyond), any(Certainty::Unknown)) {
            (true, _) => Certainty::Beyond,
            // Without samples it is not known whether anything changed.
            (false, false) if !judged.is_empty() => Certainty::Within,
            (false, _) => Certainty::Unknown,
        };
        let measured = match judged.as_slice() {
            [only] => Some(only.finding.clone()),
            _ => None,
        };
        let known_pct = is_family.then(|| known_pct(&judged));
        let seems_met = judged.iter().any(|each| each.seems_met);
        let answer = match (certainty, known_pct) {
            (Certainty::Beyond, _) => Answer::Holds,
            (Certainty::Within, _) => Answer::DoesNotHold,
            (Certainty::Unknown, Some(pct)) if pct >= LEAST_KNOWN_PCT && !seems_met => {
                Answer::DoesNotHold
            }
            (Certainty::Unknown, _) => Answer::CannotTell,
        };
        let (doubts, more_doubts) = match (answer, known_pct) {
            (Answer::Holds | Answer::DoesNotHold, _) => (Vec::new(), 0),
            (Answer::CannotTell, Some(pct)) if !seems_met => {
                (vec![doubts::mostly_unknown(&judged, pct, captures)], 0)
            }
            (Answer::CannotTell, _) => doubts::of_figures(&judged, is_family),
        };
        let counts = [Certainty::Beyond, Certainty::Unknown].map(|certainty| {
            let such = judged.iter().filter(|each| each.certainty == certainty);
            such.count()
        });
        judged.shared_sort_by_key(|each| !each.seems_met);
        let findings = |certainty| {
            let such = judged.iter().filter(|each| each.certainty == certainty);
            let kept = such.take(MOST_FINDINGS);
            kept.map(|each| each.finding.clone()).collect::<Vec<_>>()
        };
        Gate {
            condition: self.to_string(),
            measure,
            answer,
            doubts,
            more_doubts,
            certainty,
            met_by: findings(Certainty::Beyond),
            undecided: findings(Certainty::Unknown),
            counts,
            measured,
            known_pct: known_pct.filter(|_| !self.is_of_one_side()),
            touched: None,
            touched_pct: None,
            unmatched_pct: None,
            cautions: Vec::new(),
        }
    }

    /// The whole, a class, or one column of one function: no family of questions.
    fn is_one_question(&self, rows: usize) -> bool {
        match &self.subject {
            Subject::Whole | Subject::Class(_) => true,
            Subject::Functions(pattern) => {
                pattern.names_one() && rows == 1 && self.column.is_some()
            }
            Subject::AnyFunction | Subject::Touched => false,
        }
    }

    fn figures<'c>(
        &self,
        comparison: &'c Comparison,
        rows: &[&'c FunctionChange],
    ) -> Vec<Figure<'c>> {
        match &self.subject {
            Subject::Whole => comparison
                .whole
                .iter()
                .map(|whole| Figure {
                    name: "the whole",
                    column: None,
                    change: &whole.change,
                    time: whole.change.time(),
                    is_uncharged: false,
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
                    time: row.change.time(),
                    is_uncharged: false,
                })
                .collect(),
            Subject::AnyFunction | Subject::Touched | Subject::Functions(_) => {
                rows.iter().flat_map(|row| self.columns(row)).collect()
            }
        }
    }

    fn columns<'c>(&self, row: &'c FunctionChange) -> Vec<Figure<'c>> {
        let columns = [
            (ColumnName::Itself, Some(&row.itself)),
            (ColumnName::Total, Some(&row.total)),
            (ColumnName::Own, row.own_as_charged()),
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
                    time: match column {
                        ColumnName::Own => change.time(),
                        ColumnName::Itself | ColumnName::Total => row.itself.time(),
                    },
                    is_uncharged: column == ColumnName::Total && row.is_uncharged(change),
                })
            })
            .collect()
    }
}

impl Gate {
    /// The same by the intervals alone, as a bisection needs it. That half of the time of many functions is known, or
    /// that they take next to nothing, is no answer there.
    #[must_use]
    pub fn by_intervals(self) -> Self {
        if self.certainty != Certainty::Unknown || self.answer == Answer::CannotTell {
            return self;
        }
        let name = self.undecided.first().map_or("", |it| it.name.as_str());
        let (text, (_, fix)) = (self.uncertain().unwrap_or_default(), self.undecided_text());
        Self {
            answer: Answer::CannotTell,
            doubts: vec![Doubt::new(Reason::Interval, &[name], text, fix)],
            ..self
        }
    }
}

/// Percent of the time of these figures that lies in those that are known to be within the limit.
fn known_pct(judged: &[Judged]) -> f64 {
    let (mut known, mut all) = (0.0, 0.0);
    for each in judged {
        all += each.time;
        if each.certainty == Certainty::Within {
            known += each.time;
        }
    }
    match all > 0.0 {
        true => known / all * 100.0,
        false => 0.0,
    }
}

/// The captures of both sides, of which more would decide.
#[derive(Debug, Clone, Copy)]
struct Captures {
    /// Of the side that has fewer.
    count: usize,
    /// The length of one.
    seconds: f64,
    are_pairs: bool,
}

impl Captures {
    fn of(comparison: &Comparison) -> Self {
        let (base, new) = (&comparison.base, &comparison.new);
        let all = (base.captures + new.captures).max(1);
        Self {
            count: base.captures.min(new.captures),
            seconds: (base.seconds + new.seconds) / all as f64,
            are_pairs: comparison.method.paired,
        }
    }
}

/// An increase and the ends of its interval, in the unit of a limit.
type InUnit = (Option<f64>, Option<f64>, Option<f64>);

/// The basis on which all figures of a condition are judged.
struct Judging<'a> {
    condition: &'a Condition,
    captures: Captures,
    is_one_question: bool,
    is_family: bool,
    beside: Vec<Beside>,
    taken_out: Option<Beside>,
}

impl Judging<'_> {
    fn judge(&self, figure: &Figure<'_>) -> Judged {
        let wanted = self.condition.direction;
        let (value, low, high) = self.in_unit(figure.change);
        let limit = self.condition.limit;
        let is_claimed = figure.change.verdict == claim(wanted);
        let is_contrary = figure.change.is_claimed_against(wanted);
        // A figure without a percentage is above every limit.
        let is_more = |value: Option<f64>| value.is_none_or(|value| value > limit);
        let is_seen = figure.change.verdict != Verdict::TooFew;
        let certainty_of = |(value, low, high): InUnit| match (low, high) {
            _ if self.condition.is_of_one_side() => {
                one_sided(is_claimed && is_more(value), figure.change)
            }
            // Without its collections it has no interval: it is no larger than with them, and may be as large.
            (_, high) if figure.is_uncharged => match high {
                Some(high) if high < limit => Certainty::Within,
                _ => Certainty::Unknown,
            },
            // Only a claimed one of a family: that has to be surer of each of its answers.
            (Some(low), _) if is_seen && low > limit && (self.is_one_question || is_claimed) => {
                Certainty::Beyond
            }
            // In the code of both sides, and one of them has no sample of it.
            (None, _) if is_claimed && is_more(value) => Certainty::Beyond,
            (None, _) if is_contrary && !self.is_family => Certainty::Within,
            (_, Some(high)) if is_seen && high < limit => Certainty::Within,
            _ => Certainty::Unknown,
        };
        let measured = certainty_of((value, low, high));
        // An answer that something beside the program may have made is none.
        let beside = self.beside_of(figure, measured, certainty_of);
        let certainty = match beside {
            Some(_) => Certainty::Unknown,
            None => measured,
        };
        // No interval of such a function shows how much larger.
        let may_be_more = beside.is_some() && self.condition.is_of_one_side();
        let finding = Finding {
            name: figure.name.to_owned(),
            column: figure.column.map(|column| column.as_str().to_owned()),
            value,
            low,
            high,
            less: matches!(wanted, Direction::Faster | Direction::Gone),
            limit,
            unit: self.unit().as_str().to_owned(),
            captures_to_decide: match certainty {
                Certainty::Unknown if is_seen && beside.is_none() && !figure.is_uncharged => {
                    self.captures_to_decide(figure)
                }
                _ => None,
            },
        };
        Judged {
            certainty,
            seems_met: is_claimed && (is_more(value) || may_be_more),
            time: figure.time,
            doubt: (certainty == Certainty::Unknown).then(|| match beside {
                Some(beside) => beside.doubt.clone(),
                None => doubts::of_figure(figure, &finding, self.captures),
            }),
            finding,
        }
    }

    /// The influence that may have made a result by itself, else the first of those that may have made it together.
    fn beside_of(
        &self,
        figure: &Figure<'_>,
        measured: Certainty,
        certainty_of: impl Fn(InUnit) -> Certainty,
    ) -> Option<&Beside> {
        let change = figure.change;
        let is_claimed = change.verdict == claim(self.condition.direction);
        let is_contrary = change.is_claimed_against(self.condition.direction);
        let is_other = |several: &[&Beside]| {
            let possible = Beside::possible(several, change);
            let mut answers = possible.iter().map(|it| certainty_of(self.in_unit(it)));
            answers.any(|answer| answer != measured)
        };
        let has_interval = change.low_pct.is_some();
        let taken_out = self.taken_out.iter().filter(|_| !has_interval);
        let all: Vec<&Beside> = self.beside.iter().chain(taken_out).collect();
        let mut each = all.iter().copied();
        let alone = each.find(|&beside| {
            let is_made = match measured {
                Certainty::Beyond => beside.may_have_made(change),
                Certainty::Within => {
                    (is_claimed && beside.may_have_hidden(change))
                        || (is_contrary && beside.may_have_made(change))
                }
                Certainty::Unknown => return false,
            };
            is_made || is_other(&[beside])
        });
        let is_made = measured != Certainty::Unknown && is_other(&all);
        alone.or_else(|| all.first().copied().filter(|_| is_made))
    }

    fn unit(&self) -> Unit {
        self.condition.unit.unwrap_or(Unit::Percent)
    }

    /// The increase and its interval, in the unit of the limit; the decrease where the condition is
    /// about one.
    fn in_unit(&self, change: &Change) -> InUnit {
        let factor = self.unit().in_figures();
        let relative = |pct: Option<f64>| match self.unit() {
            Unit::Percent => pct,
            _ => pct.map(|pct| change.base * pct / 100.0 * factor),
        };
        let (low, high) = (relative(change.low_pct), relative(change.high_pct));
        let value = match self.unit() {
            Unit::Percent => change.change_pct,
            // Of a change without the factor of the machine, where that is taken out.
            _ => relative(change.change_pct).or(Some(change.difference() * factor)),
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
        let count = self.captures.count as f64;
        let captures = (count * (margin / distance).powi(2)).ceil();
        let more = captures.max(count + 1.0);
        (more.is_finite() && more <= MOST_CAPTURES).then_some(more as u32)
    }
}

impl Change {
    /// Whether it is claimed to have changed the other way: more certain than that it did not change so.
    fn is_claimed_against(&self, direction: Direction) -> bool {
        matches!(
            (direction, self.verdict),
            (Direction::Slower, Verdict::Faster) | (Direction::Faster, Verdict::Slower)
        )
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

/// A function of both sides is neither new nor gone.
fn one_sided(holds: bool, change: &Change) -> Certainty {
    let on_both = change.base_samples > 0 && change.new_samples > 0;
    match (holds, on_both) {
        (true, _) => Certainty::Beyond,
        (false, true) => Certainty::Within,
        (false, false) if change.verdict.is_change() => Certainty::Within,
        (false, false) => Certainty::Unknown,
    }
}
