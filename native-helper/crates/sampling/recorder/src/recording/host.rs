//! The machine that a capture is taken on, and the other processes that kept it busy.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use capture::facts::{BusyProcess, HostFacts};
use target_proc::ProcFs;
use target_proc::busy::CpuTimes;

/// Who takes less of a CPU is no reason to doubt a capture.
const BUSY_PCT: f64 = 5.0;
const MAX_BUSY: usize = 8;
/// Readings of the frequency between the start and the end.
const LOOK_AT_CLOCK_EVERY: Duration = Duration::from_secs(10);
/// CPUs whose frequency is read: each may have to be woken for it.
const MOST_CLOCKS: usize = 64;
/// Of all CPUs.
const CPUS: &str = "/sys/devices/system/cpu";
/// The flag of a CPU that counts its cycles; without it the kernel reports the nominal frequency as the current one.
const COUNTS_CYCLES: &str = "aperfmperf";
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
    cpus: Vec<u32>,
    clock: Clock,
}

/// The readings of the frequency, MHz.
#[derive(Debug, Default)]
struct Clock {
    sum: u64,
    count: u32,
    low: u32,
    high: u32,
    last: Option<Instant>,
}

impl Clock {
    fn add(&mut self, mhz: u32) {
        self.low = match self.count {
            0 => mhz,
            _ => self.low.min(mhz),
        };
        self.high = self.high.max(mhz);
        self.sum += u64::from(mhz);
        self.count += 1;
    }

    /// See [`HostFacts::mhz`].
    fn fact(&self) -> Option<[u32; 3]> {
        let mean = self.sum.checked_div(u64::from(self.count))?;
        Some([u32::try_from(mean).ok()?, self.low, self.high])
    }
}

impl Host {
    /// Looks at the machine. `pid` is the target.
    pub(super) fn look(pid: u32, cpus: &[u32]) -> Self {
        let mut host = Self::look_in(ProcFs::live(), pid, cpus);
        host.look_at_clock();
        host
    }

    fn look_in(proc_fs: ProcFs, pid: u32, cpus: &[u32]) -> Self {
        let load = start_of("/proc/loadavg");
        let load = load.split_whitespace().next().unwrap_or_default();
        Self {
            facts: HostFacts {
                cpu_model: cpu_model(&start_of("/proc/cpuinfo")),
                governor: start_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
                    .trim()
                    .to_owned(),
                cpus: cpus.len() as u32,
                mhz: None,
                load: load.parse().ok(),
                busy: Vec::new(),
            },
            pid,
            before: proc_fs.cpu_times(),
            proc_fs,
            since: Instant::now(),
            cpus: cpus.to_vec(),
            clock: Clock::default(),
        }
    }

    /// Reads the frequency now and then, however often it is called.
    pub(super) fn look_at_clock_at_times(&mut self) {
        let last = self.clock.last.map(|last| last.elapsed());
        if last.is_none_or(|passed| passed >= LOOK_AT_CLOCK_EVERY) {
            self.look_at_clock();
        }
    }

    /// Reads the frequency.
    pub(super) fn look_at_clock(&mut self) {
        self.clock.last = Some(Instant::now());
        let mhz = fastest(Path::new(CPUS), &self.cpus);
        let mhz = mhz.or_else(|| measured_in(&start_of("/proc/cpuinfo")));
        if let Some(mhz) = mhz {
            self.clock.add(mhz);
            self.facts.mhz = self.clock.fact();
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

/// The highest current frequency of these CPUs, MHz, where the kernel has any.
fn fastest(folder: &Path, cpus: &[u32]) -> Option<u32> {
    let each = cpus.len().div_ceil(MOST_CLOCKS).max(1);
    let frequencies = cpus.iter().step_by(each).filter_map(|cpu| {
        let file = folder.join(format!("cpu{cpu}/cpufreq/scaling_cur_freq"));
        let khz: u32 = start_of(&file).trim().parse().ok()?;
        Some(khz / 1_000)
    });
    frequencies.max().filter(|mhz| *mhz > 0)
}

/// The highest frequency in the start of `/proc/cpuinfo`, MHz, where the CPUs measure theirs.
fn measured_in(cpuinfo: &str) -> Option<u32> {
    let of = |wanted: &'static str| {
        cpuinfo.lines().filter_map(move |line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == wanted).then(|| value.trim())
        })
    };
    let mut flags = of("flags").flat_map(str::split_whitespace);
    flags.find(|flag| *flag == COUNTS_CYCLES)?;
    let frequencies = of("cpu MHz").filter_map(|mhz| mhz.parse::<f64>().ok());
    let fastest = frequencies.fold(0.0, f64::max);
    (fastest >= 1.0).then_some(fastest as u32)
}

/// The start of a file of the kernel's; empty when there is none.
fn start_of(path: impl AsRef<Path>) -> String {
    let mut bytes = Vec::new();
    // Half a text is still one, and none is known then.
    let _ = File::open(path).and_then(|file| file.take(MAX_CPUINFO_BYTES).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_model_is_that_of_the_first_cpu() {
        let text = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: A CPU @ 2.1GHz: fast\n\nprocessor\t: 1\nmodel name\t: B\n";
        assert_eq!(cpu_model(text), "A CPU @ 2.1GHz: fast");
        assert_eq!(cpu_model("Processor : ARM\n"), "");
    }

    #[test]
    fn a_frequency_is_known_where_it_is_measured() {
        let text = |flags: &str| {
            format!(
                "processor : 0\ncpu MHz\t\t: 2445.404\nflags\t\t: fpu {flags} tsc\n\ncpu MHz : 3100.9\n"
            )
        };
        assert_eq!(measured_in(&text("aperfmperf")), Some(3_100));
        assert_eq!(measured_in(&text("hypervisor")), None, "the nominal one");
        assert_eq!(measured_in("flags : aperfmperf\n"), None);
    }

    #[test]
    fn the_fastest_cpu_counts_and_those_without_a_value_do_not() {
        let folder = std::env::temp_dir().join(format!("clocks-{}", std::process::id()));
        for (cpu, text) in [(0, "800000\n"), (1, "3100900\n"), (2, "<unknown>\n")] {
            let of_cpu = folder.join(format!("cpu{cpu}/cpufreq"));
            fs::create_dir_all(&of_cpu).unwrap();
            fs::write(of_cpu.join("scaling_cur_freq"), text).unwrap();
        }
        let found = [&[0, 1, 2, 3][..], &[0], &[2, 3]].map(|cpus| fastest(&folder, cpus));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, [Some(3_100), Some(800), None]);
    }

    #[test]
    fn readings_are_a_mean_and_their_ends() {
        let mut clock = Clock::default();
        assert_eq!(clock.fact(), None);
        for mhz in [2_600, 2_400, 2_500] {
            clock.add(mhz);
        }
        assert_eq!(clock.fact(), Some([2_500, 2_400, 2_600]));
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
        let host = Host::look_in(ProcFs::at(&folder), target, &[0]);
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
