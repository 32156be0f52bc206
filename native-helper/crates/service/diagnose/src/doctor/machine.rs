//! What this machine and the kernel's settings allow us, looked up and tried out.

use std::fs;
use std::path::Path;

use perf_ring::event::best_settings;
use perf_ring::{EventSettings, KernelFrames, OpenError, Rate, Ring, RingError, Source, WakeUp};
use permitted_target::Raised;
use privileged_copy::{CopyStatus, DEFAULT_FOLDER};
use recorder::{RING_PAGES, kernel_asks};
use target_proc::ProcFs;
use target_proc::status::Seccomp;

use super::limits::{Limit, parse_limit};
use crate::rights::is_installed_copy;
use crate::rights::kernel::KernelFacts;

/// Threads of a VM when no VM is there to count: 2 CPUs' worth of schedulers and the rest.
const USUAL_THREADS: u32 = 32;
/// Address column of the first kernel symbol, when the kernel hides addresses.
const HIDDEN_ADDRESS: &str = "0000000000000000";

/// Why the kernel does not take the program of the `bpf` engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BpfRefusal {
    /// More rights would help.
    pub is_permission: bool,
    /// In words.
    pub reason: String,
}

/// The facts found; [`super::rows::machine_rows`] judges them.
#[derive(Debug)]
pub struct MachineFacts {
    /// The kernel's settings and guards.
    pub kernel: KernelFacts,
    /// Our effective capabilities, one bit each.
    pub capabilities: u64,
    /// RLIMIT_MEMLOCK.
    pub locked_memory: Option<Limit>,
    /// RLIMIT_NOFILE.
    pub open_files: Option<Limit>,
    /// Threads of the given VM, of the largest one here, or a usual number.
    pub threads: u32,
    /// CPUs, each with a ring and an event for each thread.
    pub cpus: u32,
    /// The best event that could be opened on this process.
    pub events: Result<EventSettings, OpenError>,
    /// The kernel requires CAP_SYS_ADMIN, and CAP_PERFMON is not enough (tried).
    pub asks_for_admin: bool,
    /// Whether a ring could be made.
    pub ring: Result<(), RingError>,
    /// Whether threads of this process may be real-time.
    pub realtime: bool,
    /// Whether the kernel takes the program of the `bpf` engine.
    pub bpf: Result<(), BpfRefusal>,
    /// Our own seccomp filter.
    pub seccomp: Seccomp,
    /// Whether kernel addresses can be named.
    pub kernel_symbols: bool,
    /// The copy that root has installed.
    pub installed_copy: CopyStatus,
    /// This very process runs it.
    pub is_installed_copy: bool,
    /// This program is a copy with rights of its own, wherever it is.
    pub is_privileged_copy: bool,
}

/// The event that recording tries first.
pub fn wanted_event() -> EventSettings {
    EventSettings {
        source: Source::CpuClock,
        rate: Rate::Hz(499),
        stack_bytes: 4096,
        kernel: KernelFrames::Leaf,
        wake_up: WakeUp::EverySample,
    }
}

/// Looks at everything. Opens events on ourselves only, and closes them at once.
pub fn look(pid: Option<u32>) -> MachineFacts {
    let _raised = Raised::for_sampling();
    let proc_fs = ProcFs::live();
    let own = proc_fs.status(std::process::id());
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    MachineFacts {
        kernel: KernelFacts::read(Path::new("/")),
        capabilities: own
            .as_ref()
            .map_or(0, |status| status.effective_capabilities),
        locked_memory: parse_limit(&limits, "Max locked memory"),
        open_files: parse_limit(&limits, "Max open files"),
        threads: threads(&proc_fs, pid),
        cpus: std::thread::available_parallelism()
            .map_or(1, |n| u32::try_from(n.get()).unwrap_or(1)),
        events: best_settings(wanted_event(), std::process::id()),
        asks_for_admin: kernel_asks::asks_for_admin(),
        ring: Ring::new(0, RING_PAGES).map(drop),
        realtime: thread_priority::may_be_realtime(),
        bpf: recorder::engine::try_bpf()
            .map(drop)
            .map_err(|error| BpfRefusal {
                is_permission: error.is_permission(),
                reason: error.to_string(),
            }),
        seccomp: own.map_or(Seccomp::Unknown, |status| status.seccomp),
        kernel_symbols: kernel_symbols_are_shown(),
        installed_copy: privileged_copy::status(Path::new(DEFAULT_FOLDER)),
        is_privileged_copy: permitted_target::is_privileged_copy(),
        is_installed_copy: is_installed_copy(),
    }
}

fn threads(proc_fs: &ProcFs, pid: Option<u32>) -> u32 {
    let of_pid = |pid| proc_fs.status(pid).ok().map(|status| status.threads);
    let largest = || {
        let beams = proc_fs.find_beams().unwrap_or_default();
        beams.iter().map(|beam| beam.status.threads).max()
    };
    pid.and_then(of_pid)
        .or_else(largest)
        .unwrap_or(USUAL_THREADS)
}

fn kernel_symbols_are_shown() -> bool {
    use std::io::{BufRead, BufReader};
    let Ok(file) = fs::File::open("/proc/kallsyms") else {
        return false;
    };
    let mut line = String::new();
    // The first symbol may honestly be at 0 (per-CPU data), so some more are looked at.
    let mut lines = BufReader::new(file);
    (0..4000).any(|_| {
        line.clear();
        let read = lines.read_line(&mut line).unwrap_or(0);
        read > 0 && !line.starts_with(HIDDEN_ADDRESS)
    })
}
