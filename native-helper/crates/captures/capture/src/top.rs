//! Which functions burn the CPU.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use shared_sort::SharedSort;

use crate::class_split::{Totals, WAITING, percent, stand_in};
use crate::counts::Counts;
use crate::own::OwnCode;
use crate::percent_of::PercentOf;
use crate::place::Place;
use crate::quality::QualityRecord;
use crate::reader::{Capture, Frame, FunctionIndex, LabelsView};
use crate::sample::{FrameKind, Trust};
use crate::unnamed::{NamedCallers, Surroundings, UnnamedCode};

/// What to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SortBy {
    /// Samples in the function itself.
    #[default]
    SelfSamples,
    /// Samples in the function and its callees.
    TotalSamples,
    /// Samples that count for the function as the user's own code.
    OwnSamples,
}

/// How to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TopOptions<'a> {
    /// Order of the rows.
    pub sort: SortBy,
    /// Only Erlang functions and BIFs: what C code above them takes counts as theirs. Samples
    /// that show no such function appear under markers (`[unproven]`, `[scheduler]`, `[system task]`, `[idle]`, `[busy wait]`),
    /// and so do bracketed ones (`[bracketed]`), of which only deeper frames are known, unless
    /// their BIF is.
    pub only_erlang: bool,
    /// The user's own code, to count it as well. Samples without a frame of it appear under
    /// markers.
    pub own: Option<&'a OwnCode>,
    /// C functions without a name each on its own, called by their address. Otherwise those inside
    /// one function with a name are one row.
    pub with_addresses: bool,
    /// What 100 % is to be. Samples that are no part of it are in no row.
    pub percent_of: PercentOf,
}

/// The answer. In it 100 % is all samples for `_pct`, all of work for `_busy_pct`. Samples are in the unit of the
/// capture's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Top {
    /// All samples.
    pub samples: u64,
    /// All samples of work.
    pub busy: u64,
    /// The rows.
    pub functions: Vec<TopRow>,
    /// How far this can be trusted, if the capture records it.
    pub quality: Option<QualityRecord>,
}

/// One function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TopRow {
    /// Name as shown, or a marker in brackets.
    pub function: String,
    /// Kind of code.
    pub kind: FrameKind,
    /// Source file: as the user has it when the function is their own, else as the VM reports it;
    /// empty when not known.
    pub file: String,
    /// Line of the function head in that file; 0 when not known, or when the head is in another file.
    pub line: u32,
    /// For a C function whose name was stripped from the binary, when it is called by its address:
    /// the nearest function with a name that most of its samples were called from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    pub called_from: Option<String>,
    /// Samples that count for the function as the user's own code: it is the innermost frame of
    /// that code. Absent unless requested.
    #[serde(rename = "own", skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    pub own_samples: Option<u64>,
    /// `own` as percent of all samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    pub own_pct: Option<f64>,
    /// Samples in the function itself.
    #[serde(rename = "self")]
    pub self_samples: u64,
    /// Samples with the function anywhere in the stack, each counted once.
    #[serde(rename = "total")]
    pub total_samples: u64,
    /// `self` as percent of all samples.
    pub self_pct: f64,
    /// `total` as percent of all samples.
    pub total_pct: f64,
    /// `self` as percent of the samples of work.
    pub self_busy_pct: f64,
    /// `total` as percent of the samples of work.
    pub total_busy_pct: f64,
}

/// A function, or a row in place of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum RowKey {
    Function(FunctionIndex),
    /// C code without a name, of one kind.
    Unnamed(Surroundings, FrameKind),
    Marker(&'static str),
}

/// Counts self and total of every function, and own where the user's own code is known.
pub fn top(capture: &Capture, options: &TopOptions<'_>) -> Top {
    let mut counting = Counting::new(capture, options);
    for (labels, frames, count) in merged(capture, options.percent_of) {
        counting.add(&labels, &frames, count);
    }
    let totals = Totals::of(capture);
    let mut functions = counting.rows(totals);
    functions.shared_sort_by(|a, b| {
        let by = |row: &TopRow| {
            let (own, itself, total) = (row.own_samples, row.self_samples, row.total_samples);
            match options.sort {
                SortBy::OwnSamples => (own, itself, total),
                SortBy::SelfSamples => (Some(itself), total, 0),
                SortBy::TotalSamples => (Some(total), itself, 0),
            }
        };
        by(b).cmp(&by(a)).then_with(|| a.function.cmp(&b.function))
    });
    Top {
        samples: totals.samples,
        busy: totals.busy,
        functions,
        quality: capture.quality(),
    }
}

/// A count in progress.
struct Counting<'a> {
    capture: &'a Capture,
    options: &'a TopOptions<'a>,
    unnamed: UnnamedCode,
    counts: HashMap<RowKey, Counts>,
    callers: NamedCallers,
}

impl<'a> Counting<'a> {
    fn new(capture: &'a Capture, options: &'a TopOptions<'a>) -> Self {
        Self {
            capture,
            options,
            unnamed: UnnamedCode::of(capture),
            counts: HashMap::new(),
            callers: NamedCallers::default(),
        }
    }

