//! Why a gate of a comparison cannot tell, and what would decide it.

use shared_sort::SharedSort;

use super::{
    Captures, Certainty, Figure, Finding, Judged, LEAST_KNOWN_PCT, LEAST_TOUCHED_PCT, MOST_CAPTURES,
};
use crate::judgement::{Doubt, Reason};
use crate::verdicts::{FEWEST_SAMPLES, Verdict};

/// Longer captures are no advice.
const MOST_SECONDS: f64 = 3_600.0;
/// Figures of one function are three.
const MOST_DOUBTS: usize = 3;
const GIVE_ONE_OR_WHOLE: &str = "name one function and its column, as in shop:total/1.total.slower>5%, or the whole where the captures have a figure of it";

/// Of one figure that is not certain.
pub(super) fn of_figure(figure: &Figure<'_>, finding: &Finding, captures: Captures) -> Doubt {
    let name = finding.shown();
    if figure.is_uncharged {
        return Doubt::new(
            Reason::Collections,
            &[&name],
            format!("collections make the change of {name}, which has no interval beside them"),
            "gate on its own time, which is judged beside collections, or on the whole",
        );
    }
    let samples = figure.change.base_samples + figure.change.new_samples;
    match figure.change.verdict {
        Verdict::TooFew => too_few_samples(&name, samples, captures),
        Verdict::NotMatched => Doubt::new(
            Reason::NotMatched,
            &[&name],
            format!("it is not known what {name} is on the other side"),
            "compare where git has both commits (git fetch --unshallow), or gate on the whole",
        ),
        Verdict::New | Verdict::Gone if finding.low.is_none() => Doubt::new(
            Reason::OneSide,
            &[&name],
            format!("{name} is on one side only"),
            "gate on it by `new` or `gone` and a limit, or on the whole",
        ),
        _ if figure.change.base_samples == 0 || figure.change.new_samples == 0 => {
            too_few_samples(&name, samples, captures)
        }
        _ => interval(&name, finding, captures),
    }
}

fn interval(name: &str, finding: &Finding, captures: Captures) -> Doubt {
    let fix = match (finding.captures_to_decide, finding.high) {
        (Some(count), _) => captures.so_many(count),
        (None, Some(high)) => format!(
            "it takes more than {} to decide: choose a limit of {}",
            captures.shown(MOST_CAPTURES),
            limit_above(high, &finding.unit)
        ),
        (None, None) => "record longer captures, and several of each side".to_owned(),
    };
    Doubt {
        captures: finding.captures_to_decide,
        ..Doubt::new(
            Reason::Interval,
            &[name],
            "the interval contains the limit",
            fix,
        )
    }
}

/// A limit that these captures show: the interval ends below it.
fn limit_above(high: f64, unit: &str) -> String {
    match unit {
        "%" => format!("{} %", high.floor() + 1.0),
        unit => format!("{:.1} {unit}", ((high * 10.0).floor() + 1.0) / 10.0),
    }
}

fn too_few_samples(name: &str, samples: u64, captures: Captures) -> Doubt {
    let (seconds, fix) = captures.longer(samples, FEWEST_SAMPLES);
    let samples = samples.to_string();
    Doubt {
        seconds,
        ..Doubt::new(
            Reason::TooFewSamples,
            &[name, &samples],
            format!("{name} has {samples} samples on both sides together"),
            fix,
        )
    }
}

/// Of the functions that the commit touched, which seem to take next to nothing: a side has so many samples, of which
/// fewer than `wanted` do not show that.
pub(super) fn too_few_for_little(samples: u64, wanted: u64, captures: Captures) -> Doubt {
    let (seconds, fix) = captures.longer(samples, wanted as f64);
    let samples = samples.to_string();
    Doubt {
        seconds,
        ..Doubt::new(
            Reason::TooFewSamples,
            &[&samples],
            format!(
                "a side has {samples} samples, and fewer than {wanted} do not show that what the commit touched takes less than {LEAST_TOUCHED_PCT} % of the time"
            ),
            fix,
        )
    }
}

