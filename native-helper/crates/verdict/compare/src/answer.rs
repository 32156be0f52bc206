//! The result of a comparison. Field names are part of the interface.

use std::cmp::Ordering;

use capture::sample::{FrameKind, SampleClass};
use serde::{Deserialize, Serialize};

use crate::matching::{MatchedBy, Unmatched};
use crate::measure::Measure;
use crate::moved::{Amount, Moved};
use crate::notes::Note;
use crate::remark::Remark;
use crate::row_group::RowGroup;
use crate::tracks::TrackChange;
use crate::verdicts::Verdict;

/// Two sides, compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Comparison {
    /// The normalisation of the figures.
    pub measure: Measure,
    /// Their unit, for people.
    pub unit: String,
    /// Name of the unit of work, where all captures counted the same: then the normalisation `work` is
    /// to be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub work: Option<String>,
    /// The older side.
    pub base: SideSummary,
    /// The newer side.
    pub new: SideSummary,
    /// How the intervals came about.
    pub method: Method,
    /// The remarks that a reader needs before believing it.
    pub notes: Vec<Note>,
    /// The whole program; absent where the captures have no processor time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub whole: Option<Whole>,
    /// Functions with the largest difference first.
    pub functions: Vec<FunctionChange>,
    /// Classes of samples (GC, copying, ...), the largest difference first.
    pub classes: Vec<ClassChange>,
    /// The functions that classes of native work are done for, the largest difference first.
    pub blame: Vec<BlameChange>,
    /// Work that is done in another function than before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<Moved>>"))]
    pub moved: Vec<Moved>,
    /// The VMs' figures about themselves during the captures; absent where a side has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<TrackChange>>"))]
    pub tracks: Vec<TrackChange>,
}

/// One side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct SideSummary {
    /// Its name.
    pub name: String,
    /// Captures that were pooled.
    pub captures: usize,
    /// Samples of all, idle ones too.
    pub samples: u64,
    /// Samples that are not idle.
    pub busy: u64,
    /// Length of all.
    pub seconds: f64,
    /// Units of work done in all; absent where a capture counted none, or counted something that
    /// the other side did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub work: Option<f64>,
    /// Time for which a quota or a hypervisor kept it from processors, percent of the processor time that it used;
    /// absent where a capture does not contain it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub lost_pct: Option<f64>,
    /// Frequency of the fastest processor in all captures, MHz: the mean, the lowest, the highest; absent where a capture
    /// does not contain it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub mhz: Option<[u32; 3]>,
    /// Whether time in the kernel is in all captures, or in none; absent where a capture does not contain that, and where
    /// they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub kernel_time: Option<bool>,
    /// The commit that all captures are of, with the tag nearest to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub version: Option<Version>,
}

/// A commit as people name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Version {
    /// Its full name.
    pub commit: String,
    /// Its name by `git describe`: `v2.14.0`; empty when not known.
    pub describe: String,
    /// Address of the repository, without secrets; empty when not known.
    pub repository: String,
    /// The sources differed from it.
    pub dirty: bool,
}

/// The figures of the whole program on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Whole {
    /// The normalisation of its figures: never a share, since the whole of a program is always all
    /// of it.
    pub measure: Measure,
    /// Their unit, for people.
    pub unit: String,
    /// How it changed. It is one question, so it is not tested together with those about functions.
    #[serde(flatten)]
    pub change: Change,
    /// The value of each capture of the older side.
    pub base_captures: Vec<f64>,
    /// The value of each capture of the newer side.
    pub new_captures: Vec<f64>,
    /// The smallest change that such captures show 9 times of 10, percent.
    pub smallest_visible_pct: f64,
    /// The factor by which functions of the same code changed, in the normalisation of the whole. It is in its figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub alike: Option<MovedAlike>,
}

/// One factor by which functions of the same code changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct MovedAlike {
    /// Percent.
    pub change_pct: f64,
    /// 95 % of such intervals hold the true factor.
    pub low_pct: f64,
    /// Upper end.
    pub high_pct: f64,
    /// How many functions it comes from.
    pub functions: usize,
    /// It is taken out of the changes of functions, whose intervals are wider by its own.
    pub taken_out: bool,
}

/// How intervals and verdicts came about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Method {
    /// Length of the blocks of time that were resampled, milliseconds; 0 when the samples of some
    /// capture have no times.
    pub block_ms: u64,
    /// Captures were resampled, too: both sides have several. Otherwise only time within a run was.
    pub resampled_captures: bool,
    /// Standard deviation of a typical function from run to run, percent.
    pub spread_pct: f64,
    /// It was measured in these captures; otherwise it is assumed.
    pub spread_measured: bool,
    /// Of the changes that are claimed, the percentage that may be none.
    pub false_discoveries_pct: f64,
    /// Captures were taken in pairs, one of each side, and the spread is that between pairs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<bool>"))]
    pub paired: bool,
}

