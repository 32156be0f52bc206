//! Functions that are part of their caller now.

use std::collections::BTreeMap;

use super::MovedWork;
use super::balance::Difference;
use crate::answer::Change;
use crate::counts::Column;
use crate::matching::ErlangName;
use crate::moved::{Moved, MovedKind};
use crate::source_code::{asks_for_inlining, defines};
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
pub fn merges(work: &MovedWork<'_>) -> Vec<Moved> {
    let mut by_caller: BTreeMap<usize, Vec<Helper>> = BTreeMap::new();
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

/// A function that is certainly gone, and whose caller does more itself.
fn helper(work: &MovedWork<'_>, row: usize) -> Option<(usize, Helper)> {
    let gone = &work.rows[row];
    if gone.functions.new.is_some() || !has_no_time(&gone.change.itself) {
        return None;
    }
    let by_code = by_code(work, row)?;
    let all = gone.change.total.base_samples as f64;
    let mut calls = work.calls.of_callee(row).iter();
    let call = calls.find(|each| each.base.samples >= MOST_OF_IT * all)?;
    let caller = call.call.caller;
    let does_more = work.rows[caller].is_on_both_sides()
        && work.rows[caller].change.itself.verdict == Verdict::Slower;
    does_more.then_some((caller, Helper { row, by_code }))
}

/// The conclusion from the texts about a function without samples: `Some(None)` where they are not
/// known, `None` where it is still there and no request for inlining is new.
fn by_code(work: &MovedWork<'_>, row: usize) -> Option<Option<MovedKind>> {
    let function = work.on_base(row)?;
    let name = ErlangName::parse(&function.identity.name)?;
    let Some(before) = work.texts.base_of(function) else {
        return Some(None);
    };
    let mut of_new = work.texts.new.values();
    let Some(after) = of_new.find(|after| work.texts.is_same_file(before, after)) else {
        return Some(None);
    };
    if !defines(before, name.function) {
        return Some(None);
    }
    match defines(after, name.function) {
        false => Some(Some(MovedKind::MergedInto)),
        true if asks_for_inlining(after) && !asks_for_inlining(before) => {
            Some(Some(MovedKind::Inlined))
        }
        true => None,
    }
}

fn merged(work: &MovedWork<'_>, caller: usize, helpers: &[Helper]) -> Vec<Moved> {
    let difference = |row| Difference::of(&work.column_pair(row, Column::Itself), work.spread);
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
    let came = work.rows[caller].change.itself.amount();
    let finding = |helper: &Helper| {
        let name = work.name(helper.row);
        Moved::new(
            helper.by_code.unwrap_or(MovedKind::MergedInto),
            name,
            (
                vec![name.to_owned()],
                work.rows[helper.row].change.itself.amount(),
            ),
            (work.name(caller), came),
        )
    };
    helpers.iter().map(finding).collect()
}

/// For certain; where its code is still there, it is not gone.
fn has_no_time(change: &Change) -> bool {
    matches!(change.verdict, Verdict::Gone | Verdict::Faster) && change.new_samples == 0
}
