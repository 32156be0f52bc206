//! The amount of work done while a capture was taken, and the cost of one unit of it.

use serde::Serialize;

use crate::facts::WorkFacts;
use crate::reader::Capture;
use crate::sample_types::CPU;

/// Names longer than this are cut: a capture may come from anywhere.
const MAX_NAME_CHARS: usize = 120;

/// Work that was done while a capture was taken.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkDone {
    /// Name of the unit: `orders`.
    pub name: String,
    /// How many, more than 0.
    pub units: f64,
}

/// Why work that was to be counted is not used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NotCounted {
    /// The capture has no end, and so no second reading.
    #[error("the capture was cut before {name} were counted again")]
    NoEnd {
        /// Name of the unit.
        name: String,
    },
    /// The second reading failed.
    #[error("{name} could not be counted at the end: {why}")]
    NotRead {
        /// Name of the unit.
        name: String,
        /// The reason, as the capture records it.
        why: String,
    },
    /// The counter began anew, most likely because the VM did.
    #[error(
        "the counter of {name} went backwards, from {at_start} to {at_end}: the counting program was restarted"
    )]
    Backwards {
        /// Name of the unit.
        name: String,
        /// The first reading.
        at_start: f64,
        /// The second one.
        at_end: f64,
    },
    /// It stood still.
    #[error("the counter of {name} stood still at {at_end}")]
    Nothing {
        /// Name of the unit.
        name: String,
        /// Both readings.
        at_end: f64,
    },
}

/// Work and its cost, as `--json` has it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkCost {
    /// Name of the unit: `orders`.
    pub name: String,
    /// How many were done; absent when they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<f64>,
    /// Processor time for each of them, microseconds; idle samples are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_us_each: Option<f64>,
    /// Why they are not known, in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl WorkCost {
    /// The work that was counted while `busy_ns` of processor time was used.
    pub fn of(facts: &WorkFacts, duration_ns: u64, busy_ns: u64) -> Self {
        let (name, done) = (name(facts), done(facts, duration_ns));
        let (units, problem) = match done {
            Ok(done) => (Some(done.units), None),
            Err(why) => (None, Some(why.to_string())),
        };
        Self {
            name,
            units,
            cpu_us_each: units.map(|units| busy_ns as f64 / 1000.0 / units),
            problem,
        }
    }

    /// The same of a capture; `None` when no work was counted, or no processor time.
    pub fn of_capture(capture: &Capture) -> Option<Self> {
        let facts = capture.work()?;
        if !capture.has(&CPU) {
            return None;
        }
        let samples = capture.samples_of(&CPU).iter();
        let busy = samples.filter(|it| capture.labels(it.labels).is_busy());
        let busy_ns = busy.map(|it| it.value).fold(0, u64::saturating_add);
        Some(Self::of(&facts, capture.duration_ns(), busy_ns))
    }

    /// `12,300 orders, 4.1 ms of CPU each`, or why it is not known.
    pub fn line(&self) -> String {
        match (self.units, self.cpu_us_each) {
            (Some(units), Some(each)) => {
                let (units, name, each) = (amount(units), &self.name, time(each));
                format!("{units} {name}, {each} of CPU each")
            }
            _ => {
                let problem = self.problem.as_deref().unwrap_or_default();
                format!("not known: {problem}")
            }
        }
    }
}

/// The work that was done while a capture was taken; `None` when none was counted.
pub fn work_done(capture: &Capture) -> Option<Result<WorkDone, NotCounted>> {
    Some(done(&capture.work()?, capture.duration_ns()))
}

fn done(facts: &WorkFacts, duration_ns: u64) -> Result<WorkDone, NotCounted> {
    Ok(WorkDone {
        name: name(facts),
        units: units(facts, duration_ns)?,
    })
}

