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
    before: CpuTimes,
    since: Instant,
}

impl Host {
    /// Looks at the machine. `pid` is the target.
    pub(super) fn look(pid: u32, cpus: usize) -> Self {
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
            before: ProcFs::live().cpu_times(),
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
        let busy = ProcFs::live().busy_since(&self.before, passed, BUSY_PCT, &except);
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
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn the_model_is_that_of_the_first_cpu() {
        let text = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: A CPU @ 2.1GHz: fast\n\nprocessor\t: 1\nmodel name\t: B\n";
        assert_eq!(cpu_model(text), "A CPU @ 2.1GHz: fast");
        assert_eq!(cpu_model("Processor : ARM\n"), "");
    }

    #[test]
    fn a_process_that_works_is_seen_and_the_target_is_not() {
        let mut worker = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        let host = Host::look(worker.id(), 1);
        let other = Host::look(0, 1);
        let is_seen = |host: &Host| {
            host.facts_by_now()
                .busy
                .iter()
                .any(|busy| busy.name == "sh")
        };
        // Its share depends on the other processes; that it gets to run at all does not.
        let seen = (0..600).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            is_seen(&other)
        });
        let facts = host.facts_by_now();
        worker.kill().unwrap();
        worker.wait().unwrap();
        assert!(seen, "{facts:?}");
        assert!(facts.busy.len() <= MAX_BUSY);
        assert!(host.facts().busy.is_empty());
    }
}
