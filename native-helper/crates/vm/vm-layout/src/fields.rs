//! Every field of a layout, so that each can be derived, compared and reported.

use std::fmt;

use super::VmLayout;
use crate::flavor::Flavor;

/// One field of [`VmLayout`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// From the register block to where the JIT's register for it points.
    RegistersDelta,
    /// Length of a process struct.
    ProcessBytes,
    /// Process.id.
    Id,
    /// Process.reg.
    Reg,
    /// Process.htop.
    Htop,
    /// Process.stop.
    Stop,
    /// Process.fcalls.
    Fcalls,
    /// Width of Process.fcalls.
    FcallsBytes,
    /// Process.heap.
    Heap,
    /// Process.hend.
    Hend,
    /// Process.heap_sz.
    HeapSize,
    /// Process.i.
    I,
    /// Process.u.initial.
    InitialCall,
    /// Process.state.
    State,
    /// Process.scheduler_data.
    SchedulerData,
    /// ErtsSchedulerData.registers.
    SchedulerRegisters,
    /// ErtsSchedulerData.current_process.
    CurrentProcess,
    /// ErtsSchedulerData.no.
    Number,
    /// ErtsSchedulerData.dirty_no.
    DirtyNumber,
    /// ErtsSchedulerData.current_port.
    CurrentPort,
    /// From one ErtsSchedulerData to the next.
    Stride,
}

impl Field {
    /// All of them, as `doctor` lists them.
    pub const ALL: [Self; 21] = [
        Self::RegistersDelta,
        Self::ProcessBytes,
        Self::Id,
        Self::Reg,
        Self::Htop,
        Self::Stop,
        Self::Fcalls,
        Self::FcallsBytes,
        Self::Heap,
        Self::Hend,
        Self::HeapSize,
        Self::I,
        Self::InitialCall,
        Self::State,
        Self::SchedulerData,
        Self::SchedulerRegisters,
        Self::CurrentProcess,
        Self::Number,
        Self::DirtyNumber,
        Self::CurrentPort,
        Self::Stride,
    ];

    /// As `doctor` calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RegistersDelta => "registers",
            Self::ProcessBytes => "Process size",
            Self::Id => "Process.id",
            Self::Reg => "Process.reg",
            Self::Htop => "Process.htop",
            Self::Stop => "Process.stop",
            Self::Fcalls => "Process.fcalls",
            Self::FcallsBytes => "Process.fcalls width",
            Self::Heap => "Process.heap",
            Self::Hend => "Process.hend",
            Self::HeapSize => "Process.heap_sz",
            Self::I => "Process.i",
            Self::InitialCall => "Process.initial",
            Self::State => "Process.state",
            Self::SchedulerData => "Process.scheduler_data",
            Self::SchedulerRegisters => "scheduler.registers",
            Self::CurrentProcess => "scheduler.current_process",
            Self::Number => "scheduler.no",
            Self::DirtyNumber => "scheduler.dirty_no",
            Self::CurrentPort => "scheduler.current_port",
            Self::Stride => "scheduler stride",
        }
    }

    /// Its offset in bytes, or its other value; `None` when an emulator of that kind has no such
    /// field.
    pub fn value_in(self, layout: &VmLayout) -> Option<usize> {
        let mut copy = *layout;
        self.slot(&mut copy).copied()
    }

    /// Sets it, where there is such a field.
    pub fn set(self, layout: &mut VmLayout, value: usize) {
        if let Some(slot) = self.slot(layout) {
            *slot = value;
        }
    }

    /// True for an offset into a process struct.
    pub(crate) const fn is_in_process(self) -> bool {
        match self {
            Self::Id
            | Self::Reg
            | Self::Htop
            | Self::Stop
            | Self::Fcalls
            | Self::Heap
            | Self::Hend
            | Self::HeapSize
            | Self::I
            | Self::InitialCall
            | Self::State
            | Self::SchedulerData => true,
            Self::RegistersDelta
            | Self::ProcessBytes
            | Self::FcallsBytes
            | Self::SchedulerRegisters
            | Self::CurrentProcess
            | Self::Number
            | Self::DirtyNumber
            | Self::CurrentPort
            | Self::Stride => false,
        }
    }

    fn slot(self, layout: &mut VmLayout) -> Option<&mut usize> {
        let (process, scheduler) = (&mut layout.process, &mut layout.scheduler);
        Some(match self {
            Self::RegistersDelta => match &mut layout.flavor {
                Flavor::Jit(jit) => &mut jit.registers_delta,
                Flavor::Interpreter(_) => return None,
            },
            Self::ProcessBytes => &mut process.read_bytes,
            Self::Id => &mut process.id,
            Self::Reg => &mut process.reg,
            Self::Htop => &mut process.htop,
            Self::Stop => &mut process.stop,
            Self::Fcalls => &mut process.fcalls,
            Self::FcallsBytes => &mut process.fcalls_bytes,
            Self::Heap => &mut process.heap,
            Self::Hend => &mut process.hend,
            Self::HeapSize => &mut process.heap_size_words,
            Self::I => &mut process.i,
            Self::InitialCall => &mut process.initial_call,
            Self::State => &mut process.state,
            Self::SchedulerData => &mut process.scheduler_data,
            Self::SchedulerRegisters => &mut scheduler.registers,
            Self::CurrentProcess => &mut scheduler.current_process,
            Self::Number => &mut scheduler.number,
            Self::DirtyNumber => &mut scheduler.dirty_number,
            Self::CurrentPort => &mut scheduler.current_port,
            Self::Stride => &mut scheduler.stride,
        })
    }
}

impl fmt::Display for Field {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::ROWS;
    use super::*;

    #[test]
    fn a_layout_is_its_fields() {
        for row in ROWS {
            let other = ROWS
                .iter()
                .find(|other| other.flavor.kind() == row.flavor.kind() && *other != row);
            let mut copy = *other.unwrap();
            for field in Field::ALL {
                if let Some(value) = field.value_in(row) {
                    field.set(&mut copy, value);
                }
            }
            assert_eq!((copy.process, copy.scheduler), (row.process, row.scheduler));
            if let Flavor::Jit(_) = row.flavor {
                assert_eq!(copy.flavor, row.flavor);
            }
        }
    }

    #[test]
    fn every_field_is_listed_once_under_a_name_of_its_own() {
        for (position, field) in Field::ALL.into_iter().enumerate() {
            assert_eq!(field as usize, position);
        }
        let mut names = Field::ALL.map(Field::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Field::ALL.len());
    }
}
