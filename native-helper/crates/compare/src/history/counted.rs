//! A capture as the few counts that a history needs of it.

use std::cmp::Reverse;

use capture::facts::OriginFacts;
use capture::reader::{Capture, FunctionIndex, StackIndex};
use capture::top::is_erlang;
use serde::{Deserialize, Serialize};
use shared_sort::SharedSort;

use super::answer::SkipReason;
use crate::block_length::block_length_of_one_ms;
use crate::counts::{BlockSums, CaptureCounts, count_in_blocks};
use crate::measure::Measure;
use crate::notes::{NoteKind, facts_of};
use crate::side::CaptureToCompare;

/// Functions of a capture that are offered to be chosen.
const OFFERED: usize = 30;
/// The slot of the whole program; functions have two each behind it.
const WHOLE: u32 = 0;

/// What a history is asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct HistoryQuestion {
    /// Names of functions as they are shown, or as the VM spells them.
    functions: Vec<String>,
    /// What the figures of functions are; work where every capture has counted it, else shares.
    pub measure: Option<Measure>,
}

/// A capture, counted. Those who get it hand it on as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct CountedCapture {
    /// What it is called in messages.
    pub name: String,
    /// When it was started, milliseconds since 1970; 0 when not known.
    #[cfg_attr(feature = "ts-rs", ts(type = "number"))]
    pub started_unix_ms: u64,
    /// The commit's whole name; empty when not known.
    pub commit: String,
    /// What git describes the commit as; empty when not known.
    pub describe: String,
    /// The sources differed from it.
    pub dirty: bool,
    /// What counts as work, where that can be used.
    pub work: Option<String>,
    /// Whether time in the kernel is in it, where it says so.
    pub kernel_time: Option<bool>,
    /// What should be the same for all captures.
    pub facts: Vec<(NoteKind, String)>,
    /// Functions that it has most of.
    pub frequent: Vec<String>,
    /// The whole, and of each function the time in itself and in all that it calls.
    pub counts: CaptureCounts,
}

impl HistoryQuestion {
    /// Asks for functions; one that is named twice is asked for once.
    pub fn new(functions: impl IntoIterator<Item = String>, measure: Option<Measure>) -> Self {
        let mut once: Vec<String> = Vec::new();
        for function in functions {
            if !once.contains(&function) {
                once.push(function);
            }
        }
        Self {
            functions: once,
            measure,
        }
    }

    /// The functions, each once.
    pub fn functions(&self) -> &[String] {
        &self.functions
    }

    /// Counts a capture.
    pub fn count(&self, name: &str, capture: &Capture) -> CountedCapture {
        let given = CaptureToCompare {
            name: name.to_owned(),
            capture,
            own: None,
        };
        let origin = capture.origin().unwrap_or_default();
        let OriginFacts {
            commit,
            describe,
            dirty,
            ..
        } = origin;
        CountedCapture {
            name: given.name.clone(),
            started_unix_ms: capture.started_unix_ns() / 1_000_000,
            commit,
            describe,
            dirty,
            work: given.known_work().map(|work| work.name),
            kernel_time: capture.has_kernel_time(),
            facts: facts_of(&given),
            frequent: frequent(capture),
            counts: self.counts(&given),
        }
    }

    fn counts(&self, given: &CaptureToCompare<'_>) -> CaptureCounts {
        let capture = given.capture;
        let is_idle: Vec<bool> = capture
            .label_set_indices()
            .map(|labels| !capture.labels(labels).is_busy())
            .collect();
        let mut slots = SlotsOfStacks::of(self, capture);
        let block_ms = block_length_of_one_ms(given);
        let mut counts = count_in_blocks(given, block_ms, |sample, block| {
            let is_idle = is_idle[sample.labels.as_usize()];
            let slots: &[u32] = match is_idle {
                true => &[],
                false => slots.of_stack(sample.stack),
            };
            block.add(slots, sample.count as f64, is_idle);
        });
        let slots = 1 + 2 * self.functions.len();
        counts.sums.resize(slots, BlockSums::default());
        counts
    }

    fn position_of(&self, shown: &str, raw: &str) -> Option<u32> {
        let is_meant = |name: &String| name == shown || (name == raw && !raw.is_empty());
        let position = self.functions.iter().position(is_meant)?;
        u32::try_from(position).ok()
    }
}

