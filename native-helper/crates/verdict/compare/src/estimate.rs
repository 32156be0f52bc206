//! How large one tally is on each side, and how sure that is by the captures themselves.
//!
//! The variance within a capture is that of resampling its blocks with replacement. For a sum of
//! blocks or the ratio of two such sums that needs no drawing: the limit of infinitely many draws has
//! a closed form (the bootstrap of a mean is its plain variance), which is exact to the first order
//! and the same on every machine. A test below draws, and compares the two.

use crate::counts::{BlockSums, CaptureCounts, SideCounts, Tally, effective};
use crate::measure::Measure;

/// A difference of two sums of weights below this has no samples.
const NO_SAMPLES: f64 = 1e-6;

/// Less than one sample cannot be counted, and the logarithm of nothing is not a number.
const NONE_SEEN: f64 = 0.5;

/// A capture that has less of the value of its side has nothing: a divisor of 0 is counted as a very small one.
const LEAST_WEIGHT: f64 = 1e-12;

/// One tally on one side.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SideEstimate {
    /// In the unit of the normalisation, all captures taken together.
    pub value: f64,
    /// In all captures, by their weights.
    pub samples: f64,
    /// How many samples of one weight would be as informative.
    pub effective: f64,
    /// One for each capture.
    pub captures: Vec<CaptureEstimate>,
    /// How many samples are one event: those of a burst are as informative as one.
    pub clumping: f64,
}

/// One tally in one capture.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CaptureEstimate {
    /// Logarithm of the value; of that of half a sample where there is none.
    pub log: f64,
    /// Variance of `log` by the blocks of this capture alone.
    pub within: f64,
    /// Share in the side's value; they add up to 1.
    pub weight: f64,
    pub samples: f64,
    /// How many samples of one weight would be as informative.
    pub effective: f64,
}

impl CaptureEstimate {
    /// In the unit of the normalisation.
    pub fn value(&self) -> f64 {
        match self.samples > 0.0 {
            true => self.log.exp(),
            false => 0.0,
        }
    }

    /// Whether it has a value that can be like those of others, or unlike them: a capture without busy samples has no
    /// shares, and one whose samples stand for no time has no processor time.
    pub fn has_value(&self) -> bool {
        self.weight > LEAST_WEIGHT && self.log.is_finite()
    }
}

impl SideEstimate {
    /// Of nothing when the side has no such tally.
    pub fn of(side: &SideCounts, tally: Option<Tally>, measure: Measure) -> Self {
        let captures: Vec<_> = side.captures.iter().zip(side.sums_of_any(tally)).collect();
        Self::of_captures(&captures, measure)
    }

    /// Of the samples that count for one tally and not for another, which is a part of it.
    pub fn beside(side: &SideCounts, all: Tally, part: Tally, measure: Measure) -> Self {
        let sums = side.sums(all).zip(side.sums(part));
        let captures = side.captures.iter().zip(sums);
        let captures: Vec<_> = captures
            .map(|(capture, (all, part))| (capture, rest(&all, &part, capture, measure)))
            .collect();
        Self::of_captures(&captures, measure)
    }

    /// The same from the captures and the counts of one tally in each.
    pub fn of_captures(captures: &[(&CaptureCounts, BlockSums)], measure: Measure) -> Self {
        let divisors = captures.iter().map(|(each, _)| divisor(each, measure));
        let all: f64 = divisors.sum();
        let mut estimate = Self::default();
        let (mut scaled, mut squares) = (0.0, 0.0);
        for (capture, sums) in captures {
            let divisor = divisor(capture, measure).max(f64::MIN_POSITIVE);
            let factor = factor(capture, measure);
            scaled += sums.count * factor;
            estimate.samples += sums.count;
            squares += sums.weight_squares;
            estimate.clumping = estimate.clumping.max(clumping(sums, capture.blocks));
            estimate.captures.push(CaptureEstimate {
                log: (sums.count.max(NONE_SEEN) * factor / divisor).ln(),
                within: relative_variance(sums, capture, measure),
                weight: divisor / all.max(f64::MIN_POSITIVE),
                samples: sums.count,
                effective: sums.effective(),
            });
        }
        estimate.effective = effective(estimate.samples, squares);
        estimate.value = scaled / all.max(f64::MIN_POSITIVE);
        estimate.clumping = estimate.clumping.max(estimate.clumping_of_captures());
        if estimate.clumping <= 0.0 {
            estimate.clumping = 1.0;
        }
        estimate
    }

    /// The logarithm of the value; of half a sample where there is none.
    pub fn log(&self) -> f64 {
        match self.samples > 0.0 {
            true => self.value.ln(),
            false => self.with_value().map(|each| each.weight * each.log).sum(),
        }
    }

