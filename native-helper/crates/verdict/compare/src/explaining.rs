//! Why rows changed, where the samples and the code show it. No explanation changes a verdict.

use crate::call_graph::CallGraph;
use crate::code::Code;
use crate::collections;
use crate::counts::SideCounts;
use crate::measure::Measure;
use crate::moved::Moved;
use crate::moved_work::MovedWork;
use crate::row::Row;
use crate::spread::Spread;
use crate::unchanged_code::UnchangedCode;
use crate::wrappers::mark_wrappers;

/// The data needed to explain rows.
pub struct Explaining<'a, 'c> {
    pub base: &'a SideCounts,
    pub new: &'a SideCounts,
    pub measure: Measure,
    pub calls: &'a CallGraph,
    pub code: &'a Code<'c>,
    pub spread: &'a Spread,
}

impl Explaining<'_, '_> {
    /// Makes remarks on rows, and returns the work that moved from one to another, and how many such findings more
    /// there are.
    pub fn explain(
        &self,
        rows: &mut [Row],
        unchanged: &mut UnchangedCode<'_, '_>,
    ) -> (Vec<Moved>, usize) {
        for row in 0..rows.len() {
            rows[row].change.touched = unchanged.is_touched(rows, row);
            if let Some(remark) = collections::remark(&rows[row]) {
                rows[row].change.remark = Some(remark);
            }
        }
        mark_wrappers(rows, self.calls);
        let moved_work = MovedWork {
            base: self.base,
            new: self.new,
            measure: self.measure,
            spread: self.spread,
            rows,
            calls: self.calls,
            code: self.code,
        };
        moved_work.find()
    }
}
