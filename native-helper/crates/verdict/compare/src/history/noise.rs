//! How far values of a series lie apart where nothing changed: from run to run of one commit, and from
//! one commit to the next.

use crate::estimate::SideEstimate;
use crate::spread::{ASSUMED, ASSUMED_DEGREES, ENOUGH_SAMPLES, LEAST, last_that_holds};

/// Fewer pairs of neighbours show nothing.
const ENOUGH_NEIGHBOURS: usize = 8;
/// The median of how far a normal value is from its mean, in standard deviations.
const MEDIAN_DEVIATION: f64 = 0.6745;
/// A median of differences is worth about a third as many values.
const WORTH_OF_NEIGHBOURS: f64 = 1.0 / 3.0;
const MOST_DEGREES: f64 = 60.0;

/// Variances of logarithms, beyond the spread of the blocks of a capture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// From one run of a commit to another.
    pub of_runs: f64,
    /// From one commit to the next, beyond that: code that did not change lies elsewhere in memory.
    pub of_commits: f64,
    /// Degrees of freedom that stand behind them.
    pub degrees: f64,
    /// It was measured, not assumed.
    pub is_measured: bool,
}

impl Noise {
    /// Learnt from captures of one commit, which repeat each other, and from commits that follow each
    /// other, most of which change nothing: steps are few, and a median does not see them.
    pub fn learn(commits: &[SideEstimate]) -> Self {
        let has_neighbours = commits.len() > ENOUGH_NEIGHBOURS;
        let neighbours = (commits.len().saturating_sub(1)) as f64 * WORTH_OF_NEIGHBOURS;
        let Some((of_runs, repetitions)) = of_repetitions(commits) else {
            return match has_neighbours {
                // The spread from run to run and that from commit to commit cannot be separated.
                true => Self {
                    of_runs: excess_of_neighbours(commits, 0.0).max(LEAST * LEAST),
                    of_commits: 0.0,
                    degrees: neighbours.clamp(2.0, MOST_DEGREES),
                    is_measured: true,
                },
                false => Self {
                    of_runs: ASSUMED * ASSUMED,
                    of_commits: 0.0,
                    degrees: ASSUMED_DEGREES,
                    is_measured: false,
                },
            };
        };
        let of_commits = match has_neighbours {
            true => excess_of_neighbours(commits, of_runs),
            false => 0.0,
        };
        let degrees = match of_commits > of_runs {
            true => neighbours,
            false => repetitions + ASSUMED_DEGREES,
        };
        Self {
            of_runs,
            of_commits,
            degrees: degrees.clamp(2.0, MOST_DEGREES),
            is_measured: true,
        }
    }

    /// Variance of the value of a commit as a measurement of that commit.
    pub fn of_measurement(&self, commit: &SideEstimate) -> f64 {
        commit.variance(self.of_runs)
    }

    /// Variance of the value of a commit where nothing changed.
    pub fn of_value(&self, commit: &SideEstimate) -> f64 {
        self.of_measurement(commit) + self.of_commits
    }
}

/// The variance from run to run and its degrees of freedom, moderated by the assumption for any program;
/// `None` where no commit has several captures with enough samples.
fn of_repetitions(commits: &[SideEstimate]) -> Option<(f64, f64)> {
    let (mut degrees, mut squares, mut within, mut captures) = (0.0, 0.0, 0.0, 0.0);
    let repeated = commits.iter().filter(|commit| {
        let mut each = commit.captures.iter();
        commit.captures.len() > 1 && each.all(|it| it.effective >= ENOUGH_SAMPLES)
    });
    for commit in repeated {
        let count = commit.captures.len() as f64;
        let mean = commit.captures.iter().map(|it| it.log).sum::<f64>() / count;
        degrees += count - 1.0;
        captures += count;
        for each in &commit.captures {
            squares += (each.log - mean).powi(2);
            within += each.within;
        }
    }
    if degrees <= 0.0 {
        return None;
    }
    let within = within / captures;
    let assumed = ASSUMED_DEGREES * (ASSUMED * ASSUMED + within);
    let variance = (assumed + squares) / (ASSUMED_DEGREES + degrees) - within;
    Some((variance.max(LEAST * LEAST), degrees))
}

/// The variance from commit to commit with which half of the neighbours differ by more than the median
/// of normal values does.
fn excess_of_neighbours(commits: &[SideEstimate], of_runs: f64) -> f64 {
    let differ_more = |excess: f64| {
        let more = commits.windows(2).filter(|two| {
            let variance: f64 = two.iter().map(|it| it.variance(of_runs) + excess).sum();
            (two[1].log() - two[0].log()).abs() > MEDIAN_DEVIATION * variance.sqrt()
        });
        more.count() * 2 > commits.len() - 1
    };
    if !differ_more(0.0) {
        return 0.0;
    }
    last_that_holds((1e-8, 4.0), differ_more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::CaptureEstimate;

    fn commit(logs: &[f64]) -> SideEstimate {
        let capture = |log: &f64| CaptureEstimate {
            log: *log,
            within: 1e-4,
            weight: 1.0 / logs.len() as f64,
            samples: 1_000.0,
            effective: 1_000.0,
        };
        SideEstimate {
            value: (logs.iter().sum::<f64>() / logs.len() as f64).exp(),
            samples: 1_000.0 * logs.len() as f64,
            effective: 1_000.0 * logs.len() as f64,
            captures: logs.iter().map(capture).collect(),
            clumping: 1.0,
        }
    }

    #[test]
    fn with_little_to_learn_from_spread_is_assumed() {
        let noise = Noise::learn(&[commit(&[1.0]), commit(&[1.1])]);
        assert!(!noise.is_measured);
        assert_eq!(noise.of_runs, ASSUMED * ASSUMED);
    }

    #[test]
    fn commits_with_one_capture_each_are_judged_by_their_neighbours() {
        // Neighbours differ by 0.2, in either direction; one step is larger and does not count.
        let commits: Vec<_> = (0..21)
            .map(|at| commit(&[0.1 * f64::from(at % 2) + 3.0 * f64::from(at / 10)]))
            .collect();
        let noise = Noise::learn(&commits);
        let expected = 0.1 / (MEDIAN_DEVIATION * f64::sqrt(2.0));
        assert!(
            (noise.of_runs.sqrt() / expected - 1.0).abs() < 0.1,
            "{noise:?}"
        );
        assert_eq!(noise.of_commits, 0.0);
    }

    #[test]
    fn runs_that_agree_do_not_hide_that_commits_differ() {
        let commits: Vec<_> = (0..20)
            .map(|at| {
                let log = 0.2 * f64::from(at % 2);
                commit(&[log - 0.01, log, log + 0.01])
            })
            .collect();
        let noise = Noise::learn(&commits);
        assert!(noise.of_runs < 0.03 * 0.03, "{noise:?}");
        assert!(noise.of_commits > 0.1 * 0.1, "{noise:?}");
    }
}
