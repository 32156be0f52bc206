//! The calls between functions on both sides, by the rows that the functions have.

use std::collections::BTreeMap;

use shared_sort::SharedSort;

use crate::counts::{SideCounts, Tally, effective};
use crate::identity::FunctionId;
use crate::row::Row;
use crate::stack_walk::Call;

/// A call between two rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallOfRows {
    /// Positions of the rows.
    pub call: Call<usize>,
    pub base: Side,
    pub new: Side,
}

/// The call on one side.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Side {
    /// `None` where this side has it not.
    pub tally: Option<Tally>,
    /// In all captures.
    pub samples: f64,
}

/// All calls.
#[derive(Debug, Default)]
pub struct CallGraph {
    by_caller: Vec<CallOfRows>,
    by_callee: Vec<CallOfRows>,
}

impl CallGraph {
    pub fn of(base: &SideCounts, new: &SideCounts, rows: &[Row]) -> Self {
        let mut calls: BTreeMap<Call<usize>, (Side, Side)> = BTreeMap::new();
        let of_base = rows_of(base, rows.iter().map(|row| row.functions.base));
        for (call, side) in calls_of(base, &of_base) {
            calls.entry(call).or_default().0 = side;
        }
        let of_new = rows_of(new, rows.iter().map(|row| row.functions.new));
        for (call, side) in calls_of(new, &of_new) {
            calls.entry(call).or_default().1 = side;
        }
        let calls = calls.into_iter();
        let by_caller: Vec<_> = calls
            .map(|(call, (base, new))| CallOfRows { call, base, new })
            .collect();
        let mut by_callee = by_caller.clone();
        by_callee.shared_sort_by_key(|each| (each.call.callee, each.call.caller));
        Self {
            by_caller,
            by_callee,
        }
    }

    pub fn all(&self) -> &[CallOfRows] {
        &self.by_caller
    }

    /// The calls that a row makes.
    pub fn of_caller(&self, caller: usize) -> &[CallOfRows] {
        run_of(&self.by_caller, |each| each.call.caller, caller)
    }

    /// The calls of a row by others.
    pub fn of_callee(&self, callee: usize) -> &[CallOfRows] {
        run_of(&self.by_callee, |each| each.call.callee, callee)
    }

    pub fn get(&self, caller: usize, callee: usize) -> Option<&CallOfRows> {
        let mut calls = self.of_caller(caller).iter();
        calls.find(|each| each.call.callee == callee)
    }
}

/// The calls that have this row, in calls that are sorted by it.
fn run_of(calls: &[CallOfRows], row_of: fn(&CallOfRows) -> usize, row: usize) -> &[CallOfRows] {
    let first = calls.partition_point(|each| row_of(each) < row);
    let end = calls.partition_point(|each| row_of(each) <= row);
    &calls[first..end]
}

/// By function: its row.
fn rows_of(
    side: &SideCounts,
    functions: impl Iterator<Item = Option<FunctionId>>,
) -> Vec<Option<usize>> {
    let mut rows = vec![None; side.catalogue.len()];
    for (row, function) in functions.enumerate() {
        if let Some(place) = function.and_then(|id| rows.get_mut(id.as_usize())) {
            *place = Some(row);
        }
    }
    rows
}

fn calls_of<'a>(
    side: &'a SideCounts,
    rows: &'a [Option<usize>],
) -> impl Iterator<Item = (Call<usize>, Side)> + 'a {
    let row = |id: FunctionId| rows.get(id.as_usize()).copied().flatten();
    side.tallies().filter_map(move |tally| {
        let Tally::Call(caller, callee) = tally else {
            return None;
        };
        let call = Call {
            caller: row(caller)?,
            callee: row(callee)?,
        };
        let mut all = (0.0, 0.0);
        for sums in side.sums(tally) {
            all.0 += sums.count;
            all.1 += sums.weight_squares;
        }
        let samples = effective(all.0, all.1);
        let tally = Some(tally);
        Some((call, Side { tally, samples }))
    })
}
