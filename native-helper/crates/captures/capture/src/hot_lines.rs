//! Which source lines burn the CPU.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use shared_sort::SharedSort;

use crate::class_split::percent;
use crate::counts::Counts;
use crate::own::{OwnCode, OwnSource};
use crate::percent_of::PercentOf;
use crate::place::Place;
use crate::reader::{Capture, Frame, FunctionIndex, LabelsView};
use crate::top::merged;

/// One line of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HotLine {
    /// Source file: as the user has it when the line is their own, else as the VM reports it.
    pub file: String,
    /// Line; 0 for code of the user's whose line is not known, and for the markers of samples
    /// without own code.
    pub line: u32,
    /// Name of the function as shown, or a marker in brackets.
    pub function: String,
    /// Samples that count for the line as the user's own code. Absent unless requested.
    #[serde(rename = "own", skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    pub own_samples: Option<u64>,
    /// `own` as percent of all samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default)]
    pub own_pct: Option<f64>,
    /// Samples in the line itself: it is the nearest one to the leaf that is known.
    #[serde(rename = "self")]
    pub self_samples: u64,
    /// Samples with the line anywhere in the stack, each counted once.
    #[serde(rename = "total")]
    pub total_samples: u64,
}

/// A line while counting. The function gives it its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum LineKey {
    At(FunctionIndex, u32),
    Marker(&'static str),
}

/// Counts self and total of every line of every function, and own where the user's own code is
/// known. The most own time comes first, or without it the most self time. Samples that are no part of
/// `percent_of` are in no line.
pub fn hot_lines(capture: &Capture, own: Option<&OwnCode>, percent_of: PercentOf) -> Vec<HotLine> {
    let mut counting = Counting {
        capture,
        own: own.map(|code| OwnLines::of(capture, code)),
        counts: HashMap::new(),
    };
    for (labels, frames, count) in merged(capture, percent_of) {
        counting.add(&labels, &frames, count);
    }
    let samples = capture.total_amount();
    let counts = counting.counts.iter();
    let mut lines: Vec<_> = counts
        .map(|(key, counts)| counting.line(*key, *counts, samples))
        .collect();
    lines.shared_sort_by(|a, b| {
        let by = |line: &HotLine| (line.own_samples, line.self_samples, line.total_samples);
        let places = (&a.file, a.line, &a.function).cmp(&(&b.file, b.line, &b.function));
        by(b).cmp(&by(a)).then(places)
    });
    lines
}

/// A count in progress.
struct Counting<'a> {
    capture: &'a Capture,
    own: Option<OwnLines<'a>>,
    counts: HashMap<LineKey, Counts>,
}

/// The user's own code by its lines.
struct OwnLines<'a> {
    code: &'a OwnCode,
    /// For each function, the one in whose rows its lines are: it has the same name and file. A capture has a function
    /// anew for each head that its VM reported.
    rows_of: Vec<FunctionIndex>,
}

impl<'a> OwnLines<'a> {
    fn of(capture: &'a Capture, code: &'a OwnCode) -> Self {
        let mut homes: HashMap<(&str, &str), FunctionIndex> = HashMap::new();
        let home = |index: FunctionIndex| {
            (
                capture.function(index).raw_name,
                code.head(capture, index).file(),
            )
        };
        let has_lines = |index: &FunctionIndex| {
            let own = code.get(*index);
            own.is_some_and(|own| !matches!(own.source, OwnSource::LinesElsewhere(_)))
        };
        let (with_lines, others): (Vec<_>, Vec<_>) =
            capture.function_indices().partition(has_lines);
        for index in with_lines.into_iter().chain(others) {
            homes.entry(home(index)).or_insert(index);
        }
        let first = |index| homes.get(&home(index)).copied().unwrap_or(index);
        Self {
            code,
            rows_of: capture.function_indices().map(first).collect(),
        }
    }

    /// The line that a frame counts for, when it is own code.
    fn key(&self, capture: &Capture, frame: Frame) -> Option<LineKey> {
        self.code.get(frame.function)?;
        let row = self.rows_of.get(frame.function.as_usize()).copied();
        let line = self.code.place(capture, frame).line();
        Some(LineKey::At(row.unwrap_or(frame.function), line))
    }
}

impl Counting<'_> {
    fn add(&mut self, labels: &LabelsView<'_>, frames: &[Frame], count: u64) {
        let mut lines: Vec<LineKey> = frames.iter().filter_map(|at| self.key(*at)).collect();
        if let Some(nearest) = lines.first() {
            let counts = self.counts.entry(*nearest).or_default();
            counts.self_samples = counts.self_samples.saturating_add(count);
        }
        let owner = self.own.as_ref().map(|own| own.code.owner(labels, frames));
        let owner = owner.and_then(|owner| match owner {
            Ok(frame) => self.key(frame),
            Err(marker) => Some(LineKey::Marker(marker)),
        });
        if let Some(key) = owner {
            let counts = self.counts.entry(key).or_default();
            counts.own_samples = counts.own_samples.saturating_add(count);
        }
        lines.sort_unstable();
        lines.dedup();
        for key in lines {
            let counts = self.counts.entry(key).or_default();
            counts.total_samples = counts.total_samples.saturating_add(count);
        }
    }

    /// The line of a frame. `None` where it is not known, unless the code is the user's own: then it
    /// is line 0 of its function.
    fn key(&self, frame: Frame) -> Option<LineKey> {
        let own = self.own.as_ref();
        if let Some(key) = own.and_then(|own| own.key(self.capture, frame)) {
            return Some(key);
        }
        let line = self.capture.place(frame).line();
        (line != 0).then_some(LineKey::At(frame.function, line))
    }

    fn line(&self, key: LineKey, counts: Counts, samples: u64) -> HotLine {
        let (place, function) = match key {
            LineKey::At(function, line) => {
                let frame = Frame { function, line };
                let own = self.own.as_ref();
                let place = own.map(|own| own.code.place(self.capture, frame));
                let place = place.unwrap_or_else(|| self.capture.place(frame));
                (place, self.capture.function(function).name)
            }
            LineKey::Marker(marker) => (Place::default(), marker),
        };
        let own_samples = self.own.as_ref().map(|_| counts.own_samples);
        HotLine {
            file: place.file().to_owned(),
            line: place.line(),
            function: function.to_owned(),
            own_samples,
            own_pct: own_samples.map(|own| percent(own, samples)),
            self_samples: counts.self_samples,
            total_samples: counts.total_samples,
        }
    }
}
