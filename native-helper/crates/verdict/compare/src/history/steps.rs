//! Where a series of values steps: PELT (Killick, Fearnhead and Eckley, *Optimal Detection of
//! Changepoints With a Linear Computational Cost*, 2012) on logarithms, each weighted by how surely it
//! is known. Its result is a candidate; a step is claimed when the intervals of the means before and
//! behind it are apart.

use super::noise::Noise;
use crate::special_functions::t_quantile;

/// A step costs this many times the logarithm of the number of values. The leading term of the modified
/// BIC (Zhang and Siegmund 2007) is 3; with that 2 % of series of 50 values that differ by chance alone
/// have a step, with this some 0.5 %.
const PENALTY: f64 = 4.0;
/// One capture proves nothing of how its program is, and so begins no step.
pub const FEWEST_CAPTURES: usize = 2;
/// Steps below are of no interest, however sure.
const SMALLEST_STEP: f64 = 0.01;

/// One value of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// Its logarithm.
    pub log: f64,
    /// Variance of that, by all that is known.
    pub variance: f64,
    /// How many captures it is made of.
    pub captures: usize,
}

/// Values in a row that are taken to be one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Position of its first value.
    pub first: usize,
    /// Behind its last.
    pub end: usize,
    /// Weighted mean of the logarithms.
    pub log: f64,
    /// Variance of that mean.
    pub variance: f64,
    captures: usize,
}

/// How far two segments are apart, as logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    pub log: f64,
    /// The bound of 95 % of the differences.
    pub margin: f64,
    is_claimed: bool,
    /// In standard errors.
    size: f64,
}

/// The segments between claimed steps; one where there are none, none where there are no values.
pub fn segments(values: &[Value], noise: &Noise) -> Vec<Segment> {
    let mut starts = pelt(values);
    loop {
        let segments = cut(values, &starts);
        let unclaimed = segments
            .windows(2)
            .enumerate()
            .map(|(position, two)| (position + 1, Difference::between(&two[0], &two[1], noise)))
            .filter(|(_, difference)| !difference.is_claimed)
            .min_by(|(_, a), (_, b)| a.size.total_cmp(&b.size));
        match unclaimed {
            Some((position, _)) => starts.remove(position),
            None => return segments,
        };
    }
}

impl Difference {
    pub fn between(before: &Segment, after: &Segment, noise: &Noise) -> Self {
        let quantile = t_quantile(0.975, noise.degrees);
        let log = after.log - before.log;
        let error = (before.variance + after.variance).sqrt();
        let are_apart = log.abs() > quantile * (before.variance.sqrt() + after.variance.sqrt());
        let are_known = before.captures.min(after.captures) >= FEWEST_CAPTURES;
        Self {
            log,
            margin: quantile * error,
            is_claimed: are_apart && are_known && log.exp_m1().abs() >= SMALLEST_STEP,
            size: log.abs() / error.max(f64::MIN_POSITIVE),
        }
    }
}

/// The weighted squares of the distances of some values from their mean.
pub fn cost(values: &[Value]) -> f64 {
    let all = sums(values);
    let last = all.last().copied().unwrap_or_default();
    last.cost_since(&Sums::default())
}

fn cut(values: &[Value], starts: &[usize]) -> Vec<Segment> {
    let ends = starts.iter().skip(1).copied().chain([values.len()]);
    let ranges = starts.iter().copied().zip(ends);
    ranges
        .map(|(first, end)| Segment::of(values, first, end))
        .collect()
}

impl Segment {
    fn of(values: &[Value], first: usize, end: usize) -> Self {
        let part = &values[first..end];
        let weights: f64 = part.iter().map(Value::weight).sum();
        let log = part.iter().map(|it| it.weight() * it.log).sum::<f64>() / weights;
        let squares = part.iter().map(|it| it.weight() * (it.log - log).powi(2));
        let degrees = part.len().saturating_sub(1).max(1) as f64;
        // Values that differ by more than is known of them make their mean less sure, too.
        let unexplained = (squares.sum::<f64>() / degrees).max(1.0);
        Self {
            first,
            end,
            log,
            variance: unexplained / weights,
            captures: part.iter().map(|it| it.captures).sum(),
        }
    }

    /// Values in it.
    pub fn len(&self) -> usize {
        self.end - self.first
    }
}

impl Value {
    fn weight(&self) -> f64 {
        1.0 / self.variance.max(f64::MIN_POSITIVE)
    }
}

/// Sums over the values before a position, so that the cost of any segment takes no loop.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    weights: f64,
    logs: f64,
    squares: f64,
}

impl Sums {
    /// The weighted squares of the distances of the values between both positions from their mean.
    fn cost_since(&self, start: &Self) -> f64 {
        let logs = self.logs - start.logs;
        let weights = (self.weights - start.weights).max(f64::MIN_POSITIVE);
        (self.squares - start.squares - logs * logs / weights).max(0.0)
    }
}

