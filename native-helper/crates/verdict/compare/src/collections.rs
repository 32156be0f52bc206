//! Functions that changed by nothing but the collections that fell into their time.
//!
//! The heap is full in one function or in another, so a collection wanders when anything before it
//! changes. A function that is innocent of that should not be called slower.

use crate::answer::Change;
use crate::call_graph::CallGraph;
use crate::counts::{Column, SideCounts, Tally};
use crate::estimate::SideEstimate;
use crate::identity::FunctionId;
use crate::measure::Measure;
use crate::remark::Remark;
use crate::row::Row;
use crate::unchanged_code::UnchangedCode;
use crate::verdicts::Verdict;

/// Of a change that collections make, no more than this is left without them.
const LEFT: f64 = 0.25;

/// The data needed to decide.
pub struct Collections<'a> {
    pub base: &'a SideCounts,
    pub new: &'a SideCounts,
    pub measure: Measure,
    pub calls: &'a CallGraph,
    pub code: UnchangedCode<'a>,
}

impl Collections<'_> {
    /// Marks the rows, and takes back what unchanged code is not to be blamed for.
    pub fn remark(mut self, rows: &mut [Row]) {
        let all = || 0..rows.len();
        let suspects: Vec<usize> = all()
            .filter(|row| own_by_collections(&rows[*row]))
            .collect();
        let callers: Vec<usize> = all()
            .filter(|row| total_alone(&rows[*row]) && self.total_by_collections(&rows[*row]))
            .collect();
        for caller in callers {
            if self.code.with_all_it_calls(rows, self.calls, caller) {
                let change = &mut rows[caller].change;
                change.remark = Some(Remark::CollectionsMoved);
                change.total.verdict = Verdict::Noise;
            }
        }
        for suspect in suspects {
            let is_same = self.code.with_all_it_calls(rows, self.calls, suspect);
            let total_too = self.total_by_collections(&rows[suspect]);
            let change = &mut rows[suspect].change;
            if !is_same {
                change.remark = Some(Remark::CollectionsAlone);
                continue;
            }
            change.remark = Some(Remark::CollectionsMoved);
            if let Some(own) = &mut change.own {
                own.verdict = Verdict::Noise;
            }
            if total_too && moves(&change.total) {
                change.total.verdict = Verdict::Noise;
            }
        }
    }

    /// Whether collections make most of the change of its total.
    fn total_by_collections(&self, row: &Row) -> bool {
        let gc = |side: &SideCounts, function: Option<FunctionId>| {
            let tally = |id| Tally::Function(id, Column::TotalGc);
            let estimate = function.map(|id| SideEstimate::of(side, tally(id), self.measure));
            estimate.map_or(0.0, |estimate| estimate.value)
        };
        let functions = row.functions;
        let of_gc = gc(self.new, functions.new) - gc(self.base, functions.base);
        let all = row.change.total.difference();
        (all - of_gc).abs() <= LEFT * all.abs()
    }
}

/// Whether its own time changed, and without collections did not.
fn own_by_collections(row: &Row) -> bool {
    let (Some(own), Some(without)) = (&row.change.own, &row.change.own_without_gc) else {
        return false;
    };
    moves(own)
        && without.verdict == Verdict::Noise
        && without.difference().abs() <= LEFT * own.difference().abs()
}

/// Whether its total changed and its own time did not: only the functions below it can be the
/// cause.
fn total_alone(row: &Row) -> bool {
    let own = row.change.own.as_ref().unwrap_or(&row.change.itself);
    moves(&row.change.total) && !own.verdict.is_change()
}

fn moves(change: &Change) -> bool {
    matches!(change.verdict, Verdict::Slower | Verdict::Faster)
}
