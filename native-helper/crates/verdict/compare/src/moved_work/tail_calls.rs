//! Functions that are on the stack now while their callees run, and were not before.
//!
//! The call that a function makes as its last thing counts, as own time, for the caller that waits for
//! it. When something else is to be done afterwards, it counts for the function itself, be the callee
//! another one, too.

use shared_sort::SharedSort;

use super::MovedWork;
use super::balance::Difference;
use crate::answer::Change;
use crate::call_graph::CallOfRows;
use crate::counts::Column;
use crate::moved::{Amount, Moved, MovedKind};
use crate::pair::changes;
use crate::verdicts::Verdict;

/// Of the time that a function gained, the least that one new call has to explain.
const MOST_OF_IT: f64 = 0.5;

/// Functions of which own time grew by what their callers lost.
pub fn uncovered(work: &MovedWork<'_, '_>) -> Vec<Moved> {
    let rows = 0..work.rows.len();
    rows.filter_map(|row| of_row(work, row)).collect()
}

fn of_row(work: &MovedWork<'_, '_>, row: usize) -> Option<Moved> {
    let grown = work.rows[row].change.own.as_ref()?;
    if grown.verdict != Verdict::Slower || !work.code_changed(row) {
        return None;
    }
    let difference = |row| Difference::of(&work.column_pair(row, Column::Own), work.spread);
    let gain = difference(row);
    let mut callers: Vec<(usize, &Change)> = losing_callers(work, row).collect();
    callers.shared_sort_by(|(_, a), (_, b)| a.larger_first(b));
    let losses = callers.iter().map(|(caller, _)| difference(*caller));
    if !gain.balances(losses.reduce(Difference::and)?) {
        return None;
    }
    let function = new_callee(work, row, gain.value)?;
    let mut went = Amount::default();
    for (_, change) in &callers {
        went.add(change.amount());
    }
    let from = callers
        .iter()
        .map(|(caller, _)| work.name(*caller).to_owned());
    Some(Moved::new(
        MovedKind::NoLongerATailCall,
        work.name(function),
        (from.collect(), went),
        (work.name(row), grown.amount()),
    ))
}

/// Callers that lost own time, called the row before by their code, and whose calls of it have more.
fn losing_callers<'a>(
    work: &'a MovedWork<'_, '_>,
    row: usize,
) -> impl Iterator<Item = (usize, &'a Change)> + 'a {
    let calls = work.calls.of_callee(row).iter();
    calls.filter_map(move |each| {
        let caller = each.call.caller;
        let own = work.rows[caller].change.own.as_ref()?;
        let is_loss = own.verdict == Verdict::Faster && work.rows[caller].is_on_both_sides();
        let pair = work.call_pair(each);
        let is_grown = pair.new.value > pair.base.value;
        let named = || work.mentions_on_base(caller, row) == Some(true);
        (is_loss && is_grown && named()).then_some((caller, own))
    })
}

/// The call that is certainly new, is in the code, and takes most of the row's gain.
fn new_callee(work: &MovedWork<'_, '_>, row: usize, gained: f64) -> Option<usize> {
    let calls: Vec<&CallOfRows> = work.calls.of_caller(row).iter().collect();
    let pairs: Vec<_> = calls.iter().map(|call| work.call_pair(call)).collect();
    let changes = changes(&pairs.iter().collect::<Vec<_>>(), work.spread, false);
    let mut new = calls.iter().zip(changes).filter(|(call, change)| {
        let is_named = || work.mentions(row, call.call.callee) == Some(true);
        change.verdict == Verdict::New && change.new >= MOST_OF_IT * gained && is_named()
    });
    match (new.next(), new.next()) {
        (Some((call, _)), None) => Some(call.call.callee),
        _ => None,
    }
}
