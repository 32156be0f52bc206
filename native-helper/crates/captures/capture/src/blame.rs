//! Which Erlang functions native work is done for.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use shared_sort::SharedSort;

use crate::class_split::{Totals, percent, stand_in};
use crate::groups::NativeQuery;
use crate::kernel_time::KernelTime;
use crate::percent_of::PercentOf;
use crate::place::Place;
use crate::reader::{Capture, Frame, FunctionIndex};
use crate::sample::{FrameKind, Trust};
use crate::top::merged;

/// The answer nests as deep, and so do those who walk it.
const MAX_DEPTH: usize = 128;

/// How to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlameOptions {
    /// How many levels of callers to give, from 1 to 128.
    pub max_depth: usize,
}

impl Default for BlameOptions {
    fn default() -> Self {
        Self { max_depth: 12 }
    }
}

/// The answer. The samples of the top-level callers add up to `samples`: none is left out. They are in the unit of the
/// capture's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Blame {
    /// The query as given.
    pub native: String,
    /// The symbols it matched.
    pub symbols: Vec<String>,
    /// Samples with such a symbol in the stack.
    pub samples: u64,
    /// `samples` as percent of all samples.
    pub pct: f64,
    /// `samples` as percent of all samples of work.
    pub busy_pct: f64,
    /// All samples of the capture.
    #[serde(rename = "all", default)]
    pub all_samples: u64,
    /// All samples of work.
    #[serde(rename = "busy", default)]
    pub busy_samples: u64,
    /// The nearest Erlang functions, most samples first.
    pub callers: Vec<BlameCaller>,
    /// The capture's record of time in the kernel, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelTime>,
}

/// An Erlang function on whose behalf it was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlameCaller {
    /// Name as shown; `[unproven]` or another marker in brackets when no function is known.
    pub function: String,
    /// Source file; empty when not known.
    pub file: String,
    /// The line of the call with most samples, else of the function head; 0 when not known.
    pub line: u32,
    /// The sample is bracketed: the call was made by this function or by one that it called.
    pub at_or_below: bool,
    /// Samples.
    pub samples: u64,
    /// Percent of the matches.
    pub pct: f64,
    /// Percent of all samples.
    pub pct_of_all: f64,
    /// Percent of all samples of work.
    #[serde(default)]
    pub pct_of_busy: f64,
    /// Callers of this function, in the same way.
    pub callers: Vec<BlameCaller>,
}

/// A caller while counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct CallerKey {
    function: Result<FunctionIndex, &'static str>,
    at_or_below: bool,
}

#[derive(Debug, Default)]
struct Node {
    samples: u64,
    lines: HashMap<u32, u64>,
    callers: HashMap<CallerKey, Node>,
}

/// Finds the Erlang callers of a native symbol or group; see [`NativeQuery::parse`].
pub fn blame(capture: &Capture, native: &str, options: &BlameOptions) -> Blame {
    let query = NativeQuery::parse(native);
    let matched: Vec<bool> = capture
        .function_indices()
        .map(|index| query.matches(&capture.function(index)))
        .collect();
    let mut symbols = BTreeSet::new();
    let mut root = Node::default();
    for (labels, frames, count) in merged(capture, PercentOf::All) {
        let is_match = |frame: &Frame| matched.get(frame.function.as_usize()) == Some(&true);
        let Some(leafmost) = frames.iter().position(is_match) else {
            continue;
        };
        for frame in frames.iter().filter(|frame| is_match(frame)) {
            symbols.insert(capture.function(frame.function).name.to_owned());
        }
        let erlang: Vec<Frame> = frames[leafmost..]
            .iter()
            .filter(|frame| capture.function(frame.function).kind == FrameKind::Erlang)
            .copied()
            .collect();
        let at_or_below = labels.trust == Some(Trust::Bracketed) && !erlang.is_empty();
        let nobody = erlang
            .is_empty()
            .then(|| (stand_in(capture, &labels, &frames), 0));
        let path = erlang
            .iter()
            .map(|frame| (Ok(frame.function), frame.line))
            .chain(nobody);
        root.add(
            path.take(options.max_depth.clamp(1, MAX_DEPTH)),
            at_or_below,
            count,
        );
    }
    let totals = Totals::of(capture);
    Blame {
        native: native.to_owned(),
        symbols: symbols.into_iter().collect(),
        samples: root.samples,
        pct: percent(root.samples, totals.samples),
        busy_pct: percent(root.samples, totals.busy),
        all_samples: totals.samples,
        busy_samples: totals.busy,
        callers: root.into_callers(
            capture,
            Shares {
                matches: None,
                totals,
            },
        ),
        kernel: capture.kernel_time(),
    }
}

/// The bases of the shares of callers.
#[derive(Debug, Clone, Copy)]
struct Shares {
    matches: Option<u64>,
    totals: Totals,
}

impl Node {
    fn add(
        &mut self,
        path: impl Iterator<Item = (Result<FunctionIndex, &'static str>, u32)>,
        mut at_or_below: bool,
        count: u64,
    ) {
        self.samples = self.samples.saturating_add(count);
        let mut node = self;
        for (function, line) in path {
            node = node
                .callers
                .entry(CallerKey {
                    function,
                    at_or_below,
                })
                .or_default();
            // Only the nearest one is uncertain; its own callers are known again.
            at_or_below = false;
            node.samples = node.samples.saturating_add(count);
            let of_line = node.lines.entry(line).or_default();
            *of_line = of_line.saturating_add(count);
        }
    }

    fn into_callers(self, capture: &Capture, shares: Shares) -> Vec<BlameCaller> {
        let matches = shares.matches.unwrap_or(self.samples);
        let shares = Shares {
            matches: Some(matches),
            ..shares
        };
        let mut callers: Vec<_> = self
            .callers
            .into_iter()
            .map(|(key, node)| {
                let samples = node.samples;
                let hottest = node
                    .lines
                    .iter()
                    .max_by_key(|(line, count)| (**count, **line));
                let line = hottest.map_or(0, |(line, _)| *line);
                let (name, place) = match key.function {
                    Ok(function) => {
                        let view = capture.function(function);
                        let place = match line {
                            0 => view.head(),
                            line => capture.place(Frame { function, line }),
                        };
                        (view.name, place)
                    }
                    Err(marker) => (marker, Place::default()),
                };
                BlameCaller {
                    function: name.to_owned(),
                    file: place.file().to_owned(),
                    line: place.line(),
                    at_or_below: key.at_or_below,
                    samples,
                    pct: percent(samples, matches),
                    pct_of_all: percent(samples, shares.totals.samples),
                    pct_of_busy: percent(samples, shares.totals.busy),
                    callers: node.into_callers(capture, shares),
                }
            })
            .collect();
        callers.shared_sort_by(|a, b| {
            b.samples
                .cmp(&a.samples)
                .then_with(|| a.function.cmp(&b.function))
        });
        callers
    }
}
