//! The row about the `bpf` engine, which captures stacks in the kernel at the sample itself.

use protocol::discovery::{DoctorRow, DoctorStatus};

use super::machine::{BpfRefusal, MachineFacts};
use super::row;
use crate::refusal::setcap;

const NEEDED: &str = "the kernel takes a small eBPF program (tried): Linux 5.8, CAP_BPF and CAP_PERFMON; without it \
     stacks under C code are read right after the sample and some stay unproven";

/// Whether exact capture works, and what would enable it.
pub fn exact_stacks(facts: &MachineFacts) -> DoctorRow {
    let (status, found, fix) = match &facts.bpf {
        Ok(()) => (DoctorStatus::Ok, "bpf works".to_owned(), None),
        Err(refusal) => (
            DoctorStatus::Warn,
            format!(
                "readv is used: {}{}",
                refusal.reason,
                unprivileged(facts, refusal)
            ),
            refusal.is_permission.then(setcap),
        ),
    };
    row("exact stacks (bpf)", status, found, NEEDED, fix)
}

/// The sysctl that people know of. It does not help: programs that read other processes' memory
/// take the capabilities at any value of it.
fn unprivileged(facts: &MachineFacts, refusal: &BpfRefusal) -> String {
    match facts.unprivileged_bpf {
        Some(value) if refusal.is_permission => {
            format!("; kernel.unprivileged_bpf_disabled={value} makes no difference")
        }
        _ => String::new(),
    }
}
