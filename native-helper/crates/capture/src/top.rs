//! Which functions burn the CPU.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::class_split::{Totals, marker, percent};
use crate::quality::QualityRecord;
use crate::reader::{Capture, Frame, FunctionIndex, FunctionView, LabelsView};
use crate::sample::{FrameKind, Trust};

/// What to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SortBy {
    /// Samples in the function itself.
    #[default]
    SelfSamples,
    /// Samples in the function and what it calls.
    TotalSamples,
}

/// How to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TopOptions {
    /// Order of the rows.
    pub sort: SortBy,
    /// Only Erlang functions and BIFs: what C code above them takes counts as theirs. Samples
    /// that show no such function appear under markers (`[unproven]`, `[scheduler]`, `[system task]`, `[idle]`),
    /// and so do bracketed ones (`[bracketed]`), of which only deeper frames are known, unless
    /// their BIF is.
    pub only_erlang: bool,
    /// At most so many rows; 0 for all.
    pub max_rows: usize,
}

/// The answer. In it 100 % is all samples for `_pct`, all but idle ones for `_busy_pct`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Top {
    /// All samples.
    pub samples: u64,
    /// All samples but idle ones.
    pub busy: u64,
    /// The rows.
    pub functions: Vec<TopRow>,
    /// How far this can be trusted, when the capture says so.
    pub quality: Option<QualityRecord>,
}

/// One function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TopRow {
    /// Name as shown, or a marker in brackets.
    pub function: String,
    /// Kind of code.
    pub kind: FrameKind,
    /// Source file; empty when not known.
    pub file: String,
    /// Line of the function head; 0 when not known.
    pub line: u32,
    /// For a C function whose name was stripped from the binary: the nearest function with a name
    /// that most of its samples were called from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    pub called_from: Option<String>,
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
    /// `self` as percent of the samples that are not idle.
    pub self_busy_pct: f64,
    /// `total` as percent of the samples that are not idle.
    pub total_busy_pct: f64,
}

/// A function, or what stands for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum RowKey {
    Function(FunctionIndex),
    Marker(&'static str),
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    self_samples: u64,
    total_samples: u64,
}

/// Counts self and total of every function.
pub fn top(capture: &Capture, options: &TopOptions) -> Top {
    let mut counts: HashMap<RowKey, Counts> = HashMap::new();
    let mut seen: Vec<RowKey> = Vec::new();
    let mut callers = NamedCallers::default();
    for (labels, frames, count) in merged(capture) {
        let own = if options.only_erlang {
            erlang_owner(capture, &labels, &frames)
        } else {
            frames.first().map_or(RowKey::Marker("[no stack]"), |leaf| {
                RowKey::Function(leaf.function)
            })
        };
        callers.add(capture, &frames, count);
        let entry = counts.entry(own).or_default();
        entry.self_samples = entry.self_samples.saturating_add(count);
        seen.clear();
        seen.push(own);
        seen.extend(
            frames
                .iter()
                .filter(|frame| {
                    !options.only_erlang || is_erlang(capture.function(frame.function).kind)
                })
                .map(|frame| RowKey::Function(frame.function)),
        );
        seen.sort_unstable_by_key(|key| match key {
            RowKey::Function(index) => (0, index.as_usize()),
            RowKey::Marker(text) => (1, text.as_ptr() as usize),
        });
        seen.dedup();
        for key in &seen {
            let entry = counts.entry(*key).or_default();
            entry.total_samples = entry.total_samples.saturating_add(count);
        }
    }
    let totals = Totals::of(capture);
    let mut functions: Vec<_> = counts
        .into_iter()
        .map(|(key, counts)| {
            let mut row = row(capture, key, counts, totals);
            row.called_from = callers.most_frequent(capture, key);
            row
        })
        .collect();
    functions.sort_by(|a, b| {
        let by = |row: &TopRow| match options.sort {
            SortBy::SelfSamples => (row.self_samples, row.total_samples),
            SortBy::TotalSamples => (row.total_samples, row.self_samples),
        };
        by(b).cmp(&by(a)).then_with(|| a.function.cmp(&b.function))
    });
    if options.max_rows > 0 {
        functions.truncate(options.max_rows);
    }
    Top {
        samples: totals.samples,
        busy: totals.busy,
        functions,
        quality: capture.quality(),
    }
}