    /// The captures that have one: see [`CaptureEstimate::has_value`].
    pub fn with_value(&self) -> impl Iterator<Item = &CaptureEstimate> + Clone {
        self.captures.iter().filter(|each| each.has_value())
    }

    /// Variance of the logarithm when captures vary by `between` beyond the spread of their blocks.
    pub fn variance(&self, between: f64) -> f64 {
        let captures = self.captures.iter();
        captures
            .map(|each| each.weight * each.weight * (each.within + between))
            .sum()
    }

    /// Variance over mean of the captures' counts, each by what its weight lets expect; 0 where that is not known.
    fn clumping_of_captures(&self) -> f64 {
        let count = self.with_value().count();
        if count < 2 || self.samples <= 0.0 {
            return 0.0;
        }
        let residuals = self.with_value().map(|each| {
            let expected = self.samples * each.weight;
            (each.samples - expected).powi(2) / expected.max(f64::MIN_POSITIVE)
        });
        residuals.sum::<f64>() / (count - 1) as f64
    }
}

/// The divisor of the samples of a capture.
fn divisor(capture: &CaptureCounts, measure: Measure) -> f64 {
    match measure {
        Measure::Share => capture.busy,
        Measure::Cpu => capture.seconds,
        Measure::Work => capture.work,
    }
}

/// The value of one sample in the unit of the normalisation.
fn factor(capture: &CaptureCounts, measure: Measure) -> f64 {
    match measure {
        Measure::Share => 100.0,
        Measure::Cpu => capture.sample_seconds * 100.0,
        Measure::Work => capture.sample_seconds * 1e6,
    }
}

/// Variance of the value over its square, by the blocks of one capture.
fn relative_variance(sums: &BlockSums, capture: &CaptureCounts, measure: Measure) -> f64 {
    let count = sums.count;
    if count <= 0.0 {
        return 1.0 / NONE_SEEN;
    }
    let share = share_of(count, capture);
    // Independent samples vary by this much; blocks that vary less do so by chance.
    let effective = sums.effective();
    let least = (1.0 - share) / effective;
    if capture.blocks < 2.0 {
        return least.max(1.0 / (effective * effective));
    }
    let residuals = residuals(sums, capture, measure);
    let of_blocks = capture.blocks / (capture.blocks - 1.0) * residuals / (count * count);
    of_blocks.max(least)
}

/// The share of the busy samples of a capture.
fn share_of(count: f64, capture: &CaptureCounts) -> f64 {
    (count / capture.busy.max(count)).min(1.0)
}

/// By how much the blocks of a capture differ from what each would have if all were alike: the sum of the squares.
fn residuals(sums: &BlockSums, capture: &CaptureCounts, measure: Measure) -> f64 {
    match measure {
        Measure::Share => {
            let share = share_of(sums.count, capture);
            sums.squares - 2.0 * share * sums.products + share * share * capture.busy_squares
        }
        Measure::Cpu | Measure::Work => sums.squares - sums.count * sums.count / capture.blocks,
    }
}

/// The sums without those of a part. How the part and the rest vary together between blocks is not counted: as if each
/// varied for itself. Where both grow together, the rest varies less than that.
fn rest(all: &BlockSums, part: &BlockSums, capture: &CaptureCounts, measure: Measure) -> BlockSums {
    let count = all.count - part.count;
    if count < NO_SAMPLES {
        return BlockSums::default();
    }
    let rest = BlockSums {
        count,
        squares: 0.0,
        products: all.products - part.products,
        weight_squares: all.weight_squares - part.weight_squares,
    };
    let varies = residuals(all, capture, measure) - residuals(part, capture, measure);
    BlockSums {
        squares: varies - residuals(&rest, capture, measure),
        ..rest
    }
}

