//! Functions that are called from another one than before.

use std::collections::BTreeMap;

use super::MovedWork;
use super::balance::Difference;
use crate::call_graph::CallOfRows;
use crate::moved::{Amount, Moved, MovedKind};
use crate::pair::{Pair, changes};
use crate::verdicts::Verdict;

/// The largest part of its time that a replaced call may keep.
const STILL_THERE: f64 = 0.25;

/// Of the time of a call that is as good as new, the largest part that it had before.
const NEARLY_NONE: f64 = 0.02;

/// A call that certainly changed.
#[derive(Clone, Copy)]
struct ChangedCall {
    caller: usize,
    amount: Amount,
    difference: Difference,
}

/// Of each function, the call that is new and the one whose time it has.
pub fn moved_calls(work: &MovedWork<'_, '_>) -> Vec<Moved> {
    let (gains, losses) = changed_calls(work);
    let mut found = Vec::new();
    for (callee, gains) in &gains {
        let losses = losses.get(callee).map_or(&[][..], Vec::as_slice);
        let pairs: Vec<_> = gains
            .iter()
            .flat_map(|gain| losses.iter().map(move |loss| (gain, loss)))
            .filter(|(gain, loss)| {
                // Where the code shows it, the called function may take more or less than before, too.
                gain.difference.balances(loss.difference) || is_shown(work, *callee, gain, loss)
            })
            .collect();
        // Where several fit, it is not known which went where.
        if let [(gain, loss)] = pairs.as_slice() {
            found.extend(finding(work, *callee, gain, loss));
        }
    }
    found
}

type ByCallee = BTreeMap<usize, Vec<ChangedCall>>;

/// Calls that are new, and those that are gone or less.
fn changed_calls(work: &MovedWork<'_, '_>) -> (ByCallee, ByCallee) {
    let is_known = |row: usize| work.rows[row].is_on_both_sides();
    let both = work.calls.all().iter();
    let calls: Vec<&CallOfRows> = both
        .filter(|each| is_known(each.call.caller) && is_known(each.call.callee))
        .collect();
    let pairs: Vec<Pair> = calls.iter().map(|call| work.call_pair(call)).collect();
    let changes = changes(&pairs.iter().collect::<Vec<_>>(), work.spread, false);
    let (mut gains, mut losses) = (ByCallee::new(), ByCallee::new());
    for ((call, pair), change) in calls.iter().zip(&pairs).zip(changes) {
        let of = match change.verdict {
            Verdict::New => &mut gains,
            Verdict::Slower if change.base <= NEARLY_NONE * change.new => &mut gains,
            Verdict::Gone | Verdict::Faster => &mut losses,
            Verdict::Slower | Verdict::Noise | Verdict::TooFew | Verdict::NotMatched => {
                continue;
            }
        };
        of.entry(call.call.callee).or_default().push(ChangedCall {
            caller: call.call.caller,
            amount: change.amount(),
            difference: Difference::of(pair, work.spread),
        });
    }
    (gains, losses)
}

/// Whether the code shows that a call was, or is, the last thing that its caller does.
fn is_shown(
    work: &MovedWork<'_, '_>,
    callee: usize,
    gain: &ChangedCall,
    loss: &ChangedCall,
) -> bool {
    let kind = kind(work, callee, gain.caller, loss.caller);
    matches!(
        kind,
        Some(MovedKind::NoLongerATailCall | MovedKind::NowATailCall)
    )
}

fn finding(
    work: &MovedWork<'_, '_>,
    callee: usize,
    gain: &ChangedCall,
    loss: &ChangedCall,
) -> Option<Moved> {
    // A call that keeps more still exists, and something else made its share smaller.
    if loss.amount.new > STILL_THERE * loss.amount.base {
        return None;
    }
    let kind = kind(work, callee, gain.caller, loss.caller)?;
    Some(Moved::new(
        kind,
        work.name(callee),
        (vec![work.name(loss.caller).to_owned()], loss.amount),
        (work.name(gain.caller), gain.amount),
    ))
}

/// The meaning of a function below another one; `None` where the samples alone do not show it.
fn kind(work: &MovedWork<'_, '_>, callee: usize, to: usize, from: usize) -> Option<MovedKind> {
    // The new caller comes between. It may have called the function as the last thing that it did.
    if work
        .calls
        .get(from, to)
        .is_some_and(|call| call.new.samples > 0.0)
    {
        let was_last = work.code_changed(to)
            && work.mentions_on_base(to, callee) == Some(true)
            && work.mentions_on_base(from, callee) == Some(false);
        return Some(match was_last {
            true => MovedKind::NoLongerATailCall,
            false => MovedKind::CalledFromElsewhere,
        });
    }
    // The old caller is no longer between: it hands over now, or the call was taken out of it.
    if work
        .calls
        .get(to, from)
        .is_some_and(|call| call.base.samples > 0.0)
    {
        let is_in = (work.mentions(from, callee)?, work.mentions(to, callee)?);
        return match is_in {
            (true, false) if work.code_changed(from) => Some(MovedKind::NowATailCall),
            (false, true) => Some(MovedKind::CalledFromElsewhere),
            _ => None,
        };
    }
    Some(MovedKind::CalledFromElsewhere)
}