/// Where the segments begin that cost least.
fn pelt(values: &[Value]) -> Vec<usize> {
    if values.is_empty() {
        return Vec::new();
    }
    let penalty = PENALTY * (values.len() as f64).ln();
    let sums = sums(values);
    let mut least = vec![-penalty];
    let mut start_of_last = vec![0];
    let mut candidates = vec![0];
    for end in 1..=values.len() {
        let cost = |start: usize| least[start] + sums[end].cost_since(&sums[start]);
        let best = candidates
            .iter()
            .copied()
            .min_by(|a, b| cost(*a).total_cmp(&cost(*b)))
            .unwrap_or(0);
        let total = cost(best) + penalty;
        // A start that costs more already can be no start of the last segment of any longer series.
        candidates.retain(|start| cost(*start) <= total);
        candidates.push(end);
        least.push(total);
        start_of_last.push(best);
    }
    let mut starts = Vec::new();
    let mut end = values.len();
    while end > 0 {
        end = start_of_last[end];
        starts.push(end);
    }
    starts.reverse();
    starts
}

fn sums(values: &[Value]) -> Vec<Sums> {
    // Around the first value, so that squares of values far from nothing cost no digits.
    let origin = values.first().map_or(0.0, |first| first.log);
    let mut sums = vec![Sums::default()];
    let mut all = Sums::default();
    for value in values {
        let (weight, log) = (value.weight(), value.log - origin);
        all.weights += weight;
        all.logs += weight * log;
        all.squares += weight * log * log;
        sums.push(all);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOISE: Noise = Noise {
        of_runs: 0.0,
        of_commits: 0.0,
        degrees: 30.0,
        is_measured: true,
    };

    fn values(logs: &[f64]) -> Vec<Value> {
        let value = |log: &f64| Value {
            log: *log,
            variance: 0.01,
            captures: 2,
        };
        logs.iter().map(value).collect()
    }

    fn starts(values: &[Value]) -> Vec<usize> {
        let segments = segments(values, &NOISE);
        segments.iter().map(|segment| segment.first).collect()
    }

    fn uniform(state: &mut u64) -> f64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    #[test]
    fn values_that_differ_by_chance_alone_rarely_step() {
        let mut state = 0x1234_5678_9abc_def1;
        let mut normal = || (0..12).map(|_| uniform(&mut state)).sum::<f64>() - 6.0;
        let steps = (0..1_000).filter(|_| {
            let logs: Vec<f64> = (0..50).map(|_| 0.1 * normal()).collect();
            starts(&values(&logs)).len() > 1
        });
        let steps = steps.count();
        assert!(steps <= 10, "{steps} of 1000");
    }

    /// The least cost of all ways to cut, by trying each.
    fn least_of_all(values: &[Value]) -> (f64, Vec<usize>) {
        let penalty = PENALTY * (values.len() as f64).ln();
        let sums = sums(values);
        let ways = 0..1u32 << (values.len() - 1);
        ways.map(|way| {
            let later = (1..values.len()).filter(|at| way & (1 << (at - 1)) != 0);
            let starts: Vec<usize> = [0].into_iter().chain(later).collect();
            let ends = starts.iter().skip(1).copied().chain([values.len()]);
            let costs = starts.iter().zip(ends);
            let cost: f64 = costs
                .map(|(start, end)| sums[end].cost_since(&sums[*start]))
                .sum();
            (cost + penalty * (starts.len() - 1) as f64, starts)
        })
        .min_by(|(a, _), (b, _)| a.total_cmp(b))
        .unwrap()
    }

    #[test]
    fn the_search_finds_the_best_of_all_ways_to_cut() {
        let mut state = 0x1234_5678_9abc_def1;
        let mut random = || uniform(&mut state);
        for _ in 0..50 {
            let mut level = 0.0;
            let logs: Vec<f64> = (0..11)
                .map(|_| {
                    if random() < 0.25 {
                        level += random() - 0.5;
                    }
                    level + 0.2 * (random() - 0.5)
                })
                .collect();
            let values = values(&logs);
            assert_eq!(pelt(&values), least_of_all(&values).1, "{logs:?}");
        }
    }

    #[test]
    fn a_step_begins_where_the_values_change() {
        let mut logs = vec![1.0; 6];
        logs.extend([2.0; 5]);
        logs.extend([1.5; 4]);
        assert_eq!(starts(&values(&logs)), [0, 6, 11]);
    }

    #[test]
    fn no_values_and_one_have_no_step() {
        assert_eq!(starts(&[]), Vec::<usize>::new());
        assert_eq!(starts(&values(&[1.0])), [0]);
    }

    #[test]
    fn one_capture_is_no_step() {
        let mut values = values(&[1.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(starts(&values), [0, 4, 5]);
        values[4].captures = 1;
        assert_eq!(starts(&values), [0]);
    }

    #[test]
    fn numbers_that_are_none_end_the_search() {
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut values = values(&[1.0; 9]);
            values[3].log = odd;
            values[5].variance = odd;
            let segments = segments(&values, &NOISE);
            assert_eq!(segments.last().map(|it| it.end), Some(9));
        }
    }
}
