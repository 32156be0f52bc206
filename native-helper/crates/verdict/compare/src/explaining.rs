//! Why rows changed, where the samples and the code show it.

use crate::call_graph::CallGraph;
use crate::collections::Collections;
use crate::counts::SideCounts;
use crate::measure::Measure;
use crate::moved::Moved;
use crate::moved_work::MovedWork;
use crate::row::Row;
use crate::side::Side;
use crate::sources::SourceTexts;
use crate::spread::Spread;
use crate::unchanged_code::UnchangedCode;
use crate::wrappers::mark_wrappers;

/// The data needed to explain rows.
pub struct Explaining<'a> {
    pub base: (&'a Side<'a>, &'a SideCounts),
    pub new: (&'a Side<'a>, &'a SideCounts),
    pub measure: Measure,
    pub texts: &'a SourceTexts,
    pub spread: &'a Spread,
}

impl Explaining<'_> {
    /// Makes remarks on rows, and returns the work that moved from one to another.
    pub fn explain(&self, rows: &mut [Row]) -> Vec<Moved> {
        let calls = CallGraph::of(self.base.1, self.new.1, rows);
        let mut code = UnchangedCode::new(self.base, self.new, self.texts);
        for row in 0..rows.len() {
            rows[row].change.touched = code.is_touched(rows, row);
        }
        let collections = Collections {
            base: self.base.1,
            new: self.new.1,
            measure: self.measure,
            calls: &calls,
            code,
        };
        collections.remark(rows);
        mark_wrappers(rows, &calls);
        let moved_work = MovedWork {
            base: self.base.1,
            new: self.new.1,
            measure: self.measure,
            spread: self.spread,
            rows,
            calls: &calls,
            texts: self.texts,
        };
        moved_work.find()
    }
}
