//! The processes that wait to run: the run queues of the schedulers.
//!
//! They lie one after the other: one for each normal scheduler, then one for all dirty CPU schedulers, then one
//! for all dirty I/O schedulers.

use target_memory::{TargetMemory, u32_at, u64_at};
use vm_layout::TableError;
use vm_layout::emulator_image::is_pointer;
use vm_layout::run_queues::{RUN_QUEUES, RunQueueLayout};

use crate::schedulers::{MAX_SCHEDULERS, Scheduler, SchedulerKind};

const TABLE: &str = "run queues";
/// No VM has more processes and ports.
const MAX_WAITING: u32 = 1 << 28;

/// Where the run queues of a VM are. They never move while it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunQueues {
    layout: &'static RunQueueLayout,
    first: u64,
    normal: u32,
}

/// How many processes and ports wait to run; running ones do not wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunQueueLengths {
    /// For normal schedulers.
    pub normal: u64,
    /// For dirty CPU schedulers.
    pub dirty_cpu: u64,
    /// For dirty I/O schedulers.
    pub dirty_io: u64,
}

/// The figures of one queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueCounts {
    /// How many wait in it.
    pub length: u64,
    /// How often its schedulers went from one process to another.
    pub context_switches: u64,
    /// Reductions of processes that they ran.
    pub reductions: u64,
}

/// The figures of the queues at one moment, all of them together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunQueueCounts {
    /// How many wait.
    pub lengths: RunQueueLengths,
    /// As `erlang:statistics(context_switches)` counts them.
    pub context_switches: u64,
    /// As `erlang:statistics(reductions)`: those of a process that runs are not in it yet.
    pub reductions: u64,
}

impl RunQueueCounts {
    /// Of all queues in their order: the last two are those of dirty schedulers.
    pub fn of(queues: &[QueueCounts]) -> Self {
        let sum = |queues: &[QueueCounts], figure: fn(&QueueCounts) -> u64| {
            queues.iter().map(figure).fold(0, u64::saturating_add)
        };
        let (normal, dirty) = queues.split_at(queues.len().saturating_sub(2));
        let length = |queue: Option<&QueueCounts>| queue.map_or(0, |queue| queue.length);
        Self {
            lengths: RunQueueLengths {
                normal: sum(normal, |queue| queue.length),
                dirty_cpu: length(dirty.first()),
                dirty_io: length(dirty.get(1)),
            },
            context_switches: sum(queues, |queue| queue.context_switches),
            reductions: sum(queues, |queue| queue.reductions),
        }
    }
}

impl RunQueues {
    /// Finds the queues from the schedulers' pointers and the queues' own numbers.
    ///
    /// # Errors
    /// When no layout fits, or more than one, or memory cannot be read.
    pub fn find(memory: &impl TargetMemory, schedulers: &[Scheduler]) -> Result<Self, TableError> {
        let fitting: Vec<Self> = RUN_QUEUES
            .iter()
            .filter_map(|layout| Self::fitting(memory, schedulers, layout))
            .collect();
        match fitting[..] {
            [found] => Ok(found),
            _ => Err(TableError::malformed(
                TABLE,
                format!("{} layouts fit", fitting.len()),
            )),
        }
    }

    fn fitting(
        memory: &impl TargetMemory,
        schedulers: &[Scheduler],
        layout: &'static RunQueueLayout,
    ) -> Option<Self> {
        let queue_of = |scheduler: &Scheduler| {
            memory
                .read_u64_at(scheduler.data, layout.of_scheduler as u64)
                .ok()
                .filter(|queue| is_pointer(*queue, 8))
        };
        let normal: Vec<&Scheduler> = of_kind(schedulers, SchedulerKind::Normal).collect();
        let queues = Self {
            layout,
            first: queue_of(normal.first()?)?,
            normal: u32::try_from(normal.len())
                .ok()
                .filter(|normal| *normal <= MAX_SCHEDULERS)?,
        };
        for (index, scheduler) in (0..).zip(normal) {
            let queue = queue_of(scheduler).filter(|queue| *queue == queues.address(index))?;
            let owner = memory.read_u64_at(queue, layout.scheduler as u64).ok()?;
            (owner == scheduler.data).then_some(())?;
        }
        for (index, kind) in queues.dirty() {
            for scheduler in of_kind(schedulers, kind) {
                let queue = queue_of(scheduler)?;
                (queue == queues.address(index)).then_some(())?;
            }
        }
        // The stated figures of every queue are read with its length.
        queues.lengths(memory).ok()?;
        Some(queues)
    }

