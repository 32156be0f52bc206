//! Captures as counts: of each function in each block of time, kept only as the sums that an
//! estimate needs.

use std::collections::BTreeSet;

use capture::reader::{Capture, Frame, LabelsIndex, LabelsView, Sample, StackIndex};
use capture::sample::{FrameKind, SampleClass, Trust};
use capture::sample_types::CPU;
use capture::unnamed::{Surroundings, UnnamedCode};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use crate::identity::{Catalogue, FunctionId, named_functions};
use crate::sample_groups::SampleGroups;
use crate::side::{CaptureToCompare, Side};
use crate::stack_walk::calls_in;

/// The ways a sample counts for a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Column {
    /// It is the leaf.
    Itself,
    /// It is anywhere in the stack.
    Total,
    /// It is the innermost function of the user's own.
    Own,
    /// The same, and the sample is no collection.
    OwnWithoutGc,
    /// It is anywhere in the stack, and the sample is a collection.
    TotalGc,
}

/// A figure that samples count for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tally {
    /// All busy samples.
    Whole,
    Function(FunctionId, Column),
    /// All samples of a class.
    Class(Option<SampleClass>),
    /// Samples of a class whose nearest Erlang function is this one.
    Blame(SampleClass, FunctionId),
    /// A function of Erlang, and the one that it calls there.
    Call(FunctionId, FunctionId),
}

/// Sums over the blocks of one capture, for one tally.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct BlockSums {
    /// Samples, each by its weight: the mean sample of the capture is one.
    pub count: f64,
    /// Sum of the squares of the blocks' counts.
    pub squares: f64,
    /// Sum of the blocks' counts times their busy samples.
    pub products: f64,
    /// Sum of the squares of the weights of the samples, in weights of the mean sample: `count` where all have one weight.
    pub weight_squares: f64,
}

impl BlockSums {
    /// How many samples of one weight would be as informative: the count where all have one weight.
    pub fn effective(&self) -> f64 {
        effective(self.count, self.weight_squares)
    }
}

/// The square of a sum of weights over the sum of their squares: how many samples of one weight would be as informative.
pub fn effective(sum: f64, squares: f64) -> f64 {
    match squares > 0.0 && squares != sum {
        true => sum * sum / squares,
        false => sum,
    }
}

/// One capture, counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct CaptureCounts {
    /// By tally, as far as the capture has any.
    pub sums: Vec<BlockSums>,
    /// Blocks; 1 when the samples have no times.
    pub blocks: f64,
    /// Samples that are not idle.
    pub busy: f64,
    /// Sum of the squares of the blocks' busy samples.
    pub busy_squares: f64,
    /// Seconds.
    pub seconds: f64,
    /// Processor time that a sample stands for, seconds.
    pub sample_seconds: f64,
    /// Units of work; 0 when not counted.
    pub work: f64,
}

/// One side, counted.
#[derive(Debug, Default)]
pub struct SideCounts {
    pub catalogue: Catalogue,
    pub captures: Vec<CaptureCounts>,
    /// The tools that the captures are from: `None` for Extrospect, else another tool.
    pub tools: BTreeSet<Option<String>>,
    tallies: HashMap<Tally, u32>,
    /// The same of functions anywhere in a stack, which are looked up for each frame: by function.
    totals: Vec<Option<u32>>,
}

/// The classes that `blame` covers.
const BLAMED: [SampleClass; 7] = [
    SampleClass::Copy,
    SampleClass::Gc,
    SampleClass::Compare,
    SampleClass::Ets,
    SampleClass::Lock,
    SampleClass::Alloc,
    SampleClass::Binary,
];

impl SideCounts {
    /// Counts all captures of a side in blocks of `block_ms`.
    pub fn of(side: &Side<'_>, block_ms: u64, options: Counting) -> Self {
        let mut counts = Self::default();
        for capture in &side.captures {
            counts.catalogue.builds.add(capture.capture);
            counts.tools.insert(capture.other_tool());
            let counted = CaptureCounter::new(&mut counts, capture, options).count(block_ms);
            counts.captures.push(counted);
        }
        counts
    }

