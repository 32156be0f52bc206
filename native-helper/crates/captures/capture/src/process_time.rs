//! The processor time of the VM by its own clock, and how much of it no sample stands for.

use serde::{Deserialize, Serialize};

/// Threads that live for milliseconds end before they can be sampled, and so may work between two looks at the list of
/// threads. The clock of the process has their time all the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct ProcessTime {
    /// Processor time of all threads since before the first sample, nanoseconds; at least.
    pub cpu_ns: u64,
    /// The part of it that no sample stands for, nanoseconds; at least: without what chance may do.
    pub missing_ns: u64,
}

impl ProcessTime {
    /// The share that samples account for, whole percent, at most. `None` where nothing is known to be
    /// missing.
    pub fn accounted_pct(&self) -> Option<u64> {
        if self.missing_ns == 0 || self.cpu_ns == 0 {
            return None;
        }
        let rest_ns = u128::from(self.cpu_ns.saturating_sub(self.missing_ns));
        let pct = (rest_ns * 100).div_ceil(u128::from(self.cpu_ns)) as u64;
        Some(pct).filter(|pct| *pct < 100)
    }

    /// The clause about figures that lack time; `None` where they do not.
    pub fn heading(&self) -> Option<String> {
        let pct = self.accounted_pct()?;
        Some(format!(
            "samples account for at most {pct} % of the VM's processor time"
        ))
    }

    /// The same for the time after `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns.saturating_sub(earlier.cpu_ns),
            missing_ns: self.missing_ns.saturating_sub(earlier.missing_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_never_lower_than_it_may_be_and_never_all() {
        let pct = |cpu_ns, missing_ns| ProcessTime { cpu_ns, missing_ns }.accounted_pct();
        assert_eq!(pct(1_280, 1_240), Some(4));
        assert_eq!(pct(1_000, 10), Some(99));
        for nothing in [(0, 0), (1_000, 0), (0, 5), (1_000, 9)] {
            assert_eq!(pct(nothing.0, nothing.1), None, "{nothing:?}");
        }
        assert_eq!(pct(1, u64::MAX), Some(0));
        assert_eq!(pct(u64::MAX, u64::MAX / 2), Some(51));
    }

    #[test]
    fn the_later_part_is_reported_alone() {
        let time = |cpu_ns, missing_ns| ProcessTime { cpu_ns, missing_ns };
        assert_eq!(time(1_000, 400).since(time(400, 300)), time(600, 100));
    }
}
