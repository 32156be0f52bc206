//! What is asked of the inside of a VM, and the answers.

use attach::AttachedVm;
use diagnose::refusal::Refusal;

use crate::dialog::{Answer, Order};
use crate::heap::heap_result;
use crate::memory::memory_result;
use crate::node::node_result;
use crate::nodes::nodes_result;
use crate::processes::processes_result;
use crate::refusals::asked_out_of_order;

/// What the VM is like inside.
pub(crate) fn answer(vm: &mut AttachedVm, order: &Order) -> Result<Answer, Refusal> {
    let answered = match order {
        Order::Nodes => vm.known_nodes().map(nodes_result).map(Answer::Nodes),
        Order::Node { schedulers } => node_result(vm, *schedulers).map(Answer::Node),
        Order::Processes(page) => processes_result(vm, *page).map(Answer::Processes),
        Order::Memory => vm
            .memory_in_use()
            .map(|memory| Answer::Memory(Box::new(memory_result(vm, memory)))),
        Order::Heap(process) => return heap_result(vm, process).map(Answer::Heap),
        _ => return Err(asked_out_of_order()),
    };
    answered.map_err(|error| Refusal::from(&error))
}