/// Of the figures that a condition needs to know; of many functions, those that seem to meet it. The first, and how
/// many more there are.
pub(super) fn of_figures(judged: &[Judged], is_family: bool) -> (Vec<Doubt>, usize) {
    let doubtful = judged.iter().filter(|each| !is_family || each.seems_met);
    let mut all = doubtful.filter_map(|each| {
        let mut doubt = each.doubt.clone()?;
        if judged.len() > 1 && doubt.reason == Reason::Interval {
            doubt.text = format!("the interval contains the limit: {}", each.finding.text());
        }
        Some(doubt)
    });
    let mut doubts: Vec<Doubt> = all.by_ref().take(MOST_DOUBTS).collect();
    let more = all.count();
    if doubts.is_empty() {
        let text = "no sample shows a change";
        doubts.push(Doubt::new(
            Reason::NoSamples,
            &[],
            text,
            "record longer captures",
        ));
    }
    (doubts, more)
}

/// Of many functions most of which are not known well enough: so many captures that half of the time would be.
pub(super) fn mostly_unknown(judged: &[Judged], known_pct: f64, captures: Captures) -> Doubt {
    // More captures of such sides would not decide.
    let mut doubts = judged.iter().filter_map(|each| each.doubt.as_ref());
    if let Some(unlike) = doubts.find(|doubt| doubt.reason == Reason::UnlikeSides) {
        return unlike.clone();
    }
    let all: f64 = judged.iter().map(|each| each.time).sum();
    let unknown = judged
        .iter()
        .filter(|each| each.certainty == Certainty::Unknown);
    let mut needed: Vec<(u32, f64)> = unknown
        .filter_map(|each| Some((each.finding.captures_to_decide?, each.time)))
        .collect();
    needed.shared_sort_by_key(|(count, _)| *count);
    let mut known = known_pct / 100.0 * all;
    let count = needed.into_iter().find_map(|(count, time)| {
        known += time;
        (known * 100.0 >= LEAST_KNOWN_PCT * all).then_some(count)
    });
    let fix = match count {
        Some(count) => format!("{}, or {GIVE_ONE_OR_WHOLE}", captures.so_many(count)),
        None => match limit_of_half(judged, all) {
            Some(limit) => format!("choose a limit of {limit}, or {GIVE_ONE_OR_WHOLE}"),
            None => format!("record longer captures, or {GIVE_ONE_OR_WHOLE}"),
        },
    };
    let pct = format!("{known_pct:.0}");
    Doubt {
        captures: count,
        ..Doubt::new(
            Reason::MostlyUnknown,
            &[&pct],
            format!("the intervals of {pct} % of the time end below the limit, less than half"),
            fix,
        )
    }
}

/// The limit below which the intervals of half of the time end, where they do.
fn limit_of_half(judged: &[Judged], all: f64) -> Option<String> {
    // Figures of other doubts have no answer by any limit.
    let has_answer = |each: &&Judged| {
        let doubt = each.doubt.as_ref();
        doubt.is_none_or(|doubt| doubt.reason == Reason::Interval)
    };
    let mut ends: Vec<(f64, &Judged)> = judged
        .iter()
        .filter(has_answer)
        .filter_map(|each| Some((each.finding.high?, each)))
        .collect();
    ends.shared_sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut known = 0.0;
    let (high, each) = ends.into_iter().find(|(_, each)| {
        known += each.time;
        known * 100.0 >= LEAST_KNOWN_PCT * all
    })?;
    Some(limit_above(high, &each.finding.unit))
}

impl Captures {
    /// The length of captures with so many samples, where it is an advice, and the advice.
    fn longer(self, samples: u64, wanted: f64) -> (Option<u32>, String) {
        let seconds = self.seconds * wanted / samples.max(1) as f64;
        let seconds = seconds.ceil().max(self.seconds.ceil() + 1.0);
        let seconds = (seconds <= MOST_SECONDS).then_some(seconds as u32);
        let fix = match seconds {
            Some(seconds) => format!("take captures of about {seconds} s"),
            None => "record longer captures".to_owned(),
        };
        (seconds, fix)
    }

    /// `take about 14 pairs of 20 s`.
    fn so_many(self, count: u32) -> String {
        format!("take about {}", self.shown(f64::from(count)))
    }

    /// `14 pairs of 20 s`.
    fn shown(self, count: f64) -> String {
        let (what, sides) = match self.are_pairs {
            true => ("pairs", ""),
            false => ("captures", " for each side"),
        };
        match self.seconds.round() {
            seconds if seconds >= 1.0 => format!("{count} {what} of {seconds} s{sides}"),
            _ => format!("{count} {what} of this length{sides}"),
        }
    }
}
