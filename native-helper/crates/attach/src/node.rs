//! What an attached VM says of itself as a whole.

use target_memory::TargetMemory;
use vm_layout::TableError;
use vm_tables::fill::Fill;
use vm_tables::processes::ProcessTable;
use vm_tables::run_queues::{RunQueueLengths, RunQueues};
use vm_tables::scheduler_use::SchedulerUse;

use crate::error::AttachError;
use crate::vm::AttachedVm;

/// How full a VM's tables are, and what waits in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeCounts {
    /// Processes.
    pub processes: Fill,
    /// Ports; `None` when their table was not found.
    pub ports: Option<Fill>,
    /// Atoms.
    pub atoms: Fill,
    /// Processes and ports that wait to be run; `None` when the queues are not where they are known to be.
    pub run_queues: Option<RunQueueLengths>,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// How full its tables are now.
    ///
    /// # Errors
    /// They cannot be read, or the process is not the one that was attached to any more.
    pub fn node_counts(&mut self) -> Result<NodeCounts, AttachError> {
        self.look(|vm| vm.read_counts())
    }

    /// Looks once more at what its schedulers run.
    ///
    /// # Errors
    /// As for [`Self::node_counts`].
    pub fn look_at_schedulers(&mut self, seen: &mut SchedulerUse) -> Result<(), AttachError> {
        self.look(|vm| Ok(seen.look(&vm.memory)?))
    }

    fn read_counts(&mut self) -> Result<NodeCounts, TableError> {
        let memory = &self.memory;
        let ports = self.anchors.ports.map(|anchor| ProcessTable {
            address: anchor.address,
        });
        let queues = RunQueues::find(memory, &self.schedulers);
        Ok(NodeCounts {
            processes: self.process_table.fill(memory)?,
            ports: ports.and_then(|table| table.fill(memory).ok()),
            atoms: self.atoms.fill(memory)?,
            run_queues: queues.and_then(|queues| queues.lengths(memory)).ok(),
        })
    }
}
