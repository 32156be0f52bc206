//! One factor by which functions of the same code changed between the newest commit and those before it: what the
//! machine did, and not the program. See [`crate::machine`].
//!
//! A history has no texts. The MD5 of a module decides whether its functions are the same, and where a module of their
//! callers may be another one they may run more often for that.

use std::collections::BTreeMap;

use super::counted::CountedCapture;
use super::erlang_times::{ErlangTimes, FunctionTime};
use crate::answer::MovedAlike;
use crate::counts::{BlockSums, CaptureCounts};
use crate::estimate::SideEstimate;
use crate::machine::SameCode;
use crate::measure::Measure;

/// The factor between two groups of captures, where there is one.
pub fn factor(
    before: &[&CountedCapture],
    newest: &[&CountedCapture],
    measure: Measure,
) -> Option<MovedAlike> {
    let all = || before.iter().chain(newest).map(|capture| &capture.erlang);
    // Modules that are not known to be one and the same in all of them have none.
    let mut builds: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for (module, md5) in all().flat_map(|times| &times.modules) {
        let md5 = Some(md5.as_str()).filter(|md5| !md5.is_empty());
        let known = builds.entry(module.as_str()).or_insert(md5);
        if *known != md5 {
            *known = None;
        }
    }
    let is_same = |times: &ErlangTimes, module: u32| {
        let build = times.module(module).and_then(|name| builds.get(name));
        build.is_some_and(Option::is_some)
    };
    let mut same = SameCode::default();
    same.add_all(all().map(|times| times.samples).sum());
    for FunctionTime { name, .. } in &newest.first()?.erlang.functions {
        let each: Option<Vec<(&ErlangTimes, &FunctionTime)>> = all()
            .map(|times| Some((times, times.function(name)?)))
            .collect();
        let Some(each) = each else { continue };
        if !each.iter().all(|(times, it)| is_same(times, it.module)) {
            continue;
        }
        let is_below = |(times, it): &(&ErlangTimes, &FunctionTime)| {
            it.callers.iter().any(|module| !is_same(times, *module))
        };
        let (of_before, of_newest) = each.split_at(before.len());
        let of_side = |captures: &[&CountedCapture], each: &[(&ErlangTimes, &FunctionTime)]| {
            let counted = captures.iter().zip(each).map(|(capture, (_, function))| {
                let sums = BlockSums {
                    count: function.samples,
                    weight_squares: function.samples,
                    ..BlockSums::default()
                };
                (&capture.counts, sums)
            });
            let counted: Vec<(&CaptureCounts, BlockSums)> = counted.collect();
            let estimate = SideEstimate::of_captures(&counted, measure);
            (estimate.samples, estimate.value)
        };
        let (base, new) = (of_side(before, of_before), of_side(newest, of_newest));
        same.add([base.0, new.0], [base.1, new.1], each.iter().any(is_below));
    }
    same.factor().map(|(_, alike)| alike)
}
