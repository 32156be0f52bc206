//! A row of the answer while it is being worked out.

use crate::answer::FunctionChange;
use crate::matching::Match;

/// The figures of a function, and its ids in the catalogues of both sides.
#[derive(Debug, Clone)]
pub struct Row {
    pub functions: Match,
    pub change: FunctionChange,
    /// Its code is the same, and collections make the change: they are not charged to it.
    pub is_uncharged: bool,
}

impl Row {
    pub fn is_on_both_sides(&self) -> bool {
        self.functions.base.is_some() && self.functions.new.is_some()
    }
}
