//! One thing over all commits: values with intervals, and where they step.

use std::slice::from_ref;

use super::answer::{
    HistoryNoise, HistoryPoint, HistoryStep, Latest, LatestPlace, Series, SeriesOf,
};
use super::commits::Commit;
use super::counted::CountedCapture;
use super::latest::latest;
use super::noise::Noise;
use super::place::Place;
use super::steps::{Difference, FEWEST_CAPTURES, Value, segments};
use super::unlike::{Unlike, differences};
use crate::counts::{BlockSums, CaptureCounts};
use crate::estimate::SideEstimate;
use crate::measure::Measure;
use crate::notes::Note;
use crate::special_functions::t_quantile;

/// Of a function that was never seen in so long there may be this many samples in as long again, at
/// 95 %.
const AT_MOST_OF_NONE: f64 = 3.0;

/// Makes series of commits.
pub struct SeriesMaker<'h> {
    pub commits: &'h [Commit],
    /// Name of the unit of work, where all captures counted the same.
    pub work: Option<&'h str>,
}

impl SeriesMaker<'_> {
    /// `function` is its position in the question, and its name.
    pub fn series(
        &self,
        of: SeriesOf,
        function: Option<(usize, &String)>,
        measure: Measure,
    ) -> Series {
        let sums = |capture: &CountedCapture| match (of, function) {
            (SeriesOf::Itself, Some((position, _))) => capture.function(position).0,
            (SeriesOf::Total, Some((position, _))) => capture.function(position).1,
            _ => capture.whole(),
        };
        let commits = self.commits.iter();
        let estimates: Vec<SideEstimate> = commits
            .map(|commit| {
                let captures = commit.captures.iter();
                let counted: Vec<(&CaptureCounts, BlockSums)> =
                    captures.map(|it| (&it.counts, sums(it))).collect();
                SideEstimate::of_captures(&counted, measure)
            })
            .collect();
        let noise = Noise::learn(&estimates);
        let values: Vec<Value> = estimates
            .iter()
            .map(|estimate| Value {
                log: estimate.log(),
                variance: noise.of_value(estimate),
                captures: estimate.captures.len(),
            })
            .collect();
        let quantile = t_quantile(0.975, noise.degrees);
        let points: Vec<HistoryPoint> = estimates
            .iter()
            .map(|estimate| point(estimate, &noise, quantile))
            .collect();
        let (latest, commits_lacking) = match latest(&values, &noise) {
            Ok(latest) => (Some(latest), 0),
            Err(lacking) => (None, lacking),
        };
        let steps = self.steps(settled(&values, latest), &noise);
        let unlike = latest.map(|latest| self.unlike(of, measure, latest.commits));
        let unlike = unlike.unwrap_or_default();
        Series {
            of,
            function: function.map(|(_, name)| name.clone()),
            measure,
            unit: measure.unit(self.work),
            points,
            steps,
            latest,
            commits_lacking,
            unlike: unlike.notes,
            beside: unlike.beside,
            noise: HistoryNoise {
                of_runs_pct: noise.of_runs.sqrt() * 100.0,
                of_commits_pct: noise.of_commits.sqrt() * 100.0,
                is_measured: noise.is_measured,
            },
        }
    }

    fn steps(&self, values: &[Value], noise: &Noise) -> Vec<HistoryStep> {
        let segments = segments(values, noise);
        let neighbours = segments.windows(2);
        let steps = neighbours.map(|two| {
            let (before, after) = (&two[0], &two[1]);
            let difference = Difference::between(before, after, noise);
            let percent = |log: f64| log.exp_m1() * 100.0;
            let place = Place::of(values, before, after);
            HistoryStep {
                at: after.first,
                from: place.from,
                to: place.to,
                placed_by: None,
                before: before.log.exp(),
                after: after.log.exp(),
                change_pct: percent(difference.log),
                low_pct: percent(difference.log - difference.margin),
                high_pct: percent(difference.log + difference.margin),
                notes: self.notes_at(after.first),
            }
        });
        steps.collect()
    }

    /// The other differences between a commit and the one before.
    fn notes_at(&self, at: usize) -> Vec<Note> {
        let before = at
            .checked_sub(1)
            .and_then(|before| self.commits.get(before));
        let (Some(before), Some(after)) = (before, self.commits.get(at)) else {
            return Vec::new();
        };
        differences(from_ref(before), from_ref(after))
    }

    /// See [`Series::unlike`].
    fn unlike(&self, of: SeriesOf, measure: Measure, compared: usize) -> Unlike {
        let Some((newest, before)) = self.commits.split_last() else {
            return Unlike::default();
        };
        let before = &before[before.len().saturating_sub(compared)..];
        Unlike::of(before, from_ref(newest), of, measure)
    }
}

/// Without a newest commit that is not as those before it and has too few captures to begin a step: in the
/// mean behind the last step it would make that step another.
fn settled(values: &[Value], latest: Option<Latest>) -> &[Value] {
    match (values.split_last(), latest) {
        (Some((newest, before)), Some(latest))
            if latest.place != LatestPlace::Within && newest.captures < FEWEST_CAPTURES =>
        {
            before
        }
        _ => values,
    }
}

fn point(estimate: &SideEstimate, noise: &Noise, quantile: f64) -> HistoryPoint {
    let margin = quantile * noise.of_measurement(estimate).sqrt();
    let log = estimate.log();
    let (low, high) = match estimate.samples > 0.0 {
        true => ((log - margin).exp(), (log + margin).exp()),
        // The logarithm is of half a sample.
        false => (0.0, log.exp() * 2.0 * AT_MOST_OF_NONE),
    };
    let of_capture = |capture: &crate::estimate::CaptureEstimate| match capture.samples > 0.0 {
        true => capture.log.exp(),
        false => 0.0,
    };
    HistoryPoint {
        value: estimate.value,
        low,
        high,
        samples: estimate.samples as u64,
        captures: estimate.captures.iter().map(of_capture).collect(),
    }
}
