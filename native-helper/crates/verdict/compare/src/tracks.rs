//! The VMs' figures about themselves on both sides while they were sampled: run queue, memory,
//! collections.

use capture::pprof::NodeReading;
use serde::{Deserialize, Serialize};

use crate::side::Side;

/// The chance that a change has to be less likely than, divided among the quantities that are
/// compared at once.
const CHANCE: f64 = 0.05;

/// The compared quantity; of counters, the increase each second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum TrackKind {
    /// Processes and ports that waited to be run.
    RunQueue,
    /// Bytes of memory.
    Memory,
    /// Bytes that were resident.
    Rss,
    /// Messages in the largest mailbox.
    LargestMailbox,
    /// Processes.
    Processes,
    /// Collections each second.
    CollectionRate,
    /// Reductions each second.
    ReductionRate,
    /// Bytes read and written each second.
    IoRate,
}

/// All of them, with their names.
const TRACKS: [(TrackKind, &str); 8] = [
    (TrackKind::RunQueue, "run queue"),
    (TrackKind::Memory, "memory, bytes"),
    (TrackKind::Rss, "resident, bytes"),
    (TrackKind::LargestMailbox, "largest mailbox"),
    (TrackKind::Processes, "processes"),
    (TrackKind::CollectionRate, "collections per second"),
    (TrackKind::ReductionRate, "reductions per second"),
    (TrackKind::IoRate, "bytes in and out per second"),
];

/// How something of the VM differs between the sides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct TrackChange {
    /// The compared quantity.
    pub track: TrackKind,
    /// On the older side.
    pub base: TrackMean,
    /// On the newer side.
    pub new: TrackMean,
    /// The verdict; null where there are too few captures for any.
    pub verdict: Option<TrackVerdict>,
}

/// The mean of a side's captures, each of which counts as much, and how far these lie apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct TrackMean {
    /// Captures that have a value.
    pub captures: usize,
    /// Mean of their means.
    pub mean: f64,
    /// The least of their means.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// The verdict on two means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum TrackVerdict {
    /// Each capture of the newer side has more than any of the older one.
    More,
    /// Less.
    Less,
    /// The captures of the sides overlap.
    Noise,
}

impl TrackKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        let named = TRACKS.iter().find(|(kind, _)| *kind == self);
        named.map_or("", |(_, name)| *name)
    }

    /// The mean over a capture; `None` where too little of it was read.
    fn mean_of(self, readings: &[NodeReading]) -> Option<f64> {
        let level = |of: fn(&NodeReading) -> Option<u64>| {
            let values: Vec<f64> = readings.iter().filter_map(of).map(|it| it as f64).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let rate = |of: fn(&NodeReading) -> Option<u64>| {
            let known = || readings.iter().filter(|it| of(it).is_some());
            let (first, last) = (known().next()?, known().next_back()?);
            let more = of(last)?.checked_sub(of(first)?)?;
            let length_ms = last.at_ms.checked_sub(first.at_ms).filter(|it| *it > 0)?;
            Some(more as f64 * 1000.0 / length_ms as f64)
        };
        match self {
            Self::RunQueue => level(|it| it.run_queue),
            Self::Memory => level(|it| it.memory_bytes),
            Self::Rss => level(|it| it.rss_bytes),
            Self::LargestMailbox => level(|it| it.largest_mailbox),
            Self::Processes => level(|it| it.processes),
            Self::CollectionRate => rate(|it| it.collections),
            Self::ReductionRate => rate(|it| it.reductions),
            Self::IoRate => rate(|it| it.io_in_bytes?.checked_add(it.io_out_bytes?)),
        }
    }
}

impl TrackMean {
    fn of(side: &Side<'_>, kind: TrackKind) -> Option<Self> {
        let captures = side.captures.iter();
        let means: Vec<f64> = captures
            .filter_map(|given| kind.mean_of(given.capture.node_readings()))
            .collect();
        let (least, most) = means
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), it| {
                (least.min(*it), most.max(*it))
            });
        (!means.is_empty()).then(|| Self {
            captures: means.len(),
            mean: means.iter().sum::<f64>() / means.len() as f64,
            least,
            most,
        })
    }
}

/// The quantities that both sides have; in a fixed order.
pub(crate) fn track_changes(base: &Side<'_>, new: &Side<'_>) -> Vec<TrackChange> {
    let changes = TRACKS.iter().filter_map(|(track, _)| {
        let (base, new) = (TrackMean::of(base, *track)?, TrackMean::of(new, *track)?);
        Some(TrackChange {
            track: *track,
            base,
            new,
            verdict: verdict(&base, &new),
        })
    });
    changes.collect()
}