impl CountedCapture {
    /// What it has of the whole.
    pub(super) fn whole(&self) -> BlockSums {
        self.slot(WHOLE as usize)
    }

    /// What it has of a function itself, and with all that it calls.
    pub(super) fn function(&self, position: usize) -> (BlockSums, BlockSums) {
        let first = position.saturating_mul(2);
        (
            self.slot(first.saturating_add(1)),
            self.slot(first.saturating_add(2)),
        )
    }

    fn slot(&self, slot: usize) -> BlockSums {
        self.counts.sums.get(slot).copied().unwrap_or_default()
    }

    /// Why it can not be used, if so.
    pub(super) fn problem(&self, whole: Measure) -> Option<SkipReason> {
        if self.counts.busy <= 0.0 {
            return Some(SkipReason::NoSamples);
        }
        (whole == Measure::Cpu && self.counts.seconds <= 0.0).then_some(SkipReason::NoLength)
    }

    /// Whether both are of the same file: no two captures begin in the same millisecond and count alike.
    pub(super) fn is_copy_of(&self, other: &Self) -> bool {
        self.started_unix_ms > 0
            && self.started_unix_ms == other.started_unix_ms
            && self.counts == other.counts
    }
}

/// Which slots a sample counts for, by its stack.
struct SlotsOfStacks<'c> {
    capture: &'c Capture,
    /// By function of the capture: its position among those that are asked for.
    wanted: Vec<Option<u32>>,
    /// None of them is asked for, so no stack has to be looked through.
    has_none: bool,
    known: Vec<Option<Vec<u32>>>,
}

impl<'c> SlotsOfStacks<'c> {
    fn of(question: &HistoryQuestion, capture: &'c Capture) -> Self {
        let wanted = capture.function_indices().map(|index| {
            let view = capture.function(index);
            question.position_of(view.name, view.raw_name)
        });
        let wanted: Vec<Option<u32>> = wanted.collect();
        Self {
            capture,
            has_none: wanted.iter().all(Option::is_none),
            wanted,
            known: vec![None; capture.stack_count()],
        }
    }

    fn of_stack(&mut self, stack: StackIndex) -> &[u32] {
        let (capture, wanted) = (self.capture, &self.wanted);
        let find = || {
            let mut leaf = None;
            let mut above = Vec::new();
            for (depth, frame) in capture.frames(stack).enumerate() {
                if let Some(Some(position)) = wanted.get(frame.function.as_usize()) {
                    leaf = leaf.or((depth == 0).then_some(*position));
                    above.push(*position);
                }
            }
            above.sort_unstable();
            above.dedup();
            let itself = leaf.map(|position| 2 * position + 1);
            let total = above.into_iter().map(|position| 2 * position + 2);
            [WHOLE].into_iter().chain(itself).chain(total).collect()
        };
        if self.has_none {
            return &[WHOLE];
        }
        match self.known.get_mut(stack.as_usize()) {
            Some(known) => known.get_or_insert_with(find),
            None => &[],
        }
    }
}

/// Erlang functions that are most often the leaf.
fn frequent(capture: &Capture) -> Vec<String> {
    let mut of_stacks = vec![0u64; capture.stack_count()];
    for sample in capture.samples() {
        if let Some(count) = of_stacks.get_mut(sample.stack.as_usize()) {
            *count = count.saturating_add(sample.count);
        }
    }
    let mut counts = vec![0u64; capture.function_count()];
    for (stack, count) in capture.stack_indices().zip(of_stacks) {
        let leaf = capture.frames(stack).next();
        let of_leaf = leaf.and_then(|frame| counts.get_mut(frame.function.as_usize()));
        if let Some(sum) = of_leaf {
            *sum = sum.saturating_add(count);
        }
    }
    let mut most: Vec<(u64, FunctionIndex)> = counts
        .into_iter()
        .zip(capture.function_indices())
        .filter(|(count, index)| *count > 0 && is_erlang(capture.function(*index).kind))
        .collect();
    most.shared_sort_by_key(|(count, index)| (Reverse(*count), *index));
    let names = most.into_iter().take(OFFERED);
    names
        .map(|(_, index)| capture.function(index).name.to_owned())
        .collect()
}
