//! Which capabilities we have, where they count.

use crate::doctor::capability_numbers::{PERFMON, SYS_ADMIN, SYS_PTRACE};
use crate::doctor::kernel::UserNamespace;
use crate::doctor::machine::MachineFacts;

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
