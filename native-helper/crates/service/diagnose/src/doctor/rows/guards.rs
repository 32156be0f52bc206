//! Guards that may refuse even a process with every capability.

use protocol::discovery::DoctorStatus::{self, Ok as Good, Warn};
use protocol::message::{Text, texts};

use crate::doctor::capabilities::may_perf;
use crate::doctor::check::DoctorCheck;
use crate::doctor::checked_row::{CheckedRow, Mend, row};
use crate::doctor::machine::MachineFacts;
use crate::rights::kernel::{Lockdown, UserNamespace};

pub fn user_namespace(facts: &MachineFacts) -> CheckedRow {
    let (status, found) = match facts.kernel.user_namespace {
        UserNamespace::MachinesOwn => (Good, texts::FOUND_MACHINES_NAMESPACE),
        UserNamespace::Another => (Warn, texts::FOUND_OTHER_NAMESPACE),
    };
    let mend = Mend::Advice(texts::TO_LEAVE_NAMESPACE.text());
    let needed = texts::NEED_USER_NAMESPACE.text();
    let check = DoctorCheck::UserNamespace;
    row(check, status, found.text(), needed, Some(mend))
}

/// The helper does not read the kernel's memory, so it hardly ever matters; kernels of distributions differ.
pub fn lockdown(facts: &MachineFacts) -> CheckedRow {
    let (status, found) = match facts.kernel.lockdown {
        None => (Good, texts::FOUND_NOT_IN_FORCE.text()),
        Some(Lockdown::Off) => (Good, Text::plain("none")),
        Some(Lockdown::Integrity) => (Good, Text::plain("integrity")),
        Some(Lockdown::Confidentiality) => confined(facts, "confidentiality"),
    };
    let mend = Mend::Advice(texts::TO_BOOT_UNLOCKED.text());
    let needed = texts::NEED_LOCKDOWN.text();
    row(DoctorCheck::Lockdown, status, found, needed, Some(mend))
}

pub fn selinux(facts: &MachineFacts) -> CheckedRow {
    let (status, found) = match &facts.kernel.selinux {
        None => (Good, texts::FOUND_NOT_IN_FORCE.text()),
        Some(selinux) if !selinux.is_enforcing => (Good, Text::plain("permissive")),
        Some(selinux) if selinux.leaves_us_alone() => (Good, texts::FOUND_UNCONFINED.text()),
        Some(selinux) => confined(facts, &selinux.context),
    };
    let mend = Mend::Advice(texts::TO_ALLOW_SELINUX.text());
    let needed = texts::NEED_SELINUX.text();
    row(DoctorCheck::SeLinux, status, found, needed, Some(mend))
}

pub fn apparmor(facts: &MachineFacts) -> CheckedRow {
    let (status, found) = match &facts.kernel.apparmor {
        None => (Good, texts::FOUND_NOT_IN_FORCE.text()),
        Some(apparmor) => match &apparmor.profile {
            None => (Good, texts::FOUND_UNCONFINED.text()),
            Some(profile) => confined(facts, profile),
        },
    };
    let mend = Mend::Advice(texts::TO_ALLOW_APPARMOR.text());
    let needed = texts::NEED_APPARMOR.text();
    row(DoctorCheck::AppArmor, status, found, needed, Some(mend))
}

fn confined(facts: &MachineFacts, label: &str) -> (DoctorStatus, Text) {
    match works(facts) {
        true => (Good, texts::FOUND_GUARD_PASSES.with(&[("guard", &label)])),
        false => (Warn, texts::FOUND_GUARD_PERHAPS.with(&[("guard", &label)])),
    }
}

/// True when no attempt points to a guard: a refusal for lack of a capability has another row.
fn works(facts: &MachineFacts) -> bool {
    facts.events.is_ok() && (facts.bpf.is_ok() || !may_perf(facts))
}
