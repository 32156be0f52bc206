//! The result of a history. Field names are part of the interface.

use capture::calendar::date;
use capture::quality::StandstillReason;
use capture::visible::shown_name;
use serde::{Deserialize, Serialize};

use crate::judgement::Doubt;
use crate::machine::Beside;
use crate::measure::Measure;
use crate::notes::Note;

/// The figures of a program over its history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct History {
    /// Name of the unit of work, where all captures counted the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub work: Option<String>,
    /// The oldest first.
    pub commits: Vec<HistoryCommit>,
    /// The whole program first, then each function: the time in itself, and in all that it calls.
    pub series: Vec<Series>,
    /// Functions that newer captures have most of, to choose from.
    pub frequent: Vec<String>,
    /// Captures that were left out.
    pub skipped: Vec<Skipped>,
    /// The remarks that a reader needs before believing it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<Note>>"))]
    pub notes: Vec<Note>,
    /// Why the last commit may not be the newest one of the captures that were given, or not all of it: a gate then
    /// cannot tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<Doubt>>"))]
    pub doubts: Vec<Doubt>,
}

/// Captures that are repetitions of each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct HistoryCommit {
    /// Its name: `v1.2-3-gab12cd3`, `ab12cd3 with changes`, the name of a file.
    pub name: String,
    /// Its whole name; empty when the captures do not record it.
    pub commit: String,
    /// The sources differed from the commit.
    pub dirty: bool,
    /// When the first of its captures was started, milliseconds since 1970; 0 when not known.
    #[cfg_attr(feature = "ts-rs", ts(type = "number"))]
    pub started_unix_ms: u64,
    /// When the commit was made, milliseconds since 1970; absent when not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<f64>"))]
    pub made_unix_ms: Option<u64>,
    /// Names of its captures.
    pub captures: Vec<String>,
}

/// The subject of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SeriesOf {
    /// All that is not idle.
    Whole,
    /// A function itself.
    #[serde(rename = "self")]
    Itself,
    /// A function with all that it calls.
    Total,
}

/// One thing over all commits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Series {
    /// The figure of the function, or the whole.
    pub of: SeriesOf,
    /// The function; absent for the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub function: Option<String>,
    /// The normalisation of the figures.
    pub measure: Measure,
    /// Their unit, for people.
    pub unit: String,
    /// One for each commit.
    pub points: Vec<HistoryPoint>,
    /// Where the values change, the oldest first.
    pub steps: Vec<HistoryStep>,
    /// The newest commit, compared with those before it; null where there are too few.
    pub latest: Option<Latest>,
    /// How many commits are lacking before the newest one, so that there is nothing to compare it with.
    #[serde(skip)]
    pub commits_lacking: usize,
    /// How the captures of the newest commit were taken in another way than those that it is compared with, which alone
    /// may move its figure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<Note>>"))]
    pub unlike: Vec<Note>,
    /// What each of these may have done.
    #[serde(skip)]
    pub beside: Vec<Beside>,
    /// How far values lie apart where nothing changed.
    pub noise: HistoryNoise,
}

/// The value of a commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct HistoryPoint {
    /// Of all its captures together.
    pub value: f64,
    /// 95 % of such intervals hold the true value.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Samples.
    #[cfg_attr(feature = "ts-rs", ts(type = "number"))]
    pub samples: u64,
    /// Of each capture.
    pub captures: Vec<f64>,
}

/// A change that the captures show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct HistoryStep {
    /// Position of the commit that most likely has it first.
    pub at: usize,
    /// Position of the last commit before it: one of `from` to `to` has it first, without `from`, in 95 of 100 cases.
    pub from: usize,
    /// Position of the first commit behind it.
    pub to: usize,
    /// The function whose step has this place: it shows the place more surely than the whole program does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub placed_by: Option<String>,
    /// Mean of the commits since the last step.
    pub before: f64,
    /// Mean of those up to the next.
    pub after: f64,
    /// `after` against `before`, percent.
    pub change_pct: f64,
    /// 95 % of such intervals hold the true change.
    pub low_pct: f64,
    /// Upper end.
    pub high_pct: f64,
    /// Other differences there: another machine, another release.
    pub notes: Vec<Note>,
}

/// The newest commit against what the commits since the last step before it let expect.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Latest {
    /// Its value.
    pub value: f64,
    /// The mean of those before.
    pub expected: f64,
    /// 95 of 100 commits that change nothing lie above.
    pub low: f64,
    /// And below.
    pub high: f64,
    /// How many commits are before.
    pub commits: usize,
    /// Where it lies.
    pub place: LatestPlace,
}

