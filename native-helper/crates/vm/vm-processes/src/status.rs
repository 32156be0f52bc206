//! The status in the state flags of a process.

use vm_layout::{STATE_BUSY, STATE_GC};

const FREE: u32 = 0x400;
const EXITING: u32 = 0x800;
const SUSPENDED: u32 = 0x1_0000;
const RUNNING: u32 = 0x8000 | 0x20_0000 | 0x2000_0000 | 0x4000_0000;
/// Something is to be done: by itself, for the system, or on a dirty scheduler.
const ACTIVE: u32 = 0x2000 | 0x10_0000 | 0x1000_0000;
const PRIORITY_SHIFT: u32 = 2;

/// The activity of a process, in the VM's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Its struct belongs to no process any more.
    Free,
    /// It ends.
    Exiting,
    /// Its heap is being collected.
    GarbageCollecting,
    /// A process has suspended it.
    Suspended,
    /// A scheduler runs it.
    Running,
    /// It wants to run.
    Runnable,
    /// It waits for a message.
    Waiting,
}

impl Status {
    /// The status that the flags give, tested in the VM's own order.
    pub fn of(state: u32) -> Self {
        let is = |flags| state & flags != 0;
        match () {
            () if is(FREE) => Self::Free,
            () if is(EXITING) => Self::Exiting,
            () if is(STATE_GC) => Self::GarbageCollecting,
            () if is(SUSPENDED) => Self::Suspended,
            () if is(RUNNING) => Self::Running,
            () if is(ACTIVE) => Self::Runnable,
            () => Self::Waiting,
        }
    }

    /// As `process_info(Pid, status)` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Exiting => "exiting",
            Self::GarbageCollecting => "garbage_collecting",
            Self::Suspended => "suspended",
            Self::Running => "running",
            Self::Runnable => "runnable",
            Self::Waiting => "waiting",
        }
    }
}

/// How urgent it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Priority {
    /// Before all others.
    Max,
    /// Before most.
    High,
    /// As most are.
    Normal,
    /// After most.
    Low,
}

impl Priority {
    /// The priority in the flags.
    pub fn of(state: u32) -> Self {
        match state >> PRIORITY_SHIFT & 3 {
            0 => Self::Max,
            1 => Self::High,
            2 => Self::Normal,
            _ => Self::Low,
        }
    }

    /// As `process_info(Pid, priority)` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Max => "max",
            Self::High => "high",
            Self::Normal => "normal",
            Self::Low => "low",
        }
    }
}

/// Whether no thread works on the process: the data that its fields point at stay as they are.
pub(crate) fn rests(state: u32) -> bool {
    state & (STATE_BUSY | EXITING | FREE) == 0
}

/// Whether its heap is at the address in its fields: no collection moves it.
pub(crate) fn is_in_place(state: u32) -> bool {
    state & (STATE_GC | EXITING | FREE) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_flag_that_is_set_decides() {
        assert_eq!(Status::of(0), Status::Waiting);
        assert_eq!(Status::of(0x2000), Status::Runnable);
        assert_eq!(Status::of(0x2000 | 0x8000), Status::Running);
        assert_eq!(Status::of(0x8000 | 0x1_0000), Status::Suspended);
        assert_eq!(Status::of(0x8000 | 0x2_0000), Status::GarbageCollecting);
        assert_eq!(Status::of(0x800 | 0x2_0000), Status::Exiting);
        assert_eq!(Status::of(0x400 | 0x800), Status::Free);
    }

    #[test]
    fn priorities_are_two_bits() {
        assert_eq!(Priority::of(8 | 3), Priority::Normal);
        assert_eq!(Priority::of(0), Priority::Max);
        assert_eq!(Priority::of(12), Priority::Low);
    }
}
