//! Functions that do nothing but call another, and change as it does.
//!
//! Above every program are a dozen of them (`init:start_it/1`, `proc_lib:init_p/3`), and each has the
//! figure of the whole. One line is enough.

use crate::answer::Change;
use crate::call_graph::CallGraph;
use crate::row::Row;

/// The share of its time that a wrapper may spend on something else.
const ELSEWHERE: f64 = 0.02;

/// Sets the wrapped function of each wrapper.
pub fn mark_wrappers(rows: &mut [Row], calls: &CallGraph) {
    let wraps: Vec<Option<usize>> = (0..rows.len())
        .map(|row| wrapped_by(rows, calls, row))
        .collect();
    for row in 0..rows.len() {
        if let Some(innermost) = innermost(&wraps, row) {
            let name = rows[innermost].change.function.clone();
            rows[row].change.wrapper_of = Some(name);
        }
    }
}

/// The end of the chain that begins with a wrapper; `None` for a row that is no wrapper, and where it
/// has no end.
fn innermost(wraps: &[Option<usize>], row: usize) -> Option<usize> {
    let mut innermost = wraps[row]?;
    for _ in 0..wraps.len() {
        match wraps[innermost] {
            None => return Some(innermost),
            Some(next) => innermost = next,
        }
    }
    None
}

/// The row that a row calls all the time, on both sides.
fn wrapped_by(rows: &[Row], calls: &CallGraph, row: usize) -> Option<usize> {
    let wrapper = &rows[row];
    if !wrapper.is_on_both_sides() || !has_no_time_of_its_own(wrapper) {
        return None;
    }
    let total = &wrapper.change.total;
    let mut calls = calls.of_caller(row).iter();
    let call = calls.find(|each| {
        nearly_all(each.base.samples, total.base_samples as f64)
            && nearly_all(each.new.samples, total.new_samples as f64)
    })?;
    let wrapped = &rows[call.call.callee];
    (wrapped.is_on_both_sides() && is_alike(total, &wrapped.change.total))
        .then_some(call.call.callee)
}

fn has_no_time_of_its_own(row: &Row) -> bool {
    let (itself, total) = (&row.change.itself, &row.change.total);
    let little = |itself: u64, total: u64| total > 0 && itself as f64 <= ELSEWHERE * total as f64;
    little(itself.base_samples, total.base_samples) && little(itself.new_samples, total.new_samples)
}

fn nearly_all(part: f64, all: f64) -> bool {
    all > 0.0 && part >= (1.0 - ELSEWHERE) * all
}

fn is_alike(a: &Change, b: &Change) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= ELSEWHERE * a.abs();
    a.verdict == b.verdict && near(a.base, b.base) && near(a.new, b.new)
}
