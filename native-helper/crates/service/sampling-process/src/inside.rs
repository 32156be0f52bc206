//! The questions about the inside of a VM, and their answers.

use attach::{AttachError, AttachedVm, CodeLook, HeapProgress, NodeReader};
use diagnose::refusal::Refusal;
use target_proc::ProcFs;
use target_proc::cpu_limits::CpuLimits;

use crate::binaries::binaries_result;
use crate::circumstances::{KnownTracing, circumstances};
use crate::counters::{CounterWatch, counter_reading};
use crate::dialog::{self, Question};
use crate::frame::Frame;
use crate::heap::{heap_result, heap_values};
use crate::in_c::sleeping_now;
use crate::memory::{memory_map_result, memory_result};
use crate::node::node_result;
use crate::nodes::nodes_result;
use crate::process_watch::ProcessWatch;
use crate::processes::processes_result;
use crate::refusals::lost;
use crate::wait_watch::WaitWatch;

/// A VM whose inside is read.
pub(crate) struct Inside {
    vm: AttachedVm,
    processes: ProcessWatch,
    waits: Option<WaitWatch>,
    /// Where the VM keeps its own state, once that was found.
    node: Option<NodeReader>,
    /// What kept it from processors before the first reading.
    limits: CpuLimits,
    tracing: KnownTracing,
    counters: CounterWatch,
}

impl Inside {
    /// Of a VM that was attached to.
    pub fn of(vm: AttachedVm) -> Self {
        let limits = ProcFs::live().cpu_limits(vm.process.pid);
        Self {
            vm,
            processes: ProcessWatch::default(),
            waits: None,
            node: None,
            limits,
            tracing: KnownTracing::default(),
            counters: CounterWatch::default(),
        }
    }

    /// Answers a question about the inside of the VM. `report` receives the progress of long ones.
    pub fn answer(
        &mut self,
        question: &dialog::Inside,
        report: &HeapProgress<'_>,
    ) -> Result<Frame, Refusal> {
        let refused = |error: AttachError| Refusal::from(&error);
        let Self {
            vm,
            processes,
            waits,
            node,
            limits,
            tracing,
            counters,
        } = self;
        let answered = match question {
            dialog::Inside::Nodes(it) => {
                it.answered(&nodes_result(vm.known_nodes().map_err(refused)?))
            }
            dialog::Inside::Node(it) => {
                it.answered(&node_result(vm, (node, tracing), it.look_ms).map_err(refused)?)
            }
            dialog::Inside::CircumstancesNow(it) => {
                it.answered(&circumstances(vm, limits, tracing).map_err(refused)?.facts)
            }
            dialog::Inside::Counters(it) => {
                let reading = counter_reading(vm, (node, counters), it.per_scheduler);
                it.answered(&reading.map_err(refused)?)
            }
            dialog::Inside::Processes(it) => {
                it.answered(&processes_result(vm, it.page).map_err(refused)?)
            }
            dialog::Inside::InC(it) => {
                let found = sleeping_now(vm).map_err(refused)?.into_iter();
                it.answered(&found.map(|in_c| in_c.facts).collect())
            }
            dialog::Inside::Heap(it) => {
                // The stack is named with the code that is loaded now. While code changes too fast to be read, it
                // stays without functions: other code may have taken the place of the known one.
                let is_code_known = vm.look_at_code().map_err(refused)? != CodeLook::Unclear;
                it.answered(&heap_result(vm, &it.process, is_code_known, report)?)
            }
            dialog::Inside::HeapValues(it) => it.answered(&heap_values(vm, &it.process, report)?),
            dialog::Inside::Memory(it) => {
                let memory = vm.memory_in_use().map_err(refused)?;
                it.answered(&memory_result(vm, memory))
            }
            dialog::Inside::MemoryMap(it) => it.answered(&memory_map_result(vm).map_err(refused)?),
            dialog::Inside::Binaries(it) => {
                it.answered(&binaries_result(vm, it.wanted).map_err(refused)?)
            }
            dialog::Inside::ProcessList(it) => {
                it.answered(&processes.answer(vm, &it.wanted).map_err(refused)?)
            }
            dialog::Inside::LookAtWaits(it) => {
                let waits = waits.get_or_insert_with(|| WaitWatch::begin(vm.process.pid));
                it.answered(&waits.look(vm, processes)?)
            }
            dialog::Inside::Waits(it) => {
                let waits = waits.take();
                let waits = waits.unwrap_or_else(|| WaitWatch::begin(vm.process.pid));
                let (result, capture) = waits.finish(vm, processes)?;
                it.answered(&result).map(|frame| frame.with(capture))
            }
        };
        answered.map_err(|error| lost(&error))
    }
}
