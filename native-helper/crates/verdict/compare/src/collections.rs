//! Functions that changed by nothing but the collections that fell into their time.
//!
//! The heap is full in one function or in another, so a collection wanders when anything before it
//! changes. A function whose code is the same is judged by its time beside collections: those are not charged to it.
//! This is a part of its verdict; later remarks on a row change no verdict.

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

/// The largest part of a change that may be left without collections, where these are its cause: the smaller part, so that
/// they make more of it than all else together. The verdict on the rest decides whether it is a change, but in another
/// family of questions, which may be stricter: without this bound, a change that collections have no part in could be
/// taken for theirs.
const SMALLER_PART: f64 = 0.5;
/// The same where no verdict on the rest decides, as on that of a total, or where the code may be another: half as much.
const UNTESTED_PART: f64 = SMALLER_PART / 2.0;

/// The data needed to decide.
pub struct Collections<'a> {
    pub base: &'a SideCounts,
    pub new: &'a SideCounts,
    pub measure: Measure,
    pub calls: &'a CallGraph,
}

impl Collections<'_> {
    /// Decides on the rows whose code is the same: a change that collections make most of, without a change beside them,
    /// is none of the function. Own time is that of its own code, as own functions that it calls have theirs; total time
    /// is that of all that it calls, whose code has to be the same, too.
    pub fn decide(&self, rows: &mut [Row], code: &mut UnchangedCode<'_, '_>) {
        for row in 0..rows.len() {
            let own = own_by_collections(&rows[row], SMALLER_PART) && code.is_same(rows, row);
            let total = moves(&rows[row].change.total)
                && (own || !has_own_change(&rows[row]))
                && self.total_by_collections(&rows[row])
                && code.with_all_it_calls(rows, self.calls, row);
            if !(own || total) {
                continue;
            }
            rows[row].is_uncharged = true;
            let change = &mut rows[row].change;
            if let Some(own) = change.own.as_mut().filter(|_| own) {
                own.verdict = Verdict::Noise;
            }
            if total {
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
        (all - of_gc).abs() <= UNTESTED_PART * all.abs()
    }
}

/// The remark on a row of which collections make the change.
pub fn remark(row: &Row) -> Option<Remark> {
    match (row.is_uncharged, own_by_collections(row, UNTESTED_PART)) {
        (true, _) => Some(Remark::CollectionsMoved),
        (false, true) => Some(Remark::CollectionsAlone),
        (false, false) => None,
    }
}

/// Whether its own time changed, and without collections did not, as far as its samples show: few are no change.
fn own_by_collections(row: &Row, left: f64) -> bool {
    let (Some(own), Some(without)) = (&row.change.own, &row.change.own_without_gc) else {
        return false;
    };
    moves(own)
        && !without.verdict.is_change()
        && without.difference().abs() <= left * own.difference().abs()
}

/// Otherwise only the functions below it can have changed its total.
fn has_own_change(row: &Row) -> bool {
    let own = row.change.own.as_ref().unwrap_or(&row.change.itself);
    own.verdict.is_change()
}

fn moves(change: &Change) -> bool {
    matches!(change.verdict, Verdict::Slower | Verdict::Faster)
}