    /// The sums of a tally in each capture; zeros where it has none.
    pub fn sums(&self, tally: Tally) -> impl Iterator<Item = BlockSums> + '_ {
        self.sums_of_any(Some(tally))
    }

    /// The same; zeros when there is no tally.
    pub fn sums_of_any(&self, tally: Option<Tally>) -> impl Iterator<Item = BlockSums> + '_ {
        let slot = tally.and_then(|tally| self.tallies.get(&tally).copied());
        self.captures.iter().map(move |capture| {
            slot.and_then(|slot| capture.sums.get(slot as usize))
                .copied()
                .unwrap_or_default()
        })
    }

    pub fn tallies(&self) -> impl Iterator<Item = Tally> + '_ {
        self.tallies.keys().copied()
    }

    fn slot(&mut self, tally: Tally) -> u32 {
        let Tally::Function(function, Column::Total) = tally else {
            return self.slot_by_hash(tally);
        };
        let position = function.as_usize();
        if position >= self.totals.len() {
            self.totals.resize(position + 1, None);
        }
        if let Some(slot) = self.totals[position] {
            return slot;
        }
        let slot = self.slot_by_hash(tally);
        self.totals[position] = Some(slot);
        slot
    }

    fn slot_by_hash(&mut self, tally: Tally) -> u32 {
        let next = self.tallies.len() as u32;
        *self.tallies.entry(tally).or_insert(next)
    }
}

/// The adjustments to both sides before they are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counting {
    /// Kernel functions count as one, since a side does not distinguish them.
    pub merges_kernel: bool,
    /// Samples of waiting count as work does, and none has a class, since a capture does not
    /// distinguish them.
    pub ignores_classes: bool,
}

struct CaptureCounter<'a, 's> {
    side: &'s mut SideCounts,
    given: &'a CaptureToCompare<'a>,
    capture: &'a Capture,
    unnamed: UnnamedCode,
    functions: Vec<Option<FunctionId>>,
    surroundings: HashMap<Surroundings, FunctionId>,
    kernel: Option<FunctionId>,
    /// By function of the capture.
    is_kernel: Vec<bool>,
    groups: SampleGroups,
    ignores_classes: bool,
}

impl<'a, 's> CaptureCounter<'a, 's> {
    fn new(side: &'s mut SideCounts, given: &'a CaptureToCompare<'a>, options: Counting) -> Self {
        let capture = given.capture;
        let unnamed = UnnamedCode::of(capture);
        let is_unnamed = |index| unnamed.is_unnamed(index);
        let functions = named_functions(capture, &mut side.catalogue, is_unnamed);
        let kernel = options
            .merges_kernel
            .then(|| side.catalogue.add_marker("[kernel]"));
        Self {
            side,
            given,
            capture,
            unnamed,
            functions,
            surroundings: HashMap::new(),
            kernel,
            is_kernel: capture
                .function_indices()
                .map(|index| capture.function(index).kind == FrameKind::Kernel)
                .collect(),
            groups: SampleGroups::of(capture),
            ignores_classes: options.ignores_classes,
        }
    }

    fn count(mut self, block_ms: u64) -> CaptureCounts {
        count_in_blocks(self.given, block_ms, &mut self)
    }

    fn new_group(&mut self, stack: StackIndex, labels: LabelsIndex) -> u32 {
        let frames: Vec<Frame> = self.capture.frames(stack).collect();
        let labels_that_count = self.as_counted(self.groups.kind(labels).labels());
        let tallies = self.tallies_of(&frames, &labels_that_count);
        let slots = tallies.into_iter().map(|tally| self.side.slot(tally));
        self.groups.insert(stack, labels, slots)
    }

