//! The row about the `bpf` engine, which captures stacks in the kernel at the sample itself.

use protocol::discovery::DoctorStatus;
use protocol::message::texts;

use super::check::DoctorCheck;
use super::checked_row::{CheckedRow, row};
use super::machine::MachineFacts;
use super::remedy::to_get_rights;

/// Whether exact capture works, and how to enable it.
pub fn exact_stacks(facts: &MachineFacts) -> CheckedRow {
    let (status, found, mend) = match &facts.bpf {
        Ok(()) => (DoctorStatus::Ok, texts::FOUND_BPF_WORKS.text(), None),
        Err(refusal) => (
            DoctorStatus::Warn,
            texts::FOUND_READV.with(&[("detail", &refusal.reason)]),
            refusal.is_permission.then(|| to_get_rights(facts)),
        ),
    };
    let needed = texts::NEED_BPF.text();
    row(DoctorCheck::ExactStacks, status, found, needed, mend)
}

/// The sysctl that people know of. It is no obstacle: programs that read other processes' memory take the capabilities
/// at any value of it.
pub fn unprivileged(facts: &MachineFacts) -> CheckedRow {
    let found = match facts.kernel.unprivileged_bpf {
        Some(value) => texts::FOUND_NO_DIFFERENCE.with(&[("value", &value)]),
        None => texts::FOUND_NOT_IN_FORCE.text(),
    };
    let check = DoctorCheck::UnprivilegedBpf;
    let needed = texts::NEED_UNPRIVILEGED_BPF.text();
    row(check, DoctorStatus::Ok, found, needed, None)
}
