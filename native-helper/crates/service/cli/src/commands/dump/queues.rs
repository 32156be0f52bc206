//! `dump --what queues`: the processes and ports that wait to run.

use attach::AttachedVm;
use serde::Serialize;
use vm_tables::run_queues::RunQueues;

use super::{Lines, unreadable};
use crate::failure::Failure;

#[derive(Serialize)]
struct Lengths {
    normal: u64,
    dirty_cpu: u64,
    dirty_io: u64,
}

pub(super) fn write(vm: &AttachedVm, lines: &mut Lines) -> Result<(), Failure> {
    let lengths = RunQueues::find(&vm.memory, &vm.schedulers)
        .and_then(|queues| queues.lengths(&vm.memory))
        .map_err(|error| unreadable("run queues", &error))?;
    let line = Lengths {
        normal: lengths.normal,
        dirty_cpu: lengths.dirty_cpu,
        dirty_io: lengths.dirty_io,
    };
    lines.put(&line).map(drop)
}
