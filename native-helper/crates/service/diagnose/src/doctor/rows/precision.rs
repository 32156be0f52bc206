//! What makes samples more exact, and works without.

use protocol::discovery::DoctorStatus::{Ok as Good, Warn};
use protocol::message::texts;

use crate::doctor::check::DoctorCheck;
use crate::doctor::checked_row::{CheckedRow, Mend, row};
use crate::doctor::machine::MachineFacts;
use crate::doctor::remedy::to_get_rights;

pub fn event_source(facts: &MachineFacts) -> CheckedRow {
    let (status, found) = match &facts.events {
        Ok(_) => (Good, texts::FOUND_CLOCK),
        Err(_) => (Warn, texts::FOUND_NO_EVENT),
    };
    let needed = texts::NEED_CLOCK.text();
    let mend = Some(to_get_rights(facts));
    row(DoctorCheck::Event, status, found.text(), needed, mend)
}

pub fn realtime(facts: &MachineFacts) -> CheckedRow {
    let (status, found) = match facts.realtime {
        true => (Good, texts::FOUND_ALLOWED),
        false => (Warn, texts::FOUND_NOT_REALTIME),
    };
    let needed = texts::NEED_REALTIME.text();
    let mend = Some(to_get_rights(facts));
    row(DoctorCheck::RealTime, status, found.text(), needed, mend)
}

pub fn kernel_symbols(facts: &MachineFacts) -> CheckedRow {
    let level = facts
        .kernel
        .kptr_restrict
        .map_or_else(|| "?".to_owned(), |level| level.to_string());
    let (status, found) = match facts.kernel_symbols {
        true => (Good, texts::FOUND_SYMBOLS),
        false => (Warn, texts::FOUND_NO_SYMBOLS),
    };
    // With kptr_restrict 0 the kernel still hides them from processes that it does not let profile
    // it.
    let mend = match facts.kernel.kptr_restrict {
        Some(0) => "sudo sysctl kernel.perf_event_paranoid=1",
        _ => "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1",
    };
    row(
        DoctorCheck::KernelSymbols,
        status,
        found.with(&[("level", &level)]),
        texts::NEED_KERNEL_SYMBOLS.text(),
        Some(Mend::command(mend)),
    )
}
