//! Finds work that moved from one function to another.
//!
//! It is claimed only where one place certainly lost time, another certainly gained it, and what both
//! differ by may be chance, or where the code shows it; for the work of the compiler, only there. A finding that
//! is wrong is worse than none, so where two explanations fit there is none.

mod balance;
mod calls;
mod merges;
mod tail_calls;

use shared_sort::SharedSort;

use crate::call_graph::{CallGraph, CallOfRows};
use crate::code::Code;
use crate::counts::{Column, SideCounts, Tally};
use crate::identity::KnownFunction;
use crate::measure::Measure;
use crate::moved::Moved;
use crate::pair::Pair;
use crate::row::Row;
use crate::spread::Spread;

/// More findings than this no one reads, and so many of a kind are none.
pub const MOST: usize = 20;

/// The data needed to find it.
pub struct MovedWork<'a, 'c> {
    pub base: &'a SideCounts,
    pub new: &'a SideCounts,
    pub measure: Measure,
    pub spread: &'a Spread,
    pub rows: &'a [Row],
    pub calls: &'a CallGraph,
    pub code: &'a Code<'c>,
}

impl MovedWork<'_, '_> {
    /// The largest findings, the largest first, and how many more there are.
    pub fn find(&self) -> (Vec<Moved>, usize) {
        let mut found = merges::merges(self);
        found.extend(calls::moved_calls(self));
        // The same may be seen in two ways; the more informative one comes first.
        for moved in tail_calls::uncovered(self) {
            let is_same =
                |known: &Moved| (&known.function, &known.to) == (&moved.function, &moved.to);
            if !found.iter().any(is_same) {
                found.push(moved);
            }
        }
        found.shared_sort_by(|a, b| {
            let size = |moved: &Moved| (moved.came.new - moved.came.base).abs();
            let order = size(b).total_cmp(&size(a));
            order.then_with(|| a.text.cmp(&b.text))
        });
        let left_out = found.len().saturating_sub(MOST);
        found.truncate(MOST);
        (found, left_out)
    }

    fn call_pair(&self, call: &CallOfRows) -> Pair {
        Pair::of(
            (self.base, call.base.tally),
            (self.new, call.new.tally),
            self.measure,
        )
    }

    fn column_pair(&self, row: usize, column: Column) -> Pair {
        let functions = self.rows[row].functions;
        let tally = |id| Tally::Function(id, column);
        Pair::of(
            (self.base, functions.base.map(tally)),
            (self.new, functions.new.map(tally)),
            self.measure,
        )
    }

    fn name(&self, row: usize) -> &str {
        &self.rows[row].change.function
    }

    fn on_base(&self, row: usize) -> Option<&KnownFunction> {
        let id = self.rows[row].functions.base?;
        Some(self.base.catalogue.get(id))
    }

    fn on_new(&self, row: usize) -> Option<&KnownFunction> {
        let id = self.rows[row].functions.new?;
        Some(self.new.catalogue.get(id))
    }

    /// Whether a function names another in its code, on the newer side; `None` where that is not known.
    fn mentions(&self, row: usize, other: usize) -> Option<bool> {
        let (function, other) = (self.on_new(row)?, self.on_new(other)?);
        self.code.new_mentions(function, other)
    }

    /// The same on the older side.
    fn mentions_on_base(&self, row: usize, other: usize) -> Option<bool> {
        let (function, other) = (self.on_base(row)?, self.on_base(other)?);
        self.code.base_mentions(function, other)
    }

    /// Whether the texts of both sides are known, and the function is another one in each.
    fn code_changed(&self, row: usize) -> bool {
        let (Some(base), Some(new)) = (self.on_base(row), self.on_new(row)) else {
            return false;
        };
        self.code.is_changed(base, new)
    }
}
