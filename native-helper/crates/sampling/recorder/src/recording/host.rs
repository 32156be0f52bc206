//! The machine that a capture is taken on, and the other processes that kept it busy.

use std::fs::File;
use std::io::Read;
use std::time::Instant;

use capture::facts::{BusyProcess, HostFacts};
use target_proc::ProcFs;
use target_proc::busy::CpuTimes;

/// Who takes less of a CPU is no reason to doubt a capture.
const BUSY_PCT: f64 = 5.0;
const MAX_BUSY: usize = 8;
/// The model of the first CPU stands in its first lines.
const MAX_CPUINFO_BYTES: u64 = 16 << 10;

/// The facts known at the start, and the counters that show at the end which processes were busy.
#[derive(Debug)]
pub(super) struct Host {
    facts: HostFacts,
    pid: u32,
    proc_fs: ProcFs,
    before: CpuTimes,
    since: Instant,
}

impl Host {
    /// Looks at the machine. `pid` is the target.
    pub(super) fn look(pid: u32, cpus: usize) -> Self {
        Self::look_in(ProcFs::live(), pid, cpus)
    }

    fn look_in(proc_fs: ProcFs, pid: u32, cpus: usize) -> Self {
        let load = start_of("/proc/loadavg");
        let load = load.split_whitespace().next().unwrap_or_default();
        Self {
            facts: HostFacts {
                cpu_model: cpu_model(&start_of("/proc/cpuinfo")),
                governor: start_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
                    .trim()
                    .to_owned(),
                cpus: cpus as u32,
                load: load.parse().unwrap_or_default(),
                busy: Vec::new(),
            },
            pid,
            before: proc_fs.cpu_times(),
            proc_fs,
            since: Instant::now(),
        }
    }

    /// The facts known at the start.
    pub(super) fn facts(&self) -> HostFacts {
        self.facts.clone()
    }

    /// The same with the processes that have been busy since; neither the target nor ourselves.
    pub(super) fn facts_by_now(&self) -> HostFacts {
        let except = [self.pid, std::process::id()];
        let passed = self.since.elapsed();
        let busy = self
            .proc_fs
            .busy_since(&self.before, passed, BUSY_PCT, &except);
        let process = |busy: target_proc::busy::Busy| BusyProcess {
            name: busy.name,
            cpu_pct: busy.cpu_pct,
        };
        HostFacts {
            busy: busy.into_iter().take(MAX_BUSY).map(process).collect(),
            ..self.facts.clone()
        }
    }
}

/// The model of the first CPU in `/proc/cpuinfo`; empty where the kernel names none.
fn cpu_model(cpuinfo: &str) -> String {
    let model = cpuinfo.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == "model name").then(|| value.trim())
    });
    model.unwrap_or_default().to_owned()
}

/// The start of a file of the kernel's; empty when there is none.
fn start_of(path: &str) -> String {
    let mut bytes = Vec::new();
    // Half a text is still one, and none is known then.
    let _ = File::open(path).and_then(|file| file.take(MAX_CPUINFO_BYTES).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn the_model_is_that_of_the_first_cpu() {
        let text = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: A CPU @ 2.1GHz: fast\n\nprocessor\t: 1\nmodel name\t: B\n";
        assert_eq!(cpu_model(text), "A CPU @ 2.1GHz: fast");
        assert_eq!(cpu_model("Processor : ARM\n"), "");
    }

    /// Puts a process into a proc file system, which has used so much of a processor.
    fn put_process(folder: &Path, pid: u32, ticks: u64) {
        let of_process = folder.join(pid.to_string());
        fs::create_dir_all(&of_process).unwrap();
        let name = format!("worker{pid}");
        fs::write(of_process.join("comm"), format!("{name}\n")).unwrap();
        let stat = format!("{pid} ({name}) S 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 5");
        fs::write(of_process.join("stat"), stat).unwrap();
    }

    #[test]
    fn processes_that_work_are_seen_the_busiest_of_them_and_the_target_is_not() {
        let folder = std::env::temp_dir().join(format!("host-{}", std::process::id()));
        let target = 1;
        let pids = target..=MAX_BUSY as u32 + 3;
        pids.clone().for_each(|pid| put_process(&folder, pid, 0));
        let host = Host::look_in(ProcFs::at(&folder), target, 1);
        // More than any time that passes here.
        pids.for_each(|pid| put_process(&folder, pid, 1_000_000 * u64::from(pid)));
        // Shares are known once the clock of the kernel has moved.
        let busy = std::iter::repeat_with(|| host.facts_by_now().busy)
            .find(|busy| !busy.is_empty())
            .unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let names: Vec<&str> = busy.iter().map(|busy| busy.name.as_str()).collect();
        let expected: Vec<String> = (4..=MAX_BUSY + 3)
            .rev()
            .map(|pid| format!("worker{pid}"))
            .collect();
        assert_eq!(names, expected);
        assert!(host.facts().busy.is_empty());
    }
}
