//! The schedulers of an attached VM that may run, and who keeps others from it.

use target_memory::TargetMemory;
use vm_anchors::Finder;
use vm_layout::TableError;
use vm_tables::scheduling::{Scheduling, SchedulingTable};

use crate::error::AttachError;
use crate::vm::AttachedVm;

/// What a VM has decided about its schedulers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchedulersNow {
    /// Which may run.
    pub scheduling: Scheduling,
    /// The processes that block multi-scheduling.
    pub blockers: Vec<Blocker>,
}

/// A process that blocks multi-scheduling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// As the VM prints it.
    pub pid: String,
    /// Registered name, else label, else initial call; `None` when it has ended.
    pub name: Option<String>,
}

// Not generic: the code would be compiled once more in the crate that records, for speed.
impl AttachedVm {
    /// Which of its schedulers may run, or why that is not known.
    ///
    /// # Errors
    /// The process is not the one that was attached to any more.
    pub fn schedulers_now(&mut self) -> Result<Result<SchedulersNow, TableError>, AttachError> {
        let read = self.look(|vm| {
            let table = vm.scheduling_table();
            Ok(table.and_then(|table| table.read(&vm.memory)))
        })?;
        let scheduling = match read {
            Ok(scheduling) => scheduling,
            Err(error) => return Ok(Err(error)),
        };
        let mut blockers = Vec::new();
        for id in &scheduling.blockers {
            blockers.extend(self.blocker(*id)?);
        }
        Ok(Ok(SchedulersNow {
            scheduling,
            blockers,
        }))
    }

    /// `None` where it is not known how this VM makes pids.
    fn blocker(&mut self, id: u64) -> Result<Option<Blocker>, AttachError> {
        let Some(pids) = self.pids else {
            return Ok(None);
        };
        let address = self.look(|vm| {
            let occupant = vm.process_table.occupant(&vm.memory, pids.slot(id));
            let own = vm.layout.process.id as u64;
            let is_it = |address: &u64| vm.memory.read_u64_at(*address, own).ok() == Some(id);
            Ok(occupant.ok().flatten().filter(is_it))
        })?;
        let name = match address {
            // Where the names of processes are not known, its pid still is.
            Some(address) => self.name_of_process(address).unwrap_or_default(),
            None => None,
        };
        Ok(Some(Blocker {
            pid: pids.text(id),
            name,
        }))
    }

    fn scheduling_table(&mut self) -> Result<SchedulingTable, TableError> {
        if let Some(table) = self.scheduling {
            return Ok(table);
        }
        let symbols = |name: &str| self.objects.emulator_symbol(name);
        let ranges = self.objects.emulator_ranges();
        let finder = Finder::new(&self.memory, &symbols, &ranges);
        let table = finder.scheduling(&self.anchors.schedulers)?;
        self.scheduling = Some(table);
        Ok(table)
    }
}