/// Variance over mean of the blocks' counts, at least that of independent samples: 1 where all have one weight. 0 where
/// there are none.
fn clumping(sums: &BlockSums, blocks: f64) -> f64 {
    if sums.count <= 0.0 {
        return 0.0;
    }
    let least = sums.count / sums.effective();
    if blocks < 2.0 {
        return least;
    }
    let mean = sums.count / blocks;
    let variance = (sums.squares - blocks * mean * mean) / (blocks - 1.0);
    (variance / mean).max(least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{mean_of_unequal, weighed};
    use proptest::prelude::*;

    const BLOCKS: usize = 80;

    fn random(state: &mut u64) -> f64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Busy samples and samples of one function in each block.
    fn blocks(state: &mut u64) -> Vec<(f64, f64)> {
        let block = |_| {
            let busy = 30.0 + (random(state) * 40.0).floor();
            let share = 0.05 + 0.3 * random(state);
            (busy, (busy * share).round())
        };
        (0..BLOCKS).map(block).collect()
    }

    fn counted(blocks: &[(f64, f64)]) -> (CaptureCounts, BlockSums) {
        let sum = |of: fn(&(f64, f64)) -> f64| blocks.iter().map(of).sum::<f64>();
        let capture = CaptureCounts {
            blocks: blocks.len() as f64,
            busy: sum(|block| block.0),
            busy_squares: sum(|block| block.0 * block.0),
            seconds: 10.0,
            sample_seconds: 0.001,
            ..CaptureCounts::default()
        };
        let sums = BlockSums {
            count: sum(|block| block.1),
            squares: sum(|block| block.1 * block.1),
            products: sum(|block| block.0 * block.1),
            weight_squares: sum(|block| block.1),
        };
        (capture, sums)
    }

    /// Relative variance of the value when blocks are drawn with replacement, again and again.
    fn resampled(blocks: &[(f64, f64)], measure: Measure, state: &mut u64) -> f64 {
        let draws: Vec<f64> = (0..4_000)
            .map(|_| {
                let (mut busy, mut count) = (0.0, 0.0);
                for _ in blocks {
                    let block = blocks[(random(state) * blocks.len() as f64) as usize];
                    busy += block.0;
                    count += block.1;
                }
                match measure {
                    Measure::Share => count / busy,
                    Measure::Cpu | Measure::Work => count,
                }
            })
            .collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let squares: f64 = draws.iter().map(|draw| (draw - mean).powi(2)).sum();
        squares / draws.len() as f64 / (mean * mean)
    }

    #[test]
    fn the_closed_form_is_what_resampling_blocks_gives() {
        let mut state = 0x1234_5678_9abc_def1;
        for _ in 0..10 {
            let blocks = blocks(&mut state);
            let (capture, sums) = counted(&blocks);
            for measure in [Measure::Share, Measure::Cpu] {
                let closed = relative_variance(&sums, &capture, measure);
                let drawn = resampled(&blocks, measure, &mut state);
                // 4,000 draws know a variance to some 2 %; n - 1 for n is another 1 %.
                assert!(
                    (closed / drawn - 1.0).abs() < 0.12,
                    "{measure:?}: {closed} and {drawn}"
                );
            }
        }
    }

    #[test]
    fn the_rest_of_a_tally_varies_as_its_own_blocks_do() {
        let mut state = 0x2468_1357_9bdf_ace1;
        let blocks = blocks(&mut state);
        let with_part = |part: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
            let both = blocks
                .iter()
                .map(|(busy, rest)| (*busy, rest + part(*busy)));
            both.collect()
        };
        let of_part = |part: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
            blocks
                .iter()
                .map(|(busy, _)| (*busy, part(*busy)))
                .collect()
        };
        // Parts that do not vary themselves: as many in each block, or the same share of each.
        let steady: &dyn Fn(f64) -> f64 = &|_| 3.0;
        let share: &dyn Fn(f64) -> f64 = &|busy| busy / 4.0;
        for (measure, part) in [(Measure::Cpu, steady), (Measure::Share, share)] {
            let (capture, alone) = counted(&blocks);
            let (all, part) = (counted(&with_part(part)).1, counted(&of_part(part)).1);
            let left = rest(&all, &part, &capture, measure);
            assert!((left.count - alone.count).abs() < 1e-6);
            let variances = [left, alone].map(|sums| relative_variance(&sums, &capture, measure));
            assert!(
                (variances[0] / variances[1] - 1.0).abs() < 1e-6,
                "{measure:?}: {variances:?}"
            );
        }
        let (capture, alone) = counted(&blocks);
        let nothing = rest(&alone, &alone, &capture, Measure::Cpu);
        assert_eq!(nothing, BlockSums::default());
    }

    #[test]
    fn a_capture_of_no_time_has_no_value() {
        let steady = [(10.0, 5.0); 10];
        let (long, sums) = counted(&steady);
        let none = CaptureCounts {
            sample_seconds: long.sample_seconds,
            ..CaptureCounts::default()
        };
        for measure in [Measure::Share, Measure::Cpu] {
            let captures = [(&long, sums), (&none, BlockSums::default())];
            let side = SideEstimate::of_captures(&captures, measure);
            let captures = side.captures.iter();
            let have_value: Vec<bool> = captures.map(CaptureEstimate::has_value).collect();
            assert_eq!(have_value, [true, false], "{measure:?}");
        }
    }

    #[test]
    fn a_burst_is_one_event_and_a_steady_function_many() {
        let steady = BlockSums {
            count: 80.0,
            squares: 80.0,
            products: 0.0,
            weight_squares: 80.0,
        };
        let burst = BlockSums {
            count: 80.0,
            squares: 6_400.0,
            products: 0.0,
            weight_squares: 80.0,
        };
        assert!((clumping(&steady, 80.0) - 1.0).abs() < 1e-9);
        assert!(clumping(&burst, 80.0) > 75.0);
    }

    /// Samples that have these weights, of a function that has each with this probability, in one block each.
    fn of_weights(weights: &[f64], is_in: impl Fn(usize) -> bool) -> (CaptureCounts, BlockSums) {
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        let weight = |at: usize| weights[at] / mean;
        let all = || 0..weights.len();
        let of = || all().filter(|at| is_in(*at)).map(weight);
        let capture = CaptureCounts {
            blocks: 1.0,
            busy: all().map(weight).sum(),
            busy_squares: all().map(weight).sum::<f64>().powi(2),
            seconds: 10.0,
            sample_seconds: 0.001,
            ..CaptureCounts::default()
        };
        let count: f64 = of().sum();
        let sums = BlockSums {
            count,
            squares: count * count,
            products: count * capture.busy,
            weight_squares: of().map(|it| it * it).sum(),
        };
        (capture, sums)
    }

    #[test]
    fn heavy_samples_are_as_informative_as_fewer() {
        let mut state = 0x9876_5432_10fe_dcba;
        // One in ten weighs a hundred times as much: 1,000 samples are worth some 120.
        let weights: Vec<f64> = (0..1_000)
            .map(|at| if at % 10 == 0 { 100.0 } else { 1.0 })
            .collect();
        let log_of_share = |state: &mut u64| {
            let picked: Vec<bool> = weights.iter().map(|_| random(state) < 0.3).collect();
            let (capture, sums) = of_weights(&weights, |at| picked[at]);
            ((sums.count / capture.busy).ln(), capture, sums)
        };
        let draws: Vec<f64> = (0..4_000).map(|_| log_of_share(&mut state).0).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let squares: f64 = draws.iter().map(|draw| (draw - mean).powi(2)).sum();
        let drawn = squares / draws.len() as f64;
        let (_, capture, sums) = log_of_share(&mut state);
        let ours = relative_variance(&sums, &capture, Measure::Share);
        assert!((0.6..1.6).contains(&(ours / drawn)), "{ours} and {drawn}");
        assert!(sums.effective() < 60.0, "{}", sums.effective());
        // By their number they would seem to be worth far more.
        let by_number = (1.0 - 0.3) / 300.0;
        assert!(by_number < drawn / 4.0, "{by_number} and {drawn}");
    }

    proptest! {
        #[test]
        fn equal_weights_are_as_many_samples_to_the_bit(
            blocks in proptest::collection::vec((0u32..200, 0u32..200), 1..50),
            weight in 1u64..1_000_000_000,
        ) {
            let of = |at: usize| blocks.iter().map(move |it| f64::from([it.0, it.1][at]));
            let sum = |at: usize| of(at).sum::<f64>();
            let sums = BlockSums {
                count: sum(0),
                squares: of(0).map(|it| it * it).sum(),
                products: blocks.iter().map(|it| f64::from(it.0) * f64::from(it.0 + it.1)).sum(),
                weight_squares: sum(0),
            };
            prop_assert_eq!(sums.effective().to_bits(), sums.count.to_bits());
            let samples = blocks.iter().map(|it| (u64::from(it.0), u64::from(it.0) * weight));
            prop_assert_eq!(mean_of_unequal(samples.clone()), None);
            for each in samples {
                prop_assert_eq!(weighed(each, None), (each.0 as f64, each.0 as f64));
            }
        }

        #[test]
        fn no_weights_make_more_of_samples_than_they_are(
            weights in proptest::collection::vec(1u64..1_000_000, 2..50),
            factor in 2u64..1_000,
        ) {
            let of = |factor: u64| {
                let samples = weights.iter().map(|ns| (1, ns * factor));
                let mean = mean_of_unequal(samples.clone());
                let all = samples.map(|each| weighed(each, mean));
                let (sum, squares) = all.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
                (sum, effective(sum, squares))
            };
            let (sum, worth) = of(1);
            let number = weights.len() as f64;
            prop_assert!((sum - number).abs() < 1e-6 * number);
            prop_assert!(worth <= number * (1.0 + 1e-9) && worth >= 1.0 - 1e-9);
            let is_equal = weights.iter().all(|it| *it == weights[0]);
            prop_assert!(is_equal || worth < number);
            // The unit of the weights is no information.
            let (_, scaled) = of(factor);
            prop_assert!((scaled - worth).abs() < 1e-6 * worth);
        }
    }
}
