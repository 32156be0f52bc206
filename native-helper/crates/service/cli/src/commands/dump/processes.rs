//! `dump --what processes`: one line per process, in the order of the process table.

use attach::AttachedVm;
use serde::Serialize;
use target_memory::TargetMemory;
use vm_tables::processes::{MAX_PROCESS_BYTES, ProcessFields, process_name};

use super::{Lines, hex, unreadable};
use crate::failure::Failure;

#[derive(Serialize)]
struct ProcessLine {
    address: String,
    /// Absent when it is not known how this VM makes pids.
    pid: Option<String>,
    /// Registered name, else initial call.
    name: Option<String>,
    is_registered: bool,
    state: String,
    heap: String,
    htop: String,
    stop: String,
    hend: String,
    heap_size_words: u64,
    i: String,
    fcalls: i64,
}

pub fn write(vm: &mut AttachedVm, lines: &mut Lines) -> Result<(), Failure> {
    for (address, bytes, fields) in all(vm, lines.limit)? {
        let layout = &vm.layout.process;
        let line = ProcessLine {
            address: hex(address),
            pid: vm.pids.map(|pids| pids.text(fields.id)),
            name: process_name(&vm.memory, &mut vm.atoms, layout, (address, &bytes)),
            is_registered: fields.reg != 0,
            state: hex(u64::from(fields.state)),
            heap: hex(fields.heap),
            htop: hex(fields.htop),
            stop: hex(fields.stop),
            hend: hex(fields.hend),
            heap_size_words: fields.heap_size_words,
            i: hex(fields.i),
            fcalls: fields.fcalls,
        };
        if !lines.put(&line)? {
            break;
        }
    }
    Ok(())
}

/// Address, struct and fields of the processes there are, and one more than `limit` at most.
pub fn all(
    vm: &AttachedVm,
    limit: usize,
) -> Result<impl Iterator<Item = (u64, Vec<u8>, ProcessFields)> + use<>, Failure> {
    let addresses = vm
        .process_table
        .addresses(&vm.memory, limit.saturating_add(1))
        .map_err(|error| unreadable("processes", &error))?;
    let (memory, layout) = (vm.memory.clone(), vm.layout.process);
    Ok(addresses.into_iter().filter_map(move |address| {
        let bytes = memory
            .read_vec(address, layout.read_bytes, MAX_PROCESS_BYTES)
            .ok()?;
        let fields = ProcessFields::from_bytes(&layout, &bytes)?;
        Some((address, bytes, fields))
    }))
}