/// Where the newest commit lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LatestPlace {
    /// It takes less than is to be expected.
    Below,
    /// It takes as much as is to be expected.
    Within,
    /// It takes more.
    Above,
}

/// How far values lie apart where nothing changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct HistoryNoise {
    /// Standard deviation from run to run of one commit, percent.
    pub of_runs_pct: f64,
    /// From commit to commit, beyond that.
    pub of_commits_pct: f64,
    /// It was measured in these captures; otherwise it is assumed.
    pub is_measured: bool,
}

/// A capture that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Skipped {
    /// Its name.
    pub capture: String,
    /// Why.
    pub reason: SkipReason,
    /// In English.
    pub text: String,
}

/// Why a capture was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", tag = "kind", content = "value")]
pub enum SkipReason {
    /// It cannot be read: why.
    #[error("{0}")]
    Unreadable(String),
    /// It is the same as another: which.
    #[error("it is a copy of {0}")]
    Copy(String),
    /// It has no busy samples.
    #[error("it has no busy samples")]
    NoSamples,
    /// The same, of a VM that was halted: why.
    #[error("it has no busy samples, and {}", of_halt(.0))]
    NoSamplesHalted(StandstillReason),
    /// It does not record its length.
    #[error("its length is unknown, so there is no time per second")]
    NoLength,
    /// It has memory, not time.
    #[error("it is a profile of memory, not of time")]
    Memory,
    /// It has how long processes waited.
    #[error("it contains how long processes waited, but no processor time")]
    Waiting,
    /// It is of another project than most: its repository, empty where that is not known.
    #[error("it is of another project than most{}", of_repository(.0))]
    OtherProject(String),
    /// Its sources were changed in another way than those of most captures of its commit.
    #[error("its sources have other changes than those of most captures of its commit")]
    OtherChanges,
    /// It is from another tool than most: which, empty for a capture of Extrospect or where that is not
    /// known.
    #[error("it is from another tool than most{}", of_tool(.0))]
    OtherTool(String),
    /// It lacks time in the kernel, which most have.
    #[error("it lacks time in the kernel, which most have")]
    NoKernelTime,
    /// It has time in the kernel, which most lack.
    #[error("it has time in the kernel, which most lack")]
    KernelTime,
    /// It lacks time in the kernel, and others are kept that have it: as many as lack it and the newest, or few beside
    /// those that do not contain it.
    #[error("it lacks time in the kernel, which others that are kept have")]
    NoKernelTimeAsOthers,
    /// It has time in the kernel, and others are kept that lack it: the same.
    #[error("it has time in the kernel, which others that are kept lack")]
    KernelTimeUnlikeOthers,
    /// It does not contain whether it has time in the kernel, as most do.
    #[error("it does not contain whether it has time in the kernel, as most do")]
    KernelTimeNotRecorded,
    /// The others counted this work.
    #[error("it did not count {0}, as the others did")]
    NoWork(String),
}

const fn of_halt(reason: &StandstillReason) -> &'static str {
    match reason {
        StandstillReason::Stopped => "a signal had stopped its VM",
        StandstillReason::Traced => "a debugger held its VM",
        StandstillReason::Frozen => "the control group of its VM was frozen",
    }
}

fn of_repository(address: &str) -> String {
    match address.is_empty() {
        true => String::new(),
        false => format!(", {address}"),
    }
}

fn of_tool(tool: &str) -> String {
    match tool.is_empty() {
        true => String::new(),
        false => format!(": {tool}"),
    }
}

impl HistoryCommit {
    /// The day of the commit, of one that is not known here that of its first capture; `?` when neither is known.
    pub fn day(&self) -> String {
        match (self.made_unix_ms, self.started_unix_ms) {
            (None, 0) => "?".to_owned(),
            (None, ms) | (Some(ms), _) => date(ms / 1000),
        }
    }
}

impl Skipped {
    pub(super) fn new(capture: &str, reason: SkipReason) -> Self {
        Self {
            capture: capture.to_owned(),
            text: reason.to_string(),
            reason,
        }
    }
}

impl Series {
    /// Its subject, for people: `shop:total/1, self`.
    pub fn title(&self) -> String {
        let function = shown_name(self.function.as_deref().unwrap_or_default());
        match self.of {
            SeriesOf::Whole => "whole program".to_owned(),
            SeriesOf::Itself => format!("{function}, self"),
            SeriesOf::Total => format!("{function}, total"),
        }
    }

    /// Whether any capture has it.
    pub fn is_seen(&self) -> bool {
        self.points.iter().any(|point| point.samples > 0)
    }
}
