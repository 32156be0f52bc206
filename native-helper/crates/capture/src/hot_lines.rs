//! Which source lines burn the CPU.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::class_split::percent;
use crate::reader::Capture;
use crate::top::merged;

/// One line of a source file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HotLine {
    /// Source file.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Samples in the line itself: it is the nearest one to the leaf that is known.
    #[serde(rename = "self")]
    pub self_samples: u64,
    /// Samples with the line anywhere in the stack, each counted once.
    #[serde(rename = "total")]
    pub total_samples: u64,
    /// `self` as percent of all samples.
    pub self_pct: f64,
    /// `total` as percent of all samples.
    pub total_pct: f64,
}

/// Counts self and total of every line of every file, most `self` first.
pub fn hot_lines(capture: &Capture) -> Vec<HotLine> {
    let mut counts: HashMap<(&str, u32), [u64; 2]> = HashMap::new();
    for (_, frames, count) in merged(capture) {
        let mut lines: Vec<(&str, u32)> = frames
            .iter()
            .map(|frame| (capture.function(frame.function).file, frame.line))
            .filter(|(file, line)| !file.is_empty() && *line != 0)
            .collect();
        if let Some(nearest) = lines.first() {
            let [self_samples, _] = counts.entry(*nearest).or_default();
            *self_samples = self_samples.saturating_add(count);
        }
        lines.sort_unstable();
        lines.dedup();
        for line in lines {
            let [_, total_samples] = counts.entry(line).or_default();
            *total_samples = total_samples.saturating_add(count);
        }
    }
    let samples = capture.total_samples();
    let mut lines: Vec<_> = counts
        .into_iter()
        .map(|((file, line), [self_samples, total_samples])| HotLine {
            file: file.to_owned(),
            line,
            self_samples,
            total_samples,
            self_pct: percent(self_samples, samples),
            total_pct: percent(total_samples, samples),
        })
        .collect();
    lines.sort_by(|a, b| {
        (b.self_samples, b.total_samples)
            .cmp(&(a.self_samples, a.total_samples))
            .then_with(|| (&a.file, a.line).cmp(&(&b.file, b.line)))
    });
    lines
}
