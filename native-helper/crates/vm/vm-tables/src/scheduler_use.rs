//! How much of their time schedulers have something to run, by looking again and again.
//!
//! Nothing is switched on in the VM for it. A scheduler that looks for work, though it uses the processor,
//! runs nothing: it is not in use.

use target_memory::{Range, ReadError, TargetMemory, address_at, u64_at};
use vm_layout::SchedulerLayout;

use crate::schedulers::Scheduler;

/// The observations so far.
#[derive(Debug, Clone)]
pub struct SchedulerUse {
    ranges: Vec<Range>,
    /// Positions of the running process and port in the range read of each scheduler.
    process: usize,
    port: usize,
    busy: Vec<u32>,
    looks: u32,
}

impl SchedulerUse {
    /// Nothing yet.
    ///
    /// # Errors
    /// A scheduler lies at the end of memory.
    pub fn of(schedulers: &[Scheduler], layout: &SchedulerLayout) -> Result<Self, ReadError> {
        let first = layout.current_process.min(layout.current_port);
        let last = layout.current_process.max(layout.current_port);
        let range = |scheduler: &Scheduler| {
            Ok(Range {
                address: address_at(scheduler.data, first as u64)?,
                len_bytes: last - first + 8,
            })
        };
        Ok(Self {
            ranges: schedulers.iter().map(range).collect::<Result<_, _>>()?,
            process: layout.current_process - first,
            port: layout.current_port - first,
            busy: vec![0; schedulers.len()],
            looks: 0,
        })
    }

    /// Looks at all of them, in one read.
    ///
    /// # Errors
    /// Memory cannot be read.
    pub fn look(&mut self, memory: &impl TargetMemory) -> Result<(), ReadError> {
        let each = self.ranges.first().map_or(8, |range| range.len_bytes);
        let mut bytes = vec![0; each * self.ranges.len()];
        memory.read_many(&self.ranges, &mut bytes)?;
        for (busy, seen) in self.busy.iter_mut().zip(bytes.chunks_exact(each)) {
            let runs = |offset| u64_at(seen, offset).is_some_and(|word| word != 0);
            *busy += u32::from(runs(self.process) || runs(self.port));
        }
        self.looks += 1;
        Ok(())
    }

    /// The share of the looks at which each ran something, in the order of the schedulers; 0 to 1.
    pub fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        let looks = f64::from(self.looks.max(1));
        self.busy.iter().map(move |busy| f64::from(*busy) / looks)
    }
}

#[cfg(test)]
mod tests {
    use target_memory::SnapshotMemory;
    use vm_layout::rows::ROWS;

    use super::*;
    use crate::schedulers::SchedulerKind;

    #[test]
    fn who_runs_a_process_or_a_port_is_in_use() {
        let layout = ROWS[0].scheduler;
        let scheduler = |data| Scheduler {
            kind: SchedulerKind::Normal,
            number: 1,
            data,
            registers: 0,
        };
        let schedulers = [0x1000, 0x2000, 0x3000].map(scheduler);
        let with = |process: u64, port: u64| {
            let mut memory = SnapshotMemory::new();
            let mut words = [0; 64];
            memory.map_words(0x3000, &words);
            words[layout.current_process / 8] = process;
            memory.map_words(0x1000, &words);
            words[layout.current_process / 8] = 0;
            words[layout.current_port / 8] = port;
            memory.map_words(0x2000, &words);
            memory
        };
        let mut seen = SchedulerUse::of(&schedulers, &layout).unwrap();
        seen.look(&with(0x9000, 0)).unwrap();
        seen.look(&with(0x9000, 0x8000)).unwrap();
        assert_eq!(seen.shares().collect::<Vec<_>>(), [1.0, 0.5, 0.0]);
    }
}
