//! Groups of samples that count for the same tallies: of one stack, one class and one trust. Each sample
//! is looked up, so groups are found by position.

use capture::reader::{Capture, LabelsIndex, LabelsView, StackIndex};
use capture::sample::{SampleClass, Trust};
use shared_map::HashMap;

/// None yet.
const NONE: u32 = u32::MAX;

/// The part of a sample's labels that decides about its tallies.
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

    /// Labels with nothing else.
    pub fn labels(self) -> LabelsView<'static> {
        LabelsView {
            class: self.class,
            trust: self.trust,
            ..LabelsView::default()
        }
    }
}

/// Groups of samples, with the slots that each counts for.
#[derive(Debug)]
pub struct SampleGroups {
    kinds: Vec<LabelKind>,
    /// Positions in `kinds`, by labels.
    kind_of_labels: Vec<u16>,
    /// By stack: the group that was added last.
    last_of_stack: Vec<u32>,
    groups: Vec<Group>,
    /// Of all groups, one after the other.
    slots: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Group {
    kind: u16,
    /// Of the same stack.
    before: u32,
    start: u32,
    end: u32,
}

impl SampleGroups {
    /// Without any group.
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
            groups: Vec::new(),
            slots: Vec::new(),
        }
    }

    pub fn kind(&self, labels: LabelsIndex) -> LabelKind {
        self.kinds[usize::from(self.kind_of_labels[labels.as_usize()])]
    }

    /// The kind of the labels of a group.
    pub fn kind_of(&self, group: u32) -> LabelKind {
        self.kinds[usize::from(self.groups[group as usize].kind)]
    }

    #[inline]
    pub fn get(&self, stack: StackIndex, labels: LabelsIndex) -> Option<u32> {
        let kind = self.kind_of_labels[labels.as_usize()];
        let mut group = self.last_of_stack[stack.as_usize()];
        while group != NONE {
            let Group {
                kind: its, before, ..
            } = self.groups[group as usize];
            if its == kind {
                return Some(group);
            }
            group = before;
        }
        None
    }

    /// Adds the group of a stack and labels that have none.
    pub fn insert(
        &mut self,
        stack: StackIndex,
        labels: LabelsIndex,
        slots: impl IntoIterator<Item = u32>,
    ) -> u32 {
        let start = self.slots.len() as u32;
        self.slots.extend(slots);
        let group = self.groups.len() as u32;
        let last = &mut self.last_of_stack[stack.as_usize()];
        self.groups.push(Group {
            kind: self.kind_of_labels[labels.as_usize()],
            before: std::mem::replace(last, group),
            start,
            end: self.slots.len() as u32,
        });
        group
    }

    /// The slots that samples of a group count for.
    pub fn slots(&self, group: u32) -> &[u32] {
        let Group { start, end, .. } = self.groups[group as usize];
        &self.slots[start as usize..end as usize]
    }
}
