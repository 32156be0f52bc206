//! The limits of the target's processor time, from the beginning of a recording on.

use std::time::Duration;

use capture::processors::{LimitsSeen, ProcessorLimits};
use target_proc::ProcFs;
use target_proc::cpu_limits::CpuLimits;

use crate::processors::{note_limits, processors_since};

/// Of so many looks, one is at the affinity of the threads, too.
const LOOKS_FOR_AFFINITY: u32 = 10;

/// Looks at them, without any right of the helper: the target may have chosen the name of its control group.
#[derive(Debug)]
pub(super) struct LimitWatch {
    at_start: CpuLimits,
    now: CpuLimits,
    seen: Vec<LimitsSeen>,
    looks: u32,
}

impl LimitWatch {
    pub(super) fn begin(pid: u32) -> Self {
        let limits = ProcFs::live().cpu_limits(pid);
        let mut seen = Vec::new();
        note_limits(&mut seen, &limits, 0);
        Self {
            at_start: limits.clone(),
            now: limits,
            seen,
            looks: 0,
        }
    }

    /// The groups of a target that has ended are still there. A look without the affinity keeps that of the last one with
    /// it; `is_last` has it whenever that was.
    pub(super) fn look(&mut self, pid: u32, is_last: bool, elapsed: Duration) {
        self.looks = self.looks.wrapping_add(1);
        let proc_fs = ProcFs::live();
        let found = match is_last || self.looks.is_multiple_of(LOOKS_FOR_AFFINITY) {
            true => proc_fs.cpu_limits(pid),
            false => proc_fs.quota_limits(pid),
        };
        let at_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        note_limits(&mut self.seen, &found, at_ms);
        let now = &mut self.now;
        let found = found.since(now);
        let groups = found
            .groups
            .or_else(|| Some(now.groups.as_ref()?.counted_again()));
        let group_pressure_us = found.group_pressure_us.or(now.group_pressure_us);
        *now = CpuLimits {
            groups,
            group_pressure_us,
            ..found
        };
    }

    pub(super) fn since_beginning(&self) -> ProcessorLimits {
        processors_since(&self.at_start, &self.now)
    }

    /// The limits in the order in which they were found; none where they did not change.
    pub(super) fn changes(&self) -> Vec<LimitsSeen> {
        match self.seen.len() {
            0 | 1 => Vec::new(),
            _ => self.seen.clone(),
        }
    }
}
