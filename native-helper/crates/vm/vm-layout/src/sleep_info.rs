//! A scheduler's data about its own waiting: `ErtsSchedulerSleepInfo`, one for each scheduler, of every kind.
//!
//! The figures are data like those of [`super::rows`]. They hold for OTP 23 to 29, and a VM confirms them: the struct
//! begins with a pointer to its scheduler, which has a pointer to the struct.

/// In `ErtsSchedulerData`: how many bytes the pointer to the struct lies before the pointer to the
/// process.
pub const BEFORE_PROCESS: usize = 8;
/// The pointer to the scheduler, in the struct.
pub const SCHEDULER: u64 = 0;
/// The flags, 32 bits, in the struct.
pub const FLAGS: u64 = 24;
/// Each struct has cache lines of its own.
pub const ALIGN: u64 = 64;
/// The flag of a scheduler that waits until there is something to run, whether it spins or sleeps. The thread that
/// wakes the scheduler clears the flag.
pub const WAITING: u32 = 1 << 3;
/// All flags there are: sleeping in one of two ways, waiting, suspended, the only one that may run.
pub const ALL: u32 = 0x3f;
