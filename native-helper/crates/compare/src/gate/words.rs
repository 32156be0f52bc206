//! The text of a gate.

use capture::visible::shown_name;

use super::{Caution, Finding, Gate};
use crate::measure::Measure;

impl Gate {
    /// One line: verdict, measured value, interval, limit, and their subject.
    pub fn text(&self) -> String {
        let verdict = match self.holds {
            true => "holds",
            false => "does not hold",
        };
        let what = match (&self.measured, self.holds) {
            (Some(measured), _) => format!(": {}, {}", measured.text(), self.of()),
            (None, true) => {
                let names = named(&self.met_by, self.counts[0]);
                format!(" for {names}, {}", self.of())
            }
            (None, false) => String::new(),
        };
        format!("{} {verdict}{what}{}", self.condition, self.but())
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
            format!("; of {pct:.0} % of the time it cannot tell: nobody knows what those functions are on the other side")
        });
        let cautions = self.cautions.iter().map(|caution| match caution {
            Caution::NoWork => "; no work was counted: a program that takes all the processors it gets takes as much each second however slow it is (record with --work-command or --work-metric)",
            Caution::OneCapture => "; with one capture on a side, the difference between runs is assumed",
        });
        unknown.unwrap_or_default() + &cautions.collect::<String>()
    }

    /// The reason why a bisection cannot decide, and the remedy.
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
            (_, 2..) => {
                "name one function and its column, as in shop:total/1.total.slower>5%, or the whole where the captures tell one"
                    .to_owned()
            }
            (Some(captures), _) => {
                format!("take about {captures} captures of this length for each side")
            }
            (None, _) if first.is_wide() => {
                "record longer captures, and several of each side: runs differ by more than the limit asks"
                    .to_owned()
            }
            (None, _) => {
                "choose another limit: this one is too close to what is measured".to_owned()
            }
        };
        (what, fix)
    }
}

impl Finding {
    /// The interval spans more than the limit on both sides of the measured value.
    fn is_wide(&self) -> bool {
        match (self.value, self.low, self.high) {
            (Some(value), Some(low), Some(high)) => {
                (high - low) / 2.0 > self.limit.max((value - self.limit).abs())
            }
            _ => false,
        }
    }

    /// `shop:total/1 total +12.3 % (+9.1 … +15.6), limit 10 %`.
    pub fn text(&self) -> String {
        let unit = match self.unit.as_str() {
            "us/unit" => "µs/unit",
            unit => unit,
        };
        let name = shown_name(&self.name);
        let name = match self.column.as_deref() {
            Some(column) => format!("{name} ({column})"),
            None => name.into_owned(),
        };
        let value = match (self.value, self.low, self.high) {
            (Some(value), Some(low), Some(high)) if self.less => {
                format!("{value:.1} {unit} less ({low:.1} … {high:.1})")
            }
            (Some(value), Some(low), Some(high)) => {
                format!("{value:+.1} {unit} ({low:+.1} … {high:+.1})")
            }
            (Some(value), ..) if self.less => format!("{value:.1} {unit} less"),
            (Some(value), ..) => format!("{value:+.1} {unit}"),
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
