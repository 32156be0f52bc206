//! How long a block of time has to be for blocks to be independent of each other.
//!
//! Samples in a row are alike: a request takes many of them. Blocks that are shorter than what lasts
//! would make an estimate look surer than it is. The time that the counts of the most frequent
//! functions stay alike is the integral of their autocorrelation, cut off by Sokal's window (the
//! first lag that is five times the integral up to it); a block is ten times as long.

use std::collections::HashMap;

use capture::reader::{Capture, FunctionIndex};
use shared_sort::SharedSort;

use crate::side::{CaptureToCompare, Side};
use crate::side_by_side::side_by_side;

/// The time of which a capture merges samples.
const BUCKET_MS: u64 = 20;
const SHORTEST_MS: u64 = 100;
/// Fewer blocks than these show little of how blocks differ.
const FEWEST_BLOCKS: f64 = 10.0;
const LENGTHS_OF_LIKENESS: f64 = 10.0;
const WINDOW: f64 = 5.0;
/// Functions of each capture that are looked at: those with most samples.
const FUNCTIONS: usize = 8;
/// Longer captures are looked at up to here, 10 minutes.
pub const MOST_SECONDS: usize = 600;
const MOST_BUCKETS: usize = MOST_SECONDS * 1_000 / BUCKET_MS as usize;

/// The length for all captures of a comparison, milliseconds.
pub fn block_length_ms(base: &Side<'_>, new: &Side<'_>) -> u64 {
    let alike = |side: &Side<'_>| {
        let each = side.captures.iter();
        each.map(|given| longest_likeness_ms(given.capture))
            .fold(0.0, f64::max)
    };
    let (alike_base, alike_new) = side_by_side(|| alike(base), || alike(new));
    let captures = base.captures.iter().chain(&new.captures);
    let shortest = captures
        .map(CaptureToCompare::seconds)
        .filter(|seconds| *seconds > 0.0)
        .fold(f64::MAX, f64::min);
    length_ms(f64::max(alike_base, alike_new), shortest)
}

/// Of a capture of so many seconds, those that are not looked at.
pub fn seconds_left_out(seconds: f64) -> usize {
    (seconds.round() as usize).saturating_sub(MOST_SECONDS)
}

/// The length for one capture by itself, milliseconds.
pub fn block_length_of_one_ms(given: &CaptureToCompare<'_>) -> u64 {
    let seconds = match given.seconds() {
        seconds if seconds > 0.0 => seconds,
        _ => f64::MAX,
    };
    length_ms(longest_likeness_ms(given.capture), seconds)
}

/// By how long samples are alike and how long the shortest capture is.
fn length_ms(alike: f64, shortest: f64) -> u64 {
    let wanted = alike * LENGTHS_OF_LIKENESS;
    let longest_block = (shortest * 1e3 / FEWEST_BLOCKS).max(SHORTEST_MS as f64);
    let length = wanted.clamp(SHORTEST_MS as f64, longest_block.min(1e7));
    // Whole buckets, since a bucket is in one block.
    (length / BUCKET_MS as f64).round() as u64 * BUCKET_MS
}

fn longest_likeness_ms(capture: &Capture) -> f64 {
    let series = series_of_most_frequent(capture);
    let lengths = series.iter().map(|counts| likeness(counts));
    lengths.fold(0.0, f64::max) * BUCKET_MS as f64
}

/// Counts by bucket of the functions that are most often the leaf, less the counts that their share
/// predicts.
fn series_of_most_frequent(capture: &Capture) -> Vec<Vec<f64>> {
    let mut counts_of_stacks = vec![0u64; capture.stack_count()];
    let mut buckets = 0;
    for sample in capture.samples() {
        let count = &mut counts_of_stacks[sample.stack.as_usize()];
        *count = count.saturating_add(sample.count.min(1 << 40));
        let bucket = usize::try_from(sample.bucket_ms / BUCKET_MS).unwrap_or(usize::MAX);
        buckets = buckets.max(bucket.saturating_add(1)).min(MOST_BUCKETS);
    }
    let leaf_of = |stack| capture.frames(stack).next().map(|frame| frame.function);
    let leaves: Vec<Option<FunctionIndex>> = capture.stack_indices().map(leaf_of).collect();
    let is_busy: Vec<bool> = capture
        .label_set_indices()
        .map(|labels| capture.labels(labels).is_busy())
        .collect();
    let mut counts: HashMap<FunctionIndex, u64> = HashMap::new();
    for (leaf, count) in leaves.iter().zip(counts_of_stacks) {
        if let Some(leaf) = leaf {
            let sum = counts.entry(*leaf).or_default();
            *sum = sum.saturating_add(count);
        }
    }
    let mut most: Vec<_> = counts.into_iter().collect();
    most.shared_sort_by_key(|(function, count)| (std::cmp::Reverse(*count), *function));
    most.truncate(FUNCTIONS);
    let mut series = vec![vec![0.0; buckets]; most.len()];
    let mut busy = vec![0.0; buckets];
    for sample in capture
        .samples()
        .iter()
        .filter(|sample| is_busy[sample.labels.as_usize()])
    {
        let Some(bucket) = usize::try_from(sample.bucket_ms / BUCKET_MS)
            .ok()
            .filter(|at| *at < buckets)
        else {
            continue;
        };
        busy[bucket] += sample.count as f64;
        let leaf = leaves[sample.stack.as_usize()];
        if let Some(position) = most
            .iter()
            .position(|(function, _)| Some(*function) == leaf)
        {
            series[position][bucket] += sample.count as f64;
        }
    }
    let all: f64 = busy.iter().sum();
    for counts in &mut series {
        let share = counts.iter().sum::<f64>() / all.max(1.0);
        counts
            .iter_mut()
            .zip(&busy)
            .for_each(|(count, busy)| *count -= share * busy);
    }
    series
}

/// Half the integral of the autocorrelation over all lags of both signs, in buckets.
fn likeness(values: &[f64]) -> f64 {
    let variance: f64 = values.iter().map(|value| value * value).sum();
    if values.len() < 20 || variance <= 0.0 {
        return 0.0;
    }
    let mut integral = 0.5;
    for lag in 1..values.len() / 4 {
        let pairs = values.iter().zip(&values[lag..]);
        integral += pairs.map(|(a, b)| a * b).sum::<f64>() / variance;
        if lag as f64 >= WINDOW * integral {
            break;
        }
    }
    integral.max(0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(count: usize) -> Vec<f64> {
        let mut state = 88_172_645_463_325_252u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn what_is_independent_is_alike_for_half_a_bucket() {
        assert!(likeness(&noise(5_000)) < 0.8);
    }

    #[test]
    fn what_decays_is_alike_for_as_long_as_it_takes() {
        // x' = 0.9 x + noise: the integral is (1 + 0.9) / (1 - 0.9) / 2 = 9.5.
        let mut value = 0.0;
        let decaying: Vec<f64> = noise(40_000)
            .iter()
            .map(|step| {
                value = 0.9 * value + step;
                value
            })
            .collect();
        let length = likeness(&decaying);
        assert!((7.0..12.0).contains(&length), "{length}");
    }

    #[test]
    fn what_never_changes_has_no_length() {
        assert_eq!(likeness(&[0.0; 100]), 0.0);
        assert_eq!(likeness(&[]), 0.0);
    }
}
