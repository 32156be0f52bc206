//! Which CPUs there are.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use target_proc::affinity::{MAX_CPUS, parse_cpu_list};

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
            // Where they are not listed, there is nothing to note.
            self.note(online_cpus().unwrap_or_default());
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

/// The CPUs that are online; `None` where the kernel does not list them, as in a container without `/sys` and `/proc/stat`:
/// the threads on those that are not known would not be sampled, and nothing would count that.
pub(super) fn online_cpus() -> Option<Vec<u32>> {
    online_in(Path::new("/"))
}

fn online_in(root: &Path) -> Option<Vec<u32>> {
    let text = |file: &str| std::fs::read_to_string(root.join(file)).unwrap_or_default();
    let cpus = parse_cpu_list(text("sys/devices/system/cpu/online").trim());
    let cpus = match cpus.is_empty() {
        true => cpus_with_time(&text("proc/stat")),
        false => cpus,
    };
    (!cpus.is_empty()).then_some(cpus)
}

/// Those of `/proc/stat`, which has a line for each that is online.
fn cpus_with_time(stat: &str) -> Vec<u32> {
    let number = |line: &str| {
        let number = line.strip_prefix("cpu")?.split(' ').next()?;
        number.parse::<u32>().ok()
    };
    let cpus = stat.lines().filter_map(number);
    cpus.filter(|cpu| *cpu < MAX_CPUS).collect()
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
    fn cpus_that_are_not_listed_are_not_taken_for_the_first_one() {
        let root = std::env::temp_dir().join(format!("online-cpus-{}", std::process::id()));
        let (sys, proc) = (root.join("sys/devices/system/cpu"), root.join("proc"));
        std::fs::create_dir_all(&sys).unwrap();
        std::fs::create_dir_all(&proc).unwrap();
        assert_eq!(online_in(&root), None);
        let stat = "cpu  7 0 7 0\ncpu0 7 0 7 0\ncpu2 1 0 1 0\ncpu9999 1\nintr 4711 0\n";
        std::fs::write(proc.join("stat"), stat).unwrap();
        assert_eq!(online_in(&root), Some(vec![0, 2]));
        std::fs::write(sys.join("online"), "0-3\n").unwrap();
        assert_eq!(online_in(&root), Some(vec![0, 1, 2, 3]));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