/// One function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct FunctionChange {
    /// As shown on the newer side, else on the older one.
    pub function: String,
    /// Its name on the older side, when that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub base_function: Option<String>,
    /// How the two were matched; null for a function of one side.
    pub matched_by: Option<MatchedBy>,
    /// Why it is not known which function of the other side it is, if any; then its verdict is
    /// `not_matched`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub unmatched: Option<Unmatched>,
    /// Kind of code.
    pub kind: FrameKind,
    /// Source file as the VM reports it; empty when not known.
    pub file: String,
    /// Line of its head; 0 when not known.
    pub line: u32,
    /// Its file below the top of the repository, where the captures record it; on the side that `file`
    /// is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub path: Option<String>,
    /// The same on the older side, when it has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub base_file: Option<String>,
    /// Line of its head there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub base_line: Option<u32>,
    /// Time in the function itself.
    #[serde(rename = "self")]
    pub itself: Change,
    /// Time in the function and its callees.
    pub total: Change,
    /// Time that counts for the function as the user's own code. Absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub own: Option<Change>,
    /// The same without collections.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub own_without_gc: Option<Change>,
    /// A remark beside the figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub remark: Option<Remark>,
    /// Its code differs between the commits of both sides; absent where that is not known, as of code that neither
    /// commit has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub touched: Option<bool>,
    /// Whose code it is: the user's own comes first, and the inside of the runtime last.
    pub group: RowGroup,
    /// The function that it calls all the time, and whose total is its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub wrapper_of: Option<String>,
}

/// How much something changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Change {
    /// Value on the older side, in the unit of the normalisation.
    pub base: f64,
    /// Value on the newer side.
    pub new: f64,
    /// Samples on the older side; where samples have weights, how many of one weight would be as informative.
    pub base_samples: u64,
    /// The same on the newer side.
    pub new_samples: u64,
    /// `new` against `base`, percent; null where a side has nothing.
    pub change_pct: Option<f64>,
    /// 95 % of such intervals hold the true change, of the whole 99 %.
    pub low_pct: Option<f64>,
    /// Upper end.
    pub high_pct: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// The value in each capture, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub captures: Option<Box<EachCapture>>,
}

/// The value of something in each capture of both sides, in the order of the captures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct EachCapture {
    /// Of the older side.
    pub base: Vec<f64>,
    /// Of the newer side.
    pub new: Vec<f64>,
}

/// One class of samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct ClassChange {
    /// The class; null for samples of profiles without classes.
    pub class: Option<SampleClass>,
    /// How it changed.
    #[serde(flatten)]
    pub change: Change,
}

/// Native work of one class, for one Erlang function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct BlameChange {
    /// The class.
    pub class: SampleClass,
    /// The nearest Erlang function.
    pub function: String,
    /// How it changed.
    #[serde(flatten)]
    pub change: Change,
}

impl FunctionChange {
    /// Self, total, and own if requested.
    pub fn columns(&self) -> impl Iterator<Item = &Change> {
        [Some(&self.itself), Some(&self.total), self.own.as_ref()]
            .into_iter()
            .flatten()
    }

    /// Whether collections make the change of a column, own or total, and are not charged to the function.
    pub(crate) fn is_uncharged(&self, column: &Change) -> bool {
        self.remark == Some(Remark::CollectionsMoved) && column.verdict == Verdict::Noise
    }

    /// Own time as it is judged: without collections where these are not charged to the function.
    pub(crate) fn own_as_charged(&self) -> Option<&Change> {
        let own = self.own.as_ref()?;
        match self.is_uncharged(own) {
            true => self.own_without_gc.as_ref(),
            false => Some(own),
        }
    }

    /// The most informative column: of own (if requested), self and total the first with a change,
    /// else the first with a sample, else total.
    pub fn headline(&self) -> &Change {
        self.headline_column().1
    }

    /// The same with the name of the column.
    pub fn headline_column(&self) -> (&'static str, &Change) {
        let own = self.own.as_ref().map(|own| ("own", own));
        let others = [("self", &self.itself), ("total", &self.total)];
        let columns = own.into_iter().chain(others);
        let find = |is_it: fn(&Change) -> bool| columns.clone().find(|(_, change)| is_it(change));
        find(|change| change.verdict.is_change())
            .or_else(|| find(Change::is_sampled))
            .unwrap_or(others[1])
    }
}

impl Change {
    /// `-3.1 … +4.0`, percent; empty where there is none.
    pub fn interval_text(&self) -> String {
        match (self.low_pct, self.high_pct) {
            (Some(low), Some(high)) => format!("{low:+.1} … {high:+.1}"),
            _ => String::new(),
        }
    }

    pub(crate) fn amount(&self) -> Amount {
        Amount {
            base: self.base,
            new: self.new,
        }
    }

    /// Of both sides together, in the unit of the normalisation.
    pub(crate) fn time(&self) -> f64 {
        self.base + self.new
    }

    /// Whether either side has a sample of it.
    pub(crate) fn is_sampled(&self) -> bool {
        self.base_samples > 0 || self.new_samples > 0
    }

    /// How much it weighs for the whole: the difference in the unit of the normalisation.
    pub fn difference(&self) -> f64 {
        self.new - self.base
    }

    /// The order of rows: the larger difference comes first.
    pub(crate) fn larger_first(&self, other: &Self) -> Ordering {
        let size = |change: &Self| change.difference().abs();
        size(other).total_cmp(&size(self))
    }
}
