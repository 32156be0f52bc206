//! The schedulers: where each keeps the process that it runs.

use target_memory::TargetMemory;

use vm_layout::{EmulatorSymbols, TableError};
use vm_layout::{Flavor, VmLayout};

pub use erlang_names::threads::{SchedulerKind, scheduler_of_thread_name};

/// The most schedulers of one kind a VM can have.
pub const MAX_SCHEDULERS: u32 = 1024;

/// One scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheduler {
    /// Kind.
    pub kind: SchedulerKind,
    /// Number, from 1.
    pub number: u32,
    /// Address of its ErtsSchedulerData.
    pub data: u64,
    /// Address of its register block, where C code called from Erlang starts its stack; for an
    /// interpreter, which has none, the end of the thread's C stack. 0 for a dirty scheduler.
    pub registers: u64,
}

/// The schedulers of one kind, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchedulerArray {
    /// Kind.
    pub kind: SchedulerKind,
    /// ErtsSchedulerData of the first one.
    pub first: u64,
    /// How many there are.
    pub count: u32,
}

/// Variables of the emulator: kind, array, number of elements.
const ARRAYS: [(SchedulerKind, &str, &str); 3] = [
    (
        SchedulerKind::Normal,
        "erts_aligned_scheduler_data",
        "erts_no_schedulers",
    ),
    (
        SchedulerKind::DirtyCpu,
        "erts_aligned_dirty_cpu_scheduler_data",
        "erts_no_dirty_cpu_schedulers",
    ),
    (
        SchedulerKind::DirtyIo,
        "erts_aligned_dirty_io_scheduler_data",
        "erts_no_dirty_io_schedulers",
    ),
];

/// The three arrays (normal, dirty CPU, dirty I/O) as the emulator's symbols lead to them.
pub fn arrays_by_symbols(
    memory: &impl TargetMemory,
    symbols: &impl EmulatorSymbols,
) -> Result<[SchedulerArray; 3], TableError> {
    let mut arrays = ARRAYS.map(|(kind, _, _)| SchedulerArray {
        kind,
        first: 0,
        count: 0,
    });
    for (array, (_, first, count)) in arrays.iter_mut().zip(ARRAYS) {
        array.count = memory.read_u32(symbols.require(count)?)?;
        array.first = memory.read_u64(symbols.require(first)?)?;
    }
    Ok(arrays)
}

/// All schedulers. Their arrays never move while the VM lives.
pub fn read_schedulers(
    memory: &impl TargetMemory,
    arrays: &[SchedulerArray; 3],
    layout: &VmLayout,
) -> Result<Vec<Scheduler>, TableError> {
    let mut schedulers = Vec::new();
    for array in arrays {
        let SchedulerArray { kind, first, count } = *array;
        if count > MAX_SCHEDULERS || (count == 0 && kind == SchedulerKind::Normal) {
            return Err(TableError::malformed(
                "schedulers",
                format!("{count} of them"),
            ));
        }
        for index in 0..count {
            let data = first.wrapping_add(u64::from(index) * layout.scheduler.stride as u64);
            schedulers.push(read_scheduler(memory, layout, kind, index + 1, data)?);
        }
    }
    Ok(schedulers)
}

fn read_scheduler(
    memory: &impl TargetMemory,
    layout: &VmLayout,
    kind: SchedulerKind,
    number: u32,
    data: u64,
) -> Result<Scheduler, TableError> {
    // The descriptor of a thread lies at the end of its stack.
    let registers_offset = match layout.flavor {
        Flavor::Jit(_) => layout.scheduler.registers,
        Flavor::Interpreter(interpreter) => interpreter.thread,
    };
    let layout = &layout.scheduler;
    let number_offset = match kind {
        SchedulerKind::Normal => layout.number,
        SchedulerKind::DirtyCpu | SchedulerKind::DirtyIo => layout.dirty_number,
    };
    let own_number = memory.read_u64(data.wrapping_add(number_offset as u64))?;
    if own_number & 0xffff_ffff != u64::from(number) {
        return Err(TableError::malformed(
            "schedulers",
            format!("{kind:?} scheduler {number} claims to be {own_number}"),
        ));
    }
    let registers = match kind {
        SchedulerKind::Normal => memory.read_u64(data.wrapping_add(registers_offset as u64))?,
        SchedulerKind::DirtyCpu | SchedulerKind::DirtyIo => 0,
    };
    if kind == SchedulerKind::Normal && (registers == 0 || !registers.is_multiple_of(64)) {
        return Err(TableError::malformed(
            "schedulers",
            format!("{number} has no register block"),
        ));
    }
    Ok(Scheduler {
        kind,
        number,
        data,
        registers,
    })
}
