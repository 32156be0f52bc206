//! Which CPUs there are.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How often it is looked for CPUs that were switched on.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// The CPUs that are sampled, and those that came later and are not.
#[derive(Debug)]
pub(super) struct Cpus {
    sampled: Vec<u32>,
    late: BTreeSet<u32>,
    looked: Instant,
}

impl Cpus {
    pub(super) fn sampled(cpus: &[u32]) -> Self {
        Self {
            sampled: cpus.to_vec(),
            late: BTreeSet::new(),
            looked: Instant::now(),
        }
    }

    /// Looks for CPUs that were switched on since the start.
    pub(super) fn look(&mut self) {
        if self.looked.elapsed() >= LOOK_INTERVAL {
            self.looked = Instant::now();
            self.note(online_cpus());
        }
    }

    fn note(&mut self, online: Vec<u32>) {
        let is_late = |cpu: &u32| !self.sampled.contains(cpu);
        self.late.extend(online.into_iter().filter(is_late));
    }

    /// Those that are not sampled since they were not known at the start.
    pub(super) fn late(&self) -> impl Iterator<Item = u32> + '_ {
        self.late.iter().copied()
    }
}

/// The CPUs that are online; with none listed, the first.
pub(super) fn online_cpus() -> Vec<u32> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let cpus = parse_cpu_list(text.trim());
    if cpus.is_empty() { vec![0] } else { cpus }
}

/// `0-3,8` as numbers.
fn parse_cpu_list(text: &str) -> Vec<u32> {
    const MAX_CPUS: u32 = 8192;
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse().ok()?, last.parse::<u32>().ok()?);
        (last < MAX_CPUS).then_some(first..=last)
    };
    text.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_comes_later_is_noted_and_one_that_goes_and_comes_is_not() {
        let mut cpus = Cpus::sampled(&[0, 1]);
        cpus.note(vec![0]);
        cpus.note(vec![0, 1]);
        assert_eq!(cpus.late().count(), 0);
        cpus.note(vec![0, 1, 3]);
        cpus.note(vec![0]);
        assert_eq!(cpus.late().collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn cpu_lists_as_the_kernel_prints_them() {
        assert_eq!(parse_cpu_list("0-1"), [0, 1]);
        assert_eq!(parse_cpu_list("0,2-3,7"), [0, 2, 3, 7]);
        assert!(parse_cpu_list("").is_empty());
        assert!(parse_cpu_list("0-4000000000,x").is_empty());
    }
}
