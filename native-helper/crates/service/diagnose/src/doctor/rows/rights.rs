//! The rights to sample, and to read the sampled VM.

use perf_ring::KernelFrames;
use protocol::discovery::DoctorStatus::{Fail, Ok as Good, Warn};
use protocol::message::{Text, texts};
use target_proc::status::Seccomp;

use crate::doctor::capabilities::{has, is_set, may_perf};
use crate::doctor::check::DoctorCheck;
use crate::doctor::checked_row::{CheckedRow, Mend, row};
use crate::doctor::machine::MachineFacts;
use crate::doctor::remedy::to_get_rights;
use crate::refusal::open_error;
use crate::rights::capability_numbers::{PERFMON, SYS_ADMIN, SYS_PTRACE};
use crate::shortage;

pub fn sampling(facts: &MachineFacts) -> CheckedRow {
    let (status, found, mend) = match &facts.events {
        Ok(settings) if settings.kernel == KernelFrames::Excluded => (
            Warn,
            texts::FOUND_USER_ONLY.with(&[("event", &settings.source.name())]),
            to_get_rights(facts),
        ),
        Ok(settings) => (
            Good,
            texts::FOUND_WITH_KERNEL.with(&[("event", &settings.source.name())]),
            to_get_rights(facts),
        ),
        Err(error) => (Fail, open_error(error), events_mend(facts)),
    };
    let check = DoctorCheck::Sampling;
    row(check, status, found, texts::NEED_EVENTS.text(), Some(mend))
}

fn events_mend(facts: &MachineFacts) -> Mend {
    if let Some(fix) = facts
        .events
        .as_ref()
        .err()
        .and_then(|error| shortage::of_error(error))
    {
        return Mend::Advice(fix);
    }
    if facts.seccomp == Seccomp::Filter && may_perf(facts) {
        Mend::Advice(texts::TO_ALLOW_CONTAINER.text())
    } else if facts.kernel.paranoid.is_none() {
        Mend::Advice(texts::TO_BOOT_PERF.text())
    } else {
        to_get_rights(facts)
    }
}

pub fn paranoid(facts: &MachineFacts) -> CheckedRow {
    // The least: it changes nothing for other programs, as the setting would.
    let rights = to_get_rights(facts);
    let (status, found, mend) = match facts.kernel.paranoid {
        None => (
            Fail,
            texts::FOUND_NO_PERF.text(),
            Mend::Advice(texts::TO_BOOT_PERF.text()),
        ),
        Some(level) if facts.asks_for_admin => {
            let asks = texts::FOUND_ASKS_FOR_ADMIN.with(&[("value", &level)]);
            let status = match has(facts, SYS_ADMIN) {
                true => Good,
                false => Fail,
            };
            (status, asks, rights)
        }
        Some(level) if may_perf(facts) => (Good, not_asked(level, "CAP_PERFMON"), rights),
        Some(level @ ..=1) => (Good, Text::plain(level.to_string()), rights),
        Some(2) => (Warn, Text::plain("2"), rights),
        // Kernels other than Debian's know no more than 2, and the result of the attempt counts.
        Some(level) if facts.events.is_ok() => (Warn, Text::plain(level.to_string()), rights),
        Some(level) => (Fail, Text::plain(level.to_string()), rights),
    };
    let check = DoctorCheck::PerfEventParanoid;
    row(
        check,
        status,
        found,
        texts::NEED_PARANOID.text(),
        Some(mend),
    )
}

/// A setting that the kernel does not apply to a process with the capability.
fn not_asked(value: i64, capability: &str) -> Text {
    texts::FOUND_NOT_ASKED.with(&[("value", &value), ("capability", &capability)])
}

pub fn perfmon(facts: &MachineFacts) -> CheckedRow {
    let found = match (has(facts, PERFMON), has(facts, SYS_ADMIN)) {
        (true, _) => Text::plain("CAP_PERFMON"),
        (false, true) => texts::FOUND_INCLUDED.text(),
        _ if is_set(facts, PERFMON) => {
            texts::FOUND_NOT_COUNTED.with(&[("capability", &"CAP_PERFMON")])
        }
        (false, false) => texts::FOUND_NO_CAPABILITY.text(),
    };
    let status = if may_perf(facts) { Good } else { Warn };
    let check = DoctorCheck::ToSample;
    let mend = to_get_rights(facts);
    row(check, status, found, texts::NEED_PERFMON.text(), Some(mend))
}

pub fn ptrace(facts: &MachineFacts) -> CheckedRow {
    let (status, found) = match has(facts, SYS_PTRACE) {
        true => (Good, Text::plain("CAP_SYS_PTRACE")),
        // It is raised where the policy allows it, and not for what `doctor` tries.
        false if facts.is_privileged_copy => (Good, texts::FOUND_POLICY_SAYS.text()),
        false => (Warn, texts::FOUND_NO_PTRACE.text()),
    };
    let check = DoctorCheck::ToRead;
    let mend = to_get_rights(facts);
    row(check, status, found, texts::NEED_PTRACE.text(), Some(mend))
}

pub fn yama(facts: &MachineFacts) -> CheckedRow {
    let privileged = has(facts, SYS_PTRACE);
    let (status, found) = match facts.kernel.yama_scope {
        None => (Good, texts::FOUND_NO_YAMA.text()),
        Some(0) => (Good, Text::plain("0")),
        Some(scope @ 1..=2) if privileged => (Good, not_asked(scope, "CAP_SYS_PTRACE")),
        Some(3) => (Fail, texts::FOUND_YAMA_NEVER.text()),
        Some(scope) => (Fail, texts::FOUND_YAMA_DENIES.with(&[("scope", &scope)])),
    };
    let mend = match facts.kernel.yama_scope {
        Some(3) => Mend::command(
            "sudo sed -i '/ptrace_scope/d' /etc/sysctl.conf /etc/sysctl.d/*.conf && sudo reboot",
        ),
        _ => to_get_rights(facts),
    };
    let check = DoctorCheck::Yama;
    row(check, status, found, texts::NEED_YAMA.text(), Some(mend))
}

pub fn seccomp(facts: &MachineFacts) -> CheckedRow {
    let (status, found) = match (facts.seccomp, facts.events.is_ok()) {
        (Seccomp::Disabled, _) => (Good, texts::FOUND_NO_FILTER),
        (Seccomp::Unknown, true) => (Good, texts::FOUND_FILTER_UNKNOWN),
        (_, true) => (Good, texts::FOUND_FILTER_PASSES),
        (Seccomp::Filter | Seccomp::Strict, false) if may_perf(facts) => {
            (Fail, texts::FOUND_FILTER_REFUSES)
        }
        (_, false) => (Warn, texts::FOUND_FILTER_PERHAPS),
    };
    row(
        DoctorCheck::Seccomp,
        status,
        found.text(),
        texts::NEED_SECCOMP.text(),
        Some(Mend::Advice(texts::TO_ALLOW_CONTAINER.text())),
    )
}
