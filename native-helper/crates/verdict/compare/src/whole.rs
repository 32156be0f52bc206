//! The whole program: the first figure that a reader wants.

use crate::answer::Whole;
use crate::counts::{CaptureCounts, SideCounts};
use crate::estimate::SideEstimate;
use crate::measure::Measure;
use crate::special_functions::t_quantile;
use crate::spread::Spread;
use crate::verdicts::MISSED_ALONE;

/// How often a change of the smallest visible size is found.
const POWER: f64 = 0.9;

/// The normalisation of the whole: processor time for each unit of work, else each second; none
/// where the captures have neither. The meaning of a second differs from tool to tool: some count
/// processor time.
pub fn measure_of_whole(base: &SideCounts, new: &SideCounts, has_work: bool) -> Option<Measure> {
    let mut all = base.captures.iter().chain(&new.captures);
    let has_time = |each: &CaptureCounts| each.seconds > 0.0 && each.sample_seconds > 0.0;
    let is_one_tool = base.tools == new.tools && base.tools.len() == 1;
    match (is_one_tool && all.all(has_time), has_work) {
        (true, true) => Some(Measure::Work),
        (true, false) => Some(Measure::Cpu),
        (false, _) => None,
    }
}

/// The smallest change that so many captures show: half the width of the interval of a logarithm, and
/// more, as the change itself is estimated, too.
pub fn smallest_visible_pct(base: &SideEstimate, new: &SideEstimate, spread: &Spread) -> f64 {
    let (between, degrees) = spread.of(base, new);
    let error = (base.variance(between) + new.variance(between)).sqrt();
    let width = t_quantile(1.0 - MISSED_ALONE / 2.0, degrees) + t_quantile(POWER, degrees);
    (width * error).exp_m1() * 100.0
}

/// The whole in one line: before, after, change, verdict, each capture, and the smallest visible
/// change.
pub fn whole_line(whole: &Whole) -> String {
    let change = &whole.change;
    let figure = |value: f64| match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    let changed = match (change.change_pct, change.interval_text()) {
        (Some(pct), interval) => format!("{pct:+.1} % ({interval}, 99 % interval)"),
        (None, _) => "on one side only".to_owned(),
    };
    let values = |values: &[f64]| {
        const SHOWN: usize = 10;
        let shown = values.iter().take(SHOWN).map(|value| figure(*value));
        let shown = shown.collect::<Vec<_>>().join(" ");
        match values.len() > SHOWN {
            true => format!("{shown} …"),
            false => shown,
        }
    };
    format!(
        "whole program: {} -> {} {}, {changed}: {}; captures {} -> {}; a change of {:.1} % would be found 9 times out of 10",
        figure(change.base),
        figure(change.new),
        whole.unit,
        change.verdict.as_str(),
        values(&whole.base_captures),
        values(&whole.new_captures),
        whole.smallest_visible_pct,
    )
}
