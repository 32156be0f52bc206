//! The questions about a VM: each is an order with one answer.

use diagnose::refusal::Refusal;
use protocol::attachment::SelfCheck;
use protocol::binaries::{BinariesResult, BinariesWanted};
use protocol::heap::HeapResult;
use protocol::inside::{InsideMemoryResult, InsideProcessesParams, InsideProcessesResult};
use protocol::memory::MemoryResult;
use protocol::node::NodeResult;
use protocol::nodes::NodesResult;
use protocol::processes::{ProcessesPage, ProcessesResult};
use protocol::pstack::PstackResult;
use protocol::waits::{SleepingInC, WaitsLook, WaitsResult};

use super::{ReadProgress, Sampler};
use crate::dialog::{Answer, Circumstances, Order};
use crate::refusals::out_of_order;

/// `name(parameters) -> result: order, answer with its bytes => content;`
macro_rules! questions {
    ($($(#[$doc:meta])* $name:ident($($param:ident: $type:ty),*) -> $result:ty:
        $order:expr, $answer:pat => $content:expr;)*) => {
        impl Sampler {
            $($(#[$doc])*
            ///
            /// # Errors
            /// The reason why it cannot be read.
            pub fn $name(
                &mut self,
                $($param: $type,)*
                cancelled: &dyn Fn() -> bool,
            ) -> Result<$result, Refusal> {
                match self.ask(&$order, cancelled)? {
                    $answer => Ok($content),
                    _ => Err(out_of_order()),
                }
            })*
        }
    };
}

questions! {
    /// Checks the result of attaching.
    check() -> SelfCheck: Order::Check, (Answer::Checked(check), _) => check;

    /// The activity of each scheduler; `all`: of other threads as well. It is the last question.
    pstack(all: bool) -> PstackResult: Order::Pstack { all }, (Answer::Pstack(stacks), _) => stacks;

    /// The nodes that the VM knows.
    nodes() -> NodesResult: Order::Nodes, (Answer::Nodes(nodes), _) => nodes;

    /// The state of the VM as a whole; schedulers are observed for `look_ms`, 0: not at all.
    node(look_ms: u32) -> NodeResult: Order::Node { look_ms }, (Answer::Node(node), _) => *node;

    /// What takes the VM's time or limits its processors now; counts are of the time since its inside was first read.
    circumstances() -> Circumstances:
        Order::Circumstances, (Answer::Circumstances(found), _) => *found;

    /// A page of the processes of the VM.
    processes(page: ProcessesPage) -> ProcessesResult:
        Order::Processes(page), (Answer::Processes(processes), _) => processes;

    /// The processes that are in C code in which the threads that run them sleep.
    in_c() -> Vec<SleepingInC>: Order::InC, (Answer::InC(sleeping), _) => sleeping;

    /// How the VM uses its memory.
    memory() -> MemoryResult: Order::Memory, (Answer::Memory(memory), _) => *memory;

    /// The same, with its carriers one by one.
    memory_map() -> InsideMemoryResult: Order::MemoryMap, (Answer::MemoryMap(memory), _) => *memory;

    /// The holders of the VM's binaries, and the processes that allocated them.
    binaries(wanted: BinariesWanted) -> BinariesResult:
        Order::Binaries(wanted), (Answer::Binaries(binaries), _) => *binaries;

    /// A window of the list of the processes of the VM.
    process_list(wanted: InsideProcessesParams) -> InsideProcessesResult:
        Order::ProcessList(wanted), (Answer::ProcessList(list), _) => list;

    /// Reads where the processes of the VM wait.
    look_at_waits() -> WaitsLook: Order::WaitsLook, (Answer::WaitsLook(look), _) => look;

    /// The result of those readings, and a capture of it: a gzip member.
    waits() -> (WaitsResult, Vec<u8>): Order::Waits, (Answer::Waits(waits), capture) => (waits, capture);
}

impl Sampler {
    /// The heap of a process, by its pid as the node prints it. `told` receives the progress for a large
    /// heap.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub fn heap(
        &mut self,
        process: &str,
        cancelled: &dyn Fn() -> bool,
        told: &ReadProgress<'_>,
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
        told: &ReadProgress<'_>,
    ) -> Result<Vec<(String, String)>, Refusal> {
        let order = Order::HeapValues(process.to_owned());
        match self.ask_at_length(&order, cancelled, told)?.0 {
            Answer::HeapValues(values) => Ok(values),
            _ => Err(out_of_order()),
        }
    }
}
