//! Rows whose code is the same on both sides, alone or with all that they call.

use shared_map::HashMap;

use crate::call_graph::CallGraph;
use crate::code::Code;
use crate::counts::SideCounts;
use crate::identity::KnownFunction;
use crate::row::Row;

/// Looks rows up, each once.
pub struct UnchangedCode<'a, 'c> {
    base: &'a SideCounts,
    new: &'a SideCounts,
    code: &'a Code<'c>,
    known: HashMap<usize, bool>,
}

impl<'a, 'c> UnchangedCode<'a, 'c> {
    pub fn new(base: &'a SideCounts, new: &'a SideCounts, code: &'a Code<'c>) -> Self {
        Self {
            base,
            new,
            code,
            known: HashMap::new(),
        }
    }

    /// Whether the code of a row, and that of all that it calls in the samples of either side, is
    /// known to be the same.
    pub fn with_all_it_calls(&mut self, rows: &[Row], calls: &CallGraph, row: usize) -> bool {
        let mut reached = vec![false; rows.len()];
        let mut to_visit = vec![row];
        while let Some(row) = to_visit.pop() {
            if std::mem::replace(&mut reached[row], true) {
                continue;
            }
            if !self.is_same(rows, row) {
                return false;
            }
            let callees = calls.of_caller(row).iter();
            to_visit.extend(callees.map(|each| each.call.callee));
        }
        true
    }

    /// Whether the code of a row differs between the commits of both sides: `None` where that is not known, as of
    /// functions whose text neither commit has, and of those that only their text shows to be the same, beside edits that
    /// no commit has. A text that differs is not proven to leave the function alone where the function cannot be found in
    /// it.
    pub fn is_touched(&mut self, rows: &[Row], row: usize) -> Option<bool> {
        if !self.code.has_texts() {
            return None;
        }
        let functions = &rows[row].functions;
        let base = functions.base.map(|id| self.base.catalogue.get(id));
        let new = functions.new.map(|id| self.new.catalogue.get(id));
        match (base, new) {
            (Some(base), Some(_)) if self.is_same(rows, row) => self.untouched(base),
            (Some(base), Some(new)) => self.code.has_text(base, new).then_some(true),
            (base, new) => match self.code.is_same_there(base, new)? {
                true => self.untouched(base.or(new)?),
                false => Some(true),
            },
        }
    }

    /// The answer about a function whose code counts as the same.
    fn untouched(&self, known: &KnownFunction) -> Option<bool> {
        (!self.code.may_be_edited(known)).then_some(false)
    }

    /// Whether the code of a row is known to be the same.
    pub fn is_same(&mut self, rows: &[Row], row: usize) -> bool {
        let functions = &rows[row].functions;
        let (Some(base), Some(new)) = (functions.base, functions.new) else {
            return false;
        };
        *self.known.entry(row).or_insert_with(|| {
            let (base, new) = (self.base.catalogue.get(base), self.new.catalogue.get(new));
            self.code.is_same(base, new)
        })
    }
}
