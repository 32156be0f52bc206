//! Whether processor time in the kernel is in the samples, and how much of it is not.

use serde::{Deserialize, Serialize};

/// Whether threads were sampled while they ran in the kernel. An ordinary user may not do so at the
/// usual setting of `perf_event_paranoid`: the samples are of user code alone then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct KernelTime {
    /// Time in the kernel is in the samples.
    pub sampled: bool,
    /// Where it is not: processor time of the sampled threads by their own clocks, nanoseconds; at
    /// least. Else 0.
    #[serde(default)]
    pub cpu_ns: u64,
    /// The part of that time that no sample stands for since the thread was in the kernel,
    /// nanoseconds; at least. Else 0.
    #[serde(default)]
    pub missing_ns: u64,
}

impl KernelTime {
    /// The missing part, whole percent, rounded down. `None` where nothing is missing, and where
    /// there were too few samples to determine it.
    pub fn missing_pct(&self) -> Option<u64> {
        if self.sampled || self.missing_ns == 0 || self.cpu_ns == 0 {
            return None;
        }
        let pct = u128::from(self.missing_ns) * 100 / u128::from(self.cpu_ns);
        Some((pct as u64).min(100)).filter(|pct| *pct > 0)
    }

    /// The sentence above figures that lack this time; `None` where they do not.
    pub fn heading(&self) -> Option<String> {
        if self.sampled {
            return None;
        }
        Some(match self.missing_pct() {
            Some(pct) => format!(
                "user code only: at least {pct} % of the VM's processor time (kernel) is not included"
            ),
            None => "user code only: time in the kernel is not included".to_owned(),
        })
    }

    /// The same for the time after `earlier`.
    pub(crate) fn since(self, earlier: &Self) -> Self {
        Self {
            sampled: self.sampled,
            cpu_ns: self.cpu_ns.saturating_sub(earlier.cpu_ns),
            missing_ns: self.missing_ns.saturating_sub(earlier.missing_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user_only(cpu_ns: u64, missing_ns: u64) -> KernelTime {
        KernelTime {
            sampled: false,
            cpu_ns,
            missing_ns,
        }
    }

    #[test]
    fn the_missing_part_is_reported_and_never_more_than_is_known() {
        let text = user_only(1_000, 419).heading().unwrap();
        assert!(text.contains("at least 41 % "), "{text}");
        for little in [user_only(0, 0), user_only(1_000, 0), user_only(1_000, 9)] {
            let text = little.heading().unwrap();
            assert_eq!(text, "user code only: time in the kernel is not included");
        }
        assert_eq!(user_only(1, u64::MAX).missing_pct(), Some(100));
        let all = KernelTime {
            sampled: true,
            ..user_only(1_000, 419)
        };
        assert_eq!((all.heading(), all.missing_pct()), (None, None));
    }

    #[test]
    fn the_later_part_is_reported_alone() {
        let rest = user_only(1_000, 400).since(&user_only(400, 300));
        assert_eq!(rest, user_only(600, 100));
    }
}