    // WebAssembly is optimised while it runs, but a function only between its calls: code that runs for
    // each stack and each sample is a function of its own.
    #[inline(never)]
    fn tallies_of(&mut self, frames: &[Frame], labels: &LabelsView<'_>) -> Vec<Tally> {
        let mut tallies = Vec::new();
        if !self.ignores_classes {
            tallies.push(Tally::Class(labels.class));
        }
        // A scheduler that waits is no function's time, and no busy sample.
        if !labels.is_busy() {
            return tallies;
        }
        tallies.push(Tally::Whole);
        let functions = self.functions_of(frames);
        let is_gc = labels.class == Some(SampleClass::Gc);
        match functions.first() {
            Some(leaf) => tallies.push(Tally::Function(*leaf, Column::Itself)),
            None => {
                let nothing = self.side.catalogue.add_marker("[no stack]");
                tallies.push(Tally::Function(nothing, Column::Itself));
            }
        }
        if let Some(own) = self.given.own
            && let Ok(frame) = own.owner(labels, frames)
            && let Some(owner) = self.function(own.counts_for(frame.function))
        {
            tallies.push(Tally::Function(owner, Column::Own));
            tallies.extend((!is_gc).then_some(Tally::Function(owner, Column::OwnWithoutGc)));
        }
        if let Some(class) = labels.class.filter(|class| BLAMED.contains(class)) {
            let nearest = functions
                .iter()
                .copied()
                .find(|function| capture::top::is_erlang(self.side.catalogue.get(*function).kind));
            tallies.extend(nearest.map(|function| Tally::Blame(class, function)));
        }
        tallies.extend(self.calls(labels, &functions));
        let mut each = functions;
        each.sort_unstable();
        each.dedup();
        for function in each {
            tallies.push(Tally::Function(function, Column::Total));
            tallies.extend(is_gc.then_some(Tally::Function(function, Column::TotalGc)));
        }
        tallies
    }

    fn as_counted<'l>(&self, labels: LabelsView<'l>) -> LabelsView<'l> {
        LabelsView {
            class: labels.class.filter(|_| !self.ignores_classes),
            ..labels
        }
    }

    /// The calls between functions, where they are known: some stacks lack frames.
    fn calls(&self, labels: &LabelsView<'_>, functions: &[FunctionId]) -> Vec<Tally> {
        if let Some(Trust::Bracketed | Trust::Unproven) = labels.trust {
            return Vec::new();
        }
        let kind = |function| self.side.catalogue.get(function).kind;
        let calls = calls_in(functions, |function| {
            capture::top::is_erlang(kind(function))
        });
        let calls = calls.into_iter();
        calls
            .map(|call| Tally::Call(call.caller, call.callee))
            .collect()
    }

    fn function(&self, index: capture::reader::FunctionIndex) -> Option<FunctionId> {
        self.functions.get(index.as_usize()).copied().flatten()
    }

    fn functions_of(&mut self, frames: &[Frame]) -> Vec<FunctionId> {
        let surroundings = self.unnamed.surroundings(frames);
        let mut functions = Vec::with_capacity(frames.len());
        for (frame, surroundings) in frames.iter().zip(surroundings) {
            let is_kernel = self.is_kernel.get(frame.function.as_usize()) == Some(&true);
            let function = match (self.kernel.filter(|_| is_kernel), surroundings) {
                (Some(kernel), _) => kernel,
                (None, Some(inside)) => {
                    self.unnamed_function(inside, &self.capture.function(frame.function))
                }
                (None, None) => match self.function(frame.function) {
                    Some(function) => function,
                    None => continue,
                },
            };
            functions.push(function);
        }
        functions
    }

    fn unnamed_function(
        &mut self,
        inside: Surroundings,
        view: &capture::reader::FunctionView<'_>,
    ) -> FunctionId {
        if let Some(function) = self.surroundings.get(&inside) {
            return *function;
        }
        let text = inside.text(self.capture);
        let caller = match inside {
            Surroundings::Function(named) => self.function(named),
            Surroundings::Object(_) => None,
        };
        let function = self.side.catalogue.add_unnamed(&text, caller, view);
        self.surroundings.insert(inside, function);
        function
    }
}

impl Groups for CaptureCounter<'_, '_> {
    #[inline]
    fn group_of(&mut self, sample: &Sample) -> u32 {
        match self.groups.get(sample.stack, sample.labels) {
            Some(group) => group,
            None => self.new_group(sample.stack, sample.labels),
        }
    }

