//! A capture as the few counts that a history needs of it.

use std::cmp::Reverse;

use capture::facts::OriginFacts;
use capture::quality::StandstillReason;
use capture::reader::{Capture, FunctionIndex, Sample, StackIndex};
use capture::top::is_erlang;
use serde::{Deserialize, Serialize};
use shared_sort::SharedSort;

use super::answer::SkipReason;
use super::erlang_times::ErlangTimes;
use crate::block_length::block_length_of_one_ms;
use crate::counts::{BlockSums, CaptureCounts, Groups, count_in_blocks};
use crate::given_time::GivenTime;
use crate::measure::Measure;
use crate::notes::{NoteKind, facts_of};
use crate::project::Project;
use crate::side::CaptureToCompare;
use crate::side_check::{Member, machine_of};
use crate::tracing::{has_traced_processes, is_traced};

/// Functions of a capture that are offered to be chosen.
const OFFERED: usize = 30;
/// The slot of the whole program; functions have two each behind it.
const WHOLE: u32 = 0;

/// The question that a history answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct HistoryQuestion {
    /// Names of functions as they are shown, or as the VM spells them.
    functions: Vec<String>,
    /// The normalisation of the figures of functions; work where every capture has counted it, else
    /// shares.
    pub measure: Option<Measure>,
}

/// A capture, counted. Receivers hand it on as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct CountedCapture {
    /// Its name in messages.
    pub name: String,
    /// When it was started, milliseconds since 1970; 0 when not known.
    #[cfg_attr(feature = "ts-rs", ts(type = "number"))]
    pub started_unix_ms: u64,
    /// The commit's whole name; empty when not known.
    pub commit: String,
    /// Git's description of the commit; empty when not known.
    pub describe: String,
    /// The sources differed from it.
    pub dirty: bool,
    /// Its file ends in the middle, or was not closed or written to its end.
    pub cut: bool,
    /// The known facts about the project.
    pub project: Project,
    /// Name of the host and model of its processor; empty where not known.
    pub machine: [String; 2],
    /// The other tool that it is from, empty where that is not known; `None` for a capture of
    /// Extrospect.
    pub other_tool: Option<String>,
    /// It has memory, not time.
    pub is_of_memory: bool,
    /// It has how long processes waited.
    pub is_of_waiting: bool,
    /// Name of the unit of work, where that can be used.
    pub work: Option<String>,
    /// Whether time in the kernel is in it, where it records that.
    pub kernel_time: Option<bool>,
    /// Whether calls were traced, where that is known.
    pub traced: Option<bool>,
    /// Whether messages or events of processes were traced, where that is known.
    pub traced_processes: Option<bool>,
    /// The processor time that its VM was given.
    pub given_time: GivenTime,
    /// Why its VM was halted, where it was.
    pub halted: Option<StandstillReason>,
    /// The facts that should be the same for all captures.
    pub facts: Vec<(NoteKind, String)>,
    /// Functions that it has most of.
    pub frequent: Vec<String>,
    /// The samples of functions of Erlang, and the builds of their modules.
    pub erlang: ErlangTimes,
    /// The whole, and of each function the time in itself and in all that it calls.
    pub counts: CaptureCounts,
}

