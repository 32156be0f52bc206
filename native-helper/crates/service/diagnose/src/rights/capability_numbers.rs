//! The capabilities that matter, by their numbers in the kernel.

pub const IPC_LOCK: u32 = 14;
pub const SYS_PTRACE: u32 = 19;
pub const SYS_ADMIN: u32 = 21;
pub const PERFMON: u32 = 38;
