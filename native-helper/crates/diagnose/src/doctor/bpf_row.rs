//! The row about the `bpf` engine, which captures stacks in the kernel at the sample itself.

use protocol::discovery::DoctorStatus;
use protocol::message::{Text, texts};

use super::check::DoctorCheck;
use super::checked_row::{CheckedRow, Mend, row};
use super::machine::{BpfRefusal, MachineFacts};

use crate::refusal::setcap;

/// Whether exact capture works, and what would enable it.
pub fn exact_stacks(facts: &MachineFacts) -> CheckedRow {
    let (status, found, mend) = match &facts.bpf {
        Ok(()) => (DoctorStatus::Ok, texts::FOUND_BPF_WORKS.text(), None),
        Err(refusal) => (
            DoctorStatus::Warn,
            readv_is_used(facts, refusal),
            refusal.is_permission.then(|| Mend::command(setcap())),
        ),
    };
    let needed = texts::NEED_BPF.text();
    row(DoctorCheck::ExactStacks, status, found, needed, mend)
}

/// Names the sysctl that people know of. It does not help: programs that read other processes'
/// memory take the capabilities at any value of it.
fn readv_is_used(facts: &MachineFacts, refusal: &BpfRefusal) -> Text {
    match facts.unprivileged_bpf {
        Some(value) if refusal.is_permission => {
            texts::FOUND_READV_SYSCTL.with(&[("detail", &refusal.reason), ("value", &value)])
        }
        _ => texts::FOUND_READV.with(&[("detail", &refusal.reason)]),
    }
}