    fn slots(&self, group: u32) -> &[u32] {
        self.groups.slots(group)
    }

    fn is_idle(&self, group: u32) -> bool {
        let labels = self.groups.kind_of(group).labels();
        !self.as_counted(labels).is_busy()
    }
}

/// Groups of samples that count for the same slots. Many samples share a stack, so a block is summed by
/// group first.
pub trait Groups {
    /// The group of a sample; a small number, since groups index a list.
    fn group_of(&mut self, sample: &Sample) -> u32;
    /// The slots that samples of a group count for.
    fn slots(&self, group: u32) -> &[u32];
    /// Whether samples of a group are no busy ones.
    fn is_idle(&self, group: u32) -> bool;
}

/// Counts the samples of a capture block by block.
pub fn count_in_blocks(
    given: &CaptureToCompare<'_>,
    block_ms: u64,
    groups: &mut impl Groups,
) -> CaptureCounts {
    let capture = given.capture;
    let seconds = given.seconds();
    let blocks = blocks_in(seconds, block_ms);
    // The time after the last whole block belongs to it.
    let block_of = |bucket_ms: u64| (bucket_ms / block_ms.max(1)).min(blocks - 1);
    let samples = capture.samples();
    let order = in_order_of_blocks(samples, blocks, block_of);
    let mut counts = CaptureCounts {
        blocks: blocks as f64,
        seconds,
        sample_seconds: sample_seconds(capture),
        work: given.known_work().map_or(0.0, |work| work.units),
        ..CaptureCounts::default()
    };
    let mut block = Block {
        mean_ns: mean_of_capture(capture),
        ..Block::default()
    };
    let ordered = |position: &u32| &samples[*position as usize];
    let of_one_block =
        |a: &u32, b: &u32| block_of(ordered(a).bucket_ms) == block_of(ordered(b).bucket_ms);
    for positions in order.chunk_by(of_one_block) {
        block.add(positions.iter().map(ordered), groups);
        block.end(groups, &mut counts);
    }
    counts
}

/// The weight of the mean sample, nanoseconds, where not all samples have it. Each is the number of samples that are one
/// entry of a capture, and their weight together.
pub fn mean_of_unequal(samples: impl Iterator<Item = (u64, u64)> + Clone) -> Option<f64> {
    let (first_count, first_ns) = samples.clone().find(|(count, _)| *count > 0)?;
    let product = |ns: u64, count: u64| u128::from(ns) * u128::from(count);
    let mut all = samples.clone();
    if all.all(|(count, ns)| product(ns, first_count) == product(first_ns, count)) {
        return None;
    }
    let (count, ns) = samples.fold((0.0, 0.0), |sums, (count, ns)| {
        (sums.0 + count as f64, sums.1 + ns as f64)
    });
    let mean = ns / count;
    (mean.is_finite() && mean > 0.0).then_some(mean)
}

/// The same of a capture.
pub fn mean_of_capture(capture: &Capture) -> Option<f64> {
    let samples = capture.samples().iter();
    mean_of_unequal(samples.map(|sample| (sample.count, sample.value)))
}

/// Samples that are one entry of a capture by their weight, and the sum of the squares of their weights.
pub fn weighed((count, ns): (u64, u64), mean_ns: Option<f64>) -> (f64, f64) {
    let count = count as f64;
    match mean_ns {
        None => (count, count),
        Some(mean) => {
            let sum = ns as f64 / mean;
            (sum, sum * sum / count.max(1.0))
        }
    }
}

/// Counts of the block that is being gone through.
#[derive(Debug, Default)]
struct Block {
    /// See [`mean_of_unequal`].
    mean_ns: Option<f64>,
    of_groups: Vec<f64>,
    /// Sums of the squares of weights, where these differ.
    squares_of_groups: Vec<f64>,
    touched_groups: Vec<u32>,
    counts: Vec<f64>,
    squares: Vec<f64>,
    touched: Vec<u32>,
}

