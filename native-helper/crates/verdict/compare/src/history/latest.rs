//! The newest commit, compared with the commits before it: a threshold that history sets.

use super::answer::{Latest, LatestPlace};
use super::noise::Noise;
use super::steps::{Value, segments};
use crate::special_functions::t_quantile;

/// Fewer commits since the last step let expect nothing.
pub const FEWEST_COMMITS: usize = 3;

/// By the prediction interval of one more value of the segment that the newest one follows.
///
/// # Errors
/// How many commits are lacking before the newest one.
pub fn latest(values: &[Value], noise: &Noise) -> Result<Latest, usize> {
    let (newest, before) = values.split_last().ok_or(FEWEST_COMMITS)?;
    let segment = segments(before, noise).pop().ok_or(FEWEST_COMMITS)?;
    if segment.len() < FEWEST_COMMITS {
        return Err(FEWEST_COMMITS - segment.len());
    }
    let margin = t_quantile(0.975, noise.degrees) * (segment.variance + newest.variance).sqrt();
    let (low, high) = (segment.log - margin, segment.log + margin);
    Ok(Latest {
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
