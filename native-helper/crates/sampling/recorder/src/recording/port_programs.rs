//! The processor time of the programs below the target's ports: they are processes of their own, so no sample has it.

use std::time::{Duration, Instant};

use target_proc::ProcFs;

use super::Recording;
use crate::sys;

const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// With many programs, looks are rarer: each takes a hundredth of the time until the next one at most.
const REST: u32 = 100;
/// The kernel's unit of processor time for programs.
const TICK_MS: u64 = 10;

/// Readings of the time of all programs, clock ticks; `None` where there is none.
#[derive(Debug, Default)]
pub(super) struct PortPrograms {
    /// The child of the target that starts them, for as long as the target lives.
    starter: Option<u32>,
    first: Option<u64>,
    last: Option<u64>,
    next: Option<Instant>,
}

impl PortPrograms {
    /// Takes in a reading when it is time to; `now` whatever the time is.
    fn look(&mut self, now: bool, read: impl FnOnce() -> Option<u64>) {
        if !now && self.next.is_some_and(|next| Instant::now() < next) {
            return;
        }
        let began_ns = sys::thread_cpu_ns();
        let read = read();
        let took = Duration::from_nanos(sys::thread_cpu_ns().saturating_sub(began_ns));
        self.next = Some(Instant::now() + LOOK_INTERVAL.max(took * REST));
        self.first = self.first.or(read);
        // It falls when a program ends whose parent has ended before it.
        self.last = self.last.max(read);
    }

    /// Used from the first reading to the last, milliseconds; `None` where it was not read.
    fn used_ms(&self) -> Option<u64> {
        let ticks = self.last?.saturating_sub(self.first?);
        Some(ticks.saturating_mul(TICK_MS))
    }
}

impl Recording {
    /// Finds what starts the programs below the target's ports, and reads their time for the first time.
    pub(super) fn begin_port_programs(&mut self) {
        let starter = ProcFs::live().port_starter(self.pid);
        self.port_programs.starter = starter.ok().flatten();
        self.look_at_port_programs(true);
    }

    /// Reads the time of the programs below the target's ports.
    pub(super) fn look_at_port_programs(&mut self, now: bool) {
        let Some(starter) = self.port_programs.starter else {
            return;
        };
        let (vm, proc) = (self.pid, ProcFs::live());
        self.port_programs.look(now, || {
            // Another process may have its number after it has ended.
            proc.parent(starter).filter(|parent| *parent == vm)?;
            proc.cpu_ticks_of_tree(starter)
        });
    }

    /// The capture's record of it: the time from the beginning of the capture to the last reading, milliseconds.
    pub(super) fn port_programs_ms(&self) -> Option<u64> {
        self.port_programs.used_ms()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_counts_from_the_first_reading_and_that_of_programs_that_are_gone_stands() {
        let mut programs = PortPrograms::default();
        assert_eq!(programs.used_ms(), None);
        programs.look(true, || None);
        assert_eq!(programs.used_ms(), None);
        programs.look(true, || Some(300));
        assert_eq!(programs.used_ms(), Some(0), "known, and nothing");
        programs.look(false, || unreachable!("it is not time to look"));
        programs.look(true, || Some(342));
        programs.look(true, || Some(310));
        programs.look(true, || None);
        assert_eq!(programs.used_ms(), Some(420));
    }
}