    /// Where this VM has its queues, and the layout of the parts around them.
    pub fn layout(&self) -> &'static RunQueueLayout {
        self.layout
    }

    /// Where the VM counts the schedulers that have nothing to run and wait for the queue of `scheduler`,
    /// 32 bits. A normal scheduler has a queue of its own; all dirty ones of a kind have one queue, and a count above 0
    /// does not show which of them wait.
    pub fn waiting_at(&self, scheduler: &Scheduler) -> u64 {
        let [(dirty_cpu, _), (dirty_io, _)] = self.dirty();
        let index = match scheduler.kind {
            SchedulerKind::Normal => scheduler.number.saturating_sub(1),
            SchedulerKind::DirtyCpu => dirty_cpu,
            SchedulerKind::DirtyIo => dirty_io,
        };
        self.address(index).wrapping_add(self.layout.waiting as u64)
    }

    /// How many wait now.
    ///
    /// # Errors
    /// When memory cannot be read, or a queue is not as it was.
    pub fn lengths(&self, memory: &impl TargetMemory) -> Result<RunQueueLengths, TableError> {
        Ok(self.read(memory)?.lengths)
    }

    /// How many wait now, and the counts of the queues, in one read.
    ///
    /// # Errors
    /// When memory cannot be read, or a queue is not as it was.
    pub fn read(&self, memory: &impl TargetMemory) -> Result<RunQueueCounts, TableError> {
        Ok(RunQueueCounts::of(&self.read_each(memory)?))
    }

    /// The same of each queue, in their order: of each normal scheduler, of all dirty CPU schedulers, of all dirty I/O
    /// schedulers.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn read_each(&self, memory: &impl TargetMemory) -> Result<Vec<QueueCounts>, TableError> {
        let stride = self.layout.stride;
        let most_bytes = (MAX_SCHEDULERS as usize + 2) * stride;
        let bytes = memory.read_vec(self.first, (self.normal as usize + 2) * stride, most_bytes)?;
        let each = (0..).zip(bytes.chunks_exact(stride)).map(|(index, queue)| {
            let count = |offset| u64_at(queue, offset).unwrap_or(0);
            Ok(QueueCounts {
                length: self.length(index, queue)?.into(),
                context_switches: count(self.layout.context_switches),
                reductions: count(self.layout.reductions),
            })
        });
        each.collect()
    }

    fn length(&self, index: u32, queue: &[u8]) -> Result<u32, TableError> {
        let number = |offset| u32_at(queue, offset).unwrap_or(u32::MAX);
        let (own_index, length) = (number(self.layout.index), number(self.layout.length));
        let waiting = number(self.layout.waiting).cast_signed().unsigned_abs();
        let is_sane = own_index == index
            && length <= MAX_WAITING
            && number(self.layout.max_length) <= MAX_WAITING
            && waiting <= MAX_SCHEDULERS;
        let is_owned = index >= self.normal
            || u64_at(queue, self.layout.scheduler).is_some_and(|owner| owner != 0);
        match is_sane && is_owned {
            true => Ok(length),
            false => Err(TableError::malformed(
                TABLE,
                format!("number {index} claims to be {own_index}, {length} long"),
            )),
        }
    }

    fn address(&self, index: u32) -> u64 {
        self.first
            .wrapping_add(u64::from(index) * self.layout.stride as u64)
    }

    fn dirty(&self) -> [(u32, SchedulerKind); 2] {
        [
            (self.normal, SchedulerKind::DirtyCpu),
            (self.normal + 1, SchedulerKind::DirtyIo),
        ]
    }
}

fn of_kind(schedulers: &[Scheduler], kind: SchedulerKind) -> impl Iterator<Item = &Scheduler> {
    schedulers
        .iter()
        .filter(move |scheduler| scheduler.kind == kind)
}

#[cfg(test)]
mod tests;
