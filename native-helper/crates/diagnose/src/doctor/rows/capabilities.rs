//! The capabilities that matter, by their numbers in the kernel.

use crate::doctor::machine::MachineFacts;

pub const IPC_LOCK: u32 = 14;
pub const SYS_PTRACE: u32 = 19;
pub const SYS_ADMIN: u32 = 21;
pub const PERFMON: u32 = 38;

pub fn has(facts: &MachineFacts, capability: u32) -> bool {
    facts.capabilities >> capability & 1 == 1
}

pub fn may_perf(facts: &MachineFacts) -> bool {
    has(facts, PERFMON) || has(facts, SYS_ADMIN)
}
