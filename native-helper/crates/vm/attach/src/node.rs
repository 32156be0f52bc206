//! The state of an attached VM as a whole, from its own data.

use std::fs::File;

use permitted_target::PermittedTarget;
use shared_map::HashMap;
use target_proc::resident::resident_bytes;
use vm_anchors::Finder;
use vm_layout::TableError;
use vm_memory::ets::EtsLists;
use vm_memory::{AllocatorTable, LastingBlocks};
use vm_tables::fill::Fill;
use vm_tables::nodes::KnownNodes;
use vm_tables::ports::{
    Port, PortKind, PortQueues, busy_ports, port_kinds, port_queues, program_ports,
};
use vm_tables::processes::ProcessTable;
use vm_tables::run_queues::{QueueCounts, RunQueueCounts, RunQueues};
use vm_tables::scheduler_counters::{SchedulerCounters, SchedulerCounts};
use vm_tables::scheduler_use::SchedulerUse;
use vm_tables::timers::TimerWheels;

use crate::error::AttachError;
use crate::vm::AttachedVm;

const NO_PORTS: TableError = TableError::NotFound {
    table: "ports",
    wanted: "table of them",
};

/// How full a VM's tables are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeCounts {
    /// Processes.
    pub processes: Fill,
    /// Ports; `None` when their table was not found.
    pub ports: Option<Fill>,
    /// Atoms.
    pub atoms: Fill,
}

/// Where a VM keeps its state, found once and then read repeatedly. A part that was not found states
/// why.
#[derive(Debug)]
pub struct NodeReader {
    queues: Result<RunQueues, TableError>,
    counters: Result<SchedulerCounters, TableError>,
    blocks: Result<LastingBlocks, TableError>,
    /// `statm` of the process.
    resident: Option<File>,
}

/// The state of a VM at one moment; its parts are some microseconds apart. `Err` states why a part is not
/// known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeNumbers {
    /// The length of the run queues, and their counters.
    pub queues: Result<RunQueueCounts, TableError>,
    /// The counters of the schedulers.
    pub counters: Result<SchedulerCounts, TableError>,
    /// Blocks that the VM has given out, and code of the JIT: about `erlang:memory(total)`, bytes.
    pub memory_bytes: Result<u64, TableError>,
    /// The resident memory of the process, bytes.
    pub rss_bytes: Option<u64>,
    /// Processes there are.
    pub processes: Option<u32>,
    /// What the first two are the sums of; empty where these are not known.
    pub each: EachScheduler,
}

/// The figures of each scheduler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EachScheduler {
    /// Of the run queues: of each normal scheduler, of all dirty CPU schedulers, of all dirty I/O schedulers.
    pub queues: Vec<QueueCounts>,
    /// The counters of each normal scheduler.
    pub counters: Vec<SchedulerCounts>,
}

// Not generic: the code would be compiled once more in the crate that records, for speed.
impl AttachedVm {
    /// How full its tables are now.
    ///
    /// # Errors
    /// They cannot be read, or the process is not the one that was attached to any more.
    pub fn node_counts(&mut self) -> Result<NodeCounts, AttachError> {
        self.look(|vm| vm.read_counts())
    }

    /// Its current state. The addresses found the first time are kept in `reader`, when all were
    /// found.
    ///
    /// # Errors
    /// The process is not the one that was attached to any more.
    pub fn node_numbers(
        &mut self,
        reader: &mut Option<NodeReader>,
    ) -> Result<NodeNumbers, AttachError> {
        // Code that was loaded since the last reading is in the sum, too.
        let code_is_known = self.refresh_code().is_ok();
        self.look(|vm| {
            if !reader.as_ref().is_some_and(NodeReader::is_whole) {
                *reader = Some(vm.node_reader(vm.target.as_ref()));
            }
            let found = reader.get_or_insert_with(|| vm.node_reader(vm.target.as_ref()));
            let mut numbers = found.read(vm);
            if !code_is_known && vm.jit_code_bytes().is_some() {
                numbers.memory_bytes = Err(TableError::Unstable { table: "code" });
            }
            Ok(numbers)
        })
    }

    /// The queues of its ports.
    ///
    /// # Errors
    /// The process is not the one that was attached to any more. The inner error states why the queues are
    /// not known.
    pub fn port_queues(&mut self) -> Result<Result<PortQueues, TableError>, AttachError> {
        self.look(|vm| {
            let table = vm.ports().ok_or(NO_PORTS);
            Ok(table.and_then(|table| port_queues(&vm.memory, table, vm.pid_format()?)))
        })
    }

    /// Its ports by name and owner, the most first.
    ///
    /// # Errors
    /// As for [`Self::port_queues`].
    pub fn port_kinds(&mut self) -> Result<Result<Vec<PortKind>, TableError>, AttachError> {
        self.look(|vm| {
            let table = vm.ports().ok_or(NO_PORTS);
            Ok(table.and_then(|table| port_kinds(&vm.memory, table, vm.pid_format()?)))
        })
    }

    /// Its ports that are pipes to programs, by the pids of these; `None` where that is not certain.
    ///
    /// # Errors
    /// As for [`Self::port_queues`].
    pub fn program_ports(
        &mut self,
    ) -> Result<Result<HashMap<u32, Option<Port>>, TableError>, AttachError> {
        self.look(|vm| {
            let table = vm.ports().ok_or(NO_PORTS);
            Ok(table.and_then(|table| program_ports(&vm.memory, table, vm.pid_format()?)))
        })
    }