/// Captures are the repetitions: readings of one capture predict nothing of the next. When nothing has changed,
/// all of one side are beyond all of the other in two of all the ways to share the captures out.
fn verdict(base: &TrackMean, new: &TrackMean) -> Option<TrackVerdict> {
    let chance = 2.0 / ways(base.captures + new.captures, base.captures);
    if chance > CHANCE / TRACKS.len() as f64 {
        return None;
    }
    Some(match (new.least > base.most, new.most < base.least) {
        (true, _) => TrackVerdict::More,
        (_, true) => TrackVerdict::Less,
        _ => TrackVerdict::Noise,
    })
}

/// Ways to take so many of all.
fn ways(all: usize, taken: usize) -> f64 {
    (1..=taken).fold(1.0, |ways, it| ways * (all - taken + it) as f64 / it as f64)
}

/// One line for people for each quantity that has a verdict: without one for lack of captures, figures prove nothing.
pub fn track_lines(changes: &[TrackChange]) -> impl Iterator<Item = String> {
    changes.iter().filter_map(track_line)
}

fn track_line(change: &TrackChange) -> Option<String> {
    let mean = |it: &TrackMean| match it.captures {
        1 => figure(it.mean),
        _ => format!(
            "{} ({} to {})",
            figure(it.mean),
            figure(it.least),
            figure(it.most)
        ),
    };
    let words = match change.verdict? {
        TrackVerdict::More => "more",
        TrackVerdict::Less => "less",
        TrackVerdict::Noise => "no difference that the figures can show",
    };
    let name = change.track.name();
    Some(format!(
        "{name}: {} -> {}, {words}",
        mean(&change.base),
        mean(&change.new)
    ))
}

fn figure(value: f64) -> String {
    match value {
        100.0.. => format!("{value:.0}"),
        _ => format!("{value:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(at_ms: u64, run_queue: u64, collections: u64) -> NodeReading {
        NodeReading {
            at_ms,
            run_queue: Some(run_queue),
            collections: Some(collections),
            ..NodeReading::default()
        }
    }

    #[test]
    fn levels_are_means_and_counts_are_per_second() {
        let readings = [
            reading(500, 2, 100),
            reading(1500, 4, 300),
            reading(4500, 9, 900),
        ];
        assert_eq!(TrackKind::RunQueue.mean_of(&readings), Some(5.0));
        assert_eq!(TrackKind::CollectionRate.mean_of(&readings), Some(200.0));
        assert_eq!(TrackKind::CollectionRate.mean_of(&readings[..1]), None);
        assert_eq!(TrackKind::Memory.mean_of(&readings), None);
        // A VM that counts backwards is another one.
        let other = [reading(500, 2, 100), reading(1500, 4, 99)];
        assert_eq!(TrackKind::CollectionRate.mean_of(&other), None);
    }

    fn mean(captures: usize, least: f64, most: f64) -> TrackMean {
        TrackMean {
            captures,
            mean: f64::midpoint(least, most),
            least,
            most,
        }
    }

    #[test]
    fn too_few_captures_have_no_line() {
        assert_eq!(ways(10, 5), 252.0);
        let of = |each, least| verdict(&mean(each, 1.0, 2.0), &mean(each, least, 9.0));
        assert_eq!(of(1, 3.0), None);
        assert_eq!(of(5, 3.0), None, "1 in 126, and eight are looked at");
        assert_eq!(of(6, 3.0), Some(TrackVerdict::More));
        assert_eq!(of(6, 1.5), Some(TrackVerdict::Noise));
        let less = verdict(&mean(6, 5.0, 9.0), &mean(6, 1.0, 2.0));
        assert_eq!(less, Some(TrackVerdict::Less));
    }

    #[test]
    fn a_line_shows_the_spread_where_there_is_one() {
        let change = TrackChange {
            track: TrackKind::RunQueue,
            base: mean(1, 3.2, 3.2),
            new: mean(2, 100.0, 300.0),
            verdict: Some(TrackVerdict::More),
        };
        assert_eq!(
            track_line(&change).as_deref(),
            Some("run queue: 3.2 -> 200 (100 to 300), more")
        );
        let too_few = TrackChange {
            verdict: None,
            ..change
        };
        assert_eq!(track_line(&too_few), None);
    }
}
