//! The text of a gate.

use capture::visible::shown_name;

use super::{Caution, Finding, Gate, LEAST_KNOWN_PCT, LEAST_TOUCHED_PCT};
use crate::judgement::{Answer, Reason, doubts_text};
use crate::measure::Measure;

impl Gate {
    /// One line: answer, measured value, interval, limit, and their subject; why it cannot tell, and what would decide.
    pub fn text(&self) -> String {
        let measured = self.measured.as_ref();
        let measured = measured.map(|measured| format!("{}, {}", measured.text(), self.of()));
        let what = match (self.answer, measured) {
            (Answer::Holds | Answer::DoesNotHold, Some(measured)) => format!(": {measured}"),
            (Answer::Holds, None) => {
                let names = named(&self.met_by, self.counts[0]);
                format!(" for {names}, {}", self.of())
            }
            (Answer::DoesNotHold, None) if self.touched == Some(0) => {
                ": the commit touched no function with such samples".to_owned()
            }
            (Answer::DoesNotHold, None) if self.is_of_little() => {
                let little = match self.touched {
                    Some(2..) => {
                        "functions that the commit touched take together, with all that they call"
                    }
                    _ => "function that the commit touched takes, with all that it calls",
                };
                format!(
                    ": the {little}, less than {LEAST_TOUCHED_PCT} % of the time, {}",
                    self.of()
                )
            }
            (Answer::DoesNotHold, None) => self.known_pct.map_or_else(String::new, |pct| {
                format!(
                    ": the intervals of {pct:.0} % of the time{} end below the limit, {}",
                    self.in_touched(),
                    self.of()
                )
            }),
            (Answer::CannotTell, Some(measured)) => {
                format!(": {measured}; {}", doubts_text(&self.doubts))
            }
            (Answer::CannotTell, None) => {
                let more = match self.more_doubts {
                    0 => String::new(),
                    more => format!("; {more} more figures are as uncertain"),
                };
                format!(": {}{more}", doubts_text(&self.doubts))
            }
        };
        format!(
            "{} {}{what}{}",
            self.condition,
            self.answer.words(),
            self.but()
        )
    }

    /// The same for a bisection, where intervals decide and not verdicts.
    pub fn beyond_text(&self) -> String {
        let what = match &self.measured {
            Some(measured) => measured.text(),
            None => named(&self.met_by, self.counts[0]),
        };
        format!(
            "bad: the interval lies beyond the limit of {}: {what}, {}{}",
            self.condition,
            self.of(),
            self.but()
        )
    }

    /// The functions that the commit touched are too rare to be known one by one.
    pub(super) fn is_of_little(&self) -> bool {
        let is_unknown = self.known_pct.is_some_and(|pct| pct < LEAST_KNOWN_PCT);
        is_unknown && self.touched_pct.is_some_and(|pct| pct < LEAST_TOUCHED_PCT)
    }

    fn in_touched(&self) -> String {
        match self.touched {
            None => String::new(),
            Some(1) => " of 1 function that the commit touched".to_owned(),
            Some(touched) => format!(" of {touched} functions that the commit touched"),
        }
    }

    const fn of(&self) -> &'static str {
        match self.measure {
            Measure::Share => "of shares",
            Measure::Cpu => "of processor time each second",
            Measure::Work => "of processor time per unit of work",
        }
    }

    /// The limits of the answer.
    fn but(&self) -> String {
        let unknown = self.unmatched_pct.map(|pct| {
            format!("; of {pct:.0} % of the time it cannot tell: it is not known which functions these are on the other side")
        });
        let cautions = self.cautions.iter().map(|caution| match caution {
            Caution::NoWork => "; no work was counted: a program that takes all the processors it gets takes as much each second however slow it is (record with --work-command or --work-metric)",
            Caution::OneCapture => "; with one capture on a side, the difference between runs is assumed",
        });
        unknown.unwrap_or_default() + &cautions.collect::<String>()
    }

    /// The first figure that is not certain, and how many more.
    pub(super) fn uncertain(&self) -> Option<String> {
        let first = self.undecided.first()?;
        let others = match self.counts[1].saturating_sub(1) {
            0 => String::new(),
            others => format!(", and {others} more are as uncertain"),
        };
        Some(first.text() + &others)
    }

    /// The reason why a bisection cannot decide, and the remedy.
    pub fn undecided_text(&self) -> (String, String) {
        let mut doubts = self.doubts.iter();
        // No figure shows these.
        let is_of_reason = doubts.any(|doubt| {
            matches!(
                doubt.reason,
                Reason::CodeUnknown | Reason::UnlikeSides | Reason::OnBothSides
            )
        });
        let Some(figures) = self.uncertain().filter(|_| !is_of_reason) else {
            let what = format!(
                "whether {} holds is not known: {}",
                self.condition,
                doubts_text(&self.doubts)
            );
            return (what, String::new());
        };
        let what = format!("whether {} holds is not known: {figures}", self.condition);
        let fix = match (self.counts[1], self.doubts.first()) {
            (2.., _) | (_, None) => {
                "name one function and its column, as in shop:total/1.total.slower>5%, or the whole where the captures have a figure of it"
                    .to_owned()
            }
            (_, Some(doubt)) => doubt.fix.clone(),
        };
        (what, fix)
    }
}

impl Finding {
    /// `shop:total/1 (total)`.
    pub(super) fn shown(&self) -> String {
        let name = shown_name(&self.name);
        match self.column.as_deref() {
            Some(column) => format!("{name} ({column})"),
            None => name.into_owned(),
        }
    }

    /// `shop:total/1 total +12.3 % (+9.1 … +15.6), limit 10 %`.
    pub fn text(&self) -> String {
        let unit = match self.unit.as_str() {
            "us/unit" => "µs/unit",
            unit => unit,
        };
        let name = self.shown();
        let value = match (self.value, self.low, self.high) {
            (Some(value), Some(low), Some(high)) if self.less => {
                format!("{value:.1} {unit} less ({low:.1} … {high:.1})")
            }
            (Some(value), Some(low), Some(high)) => {
                format!("{value:+.1} {unit} ({low:+.1} … {high:+.1})")
            }
            (Some(value), ..) if self.less => format!("{value:.1} {unit} less"),
            (Some(value), ..) => format!("{value:+.1} {unit}"),
            // Any is too much.
            (None, ..) if self.limit == 0.0 => return format!("{name} on one side only"),
            (None, ..) => "on one side only".to_owned(),
        };
        format!("{name} {value}, limit {} {unit}", self.limit)
    }
}

/// The first of many.
fn named(findings: &[Finding], count: usize) -> String {
    const NAMED: usize = 3;
    let named: Vec<String> = findings.iter().take(NAMED).map(Finding::text).collect();
    let more = match count.saturating_sub(named.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join("; "))
}