    /// How many timers are set in it, or why that is not known.
    ///
    /// # Errors
    /// The process is not the one that was attached to any more.
    pub fn timers(&mut self) -> Result<Result<u64, TableError>, AttachError> {
        self.look(|vm| {
            let wheels = TimerWheels::find(&vm.memory, &vm.schedulers);
            Ok(wheels.and_then(|wheels| wheels.count(&vm.memory)))
        })
    }

    /// Its ports that suspend their senders, by their ids.
    ///
    /// # Errors
    /// They cannot be read, or the process is not the one that was attached to any more.
    pub fn busy_ports(&mut self) -> Result<HashMap<u64, Port>, AttachError> {
        self.look(|vm| {
            let table = vm.ports().ok_or(NO_PORTS)?;
            busy_ports(&vm.memory, table, vm.pid_format()?)
        })
    }

    /// The nodes it is connected to, or why they are not known.
    ///
    /// # Errors
    /// The process is not the one that was attached to any more.
    pub fn connections(&mut self) -> Result<Result<KnownNodes, TableError>, AttachError> {
        self.look(|vm| Ok(vm.read_nodes()))
    }

    /// Reads once more which processes its schedulers run.
    ///
    /// # Errors
    /// As for [`Self::node_counts`].
    pub fn look_at_schedulers(&mut self, seen: &mut SchedulerUse) -> Result<(), AttachError> {
        self.look(|vm| Ok(seen.look(&vm.memory)?))
    }

    /// Finds where it keeps its state. The caller has raised its rights, and `target` is this VM.
    pub fn node_reader(&self, target: Option<&PermittedTarget>) -> NodeReader {
        let queues = RunQueues::find(&self.memory, &self.schedulers);
        let counters = queues
            .clone()
            .and_then(|queues| self.scheduler_counters(&queues));
        NodeReader {
            queues,
            counters,
            blocks: self.lasting_blocks(),
            resident: target.and_then(|target| target.open_file("statm").ok()),
        }
    }

    fn scheduler_counters(&self, queues: &RunQueues) -> Result<SchedulerCounters, TableError> {
        let memory = &self.memory;
        let stride = self.layout.scheduler.stride;
        let tables = EtsLists::find(memory, &self.schedulers, stride)?;
        let reductions = queues.read(memory)?.reductions;
        let distances = queues.layout().counters;
        SchedulerCounters::find(memory, distances, tables.places(), reductions)
    }

    fn lasting_blocks(&self) -> Result<LastingBlocks, TableError> {
        let symbols = |name: &str| self.objects.emulator_symbol(name);
        let ranges = self.objects.emulator_ranges();
        let finder = Finder::new(&self.memory, &symbols, &ranges);
        let table = AllocatorTable::read(&self.memory, finder.allocators()?.address)?;
        LastingBlocks::of(&self.memory, table)
    }

    fn read_counts(&mut self) -> Result<NodeCounts, TableError> {
        let memory = &self.memory;
        Ok(NodeCounts {
            processes: self.process_table.fill(memory)?,
            ports: self.ports().and_then(|table| table.fill(memory).ok()),
            atoms: self.atoms.fill(memory)?,
        })
    }
}

impl<M> AttachedVm<M> {
    pub(crate) fn ports(&self) -> Option<ProcessTable> {
        self.anchors.ports.map(|anchor| ProcessTable {
            address: anchor.address,
        })
    }
}

impl NodeReader {
    /// Whether all of it was found.
    pub fn is_whole(&self) -> bool {
        self.queues.is_ok() && self.counters.is_ok() && self.blocks.is_ok()
    }

    /// How the VM is now: some system calls, and one more for each instance of an allocator.
    pub fn read(&self, vm: &AttachedVm) -> NodeNumbers {
        let memory = &vm.memory;
        let known = |found: &Result<LastingBlocks, TableError>| {
            let bytes = found.as_ref().map_err(Clone::clone)?.bytes(memory)?;
            let changing = TableError::Unstable {
                table: "allocators",
            };
            bytes.ok_or(changing)
        };
        let queues = self.queues.clone();
        let queues = queues.and_then(|queues| queues.read_each(memory));
        let counters = match &self.counters {
            Ok(counters) => counters.read_each(memory),
            Err(error) => Err(error.clone()),
        };
        let of_queues = queues.as_ref().map(|each| RunQueueCounts::of(each));
        let of_counters = counters.as_ref().map(|each| SchedulerCounts::of(each));
        NodeNumbers {
            queues: of_queues.map_err(Clone::clone),
            counters: of_counters.map_err(Clone::clone),
            // Code that is interpreted is in blocks.
            memory_bytes: known(&self.blocks)
                .map(|bytes| bytes.saturating_add(vm.jit_code_bytes().unwrap_or(0))),
            rss_bytes: self.resident.as_ref().and_then(resident_bytes),
            processes: vm.process_table.count(memory).ok(),
            each: EachScheduler {
                queues: queues.unwrap_or_default(),
                counters: counters.unwrap_or_default(),
            },
        }
    }
}
