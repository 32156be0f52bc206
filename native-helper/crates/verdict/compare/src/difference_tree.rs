//! The call tree of both sides, as far as a frame takes enough of either to be seen.
//!
//! Only frames that stay are ever made: each holds the stacks that go through it, and the widest is
//! divided next. So the tree is as large as the shown part, however many stacks there are and
//! however deep they go.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use shared_map::HashSet;

use crate::answer::{Comparison, FunctionChange};
use crate::counts::effective;
use crate::frame_change::{FrameChange, FrameSide, run_variance};
use crate::side::Side;
use crate::side_stacks::{CountedStack, NameId, SideStacks};

/// Frames with less of both sides are folded into their caller.
const LEAST_SHARE: f64 = 0.001;
/// So many stay at most, the widest.
const MOST_FRAMES: usize = 20_000;

/// A frame of both sides. Its amounts include its callees.
#[derive(Debug, Clone, Copy)]
pub struct TreeNode {
    /// The root's is its own.
    pub parent: u32,
    pub frame: TreeFrame,
    /// In the unit of the normalisation.
    pub base: f64,
    pub new: f64,
    pub change: FrameChange,
}

/// The frame of a node of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeFrame {
    All,
    /// Position in [`DifferenceTree::names`].
    Function(NameId),
    /// All that is too narrow to be seen below its caller.
    Folded,
}

/// The tree; parents come before their children, the root first.
#[derive(Debug)]
pub struct DifferenceTree {
    pub names: Vec<String>,
    pub nodes: Vec<TreeNode>,
}

impl DifferenceTree {
    /// `comparison` is that of these sides.
    pub fn of(base: &Side<'_>, new: &Side<'_>, comparison: &Comparison) -> Self {
        let SideStacks { names, stacks, .. } = SideStacks::of(base, new, comparison);
        let whole = Amounts::of(&stacks, 0..stacks.len() as u32);
        let scale = Scale::of(comparison, whole);
        let may_change = MayChange::of(comparison, &names);
        let nodes = grown(&stacks, whole, scale, &may_change);
        Self { names, nodes }
    }

    /// Percent of the newer side's time, and of the older one's, that is folded.
    pub fn folded_pct(&self) -> (f64, f64) {
        let folded = |of: fn(&TreeNode) -> f64| {
            let all = self.nodes.first().map_or(0.0, of);
            let parts = self
                .nodes
                .iter()
                .filter(|node| node.frame == TreeFrame::Folded);
            match all > 0.0 {
                true => 100.0 * parts.map(of).sum::<f64>() / all,
                false => 0.0,
            }
        };
        (folded(|node| node.new), folded(|node| node.base))
    }
}

/// The frames that may have changed, as the comparison judges them: frames claim no more than it does.
#[derive(Debug)]
struct MayChange {
    whole: bool,
    /// By name.
    functions: Vec<bool>,
}

impl MayChange {
    fn of(comparison: &Comparison, names: &[String]) -> Self {
        let is_judged_unchanged = |row: &&FunctionChange| {
            !row.itself.verdict.is_change() && !row.total.verdict.is_change()
        };
        let unchanged: HashSet<&str> = comparison
            .functions
            .iter()
            .filter(is_judged_unchanged)
            .map(|row| row.function.as_str())
            .collect();
        let whole = comparison.whole.as_ref();
        Self {
            whole: whole.is_none_or(|whole| whole.change.verdict.is_change()),
            functions: names
                .iter()
                .map(|name| !unchanged.contains(name.as_str()))
                .collect(),
        }
    }

    fn has(&self, frame: TreeFrame) -> bool {
        match frame {
            TreeFrame::All => self.whole,
            TreeFrame::Function(name) => self.functions.get(name as usize).is_none_or(|may| *may),
            TreeFrame::Folded => false,
        }
    }
}

/// The nodes of the tree of these stacks.
fn grown(
    stacks: &[CountedStack],
    whole: Amounts,
    scale: Scale,
    may_change: &MayChange,
) -> Vec<TreeNode> {
    let root = scale.node(0, TreeFrame::All, whole, may_change);
    let mut growing = Growing {
        stacks,
        whole,
        scale,
        may_change,
        nodes: vec![root],
        folded: BTreeMap::new(),
        waiting: BinaryHeap::new(),
    };
    growing.divide(0, 0, (0..stacks.len() as u32).collect());
    growing.grow();
    growing.finish()
}

/// The amounts of a frame on each side, weighed and in samples: `[base, new]`.
#[derive(Debug, Clone, Copy, Default)]
struct Amounts {
    weight: [f64; 2],
    samples: [f64; 2],
    squares: [f64; 2],
}

impl Amounts {
    fn of(stacks: &[CountedStack], which: impl Iterator<Item = u32>) -> Self {
        let mut amounts = Self::default();
        for at in which {
            let stack = &stacks[at as usize];
            let side = usize::from(stack.is_new);
            amounts.weight[side] += stack.weight;
            amounts.samples[side] += stack.samples;
            amounts.squares[side] += stack.squares;
        }
        amounts
    }