/// `12,300`; with a decimal where there are few.
pub fn amount(units: f64) -> String {
    let text = match units < 100.0 && units.fract() != 0.0 {
        true => format!("{units:.1}"),
        false => format!("{units:.0}"),
    };
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (position, digit) in whole.char_indices() {
        if position > 0 && (whole.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

/// `4.1 ms`.
fn time(us: f64) -> String {
    match us {
        ..1000.0 => format!("{us:.1} µs"),
        ..1e6 => format!("{:.1} ms", us / 1e3),
        _ => format!("{:.1} s", us / 1e6),
    }
}

/// The readings are taken before and after, so that a little more is counted than was sampled. A slow
/// command makes it much more: the work done each second is taken to be the same all the time.
fn units(facts: &WorkFacts, duration_ns: u64) -> Result<f64, NotCounted> {
    let name = name(facts);
    let Some(at_end) = facts.at_end else {
        return Err(match facts.problem.is_empty() {
            true => NotCounted::NoEnd { name },
            false => NotCounted::NotRead {
                name,
                why: facts.problem.clone(),
            },
        });
    };
    let at_start = facts.at_start;
    if at_end < at_start {
        return Err(NotCounted::Backwards {
            name,
            at_start,
            at_end,
        });
    }
    let between_ms = facts.end_unix_ms.saturating_sub(facts.start_unix_ms);
    let sampled_ms = duration_ns as f64 / 1e6;
    let part = match between_ms as f64 > sampled_ms && sampled_ms > 0.0 {
        true => sampled_ms / between_ms as f64,
        false => 1.0,
    };
    let units = (at_end - at_start) * part;
    // The difference of two numbers can be none.
    match units > 0.0 && units.is_finite() {
        true => Ok(units),
        false => Err(NotCounted::Nothing { name, at_end }),
    }
}

fn name(facts: &WorkFacts) -> String {
    match facts.name.trim() {
        "" => "units".to_owned(),
        name => name.chars().take(MAX_NAME_CHARS).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(at_start: f64, at_end: f64) -> WorkFacts {
        WorkFacts {
            name: "orders".into(),
            at_start,
            start_unix_ms: 1000,
            at_end: Some(at_end),
            end_unix_ms: 13_500,
            problem: String::new(),
        }
    }

    const TEN_SECONDS: u64 = 10_000_000_000;

    #[test]
    fn what_was_done_while_nothing_was_sampled_does_not_count() {
        // Ten seconds were sampled of twelve and a half.
        let cost = WorkCost::of(&facts(100.0, 1350.0), TEN_SECONDS, 5_000_000_000);
        assert_eq!(cost.units, Some(1000.0));
        assert_eq!(cost.cpu_us_each, Some(5000.0));
        assert_eq!(cost.line(), "1,000 orders, 5.0 ms of CPU each");
        // A length that is not known, or that the clock contradicts, scales nothing.
        assert_eq!(done(&facts(0.0, 5.0), 0).unwrap().units, 5.0);
        assert_eq!(done(&facts(0.0, 5.0), u64::MAX).unwrap().units, 5.0);
    }

    #[test]
    fn figures_are_as_people_write_them() {
        assert_eq!(amount(0.25), "0.2");
        assert_eq!(amount(999.9), "1,000");
        assert_eq!(amount(12_345_678.0), "12,345,678");
        assert_eq!(time(1.25), "1.2 µs");
        assert_eq!(time(2e6), "2.0 s");
    }

    #[test]
    fn a_counter_without_a_value_is_not_used() {
        let why = |facts: &WorkFacts| done(facts, TEN_SECONDS).unwrap_err();
        assert!(matches!(
            why(&facts(5.0, 4.0)),
            NotCounted::Backwards { .. }
        ));
        assert!(matches!(why(&facts(5.0, 5.0)), NotCounted::Nothing { .. }));
        let unbelievable = why(&facts(-f64::MAX, f64::MAX));
        assert!(matches!(unbelievable, NotCounted::Nothing { .. }));
        let cut = WorkFacts {
            at_end: None,
            ..facts(5.0, 0.0)
        };
        assert!(matches!(why(&cut), NotCounted::NoEnd { .. }));
        let failed = WorkFacts {
            problem: "no answer".into(),
            ..cut
        };
        assert_eq!(
            why(&failed).to_string(),
            "orders could not be counted at the end: no answer"
        );
    }

    #[test]
    fn work_without_a_name_is_units_and_a_long_name_is_cut() {
        let named = |name: &str| {
            let facts = WorkFacts {
                name: name.into(),
                ..facts(0.0, 1.0)
            };
            done(&facts, 0).unwrap().name
        };
        assert_eq!(named(" "), "units");
        assert_eq!(named(&"x".repeat(5000)).len(), MAX_NAME_CHARS);
    }
}
