//! The orders about the inside of a VM, and their answers.

use attach::{AttachedVm, CodeLook, HeapProgress, NodeReader};
use diagnose::refusal::Refusal;
use target_proc::ProcFs;
use target_proc::cpu_limits::CpuLimits;

use crate::binaries::binaries_result;
use crate::circumstances::circumstances;
use crate::dialog::{Answer, Order};
use crate::heap::{heap_result, heap_values};
use crate::in_c::sleeping_now;
use crate::memory::{memory_map_result, memory_result};
use crate::node::node_result;
use crate::nodes::nodes_result;
use crate::process_watch::ProcessWatch;
use crate::processes::processes_result;
use crate::refusals::asked_out_of_order;
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
        }
    }

    /// Answers an order about the inside of the VM, with bytes that follow the answer. `told` receives the
    /// progress of long orders.
    pub fn answer(
        &mut self,
        order: &Order,
        told: &HeapProgress<'_>,
    ) -> Result<(Answer, Vec<u8>), Refusal> {
        match order {
            Order::WaitsLook => {
                let waits = self.waits.get_or_insert_with(WaitWatch::begin);
                let look = waits.look(&mut self.vm, &mut self.processes)?;
                Ok((Answer::WaitsLook(look), Vec::new()))
            }
            Order::Waits => {
                let waits = self.waits.take().unwrap_or_else(WaitWatch::begin);
                let (result, capture) = waits.finish(&mut self.vm, &self.processes)?;
                Ok((Answer::Waits(result), capture))
            }
            _ => Ok((self.plain(order, told)?, Vec::new())),
        }
    }

    fn plain(&mut self, order: &Order, told: &HeapProgress<'_>) -> Result<Answer, Refusal> {
        let vm = &mut self.vm;
        let answered =
            match order {
                Order::Nodes => vm.known_nodes().map(nodes_result).map(Answer::Nodes),
                Order::Node { look_ms } => node_result(vm, &mut self.node, *look_ms)
                    .map(|node| Answer::Node(Box::new(node))),
                Order::Circumstances => circumstances(vm, &self.limits)
                    .map(|(found, _)| Answer::Circumstances(Box::new(found))),
                Order::Processes(page) => processes_result(vm, *page).map(Answer::Processes),
                Order::InC => sleeping_now(vm).map(|found| {
                    let told = found.into_iter().map(|it| it.told);
                    Answer::InC(told.collect())
                }),
                Order::ProcessList(wanted) => {
                    self.processes.answer(vm, wanted).map(Answer::ProcessList)
                }
                Order::Memory => vm
                    .memory_in_use()
                    .map(|memory| Answer::Memory(Box::new(memory_result(vm, memory)))),
                Order::MemoryMap => {
                    memory_map_result(vm).map(|memory| Answer::MemoryMap(Box::new(memory)))
                }
                Order::Binaries(wanted) => binaries_result(vm, *wanted)
                    .map(|binaries| Answer::Binaries(Box::new(binaries))),
                Order::Heap(process) => {
                    // The stack is named with the code that is loaded now. While code changes too fast to be read, it
                    // stays without functions: other code may have taken the place of the known one.
                    let code = vm.look_at_code();
                    let code = code.map_err(|error| Refusal::from(&error))?;
                    let is_code_known = code != CodeLook::Unclear;
                    return heap_result(vm, process, is_code_known, told).map(Answer::Heap);
                }
                Order::HeapValues(process) => {
                    return heap_values(vm, process, told).map(Answer::HeapValues);
                }
                _ => return Err(asked_out_of_order()),
            };
        answered.map_err(|error| Refusal::from(&error))
    }
}
