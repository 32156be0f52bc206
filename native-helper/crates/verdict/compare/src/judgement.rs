//! The three answers of a gate, of a comparison as of a history, and why one cannot tell.

use serde::{Deserialize, Serialize};

/// The answer of a gate. Nothing that was not measured is ever [`Answer::DoesNotHold`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts-rs", ts(rename = "GateAnswer"))]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The change is proven to be beyond the limit.
    Holds,
    /// The change is proven to be below the limit.
    DoesNotHold,
    /// The captures prove neither.
    CannotTell,
}

impl Answer {
    /// For people, after the condition.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::CannotTell => "cannot tell",
        }
    }

    /// Before the condition, where there is no colour.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Holds => "✗",
            Self::DoesNotHold => "✓",
            Self::CannotTell => "?",
        }
    }
}

/// Why a gate cannot tell, and what would decide it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Doubt {
    /// The kind of reason, for callers that have words of their own for it.
    pub reason: Reason,
    /// Its arguments, in the order that the words need.
    pub values: Vec<String>,
    /// In English.
    pub text: String,
    /// What would decide, in English.
    pub fix: String,
    /// How many captures of this length on each side would decide, where so many would.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub captures: Option<u32>,
    /// How many seconds each capture would have to take, where that would decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub seconds: Option<u32>,
}

/// All reasons for which a gate cannot tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The interval contains the limit.
    Interval,
    /// Too few samples for an interval.
    TooFewSamples,
    /// Of many functions, those whose interval ends below the limit have less than half of the time.
    MostlyUnknown,
    /// Only one side has it.
    OneSide,
    /// Its counterpart on the other side is unknown.
    NotMatched,
    /// The source texts of a side, or of a function that changed, are unknown, so it is not known whether the commit
    /// touched it.
    CodeUnknown,
    /// Neither side has a sample of it.
    NoSamples,
    /// A class that comparisons leave out: waiting.
    NotCompared,
    /// Some captures counted work, others did not, so the figure has another base.
    WorkLost,
    /// Collections that are not charged to it make its change, and beside them it has no interval.
    Collections,
    /// Functions of the same code all changed by one factor.
    SlowMachine,
    /// A quota or a hypervisor took processor time from one side alone.
    ProcessorTimeLost,
    /// The captures of one side were taken in another way: with another tool or engine, with call tracing, or perhaps
    /// without time in the kernel.
    UnlikeSides,
    /// A capture is on both sides, and so every change smaller than it is.
    OnBothSides,
    /// The commits before the newest one are too few to expect anything.
    TooFewCommits,
    /// No capture of the newest commit can be used.
    NewestLeftOut,
    /// A capture of the newest commit is cut, or was not closed.
    NewestCut,
    /// A file cannot be read, so that it may be of the newest commit.
    Unreadable,
    /// It is not known whether a commit is older than the one that is judged.
    OrderUnknown,
}

impl Doubt {
    pub(crate) fn new(
        reason: Reason,
        values: &[&str],
        text: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            reason,
            values: values.iter().map(|&value| value.to_owned()).collect(),
            text: text.into(),
            fix: fix.into(),
            captures: None,
            seconds: None,
        }
    }
}

/// Doubts in one line: those that come first, and what would decide them.
pub(crate) fn doubts_text(doubts: &[Doubt]) -> String {
    const SHOWN: usize = 3;
    let shown = doubts.iter().take(SHOWN);
    let mut parts: Vec<&str> = shown.clone().map(|doubt| doubt.text.as_str()).collect();
    let more = doubts.len().saturating_sub(SHOWN);
    let more = format!("{more} more reasons");
    if doubts.len() > SHOWN {
        parts.push(&more);
    }
    let mut fixes: Vec<&str> = Vec::new();
    for doubt in shown {
        if !doubt.fix.is_empty() && !fixes.contains(&doubt.fix.as_str()) {
            fixes.push(&doubt.fix);
        }
    }
    parts.extend(fixes);
    parts.join("; ")
}