    fn add(&mut self, labels: &LabelsView<'_>, frames: &[Frame], count: u64) {
        let mut keys = self.keys(frames);
        let leaf = if self.options.only_erlang {
            erlang_owner(self.capture, labels, frames)
                .map_or_else(RowKey::Marker, |function| self.function(function))
        } else {
            keys.first()
                .copied()
                .unwrap_or(RowKey::Marker("[no stack]"))
        };
        let counts = self.counts.entry(leaf).or_default();
        counts.self_samples = counts.self_samples.saturating_add(count);
        if let Some(own) = self.options.own {
            let owner = own.owner(labels, frames);
            let key = owner.map_or_else(RowKey::Marker, |frame| self.function(frame.function));
            let counts = self.counts.entry(key).or_default();
            counts.own_samples = counts.own_samples.saturating_add(count);
        }
        if self.options.with_addresses {
            self.callers.add(&self.unnamed, frames, count);
        }
        keys.push(leaf);
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let counts = self.counts.entry(key).or_default();
            counts.total_samples = counts.total_samples.saturating_add(count);
        }
    }

    /// The rows that the frames count for, if any.
    fn keys(&self, frames: &[Frame]) -> Vec<RowKey> {
        let kind = |frame: &Frame| self.capture.function(frame.function).kind;
        if self.options.only_erlang {
            let counting = frames.iter().filter(|frame| is_erlang(kind(frame)));
            return counting
                .map(|frame| self.function(frame.function))
                .collect();
        }
        if self.options.with_addresses {
            let all = frames.iter();
            return all.map(|frame| self.function(frame.function)).collect();
        }
        let surroundings = self.unnamed.surroundings(frames);
        let both = frames.iter().zip(surroundings);
        both.map(|(frame, surroundings)| match surroundings {
            Some(surroundings) => RowKey::Unnamed(surroundings, kind(frame)),
            None => self.function(frame.function),
        })
        .collect()
    }

    fn function(&self, function: FunctionIndex) -> RowKey {
        let own = self.options.own;
        RowKey::Function(own.map_or(function, |own| own.counts_for(function)))
    }

    fn rows(&self, totals: Totals) -> Vec<TopRow> {
        let rows = self.counts.iter();
        rows.map(|(key, counts)| self.row(*key, *counts, totals))
            .collect()
    }

    fn row(&self, key: RowKey, counts: Counts, totals: Totals) -> TopRow {
        let unplaced = |function, kind| (function, kind, Place::default());
        let (function, kind, head) = match key {
            RowKey::Function(index) => {
                let view = self.capture.function(index);
                let own = self.options.own.map(|own| own.head(self.capture, index));
                let head = own.unwrap_or_else(|| view.head());
                (view.name.to_owned(), view.kind, head)
            }
            RowKey::Unnamed(surroundings, kind) => unplaced(surroundings.text(self.capture), kind),
            RowKey::Marker(text) => unplaced(text.to_owned(), FrameKind::Marker),
        };
        let Counts {
            own_samples,
            self_samples,
            total_samples,
        } = counts;
        let called_from = match key {
            RowKey::Function(index) => self.callers.most_frequent(self.capture, index),
            RowKey::Unnamed(..) | RowKey::Marker(_) => None,
        };
        let busy = if WAITING.contains(&function.as_str()) {
            0
        } else {
            totals.busy
        };
        let own_samples = self.options.own.map(|_| own_samples);
        TopRow {
            function,
            kind,
            file: head.file().to_owned(),
            line: head.line(),
            called_from,
            own_samples,
            own_pct: own_samples.map(|own| percent(own, totals.samples)),
            self_samples,
            total_samples,
            self_pct: percent(self_samples, totals.samples),
            total_pct: percent(total_samples, totals.samples),
            self_busy_pct: percent(self_samples, busy),
            total_busy_pct: percent(total_samples, busy),
        }
    }
}

/// Stacks of the samples that are a part of the base, with their frames; equal ones with equal labels
/// taken together.
pub(crate) fn merged(
    capture: &Capture,
    percent_of: PercentOf,
) -> impl Iterator<Item = (LabelsView<'_>, Vec<Frame>, u64)> {
    let mut counts = HashMap::new();
    let samples = capture.samples().iter();
    for sample in samples.filter(|it| percent_of.counts(&capture.labels(it.labels))) {
        let count: &mut u64 = counts.entry((sample.stack, sample.labels)).or_default();
        *count = count.saturating_add(capture.amount(sample));
    }
    counts.into_iter().map(|((stack, labels), count)| {
        (
            capture.labels(labels),
            capture.frames(stack).collect(),
            count,
        )
    })
}

/// Whether `top` and `blame` take code of this kind for Erlang.
pub fn is_erlang(kind: FrameKind) -> bool {
    matches!(kind, FrameKind::Erlang | FrameKind::Bif)
}

/// The function that a sample counts for when only Erlang functions and BIFs count, or the marker
/// in its place.
fn erlang_owner(
    capture: &Capture,
    labels: &LabelsView<'_>,
    frames: &[Frame],
) -> Result<FunctionIndex, &'static str> {
    let nearest = frames
        .iter()
        .find(|frame| is_erlang(capture.function(frame.function).kind));
    match nearest {
        // The frames between the C code and this one are not known: it is not its own time.
        Some(frame)
            if labels.trust == Some(Trust::Bracketed)
                && capture.function(frame.function).kind == FrameKind::Erlang =>
        {
            Err("[bracketed]")
        }
        Some(frame) => Ok(frame.function),
        None => stand_in(capture, labels, frames),
    }
}