    fn add(&mut self, other: Self) {
        for side in [0, 1] {
            self.weight[side] += other.weight[side];
            self.samples[side] += other.samples[side];
            self.squares[side] += other.squares[side];
        }
    }

    /// Of the side of which it is more.
    fn share_of(self, whole: Self) -> f64 {
        let share = |side: usize| match whole.weight[side] > 0.0 {
            true => self.weight[side] / whole.weight[side],
            false => 0.0,
        };
        share(0).max(share(1))
    }
}

/// Makes amounts figures of the comparison, and judges them.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// For one of a weight: `[base, new]`.
    unit: [f64; 2],
    /// The value of one sample.
    per_sample: [f64; 2],
    run_variance: f64,
}

impl Scale {
    fn of(comparison: &Comparison, whole: Amounts) -> Self {
        // All self time is in one function only.
        let rows = &comparison.functions;
        let values = [
            rows.iter().map(|row| row.itself.base).sum::<f64>(),
            rows.iter().map(|row| row.itself.new).sum::<f64>(),
        ];
        let each = |side: usize, of: f64| match of > 0.0 {
            true => values[side] / of,
            false => 0.0,
        };
        let captures = [comparison.base.captures, comparison.new.captures];
        Self {
            unit: [each(0, whole.weight[0]), each(1, whole.weight[1])],
            per_sample: [each(0, whole.samples[0]), each(1, whole.samples[1])],
            run_variance: run_variance(comparison.method.spread_pct, captures),
        }
    }

    fn node(
        &self,
        parent: u32,
        frame: TreeFrame,
        amounts: Amounts,
        may_change: &MayChange,
    ) -> TreeNode {
        let side = |side: usize| FrameSide {
            value: amounts.weight[side] * self.unit[side],
            samples: effective(amounts.samples[side], amounts.squares[side]),
            per_sample: self.per_sample[side],
        };
        let (base, new) = (side(0), side(1));
        let change = match FrameChange::of(base, new, self.run_variance) {
            // Of many that have nothing in common but that they are small.
            _ if frame == TreeFrame::Folded => FrameChange::None,
            FrameChange::More | FrameChange::Less if !may_change.has(frame) => FrameChange::None,
            change => change,
        };
        TreeNode {
            parent,
            frame,
            base: base.value,
            new: new.value,
            change,
        }
    }
}

/// A frame that is not yet in the tree.
#[derive(Debug)]
struct Waiting {
    share: f64,
    parent: u32,
    name: NameId,
    /// Frames above it.
    depth: usize,
    amounts: Amounts,
    stacks: Vec<u32>,
}

impl Ord for Waiting {
    /// The widest is the greatest; equal ones in the order of their callers and names.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_place = (other.parent, other.name).cmp(&(self.parent, self.name));
        self.share.total_cmp(&other.share).then(by_place)
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

struct Growing<'a> {
    stacks: &'a [CountedStack],
    whole: Amounts,
    scale: Scale,
    may_change: &'a MayChange,
    nodes: Vec<TreeNode>,
    /// By caller.
    folded: BTreeMap<u32, Amounts>,
    waiting: BinaryHeap<Waiting>,
}

impl Growing<'_> {
    fn grow(&mut self) {
        while self.nodes.len() < MOST_FRAMES
            && let Some(next) = self.waiting.pop()
        {
            let node = self.nodes.len() as u32;
            let frame = TreeFrame::Function(next.name);
            let made = self
                .scale
                .node(next.parent, frame, next.amounts, self.may_change);
            self.nodes.push(made);
            self.divide(node, next.depth + 1, next.stacks);
        }
        while let Some(left) = self.waiting.pop() {
            self.fold(left.parent, left.amounts);
        }
    }

    /// Sorts the stacks that go through a node by their frames there, `depth` frames below the root.
    fn divide(&mut self, node: u32, depth: usize, through: Vec<u32>) {
        let mut callees: BTreeMap<NameId, Vec<u32>> = BTreeMap::new();
        for at in through {
            if let Some(name) = self.stacks[at as usize].frames.get(depth) {
                callees.entry(*name).or_default().push(at);
            }
        }
        for (name, stacks) in callees {
            let amounts = Amounts::of(self.stacks, stacks.iter().copied());
            let share = amounts.share_of(self.whole);
            if share < LEAST_SHARE {
                self.fold(node, amounts);
                continue;
            }
            self.waiting.push(Waiting {
                share,
                parent: node,
                name,
                depth,
                amounts,
                stacks,
            });
        }
    }

    fn fold(&mut self, caller: u32, amounts: Amounts) {
        self.folded.entry(caller).or_default().add(amounts);
    }

    fn finish(mut self) -> Vec<TreeNode> {
        for (caller, amounts) in self.folded {
            let node = self
                .scale
                .node(caller, TreeFrame::Folded, amounts, self.may_change);
            self.nodes.push(node);
        }
        self.nodes
    }
}
