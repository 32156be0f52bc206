//! What the facts about the machine mean for sampling.

mod guards;
mod installed_copy;
mod limits;
mod precision;
mod rights;

#[cfg(test)]
pub(crate) mod tests;

use super::checked_row::CheckedRow;
use super::machine::MachineFacts;

/// One row for each check of the machine, in the order to fix them.
pub fn machine_rows(facts: &MachineFacts) -> Vec<CheckedRow> {
    vec![
        rights::sampling(facts),
        rights::paranoid(facts),
        rights::perfmon(facts),
        rights::ptrace(facts),
        rights::yama(facts),
        guards::user_namespace(facts),
        rights::seccomp(facts),
        guards::lockdown(facts),
        guards::selinux(facts),
        guards::apparmor(facts),
        limits::locked_memory(facts),
        limits::open_files(facts),
        precision::event_source(facts),
        super::bpf_row::exact_stacks(facts),
        super::bpf_row::unprivileged(facts),
        precision::realtime(facts),
        precision::kernel_symbols(facts),
        installed_copy::installed_copy(facts),
    ]
}