impl Block {
    // WebAssembly is optimised while it runs, but a function only between its calls.
    #[inline(never)]
    fn add<'s>(&mut self, samples: impl Iterator<Item = &'s Sample>, groups: &mut impl Groups) {
        for sample in samples {
            let group = groups.group_of(sample);
            let position = group as usize;
            if position >= self.of_groups.len() {
                self.of_groups.resize(position + 1, 0.0);
            }
            if self.of_groups[position] == 0.0 {
                self.touched_groups.push(group);
            }
            let (sum, squares) = weighed((sample.count, sample.value), self.mean_ns);
            self.of_groups[position] += sum;
            if self.mean_ns.is_some() {
                add_at(&mut self.squares_of_groups, position, squares);
            }
        }
    }

    #[inline(never)]
    fn end(&mut self, groups: &impl Groups, into: &mut CaptureCounts) {
        let mut busy = 0.0;
        for group in self.touched_groups.drain(..) {
            let count = std::mem::take(&mut self.of_groups[group as usize]);
            let squares = match self.squares_of_groups.get_mut(group as usize) {
                Some(squares) => std::mem::take(squares),
                None => count,
            };
            if !groups.is_idle(group) {
                busy += count;
            }
            for &slot in groups.slots(group) {
                let position = slot as usize;
                if position >= self.counts.len() {
                    self.counts.resize(position + 1, 0.0);
                }
                if self.counts[position] == 0.0 {
                    self.touched.push(slot);
                }
                self.counts[position] += count;
                if self.mean_ns.is_some() {
                    add_at(&mut self.squares, position, squares);
                }
            }
        }
        if into.sums.len() < self.counts.len() {
            into.sums.resize(self.counts.len(), BlockSums::default());
        }
        for slot in self.touched.drain(..) {
            let count = std::mem::take(&mut self.counts[slot as usize]);
            let sums = &mut into.sums[slot as usize];
            sums.count += count;
            sums.squares += count * count;
            sums.products += count * busy;
            sums.weight_squares += match self.squares.get_mut(slot as usize) {
                Some(squares) => std::mem::take(squares),
                None => count,
            };
        }
        into.busy += busy;
        into.busy_squares += busy * busy;
    }
}

fn add_at(sums: &mut Vec<f64>, position: usize, value: f64) {
    if position >= sums.len() {
        sums.resize(position + 1, 0.0);
    }
    sums[position] += value;
}

/// Positions of the samples by block, those of one block in the order of the file.
fn in_order_of_blocks(samples: &[Sample], blocks: u64, block_of: impl Fn(u64) -> u64) -> Vec<u32> {
    // Where the samples of each block begin, found by counting them.
    let mut next = vec![0u32; blocks as usize + 1];
    for sample in samples {
        next[block_of(sample.bucket_ms) as usize + 1] += 1;
    }
    for block in 1..next.len() {
        next[block] += next[block - 1];
    }
    let mut order = vec![0u32; samples.len()];
    for (position, sample) in samples.iter().enumerate() {
        let place = &mut next[block_of(sample.bucket_ms) as usize];
        order[*place as usize] = position as u32;
        *place += 1;
    }
    order
}

/// Whole blocks in a capture, at least one.
pub fn blocks_in(seconds: f64, block_ms: u64) -> u64 {
    // A length that makes no sense must not make millions of blocks.
    let blocks = (seconds * 1e3 / block_ms.max(1) as f64).floor();
    blocks.clamp(1.0, 1e6) as u64
}

/// Processor time a sample stands for; 0 for samples of another type.
pub fn sample_seconds(capture: &Capture) -> f64 {
    if capture.shown() != CPU {
        return 0.0;
    }
    let (mut count, mut ns) = (0.0, 0.0);
    for sample in capture.samples() {
        count += sample.count as f64;
        ns += sample.value as f64;
    }
    match count > 0.0 {
        true => ns / count / 1e9,
        // Of a VM that did nothing: what one would stand for.
        false => capture.period_ns() as f64 / 1e9,
    }
}
