//! The capabilities that matter, by their numbers in the kernel.

use crate::doctor::kernel::UserNamespace;
use crate::doctor::machine::MachineFacts;

pub const IPC_LOCK: u32 = 14;
pub const SYS_PTRACE: u32 = 19;
pub const SYS_ADMIN: u32 = 21;
pub const PERFMON: u32 = 38;

/// Whether it is in force where it counts: in a user namespace of its own the kernel asks for all of them
/// but CAP_SYS_PTRACE in vain.
pub fn has(facts: &MachineFacts, capability: u32) -> bool {
    let counts = facts.kernel.user_namespace == UserNamespace::MachinesOwn;
    is_set(facts, capability) && (counts || capability == SYS_PTRACE)
}

/// Whether it is in force, wherever it counts.
pub fn is_set(facts: &MachineFacts, capability: u32) -> bool {
    facts.capabilities >> capability & 1 == 1
}

pub fn may_perf(facts: &MachineFacts) -> bool {
    has(facts, PERFMON) || has(facts, SYS_ADMIN)
}
