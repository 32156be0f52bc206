//! Every field of a layout by its name, so that each can be derived, compared and reported.

use super::VmLayout;

/// One field of [`VmLayout`].
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// As `doctor` calls it.
    pub name: &'static str,
    /// Its offset, or what else it is.
    pub get: fn(&VmLayout) -> usize,
    /// Sets it.
    pub set: fn(&mut VmLayout, usize),
}

macro_rules! field {
    ($name:literal, $($path:ident).+) => {
        Field {
            name: $name,
            get: |layout| layout.$($path).+,
            set: |layout, value| layout.$($path).+ = value,
        }
    };
}

/// rbx minus the register block.
pub const REGISTERS_DELTA: &str = "registers";
/// Process size.
pub const PROCESS_BYTES: &str = "Process size";
/// Process.id.
pub const ID: &str = "Process.id";
/// Process.reg.
pub const REG: &str = "Process.reg";
/// Process.htop.
pub const HTOP: &str = "Process.htop";
/// Process.stop.
pub const STOP: &str = "Process.stop";
/// Process.fcalls.
pub const FCALLS: &str = "Process.fcalls";
/// Width of Process.fcalls.
pub const FCALLS_BYTES: &str = "Process.fcalls width";
/// Process.heap.
pub const HEAP: &str = "Process.heap";
/// Process.hend.
pub const HEND: &str = "Process.hend";
/// Process.heap_sz.
pub const HEAP_SIZE: &str = "Process.heap_sz";
/// Process.i.
pub const I: &str = "Process.i";
/// Process.u.initial.
pub const INITIAL_CALL: &str = "Process.initial";
/// Process.state.
pub const STATE: &str = "Process.state";
/// Process.scheduler_data.
pub const SCHEDULER_DATA: &str = "Process.scheduler_data";
/// ErtsSchedulerData.registers.
pub const SCHEDULER_REGISTERS: &str = "scheduler.registers";
/// ErtsSchedulerData.current_process.
pub const CURRENT_PROCESS: &str = "scheduler.current_process";
/// ErtsSchedulerData.no.
pub const NUMBER: &str = "scheduler.no";
/// ErtsSchedulerData.dirty_no.
pub const DIRTY_NUMBER: &str = "scheduler.dirty_no";
/// ErtsSchedulerData.current_port.
pub const CURRENT_PORT: &str = "scheduler.current_port";
/// From one ErtsSchedulerData to the next.
pub const STRIDE: &str = "scheduler stride";

/// All fields.
pub const FIELDS: &[Field] = &[
    Field {
        name: REGISTERS_DELTA,
        get: |layout| layout.registers_delta as usize,
        set: |layout, value| layout.registers_delta = u32::try_from(value).unwrap_or(u32::MAX),
    },
    field!("Process size", process.read_bytes),
    field!("Process.id", process.id),
    field!("Process.reg", process.reg),
    field!("Process.htop", process.htop),
    field!("Process.stop", process.stop),
    field!("Process.fcalls", process.fcalls),
    field!("Process.fcalls width", process.fcalls_bytes),
    field!("Process.heap", process.heap),
    field!("Process.hend", process.hend),
    field!("Process.heap_sz", process.heap_size_words),
    field!("Process.i", process.i),
    field!("Process.initial", process.initial_call),
    field!("Process.state", process.state),
    field!("Process.scheduler_data", process.scheduler_data),
    field!("scheduler.registers", scheduler.registers),
    field!("scheduler.current_process", scheduler.current_process),
    field!("scheduler.no", scheduler.number),
    field!("scheduler.dirty_no", scheduler.dirty_number),
    field!("scheduler.current_port", scheduler.current_port),
    field!("scheduler stride", scheduler.stride),
];

#[cfg(test)]
mod tests {
    use super::super::rows::ROWS;
    use super::*;

    #[test]
    fn a_layout_is_its_fields() {
        for row in ROWS {
            let mut copy = ROWS[0];
            for field in FIELDS {
                (field.set)(&mut copy, (field.get)(row));
            }
            assert_eq!((copy.process, copy.scheduler), (row.process, row.scheduler));
            assert_eq!(copy.registers_delta, row.registers_delta);
        }
        let mut names: Vec<_> = FIELDS.iter().map(|field| field.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FIELDS.len());
    }
}
