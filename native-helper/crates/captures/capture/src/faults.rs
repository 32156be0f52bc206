//! How far the samples of page faults can be trusted.

use serde::{Deserialize, Serialize};

use crate::counted::counted;

/// The counts of the type `faults`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct FaultsQuality {
    /// Why it was not recorded: one clause for people. Absent where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub refused: Option<String>,
    /// Page faults: each sample as often as it stands for.
    pub faults: u64,
    /// Samples of them in the capture.
    pub samples: u64,
    /// Those whose stack is whole.
    pub whole: u64,
    /// How long page faults were left out since there were too many, milliseconds. Samples of that time stand for these.
    pub thinned_ms: u64,
    /// Page faults that were left out.
    pub left_out: u64,
    /// Samples that were lost; with `off-cpu` beside it, those of schedulers alone.
    pub lost: u64,
    /// Threads that were not recorded, for a part of the capture at least.
    pub threads: u64,
    /// Why not, of the last one: one clause for people.
    pub threads_reason: String,
}

impl FaultsQuality {
    /// Samples in the stacks; `None` where they were not recorded.
    #[must_use]
    pub fn in_stacks(&self) -> Option<u64> {
        self.refused.is_none().then_some(self.samples)
    }

    /// The counts of the time after `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut rest = self.clone();
        for (now, before) in rest.counts_mut().into_iter().zip(earlier.counts()) {
            *now = now.saturating_sub(before);
        }
        rest
    }

    /// Page faults that the samples have by themselves, and those that they may lack, at most. Of a capture in which so many
    /// further samples were lost or not written, of whichever type.
    #[must_use]
    pub fn sampled_and_missing(&self, others: u64) -> [f64; 2] {
        let all = self.faults as f64;
        // Others stand for them, so that they are in the faults of these.
        let left_out = self.left_out.min(self.faults) as f64;
        let each = (all / self.samples.max(1) as f64).max(1.0);
        let lost = self.lost.saturating_add(others) as f64 * each;
        // Nothing bounds those of a thread that was not recorded.
        let unseen = match self.threads {
            0 => 0.0,
            _ => ANY_NUMBER,
        };
        [all - left_out, left_out + lost + unseen]
    }

    fn counts(&self) -> [u64; COUNTS] {
        self.clone().counts_mut().map(|count| *count)
    }

    fn counts_mut(&mut self) -> [&mut u64; COUNTS] {
        [
            &mut self.faults,
            &mut self.samples,
            &mut self.whole,
            &mut self.thinned_ms,
            &mut self.left_out,
            &mut self.lost,
        ]
    }

    /// All of it in one line, for people.
    #[must_use]
    pub fn line(&self) -> String {
        if let Some(why) = &self.refused {
            return format!("faults: not recorded: {why}");
        }
        let mut line = format!(
            "faults: {}, {} ({} whole)",
            counted(self.faults, "page fault"),
            counted(self.samples, "sample"),
            self.whole
        );
        if self.thinned_ms > 0 {
            line += &format!(
                "; too many for {:.2} s: {} left out, for which others stand",
                self.thinned_ms as f64 / 1000.0,
                self.left_out
            );
        }
        if self.lost > 0 {
            line += &format!("; {} lost", counted(self.lost, "sample"));
        }
        if self.threads > 0 {
            line += &format!(
                "; {} not recorded ({})",
                counted(self.threads, "thread"),
                self.threads_reason
            );
        }
        line
    }
}

/// `7 samples of page faults`, beside samples of other types.
#[must_use]
pub fn samples_text(samples: u64) -> String {
    format!("{} of page faults", counted(samples, "sample"))
}

/// More page faults than any capture has.
const ANY_NUMBER: f64 = 1e18;

/// Counts that only ever grow.
const COUNTS: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_faults_that_samples_may_lack_are_bounded() {
        let faults = FaultsQuality {
            faults: 80,
            samples: 40,
            ..FaultsQuality::default()
        };
        let of = |change: fn(&mut FaultsQuality), others| {
            let mut lacking = faults.clone();
            change(&mut lacking);
            lacking.sampled_and_missing(others)
        };
        assert_eq!(of(|_| (), 0), [80.0, 0.0]);
        // Each stands for two.
        assert_eq!(of(|it| it.lost = 3, 2), [80.0, 10.0]);
        assert_eq!(of(|it| it.left_out = 40, 0), [40.0, 40.0]);
        assert_eq!(of(|it| it.threads = 1, 0), [80.0, ANY_NUMBER]);
        assert_eq!(FaultsQuality::default().sampled_and_missing(2), [0.0, 2.0]);
    }

    #[test]
    fn the_line_has_what_is_missing_and_nothing_of_what_is_not() {
        let whole = FaultsQuality {
            faults: 40,
            samples: 40,
            whole: 39,
            ..FaultsQuality::default()
        };
        assert_eq!(
            whole.line(),
            "faults: 40 page faults, 40 samples (39 whole)"
        );
        let lacking = FaultsQuality {
            faults: 52,
            thinned_ms: 1_500,
            left_out: 12,
            lost: 1,
            threads: 2,
            threads_reason: "too many open files".to_owned(),
            ..whole.clone()
        };
        assert_eq!(
            lacking.line(),
            "faults: 52 page faults, 40 samples (39 whole); too many for 1.50 s: 12 left out, for which others stand; \
             1 sample lost; 2 threads not recorded (too many open files)"
        );
        let refused = FaultsQuality {
            refused: Some("the kernel may not be sampled here".to_owned()),
            ..FaultsQuality::default()
        };
        let line = "faults: not recorded: the kernel may not be sampled here";
        assert_eq!(refused.line(), line);
        assert_eq!((refused.in_stacks(), lacking.in_stacks()), (None, Some(40)));
        let later = lacking.since(&whole);
        assert_eq!((later.faults, later.samples, later.lost), (12, 0, 1));
        assert_eq!(later.threads, 2, "not counted by time");
    }
}