/// Stacks with their frames, equal ones with equal labels taken together.
pub(crate) fn merged(capture: &Capture) -> impl Iterator<Item = (LabelsView<'_>, Vec<Frame>, u64)> {
    let mut counts = HashMap::new();
    for sample in capture.samples() {
        let count: &mut u64 = counts.entry((sample.stack, sample.labels)).or_default();
        *count = count.saturating_add(sample.count);
    }
    counts.into_iter().map(|((stack, labels), count)| {
        (
            capture.labels(labels),
            capture.frames(stack).collect(),
            count,
        )
    })
}

/// For leaves without a name: how often which named function was the nearest below them.
#[derive(Debug, Default)]
struct NamedCallers(HashMap<FunctionIndex, HashMap<FunctionIndex, u64>>);

impl NamedCallers {
    fn add(&mut self, capture: &Capture, frames: &[Frame], count: u64) {
        let Some((leaf, callers)) = frames.split_first() else {
            return;
        };
        if !is_stripped(&capture.function(leaf.function)) {
            return;
        }
        let named = callers.iter().find(|frame| {
            let view = capture.function(frame.function);
            let is_code = !matches!(view.kind, FrameKind::Marker | FrameKind::Fragment);
            is_code && !is_stripped(&view)
        });
        if let Some(named) = named {
            let counts = self.0.entry(leaf.function).or_default();
            *counts.entry(named.function).or_default() += count;
        }
    }

    fn most_frequent(&self, capture: &Capture, key: RowKey) -> Option<String> {
        let RowKey::Function(function) = key else {
            return None;
        };
        let (caller, _) = self
            .0
            .get(&function)?
            .iter()
            .max_by_key(|(caller, count)| (**count, std::cmp::Reverse(caller.as_usize())))?;
        Some(capture.function(*caller).name.to_owned())
    }
}

/// A function whose bounds are known but whose name was stripped: `beam.smp!fn@0x1a2b30`.
fn is_stripped(function: &FunctionView<'_>) -> bool {
    function.name.contains("!fn@")
}

pub(crate) fn is_erlang(kind: FrameKind) -> bool {
    matches!(kind, FrameKind::Erlang | FrameKind::Bif)
}

/// Whose the sample is when only Erlang functions and BIFs count.
fn erlang_owner(capture: &Capture, labels: &LabelsView<'_>, frames: &[Frame]) -> RowKey {
    let nearest = frames
        .iter()
        .find(|frame| is_erlang(capture.function(frame.function).kind));
    match nearest {
        // The frames between the C code and this one are not known: it is not its own time.
        Some(frame)
            if labels.trust == Some(Trust::Bracketed)
                && capture.function(frame.function).kind == FrameKind::Erlang =>
        {
            RowKey::Marker("[bracketed]")
        }
        Some(frame) => RowKey::Function(frame.function),
        None => RowKey::Marker(marker(labels)),
    }
}

fn row(capture: &Capture, key: RowKey, counts: Counts, totals: Totals) -> TopRow {
    let (function, kind, file, line) = match key {
        RowKey::Function(index) => {
            let view = capture.function(index);
            (view.name, view.kind, view.file, view.head_line)
        }
        RowKey::Marker(text) => (text, FrameKind::Marker, "", 0),
    };
    let Counts {
        self_samples,
        total_samples,
    } = counts;
    let idle = function == "[idle]";
    let busy_percent = |part| {
        if idle {
            0.0
        } else {
            percent(part, totals.busy)
        }
    };
    TopRow {
        function: function.to_owned(),
        kind,
        file: file.to_owned(),
        line,
        called_from: None,
        self_samples,
        total_samples,
        self_pct: percent(self_samples, totals.samples),
        total_pct: percent(total_samples, totals.samples),
        self_busy_pct: busy_percent(self_samples),
        total_busy_pct: busy_percent(total_samples),
    }
}
