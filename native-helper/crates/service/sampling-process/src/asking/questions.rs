//! The questions about a VM.

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
use crate::dialog::{
    Binaries, Check, Circumstances, CircumstancesNow, Heap, HeapValues, InC, LookAtWaits, Memory,
    MemoryMap, Node, Nodes, ProcessList, Processes, Pstack, Waits,
};

/// `name(parameters) -> result: question;`
macro_rules! questions {
    ($($(#[$doc:meta])* $name:ident($($param:ident: $type:ty),*) -> $result:ty: $question:expr;)*) => {
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
                self.ask($question, cancelled)
            })*
        }
    };
}

questions! {
    /// Checks the result of attaching.
    check() -> SelfCheck: Check {};

    /// The activity of each scheduler; `all`: of other threads as well. It is the last question.
    pstack(all: bool) -> PstackResult: Pstack { all };

    /// The nodes that the VM knows.
    nodes() -> NodesResult: Nodes {};

    /// The state of the VM as a whole; schedulers are observed for `look_ms`, 0: not at all.
    node(look_ms: u32) -> NodeResult: Node { look_ms };

    /// What takes the VM's time or limits its processors now; counts are of the time since its inside was first read.
    circumstances() -> Circumstances: CircumstancesNow {};

    /// A page of the processes of the VM.
    processes(page: ProcessesPage) -> ProcessesResult: Processes { page };

    /// The processes that are in C code in which the threads that run them sleep.
    in_c() -> Vec<SleepingInC>: InC {};

    /// How the VM uses its memory.
    memory() -> MemoryResult: Memory {};

    /// The same, with its carriers one by one.
    memory_map() -> InsideMemoryResult: MemoryMap {};

    /// The holders of the VM's binaries, and the processes that allocated them.
    binaries(wanted: BinariesWanted) -> BinariesResult: Binaries { wanted };

    /// A window of the list of the processes of the VM.
    process_list(wanted: InsideProcessesParams) -> InsideProcessesResult: ProcessList { wanted };

    /// Reads where the processes of the VM wait.
    look_at_waits() -> WaitsLook: LookAtWaits {};
}

impl Sampler {
    /// The result of those readings, and a capture of it: a gzip member.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub fn waits(
        &mut self,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(WaitsResult, Vec<u8>), Refusal> {
        self.ask_with_bytes(Waits {}, cancelled)
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
        told: &ReadProgress<'_>,
    ) -> Result<HeapResult, Refusal> {
        let process = process.to_owned();
        Ok(self.ask_at_length(Heap { process }, cancelled, told)?.0)
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
        let process = process.to_owned();
        Ok(self
            .ask_at_length(HeapValues { process }, cancelled, told)?
            .0)
    }
}
