//! Which capabilities we have, where they count.

use crate::doctor::machine::MachineFacts;
use crate::rights::capability_numbers::{PERFMON, SYS_ADMIN, SYS_PTRACE};
use crate::rights::kernel::UserNamespace;

/// Whether it is in force where it counts: in a user namespace other than the machine's, only CAP_SYS_PTRACE has an
/// effect.
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
