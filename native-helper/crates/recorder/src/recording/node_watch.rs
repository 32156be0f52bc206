//! What the VM says of itself while it is sampled, about once a second.

use std::time::Duration;

use attach::AttachedVm;
use capture::pprof::NodeReading;
use target_memory::TargetMemory;
use vm_tables::run_queues::RunQueues;

const INTERVAL: Duration = Duration::from_secs(1);

/// Looks at the run queues.
#[derive(Debug)]
pub(super) struct NodeWatch {
    /// `None` where they were not found: then nothing is said of them.
    queues: Option<RunQueues>,
    next: Duration,
}

impl NodeWatch {
    pub(super) fn of(vm: &AttachedVm) -> Self {
        Self {
            queues: RunQueues::find(&vm.memory, &vm.schedulers).ok(),
            next: Duration::ZERO,
        }
    }

    /// What the VM says, when it is time to look again. `now` counts from the start of the capture.
    pub(super) fn look(
        &mut self,
        memory: &impl TargetMemory,
        now: Duration,
    ) -> Option<NodeReading> {
        let queues = self.queues.filter(|_| now >= self.next)?;
        self.next = now + INTERVAL;
        // The target may be ending; the next look decides anew.
        let lengths = queues.lengths(memory).ok()?;
        Some(NodeReading {
            at_ms: now.as_millis() as u64,
            run_queue: Some(lengths.normal),
            dirty_cpu_run_queue: Some(lengths.dirty_cpu),
            dirty_io_run_queue: Some(lengths.dirty_io),
        })
    }
}