impl HistoryQuestion {
    /// A question about functions; one that is named twice counts once.
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
        let project = Project::of(std::slice::from_ref(&origin));
        let missing_end = capture.quality().and_then(|it| it.gaps.missing_end);
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
            cut: capture.truncated() || missing_end.is_some(),
            project,
            machine: machine_of(&given),
            other_tool: given.other_tool(),
            is_of_memory: capture.is_of_memory(),
            is_of_waiting: capture.is_of_waiting(),
            work: given.known_work().map(|work| work.name),
            kernel_time: capture.has_kernel_time(),
            traced: is_traced(capture),
            traced_processes: has_traced_processes(capture),
            given_time: GivenTime::of(capture),
            halted: capture.quality().and_then(|it| it.gaps.standstill_reason),
            facts: facts_of(&given),
            frequent: frequent(capture),
            erlang: ErlangTimes::of(capture),
            counts: self.counts(&given),
        }
    }

    fn counts(&self, given: &CaptureToCompare<'_>) -> CaptureCounts {
        let capture = given.capture;
        let block_ms = block_length_of_one_ms(given);
        let mut counts = count_in_blocks(given, block_ms, &mut SlotsOfStacks::of(self, capture));
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
    /// The facts that decide whether it belongs with others, in a group.
    pub(super) fn member(&self, group: usize) -> Member {
        Member {
            name: self.name.clone(),
            group,
            commit: self.commit.clone(),
            dirty: self.dirty,
            project: self.project.clone(),
            machine: self.machine.clone(),
        }
    }

    /// Its counts of the whole.
    pub(super) fn whole(&self) -> BlockSums {
        self.slot(WHOLE as usize)
    }

    /// Its counts of a function itself, and with all callees.
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

    /// Why it cannot be used, whatever the others are, if so.
    pub(super) fn problem(&self) -> Option<SkipReason> {
        if self.is_of_memory {
            return Some(SkipReason::Memory);
        }
        if self.is_of_waiting {
            return Some(SkipReason::Waiting);
        }
        let no_samples = || {
            self.halted
                .map_or(SkipReason::NoSamples, SkipReason::NoSamplesHalted)
        };
        (self.counts.busy <= 0.0).then(no_samples)
    }

    /// Why it cannot be used with the others, if so.
    pub(super) fn problem_with(&self, whole: Measure, work: Option<&str>) -> Option<SkipReason> {
        match (whole, work) {
            (Measure::Cpu, _) if self.counts.seconds <= 0.0 => Some(SkipReason::NoLength),
            (Measure::Work, Some(work)) if self.work.as_deref() != Some(work) => {
                Some(SkipReason::NoWork(work.to_owned()))
            }
            _ => None,
        }
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
    /// By labels.
    is_idle: Vec<bool>,
    /// By function of the capture: its position among the requested ones.
    wanted: Vec<Option<u32>>,
    /// None of them is requested, so no stack has to be searched.
    has_none: bool,
    known: Vec<Option<Vec<u32>>>,
}

/// The group of all samples that are idle; the others are grouped by their stacks, which come after it.
const IDLE: u32 = 0;

impl<'c> SlotsOfStacks<'c> {
    fn of(question: &HistoryQuestion, capture: &'c Capture) -> Self {
        let wanted = capture.function_indices().map(|index| {
            let view = capture.function(index);
            question.position_of(view.name, view.raw_name)
        });
        let wanted: Vec<Option<u32>> = wanted.collect();
        let is_idle = |labels| !capture.labels(labels).is_busy();
        Self {
            capture,
            is_idle: capture.label_set_indices().map(is_idle).collect(),
            has_none: wanted.iter().all(Option::is_none),
            wanted,
            known: vec![None; capture.stack_count()],
        }
    }

    fn find(&self, stack: StackIndex) -> Vec<u32> {
        let mut leaf = None;
        let mut above = Vec::new();
        for (depth, frame) in self.capture.frames(stack).enumerate() {
            if let Some(Some(position)) = self.wanted.get(frame.function.as_usize()) {
                leaf = leaf.or((depth == 0).then_some(*position));
                above.push(*position);
            }
        }
        above.sort_unstable();
        above.dedup();
        let itself = leaf.map(|position| 2 * position + 1);
        let total = above.into_iter().map(|position| 2 * position + 2);
        [WHOLE].into_iter().chain(itself).chain(total).collect()
    }
}

impl Groups for SlotsOfStacks<'_> {
    fn group_of(&mut self, sample: &Sample) -> u32 {
        let stack = sample.stack.as_usize();
        if self.is_idle[sample.labels.as_usize()] {
            return IDLE;
        }
        if !self.has_none && self.known[stack].is_none() {
            self.known[stack] = Some(self.find(sample.stack));
        }
        stack as u32 + 1
    }

    fn slots(&self, group: u32) -> &[u32] {
        match group.checked_sub(1) {
            None => &[],
            Some(_) if self.has_none => &[WHOLE],
            Some(stack) => self.known[stack as usize].as_deref().unwrap_or_default(),
        }
    }

    fn is_idle(&self, group: u32) -> bool {
        group == IDLE
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
