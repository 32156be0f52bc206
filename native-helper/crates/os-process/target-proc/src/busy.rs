//! Which processes took CPU time during some work.

use std::fs;
use std::time::Duration;

use shared_map::HashMap;
use shared_sort::SharedSort;

use crate::proc_fs::ProcFs;

/// Further processes are not read.
const MAX_PROCESSES: usize = 32_768;
/// The kernel's own bound is 15 bytes; threads of the kernel have longer names.
const MAX_NAME_BYTES: u64 = 256;
/// Clock ticks of `stat`.
const TICK: Duration = Duration::from_millis(10);

/// CPU time of each process so far.
#[derive(Debug, Clone, Default)]
pub struct CpuTimes(HashMap<u32, u64>);

/// A process that took CPU time.
#[derive(Debug, Clone, PartialEq)]
pub struct Busy {
    /// Its name, never its arguments.
    pub name: String,
    /// Percent of one CPU.
    pub cpu_pct: f64,
}

impl ProcFs {
    /// CPU time of every process that can be seen.
    #[must_use]
    pub fn cpu_times(&self) -> CpuTimes {
        let entries = fs::read_dir(self.root()).into_iter().flatten();
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let time = |pid| Some((pid, self.activity(pid)?.cpu_ticks));
        CpuTimes(pids.take(MAX_PROCESSES).filter_map(time).collect())
    }

    /// The processes that used `least_pct` of one CPU or more in the time that has passed since
    /// `before`, most first; without those in `except`, and without those that have ended since.
    #[must_use]
    pub fn busy_since(
        &self,
        before: &CpuTimes,
        passed: Duration,
        least_pct: f64,
        except: &[u32],
    ) -> Vec<Busy> {
        let passed_ticks = passed.as_secs_f64() / TICK.as_secs_f64();
        if passed_ticks < 1.0 {
            return Vec::new();
        }
        let share = |(pid, ticks): (u32, u64)| {
            // A process that was not there before has used all its time since.
            let used = ticks.saturating_sub(before.0.get(&pid).copied().unwrap_or(0));
            let cpu_pct = (used as f64 / passed_ticks * 1000.0).round() / 10.0;
            (cpu_pct >= least_pct && !except.contains(&pid)).then_some((pid, cpu_pct))
        };
        let mut busy: Vec<_> = self.cpu_times().0.into_iter().filter_map(share).collect();
        busy.shared_sort_by(|(pid_a, a), (pid_b, b)| b.total_cmp(a).then(pid_a.cmp(pid_b)));
        let named = |(pid, cpu_pct)| {
            let comm = self.read(pid, "comm", MAX_NAME_BYTES).ok()?;
            let name = String::from_utf8_lossy(&comm).trim_end().to_owned();
            Some(Busy { name, cpu_pct })
        };
        busy.into_iter().filter_map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    struct Tree(PathBuf);

    impl Tree {
        fn new() -> Self {
            let root = std::env::temp_dir().join(format!("busy-{}", std::process::id()));
            fs::create_dir_all(&root).unwrap();
            Self(root)
        }

        fn process(&self, pid: u32, name: &str, ticks: u64) {
            let folder = self.0.join(pid.to_string());
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("comm"), format!("{name}\n")).unwrap();
            let stat = format!("{pid} ({name}) S 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 5");
            fs::write(folder.join("stat"), stat).unwrap();
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn programs_that_took_time_since_are_shown_with_their_share() {
        let tree = Tree::new();
        let proc_fs = ProcFs::at(&tree.0);
        tree.process(1, "idle", 7000);
        tree.process(2, "target", 100);
        tree.process(3, "make (x) y", 100);
        let before = proc_fs.cpu_times();
        tree.process(2, "target", 300);
        tree.process(3, "make (x) y", 200);
        tree.process(4, "new", 150);
        fs::write(tree.0.join("4711"), "no folder").unwrap();
        let busy = proc_fs.busy_since(&before, Duration::from_secs(2), 5.0, &[2]);
        let shares: Vec<_> = busy.iter().map(|b| (b.name.as_str(), b.cpu_pct)).collect();
        assert_eq!(shares, [("new", 75.0), ("make (x) y", 50.0)]);
        assert!(
            proc_fs
                .busy_since(&before, Duration::ZERO, 5.0, &[])
                .is_empty()
        );
    }
}
