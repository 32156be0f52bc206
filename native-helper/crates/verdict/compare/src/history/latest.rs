//! The newest commit, compared with the commits before it: a threshold that history sets.

use super::answer::{Latest, LatestPlace};
use super::noise::Noise;
use super::steps::{Value, segments};
use crate::special_functions::t_quantile;

/// Fewer commits since the last step let expect nothing.
const FEWEST_COMMITS: usize = 3;

/// By the prediction interval of one more value of the segment that the newest one follows.
pub fn latest(values: &[Value], noise: &Noise) -> Option<Latest> {
    let (newest, before) = values.split_last()?;
    let segment = segments(before, noise).pop()?;
    if segment.len() < FEWEST_COMMITS {
        return None;
    }
    let margin = t_quantile(0.975, noise.degrees) * (segment.variance + newest.variance).sqrt();
    let (low, high) = (segment.log - margin, segment.log + margin);
    Some(Latest {
        value: newest.log.exp(),
        expected: segment.log.exp(),
        low: low.exp(),
        high: high.exp(),
        commits: segment.len(),
        place: match newest.log {
            log if log < low => LatestPlace::Below,
            log if log > high => LatestPlace::Above,
            _ => LatestPlace::Within,
        },
    })
}
