//! Where the tallies are that a sample counts for, by its stack and what matters of its labels. It is
//! asked for each sample, so it is found by positions.

use std::collections::HashMap;
use std::ops::Range;

use capture::reader::{Capture, LabelsIndex, LabelsView, StackIndex};
use capture::sample::{SampleClass, Trust};

/// No range yet.
const NONE: u32 = u32::MAX;

/// What of a sample's labels decides about its tallies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LabelKind {
    class: Option<SampleClass>,
    trust: Option<Trust>,
}

impl LabelKind {
    pub fn of(labels: &LabelsView<'_>) -> Self {
        Self {
            class: labels.class,
            trust: labels.trust,
        }
    }

    /// Labels that say nothing else.
    pub fn labels(self) -> LabelsView<'static> {
        LabelsView {
            class: self.class,
            trust: self.trust,
            ..LabelsView::default()
        }
    }
}

/// Ranges of a list of slots.
#[derive(Debug)]
pub struct SlotRanges {
    kinds: Vec<LabelKind>,
    /// Positions in `kinds`, by labels.
    kind_of_labels: Vec<u16>,
    /// By stack: a position in `ranges`.
    last_of_stack: Vec<u32>,
    ranges: Vec<SlotRange>,
}

#[derive(Debug, Clone, Copy)]
struct SlotRange {
    kind: u16,
    /// Of the same stack.
    before: u32,
    start: u32,
    end: u32,
}

impl SlotRanges {
    /// Without any range.
    pub fn of(capture: &Capture) -> Self {
        let mut kinds = Vec::new();
        let mut positions: HashMap<LabelKind, u16> = HashMap::new();
        let position = |labels| {
            let kind = LabelKind::of(&capture.labels(labels));
            *positions.entry(kind).or_insert_with(|| {
                kinds.push(kind);
                (kinds.len() - 1) as u16
            })
        };
        let kind_of_labels = capture.label_set_indices().map(position).collect();
        Self {
            kinds,
            kind_of_labels,
            last_of_stack: vec![NONE; capture.stack_count()],
            ranges: Vec::new(),
        }
    }

    pub fn kind(&self, labels: LabelsIndex) -> LabelKind {
        self.kinds[usize::from(self.kind_of_labels[labels.as_usize()])]
    }

    #[inline]
    pub fn get(&self, stack: StackIndex, labels: LabelsIndex) -> Option<Range<usize>> {
        let kind = self.kind_of_labels[labels.as_usize()];
        let mut position = self.last_of_stack[stack.as_usize()];
        while position != NONE {
            let range = self.ranges[position as usize];
            if range.kind == kind {
                return Some(range.start as usize..range.end as usize);
            }
            position = range.before;
        }
        None
    }

    /// Sets the range of a stack and labels that have none.
    pub fn insert(&mut self, stack: StackIndex, labels: LabelsIndex, slots: Range<usize>) {
        let last = &mut self.last_of_stack[stack.as_usize()];
        let before = std::mem::replace(last, self.ranges.len() as u32);
        self.ranges.push(SlotRange {
            kind: self.kind_of_labels[labels.as_usize()],
            before,
            start: slots.start as u32,
            end: slots.end as u32,
        });
    }
}
