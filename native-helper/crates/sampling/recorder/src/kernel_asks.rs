//! The rights that this kernel requires for sampling.
//!
//! Debian's and Ubuntu's kernels know values of `kernel.perf_event_paranoid` above 2, at which
//! `perf_event_open` requires CAP_SYS_ADMIN and CAP_PERFMON is not enough. Other kernels take such a
//! value for 2. No setting shows which kernel it is, so it is tried.

use std::fs;

use perf_ring::event::best_settings;
use perf_ring::{EventSettings, KernelFrames, OpenError, Rate, Source, WakeUp};
use permitted_target::with_rights_of_sampling_alone;

const PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";
/// The highest value that the kernel's own documentation knows.
const HIGHEST_KNOWN: i64 = 2;
/// The command that fixes it for good: it sets the value that kernels have where no distribution
/// changes it.
pub const COMMAND_TO_LOWER_PARANOID: &str = "echo kernel.perf_event_paranoid=2 | sudo tee /etc/sysctl.d/60-extrospect.conf && sudo sysctl -p /etc/sysctl.d/60-extrospect.conf";

/// Whether the kernel refuses a process with CAP_PERFMON, since it requires CAP_SYS_ADMIN. False where
/// we have no CAP_PERFMON: then that is the first missing right.
#[must_use]
pub fn asks_for_admin() -> bool {
    let level = fs::read_to_string(PARANOID).ok();
    let is_unknown_elsewhere = level
        .and_then(|level| level.trim().parse::<i64>().ok())
        .is_some_and(|level| level > HIGHEST_KNOWN);
    is_unknown_elsewhere && with_rights_of_sampling_alone(is_refused).unwrap_or(false)
}

/// Whether no event of our own can be opened.
fn is_refused() -> bool {
    let least = EventSettings {
        source: Source::CpuClock,
        rate: Rate::Hz(1),
        stack_bytes: 0,
        kernel: KernelFrames::Excluded,
        wake_up: WakeUp::EverySample,
    };
    matches!(
        best_settings(least, std::process::id()),
        Err(OpenError::Denied)
    )
}
