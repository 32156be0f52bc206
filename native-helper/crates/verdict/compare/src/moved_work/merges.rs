//! Functions that are part of their caller now.

use std::collections::BTreeMap;

use super::MovedWork;
use super::balance::Difference;
use crate::answer::Change;
use crate::counts::Column;
use crate::erlang_name::ErlangName;
use crate::moved::{Amount, Moved, MovedKind};
use crate::verdicts::Verdict;

/// Of what a function took, the least that one caller called it for.
const MOST_OF_IT: f64 = 0.9;

/// A function that is gone.
struct Helper {
    row: usize,
    /// The conclusion from the code; `None` where it is not known.
    by_code: Option<MovedKind>,
}

/// The work of functions that are gone, which their former callers do now.
pub fn merges(work: &MovedWork<'_, '_>) -> Vec<Moved> {
    let mut by_caller: BTreeMap<(usize, Column), Vec<Helper>> = BTreeMap::new();
    for row in 0..work.rows.len() {
        if let Some((caller, helper)) = helper(work, row) {
            by_caller.entry(caller).or_default().push(helper);
        }
    }
    let merged = by_caller
        .iter()
        .flat_map(|(caller, helpers)| merged(work, *caller, helpers));
    merged.collect()
}

/// A function that is certainly gone, and its caller, which does more itself, or in C code and code of others that it
/// calls: the column shows which.
fn helper(work: &MovedWork<'_, '_>, row: usize) -> Option<((usize, Column), Helper)> {
    if work.rows[row].functions.new.is_some() {
        return None;
    }
    let by_code = by_code(work, row)?;
    let columns = [Column::Itself, Column::Own].into_iter();
    let mut gone = columns.filter(|column| {
        let change = change_in(work, row, *column);
        change.is_some_and(has_no_time)
    });
    gone.find_map(|column| {
        let caller = by_calls(work, row).filter(|caller| does_more(work, *caller, column));
        // Where the call was the last thing that its caller did, the stack has the caller's caller.
        let is_shown = by_code == Some(MovedKind::MergedInto);
        let caller = caller.or_else(|| match is_shown {
            true => by_text(work, row, column),
            false => None,
        })?;
        Some(((caller, column), Helper { row, by_code }))
    })
}

/// The caller that nearly all samples of a function have.
fn by_calls(work: &MovedWork<'_, '_>, row: usize) -> Option<usize> {
    let all = work.rows[row].change.total.base_samples as f64;
    let mut calls = work.calls.of_callee(row).iter();
    let call = calls.find(|each| each.base.samples >= MOST_OF_IT * all)?;
    Some(call.call.caller)
}

/// The only function that named it in its code and does more now.
fn by_text(work: &MovedWork<'_, '_>, row: usize, column: Column) -> Option<usize> {
    let mut callers = (0..work.rows.len()).filter(|caller| {
        does_more(work, *caller, column) && work.mentions_on_base(*caller, row) == Some(true)
    });
    let only = callers.next()?;
    callers.next().is_none().then_some(only)
}

fn does_more(work: &MovedWork<'_, '_>, row: usize, column: Column) -> bool {
    let change = change_in(work, row, column);
    let is_slower = change.is_some_and(|change| change.verdict == Verdict::Slower);
    is_slower && work.rows[row].is_on_both_sides()
}

fn change_in<'w>(work: &'w MovedWork<'_, '_>, row: usize, column: Column) -> Option<&'w Change> {
    let change = &work.rows[row].change;
    match column {
        Column::Own => change.own.as_ref(),
        _ => Some(&change.itself),
    }
}

/// The conclusion from the texts about a function without samples: `Some(None)` where they are not
/// known, `None` where it is still there and no request for inlining is new.
fn by_code(work: &MovedWork<'_, '_>, row: usize) -> Option<Option<MovedKind>> {
    let function = work.on_base(row)?;
    let name = ErlangName::parse(&function.identity.name)?;
    let Some([before, after]) = work.code.file_of_base(function) else {
        return Some(None);
    };
    if !before.has(name.function) {
        return Some(None);
    }
    match after.has(name.function) {
        false => Some(Some(MovedKind::MergedInto)),
        true if after.asks_for_inlining() && !before.asks_for_inlining() => {
            Some(Some(MovedKind::Inlined))
        }
        true => None,
    }
}

fn merged(
    work: &MovedWork<'_, '_>,
    (caller, column): (usize, Column),
    helpers: &[Helper],
) -> Vec<Moved> {
    let difference = |row| Difference::of(&work.column_pair(row, column), work.spread);
    let amount = |row| change_in(work, row, column).map_or_else(Amount::default, Change::amount);
    let gain = difference(caller);
    let losses = helpers.iter().map(|helper| difference(helper.row));
    let Some(loss) = losses.reduce(Difference::and) else {
        return Vec::new();
    };
    // Where the code shows it, the merged work may have become faster, too.
    let is_shown = helpers.iter().all(|helper| helper.by_code.is_some())
        && gain.value <= -loss.value
        && work.code_changed(caller);
    if !gain.balances(loss) && !is_shown {
        return Vec::new();
    }
    let came = amount(caller);
    let finding = |helper: &Helper| {
        let name = work.name(helper.row);
        Moved::new(
            helper.by_code.unwrap_or(MovedKind::MergedInto),
            name,
            (vec![name.to_owned()], amount(helper.row)),
            (work.name(caller), came),
        )
    };
    helpers.iter().map(finding).collect()
}

/// For certain; where its code is still there, it is not gone.
fn has_no_time(change: &Change) -> bool {
    matches!(change.verdict, Verdict::Gone | Verdict::Faster) && change.new_samples == 0
}
