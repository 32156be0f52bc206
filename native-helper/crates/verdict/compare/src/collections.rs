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
use crate::spread::Spread;
use crate::unchanged_code::UnchangedCode;
use crate::verdicts::{Tested, Verdict};

/// The largest part of a change that may be left without collections, where these are its cause: the smaller part, so that
/// they make more of it than all else together. The verdict on the rest decides whether it is a change, but in another
/// family of questions, which may be stricter: without this bound, a change that collections have no part in could be
/// taken for theirs.
const SMALLER_PART: f64 = 0.5;
/// The same where the rest is judged alone, as that of a total, or where the code may be another: half as much.
const SMALL_PART: f64 = SMALLER_PART / 2.0;

/// The data needed to decide.
pub struct Collections<'a> {
    pub base: &'a SideCounts,
    pub new: &'a SideCounts,
    pub measure: Measure,
    pub calls: &'a CallGraph,
    pub spread: &'a Spread,
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

    /// Whether collections make most of the change of its total, and the rest of it is no change.
    fn total_by_collections(&self, row: &Row) -> bool {
        let beside = |side: &SideCounts, function: Option<FunctionId>| match function {
            Some(id) => {
                let tally = |column| Tally::Function(id, column);
                let (all, part) = (tally(Column::Total), tally(Column::TotalGc));
                SideEstimate::beside(side, all, part, self.measure)
            }
            None => SideEstimate::of(side, None, self.measure),
        };
        let base = beside(self.base, row.functions.base);
        let new = beside(self.new, row.functions.new);
        let all = row.change.total.difference();
        let is_small = (new.value - base.value).abs() <= SMALL_PART * all.abs();
        let (_, verdict) = Tested::alone(&base, &new, self.spread);
        is_small && !verdict.is_change()
    }
}

/// The remark on a row of which collections make the change.
pub fn remark(row: &Row) -> Option<Remark> {
    match (row.is_uncharged, own_by_collections(row, SMALL_PART)) {
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
