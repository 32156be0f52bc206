//! Questions about the inside of a VM.

use diagnose::refusal::Refusal;
use protocol::binaries::{BinariesResult, BinariesWanted};
use protocol::heap::HeapResult;
use protocol::inside::{InsideMemoryResult, InsideProcessesParams, InsideProcessesResult};
use protocol::memory::MemoryResult;
use protocol::node::NodeResult;
use protocol::nodes::NodesResult;
use protocol::processes::{ProcessesPage, ProcessesResult};
use protocol::waits::{SleepingInC, WaitsLook, WaitsResult};

use super::{HeapTold, Sampler};
use crate::dialog::{Answer, Order};
use crate::refusals::out_of_order;

impl Sampler {
    /// The nodes that the VM knows.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub fn nodes(mut self, cancelled: &dyn Fn() -> bool) -> Result<NodesResult, Refusal> {
        match self.ask(&Order::Nodes, cancelled)?.0 {
            Answer::Nodes(nodes) => Ok(nodes),
            _ => Err(out_of_order()),
        }
    }

    /// The state of the VM as a whole; schedulers are observed for `look_ms`, 0: not at all.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub fn node(
        &mut self,
        look_ms: u32,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<NodeResult, Refusal> {
        match self.ask(&Order::Node { look_ms }, cancelled)?.0 {
            Answer::Node(node) => Ok(*node),
            _ => Err(out_of_order()),
        }
    }

    /// A page of the processes of the VM.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub fn processes(
        &mut self,
        page: ProcessesPage,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<ProcessesResult, Refusal> {
        match self.ask(&Order::Processes(page), cancelled)?.0 {
            Answer::Processes(processes) => Ok(processes),
            _ => Err(out_of_order()),
        }
    }

    /// The processes that are in C code in which the threads that run them sleep.
    ///
    /// # Errors
    /// The reason why they cannot be found.
    pub fn in_c(&mut self, cancelled: &dyn Fn() -> bool) -> Result<Vec<SleepingInC>, Refusal> {
        match self.ask(&Order::InC, cancelled)?.0 {
            Answer::InC(sleeping) => Ok(sleeping),
            _ => Err(out_of_order()),
        }
    }

    /// The heap of a process, by its pid as the node prints it. `told` receives the progress for a large
    /// heap.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub fn heap(
        &mut self,
        process: &str,
        cancelled: &dyn Fn() -> bool,
        told: &HeapTold<'_>,
    ) -> Result<HeapResult, Refusal> {
        let order = Order::Heap(process.to_owned());
        match self.ask_at_length(&order, cancelled, told)?.0 {
            Answer::Heap(heap) => Ok(heap),
            _ => Err(out_of_order()),
        }
    }

    /// The contents of the messages and the dictionary of a process, each with its label.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub fn heap_values(
        &mut self,
        process: &str,
        cancelled: &dyn Fn() -> bool,
        told: &HeapTold<'_>,
    ) -> Result<Vec<(String, String)>, Refusal> {
        let order = Order::HeapValues(process.to_owned());
        match self.ask_at_length(&order, cancelled, told)?.0 {
            Answer::HeapValues(values) => Ok(values),
            _ => Err(out_of_order()),
        }
    }

    /// How the VM uses its memory.
    ///
    /// # Errors
    /// The reason why that cannot be read.
    pub fn memory(&mut self, cancelled: &dyn Fn() -> bool) -> Result<MemoryResult, Refusal> {
        match self.ask(&Order::Memory, cancelled)?.0 {
            Answer::Memory(memory) => Ok(*memory),
            _ => Err(out_of_order()),
        }
    }

    /// The same, with its carriers one by one.
    ///
    /// # Errors
    /// The reason why that cannot be read.
    pub fn memory_map(
        &mut self,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<InsideMemoryResult, Refusal> {
        match self.ask(&Order::MemoryMap, cancelled)?.0 {
            Answer::MemoryMap(memory) => Ok(*memory),
            _ => Err(out_of_order()),
        }
    }

    /// The holders of the VM's binaries, and the processes that allocated them.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub fn binaries(
        &mut self,
        wanted: BinariesWanted,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<BinariesResult, Refusal> {
        match self.ask(&Order::Binaries(wanted), cancelled)?.0 {
            Answer::Binaries(binaries) => Ok(*binaries),
            _ => Err(out_of_order()),
        }
    }

    /// A window of the list of the processes of the VM.
    ///
    /// # Errors
    /// The reason why they cannot be read.
    pub fn process_list(
        &mut self,
        wanted: InsideProcessesParams,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<InsideProcessesResult, Refusal> {
        match self.ask(&Order::ProcessList(wanted), cancelled)?.0 {
            Answer::ProcessList(list) => Ok(list),
            _ => Err(out_of_order()),
        }
    }

    /// Reads where the processes of the VM wait.
    ///
    /// # Errors
    /// The reason why that cannot be read.
    pub fn look_at_waits(&mut self, cancelled: &dyn Fn() -> bool) -> Result<WaitsLook, Refusal> {
        match self.ask(&Order::WaitsLook, cancelled)?.0 {
            Answer::WaitsLook(look) => Ok(look),
            _ => Err(out_of_order()),
        }
    }

    /// The result of those readings, and a capture of it: a gzip member.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn waits(
        &mut self,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(WaitsResult, Vec<u8>), Refusal> {
        match self.ask(&Order::Waits, cancelled)? {
            (Answer::Waits(waits), capture) => Ok((waits, capture)),
            _ => Err(out_of_order()),
        }
    }
}
